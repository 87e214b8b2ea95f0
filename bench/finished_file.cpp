#include "finished_file.hpp"

#include "bare.hpp"
#include "model/encoding.hpp"

#include <algorithm>

namespace belay::bench {

namespace {

constexpr std::int64_t kPerCommit = 5'000;
constexpr std::int64_t kChildrenEvery = 1'000;
constexpr std::int64_t kChildren = 200;
/// As fast as a worker takes them through.
constexpr std::int64_t kPerMillisecond = 20;
constexpr int kKeyTimeBits = 22;
constexpr int kKeyPlaceBits = 17;

constexpr const char* kInsertRun =
    "insert into run (key, shard, status, execution, position, next_message, plain_messages, "
    "last_sent, message_room, activities, last_activity, not_before, lock_cancel_seen, attempts, "
    "unregistered, held, next_child, unsettled_children, stopping, settled, started_at, "
    "execution_at, ended_at, event_count, history_bytes, commit_high, commit_low, custom_version, "
    "former, space, id, parent_key, parent_shard, parent_execution, parent_command, child_no, "
    "created_at, start_high, start_low, definition, version, owner, started_by, digest, "
    "input_codec, input_flags, input, ended_as, child) values (?1, 1, ?2, 1, 6, 1, 0, 0, 0, 0, 1, "
    "0, 0, 0, 0, 0, 1 + ?10, 0, 0, 1, ?11, ?11, ?11 + 5, 6, 400, ?1, ?1, 0, 0, 'default', ?3, "
    "nullif(?4, 0), iif(?4, 1, null), iif(?4, 1, null), iif(?4, ?1, null), iif(?4, ?1, 0), ?11, "
    "iif(?4, 0, ?1), iif(?4, 0, ?1), ?5, ?6, ?7, 'bench', x'', 1, 0, ?8, ?9, iif(?4, 1, 0))";
/// As migration 0020 has it.
constexpr const char* kInsertBlocks =
    "insert into run_block select distinct space, 1, definition, 0, key >> 24 from run;"
    "insert into run_block select distinct space, 2, version, 0, key >> 24 from run;"
    "insert into run_block select distinct space, 3, owner, 0, key >> 24 from run;"
    "insert into run_block select distinct space, 4, '', created_at >> 2, key >> 24 from run;"
    "insert into run_block "
    "select distinct space, 10 + status, '', ended_at >> 2, key >> 24 from run";
constexpr const char* kInsertHistory =
    "insert into history (run, execution, first_event, count, format, bytes) "
    "values (?1, 1, ?2, 3, 1, ?3)";
constexpr const char* kInsertLabel =
    "insert into label (run, name, kind, value) values (?1, 'region', 1, ?2)";

std::string outcome_of(std::int64_t status) {
    Outcome outcome;
    outcome.status = static_cast<Status>(status);
    if (outcome.status == Status::failed) outcome.failure.message = "the card was declined";
    model::Writer out;
    model::write(out, outcome);
    return out.take();
}

}  // namespace

FinishedFile::FinishedFile(std::int64_t instances) : instances_(instances) {
    file_.open(Synchronous::normal).reset();  // Makes the tables.
    fill();
}

std::int64_t FinishedFile::key_of(std::int64_t number) {
    return (time_of(number) << kKeyTimeBits) | (number % kPerMillisecond << kKeyPlaceBits);
}
std::int64_t FinishedFile::time_of(std::int64_t number) { return number / kPerMillisecond; }
std::string FinishedFile::id_of(std::int64_t number) {
    const std::string digits = std::to_string(number);
    // Groups of a thousand share a prefix.
    const std::string group = std::to_string(number / 1000);
    return "order-" + std::string(8 - group.size(), '0') + group + "-" + digits;
}
std::string FinishedFile::definition_of(std::int64_t number) {
    return "Definition" + std::to_string(number % 20);
}
std::string FinishedFile::owner_of(std::int64_t number) {
    return "owner-" + std::to_string(number / 3 % 50);
}
std::string FinishedFile::version_of(std::int64_t number) {
    return "1." + std::to_string(number / 7 % 10) + ".0";
}
std::string FinishedFile::region_of(std::int64_t number) {
    return "region-" + std::to_string(number / 100 % 8);
}
std::int64_t FinishedFile::status_of(std::int64_t number) {
    if (number % 50 == 7) return static_cast<std::int64_t>(Status::canceled);
    if (number % 10 == 3) return static_cast<std::int64_t>(Status::failed);
    return static_cast<std::int64_t>(Status::completed);
}
std::int64_t FinishedFile::parent_of(std::int64_t number) {
    const std::int64_t within = number % kChildrenEvery;
    return within > 1 && within <= kChildren ? number - within + 1 : 0;
}

std::int64_t FinishedFile::children_of(std::int64_t number) {
    return number % kChildrenEvery == 1 ? kChildren - 1 : 0;
}

void FinishedFile::fill() {
    const std::string history(180, 'h');
    const std::string input(16, 'i');
    Bare bare(file_.path(), Synchronous::normal);
    sqlite3_stmt* const insert_run = bare.prepare(kInsertRun);
    sqlite3_stmt* const insert_history = bare.prepare(kInsertHistory);
    sqlite3_stmt* const insert_label = bare.prepare(kInsertLabel);
    for (std::int64_t first = 1; first <= instances_; first += kPerCommit) {
        bare.begin();
        for (std::int64_t number = first; number < std::min(first + kPerCommit, instances_ + 1);
             ++number) {
            const std::string id = id_of(number);
            const std::string definition = definition_of(number);
            const std::string version = version_of(number);
            const std::string owner = owner_of(number);
            const std::string outcome = outcome_of(status_of(number));
            const std::int64_t key = key_of(number);
            const std::int64_t parent = parent_of(number);
            run(insert_run,
                key,
                status_of(number),
                Text{id},
                parent == 0 ? 0 : key_of(parent),
                Text{definition},
                Text{version},
                Text{owner},
                input,
                outcome,
                children_of(number),
                time_of(number));
            run(insert_history, key, std::int64_t{1}, history);
            run(insert_history, key, std::int64_t{4}, history);
            if (has_label(number)) {
                const std::string region = region_of(number);
                run(insert_label, key, Text{region});
            }
        }
        bare.commit();
    }
    bare.begin();
    bare.execute(kInsertBlocks);
    bare.commit();
}

}  // namespace belay::bench
