#include "cli/doctor_checks.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

using sqlite::Examination;
using sqlite::Found;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kMebibyte = 1024 * 1024;
constexpr std::uint64_t kLogIsLarge = 256 * kMebibyte;
constexpr std::uint64_t kDiskIsLow = 1024 * kMebibyte;
constexpr std::uint64_t kDiskIsFull = 64 * kMebibyte;
/// Clocks of one machine agree better than this.
constexpr Millis kClockTolerance = seconds(2);
/// A worker that lives takes things up much sooner.
constexpr Millis kTakenUpWithin = minutes(1);
/// A deployment may take so long.
constexpr Millis kCodeArrivesWithin = minutes(5);

Check well(const char* name, const std::string& says) { return {name, Health::well, says}; }
Check warning(const char* name, const std::string& says, const std::string& advice) {
    return {name, Health::warning, says, advice};
}
Check fault(const char* name, const std::string& says, const std::string& advice) {
    return {name, Health::fault, says, advice};
}
Check not_known(const char* name) { return {name, Health::unknown, "could not be looked at"}; }

/// False if the other checks would speak of no file, or of somebody else's.
bool is_there(const Examination& seen) { return seen.file.exists && seen.ours; }

Check check_file(const Examination& seen) {
    const sqlite::FileFacts& file = seen.file;
    if (!file.exists) {
        return fault("file",
                     "there is no such file",
                     "is the store right? A worker makes the file, or 'belay start --create'");
    }
    if (!file.regular) return fault("file", "it is no regular file", "name the database itself");
    if (!file.readable) {
        return fault("file", "it may not be read by this user", "give the user access to it");
    }
    if (file.names > 1) {
        return fault("file",
                     "it has " + std::to_string(file.names) + " names (hard links)",
                     "leave it one: under each name it would have a log and a lock of its own");
    }
    if (!seen.ours) {
        return fault("file",
                     safe(seen.trouble->message()),
                     "is it the right file? If it is, something has overwritten it: restore a "
                     "backup");
    }
    if (seen.trouble) {
        return fault("file",
                     safe(seen.trouble->message()),
                     seen.trouble->code() == Errc::corrupt
                         ? "restore it from a backup, together with its -wal"
                         : "is this program as new as the workers?");
    }
    return well("file", "it is a file of Belay, " + format_bytes(file.bytes));
}

/// "0660 and group 1000".
std::string format_mode(const sqlite::FileAccess& access) {
    std::string text = "0";
    for (const unsigned shift : {6U, 3U, 0U}) {
        text += std::to_string((access.mode >> shift) & 7U);
    }
    return text + " and group " + std::to_string(access.group);
}

constexpr const char* kSameAccess =
    "give the files beside it the mode and the group of the file: see --reference of chmod(1) and "
    "chgrp(1)";

Check check_permissions(const Examination& seen) {
    constexpr const char* kName = "permissions";
    if (!is_there(seen)) return not_known(kName);
    if (!seen.file.writable) {
        return fault(kName, "this user may not write to the file", "workers need to: see chmod(1)");
    }
    if (!seen.file.directory_writable) {
        return fault(kName,
                     "this user may not write to its directory",
                     "the log and the lock are beside the file: give access to the directory");
    }
    for (const sqlite::FileBeside& one : seen.file.beside) {
        if (one.usable) continue;
        return fault(kName, "this user may not write to its " + one.suffix, kSameAccess);
    }
    for (const sqlite::FileBeside& one : seen.file.beside) {
        if (one.access == seen.file.access) continue;
        return warning(kName,
                       "its " + one.suffix + " has the mode " + format_mode(one.access) +
                           ", the file " + format_mode(seen.file.access) +
                           ": not the same users may use both",
                       kSameAccess);
    }
    return well(kName, "the file and its directory can be written to");
}

Check check_file_system(const Examination& seen) {
    constexpr const char* kName = "file-system";
    if (!is_there(seen)) return not_known(kName);
    switch (seen.file.file_system) {
        case sqlite::FileSystem::network:
            return fault(kName,
                         "the file is on a network file system",
                         "move it to a disk of this machine: locks do not hold there, and data is "
                         "lost");
        case sqlite::FileSystem::unsure:
            return warning(kName,
                           "the file system may not be a local one (FUSE or 9P)",
                           "use it only if locks and shared memory work there");
        case sqlite::FileSystem::local: break;
    }
    return well(kName, "it is local");
}

Check check_disk(const Examination& seen) {
    constexpr const char* kName = "disk-space";
    if (!is_there(seen)) return not_known(kName);
    const std::string says = format_bytes(seen.file.free_bytes) + " free";
    if (seen.file.free_bytes < kDiskIsFull) {
        return fault(kName,
                     says,
                     "remove other files, or enlarge the disk: on a full disk 'belay delete' fails "
                     "too, because it writes before it frees");
    }
    if (seen.file.free_bytes < kDiskIsLow) {
        return warning(kName,
                       says,
                       "while there is room: 'belay delete' and 'belay prune' make room for new "
                       "runs in the file, 'belay compact' gives it back to the disk");
    }
    return well(kName, says);
}

std::string named(const std::vector<sqlite::FileUser>& users, bool ours) {
    std::string text;
    for (const sqlite::FileUser& user : users) {
        if (user.ours != ours) continue;
        text +=
            (text.empty() ? "" : ", ") + safe(user.program) + " (" + std::to_string(user.pid) + ")";
    }
    return text;
}

Check check_lock(const Examination& seen) {
    constexpr const char* kName = "lock";
    if (!is_there(seen) || seen.trouble) return not_known(kName);
    if (seen.own_lock) {
        const std::string who = named(seen.file.users, true);
        return fault(kName,
                     safe(seen.own_lock->message()) + (who.empty() ? "" : "; it is open in " + who),
                     "that process stands still, or writes for long: end or continue it");
    }
    if (seen.foreign_lock) {
        const std::string who = named(seen.file.users, false);
        return fault(kName,
                     "a program that is not of Belay keeps writers out" +
                         (who.empty() ? "" : ": " + who) + " (" +
                         safe(seen.foreign_lock->message()) + ")",
                     "end its transaction");
    }
    return well(kName, "writers can have it");
}

Check check_foreign(const Examination& seen) {
    constexpr const char* kName = "foreign-programs";
    if (!is_there(seen)) return not_known(kName);
    const std::string who = named(seen.file.users, false);
    if (who.empty()) return well(kName, "only programs of Belay have it open");
    return warning(kName,
                   "other programs have it open: " + who,
                   "they do not know Belay's lock; let them read a copy: 'belay backup'");
}

Check check_files(const Examination& seen) {
    constexpr const char* kName = "files";
    if (!is_there(seen)) return not_known(kName);
    for (const sqlite::FileUser& user : seen.file.users) {
        if (user.removed.empty()) continue;
        return fault(kName,
                     safe(user.program) + " (" + std::to_string(user.pid) + ") has " +
                         safe(user.removed) + " open, which was removed",
                     "end that process, and start it again");
    }
    return well(kName, "no process has one open that was removed");
}

Check check_schema(const Examination& seen) {
    constexpr const char* kName = "schema";
    if (!is_there(seen) || seen.trouble) return not_known(kName);
    const std::string version = "version " + std::to_string(seen.schema_version);
    const std::int64_t known = sqlite::known_schema_version();
    if (seen.schema_version > known) {
        return warning(kName,
                       version + ", newer than this program's " + std::to_string(known),
                       "it works; update this program to see all of it");
    }
    if (seen.schema_version < known) {
        return warning(kName,
                       version + ", older than this program's " + std::to_string(known),
                       "it is upgraded when a worker of this release, or any other command here, "
                       "opens it");
    }
    return well(kName, version);
}

Check check_integrity(const Examination& seen) {
    constexpr const char* kName = "integrity";
    if (!is_there(seen) || seen.trouble) return not_known(kName);
    if (seen.damage.empty()) return well(kName, "the database is whole");
    return fault(
        kName,
        "it is damaged: " + safe(seen.damage.front()) +
            (seen.damage.size() > 1 ? " and " + std::to_string(seen.damage.size() - 1) + " more"
                                    : ""),
        "stop the workers, keep a copy with its -wal, and restore a backup");
}

Check check_log(const Examination& seen) {
    constexpr const char* kName = "log";
    if (!is_there(seen)) return not_known(kName);
    const std::string says = "the log has " + format_bytes(seen.file.log_bytes);
    if (seen.file.log_bytes < kLogIsLarge) return well(kName, says);
    return warning(kName,
                   says,
                   "somebody reads for very long, so that it cannot be written back: " +
                       (seen.file.users.empty()
                            ? std::string("look for long transactions")
                            : named(seen.file.users, false) + named(seen.file.users, true)));
}

Check check_clock(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "clock";
    if (!rows.newest) return well(kName, "there is nothing to compare it with");
    if (*rows.newest <= now + kClockTolerance) return well(kName, "it agrees with the rows");
    return fault(kName,
                 "the newest row is " + format_duration(*rows.newest - now) +
                     " in the future: the clock was set back",
                 "timers and leases wait until it has caught up; mend the clock");
}

/// Describes things that a worker should have taken up.
std::string how_many(const Found& found, const char* what, Timestamp now) {
    std::string text = std::to_string(found.count) + " " + what;
    if (found.oldest) text += ", the oldest " + format_ago(*found.oldest, now);
    if (!found.name.empty()) text += " (" + safe(found.name) + ")";
    return text;
}

bool waits_for_longer_than(const Found& found, Timestamp now, Millis time) {
    return found.count > 0 && found.oldest && *found.oldest + time < now;
}

Check check_leases(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "leases";
    const bool activities = waits_for_longer_than(rows.expired_activities, now, kTakenUpWithin);
    const bool turns = waits_for_longer_than(rows.expired_turns, now, kTakenUpWithin);
    if (!activities && !turns) return well(kName, "none is left to expire");
    const Found& worst = activities ? rows.expired_activities : rows.expired_turns;
    return fault(kName,
                 how_many(worst, "leases expired and nobody took over", now),
                 "no worker is running: start one");
}

Check check_ready(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "ready";
    const bool runs = waits_for_longer_than(rows.ready_runs, now, kTakenUpWithin);
    const bool activities = waits_for_longer_than(rows.ready_activities, now, kTakenUpWithin);
    if (!runs && !activities) return well(kName, "nothing waits for long");
    return warning(kName,
                   runs ? how_many(rows.ready_runs, "instances are ready for a turn", now)
                        : how_many(rows.ready_activities, "activities wait for a worker", now),
                   "no worker is running, or they have too much to do: see 'belay queues'");
}

Check check_code(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "code";
    const bool runs = waits_for_longer_than(rows.code_missing, now, kCodeArrivesWithin);
    const bool activities = rows.activity_code_missing.count > 0;
    if (!runs && !activities) return well(kName, "none is known to be missing");
    return warning(kName,
                   runs ? how_many(rows.code_missing, "instances have no code", now)
                        : how_many(rows.activity_code_missing, "activities have no code", now),
                   "start a worker that has it registered, or cancel them");
}

Check check_turns(const sqlite::RowFacts& rows) {
    constexpr const char* kName = "turns";
    if (rows.overran.count == 0) return well(kName, "none ran past its limit");
    return warning(kName,
                   "of " + std::to_string(rows.overran.count) +
                       " instances the last turn ran past its limit (" + safe(rows.overran.name) +
                       ")",
                   "the code loops, or computes more than a turn should: see 'belay show'");
}

Check check_held(const sqlite::RowFacts& rows) {
    constexpr const char* kName = "held";
    if (rows.held.count == 0) return well(kName, "none");
    return warning(
        kName,
        std::to_string(rows.held.count) + " wait for a person (" + safe(rows.held.name) + ")",
        "see 'belay held list'");
}

Check check_pauses(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "pauses";
    if (rows.paused.count == 0) return well(kName, "nothing is paused");
    return warning(kName,
                   how_many(rows.paused, "queues or definitions are paused", now),
                   "see 'belay queues'; 'belay queues resume' ends a pause");
}

Check check_letters(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "dead-letters";
    if (rows.dead_letters.count == 0) return well(kName, "none");
    return warning(kName,
                   how_many(rows.dead_letters, "messages could not be delivered", now),
                   "see 'belay dead-letters list'");
}

Check check_stopping(const sqlite::RowFacts& rows, Timestamp now) {
    constexpr const char* kName = "stopping";
    if (rows.stopping.count == 0) return well(kName, "no handler is being stopped");
    if (rows.stopping.oldest && *rows.stopping.oldest < now) {
        return warning(kName,
                       std::to_string(rows.stopping.count) +
                           " canceled handlers have not stopped in time (" +
                           safe(rows.stopping.name) + ")",
                       "look at that worker; a running one sweeps the records up");
    }
    return well(kName, std::to_string(rows.stopping.count) + " are being stopped");
}

}  // namespace

std::string_view to_string(Health health) noexcept {
    switch (health) {
        case Health::well: return "ok";
        case Health::warning: return "warning";
        case Health::fault: return "fault";
        case Health::unknown: return "unknown";
    }
    return "unknown";
}

std::vector<Check> checks_of(const Examination& seen, Timestamp now) {
    std::vector<Check> checks{check_file(seen),
                              check_permissions(seen),
                              check_file_system(seen),
                              check_disk(seen),
                              check_lock(seen),
                              check_foreign(seen),
                              check_files(seen),
                              check_schema(seen),
                              check_integrity(seen),
                              check_log(seen)};
    if (seen.rows) {
        const sqlite::RowFacts& rows = *seen.rows;
        for (Check& check : std::vector<Check>{check_clock(rows, now),
                                               check_leases(rows, now),
                                               check_ready(rows, now),
                                               check_code(rows, now),
                                               check_turns(rows),
                                               check_held(rows),
                                               check_pauses(rows, now),
                                               check_letters(rows, now),
                                               check_stopping(rows, now)}) {
            checks.push_back(std::move(check));
        }
    } else {
        for (const char* name : {"clock",
                                 "leases",
                                 "ready",
                                 "code",
                                 "turns",
                                 "held",
                                 "pauses",
                                 "dead-letters",
                                 "stopping"}) {
            checks.push_back(not_known(name));
        }
    }
    return checks;
}

}  // namespace belay::cli
