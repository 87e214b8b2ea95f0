#include "simulation/checks/ledgers.hpp"

#include "simulation/program/program.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace belay::sim {

// ---- Messages ----------------------------------------------------------------------------------

void MessageLedger::accepted(Violations& violations, const NewMessage& message, RunRef run) {
    const std::string& text = message.payload.bytes;
    const auto [entry, fresh] = entries_.try_emplace(text, Entry{run, message.name, 0});
    violations.expect(fresh,
                      "a message is accepted once",
                      text + " was accepted by " + to_string(entry->second.run) + " and again by " +
                          to_string(run));
}

void MessageLedger::received(Violations& violations, RunRef run, const std::string& text) {
    const auto found = entries_.find(text);
    if (found == entries_.end()) {
        violations.report("a message is received by whom it was sent to",
                          to_string(run) + " received " + text + ", which nobody sent");
        return;
    }
    violations.expect(found->second.run == run,
                      "a message is received by whom it was sent to",
                      text + " was sent to " + to_string(found->second.run) + " and received by " +
                          to_string(run));
    violations.expect(++found->second.received == 1,
                      "a message is received once",
                      to_string(run) + " received " + text + " twice");
}

void MessageLedger::check_output(Violations& violations,
                                 RunRef run,
                                 const std::string& output) const {
    std::set<std::string> seen;
    std::istringstream words(output);
    for (std::string word; words >> word;) {
        if (word.starts_with(kBegan)) continue;
        violations.expect(seen.insert(word).second,
                          "a message is received once",
                          "the code of " + to_string(run) + " got " + word + " twice");
        const auto found = entries_.find(word);
        violations.expect(
            found != entries_.end() && found->second.run == run && found->second.received == 1,
            "a message is received by whom it was sent to",
            "the code of " + to_string(run) + " got " + word);
    }
}

// ---- Letters -----------------------------------------------------------------------------------

void LetterLedger::before_commit(const memory::Tables& tables, const Transition& transition) {
    looked_at_.clear();
    const auto look_at = [&](std::uint64_t id) {
        const auto letter = tables.dead_letters.find(id);
        if (letter != tables.dead_letters.end()) looked_at_[id] = letter->second.message;
    };
    for (const Part& part : transition.parts) {
        if (const auto* redrive = std::get_if<Redrive>(&part)) look_at(redrive->letter);
        if (const auto* discard = std::get_if<Discard>(&part)) look_at(discard->letter);
    }
}

void LetterLedger::delivered(const memory::Tables& tables,
                             Violations& violations,
                             MessageLedger& messages,
                             const Deliver& part) {
    const memory::Run* const run = memory::find_run(tables, part.run);
    if (run == nullptr) {
        open_.insert(part.message.payload.bytes);
    } else if (!run->ended()) {
        messages.accepted(violations, part.message, part.run);
    }
}

void LetterLedger::take(Violations& violations, std::uint64_t letter, const char* what) {
    const auto found = looked_at_.find(letter);
    const bool there = found != looked_at_.end();
    violations.expect(
        there && open_.erase(found->second.payload.bytes) == 1,
        "a letter is sent again, or thrown away, once",
        "letter " + std::to_string(letter) + (there ? " is " : " is not there and ") + what);
}

void LetterLedger::redriven(Violations& violations,
                            MessageLedger& messages,
                            const Redrive& part,
                            const Answer& answer) {
    take(violations, part.letter, "redriven");
    if (violations.any()) return;
    ++redriven_;
    messages.accepted(violations, looked_at_.at(part.letter), answer.instance->run);
}

void LetterLedger::discarded(Violations& violations, const Discard& part) {
    take(violations, part.letter, "discarded");
    ++discarded_;
}

void LetterLedger::check(Violations& violations, const memory::Tables& tables) const {
    std::set<std::string> there;
    for (const auto& [id, letter] : tables.dead_letters) {
        violations.expect(there.insert(letter.message.payload.bytes).second,
                          "a letter is there once",
                          letter.message.payload.bytes);
    }
    violations.expect(
        there == open_,
        "a letter is there until somebody decides about it",
        std::to_string(there.size()) + " letters, and not " + std::to_string(open_.size()));
}

// ---- Keys --------------------------------------------------------------------------------------

std::string KeyLedger::name_of(const Start& part) {
    return part.instance.owner + "/" + part.instance.definition + "/" + part.key->key;
}

void KeyLedger::note_time(Timestamp now) {
    for (auto& [name, entry] : entries_) entry.window_over |= now >= entry.free_at;
}

void KeyLedger::started(Violations& violations,
                        const Start& part,
                        Timestamp now,
                        const StandingOf& of) {
    if (!part.key) return;
    const std::string name = name_of(part);
    const auto found = entries_.find(name);
    if (found != entries_.end()) {
        const Entry& earlier = found->second;
        const Standing standing = of(earlier.run);
        const bool ended = standing.deleted || is_terminal(standing.status);
        const bool succeeded =
            standing.status == Status::completed || standing.status == Status::skipped;
        bool is_free = false;
        switch (earlier.scope) {
            case KeyScope::while_active: is_free = ended; break;
            case KeyScope::until_success: is_free = ended && !succeeded; break;
            case KeyScope::window: is_free = earlier.window_over; break;
            case KeyScope::forever: break;
        }
        violations.expect(is_free,
                          "one instance per key",
                          "key " + name + " belongs to " + to_string(earlier.run) +
                              ", and started " + to_string(part.instance.run));
    }
    entries_[name] = Entry{part.instance.run, part.key->scope, now + part.key->window};
}

void KeyLedger::refused(Violations& violations, const Start& part, const Answer& answer) const {
    if (!answer.refused_with(Errc::duplicate_key)) return;
    const auto found = part.key ? entries_.find(name_of(part)) : entries_.end();
    violations.expect(
        found != entries_.end() && answer.instance && answer.instance->run == found->second.run,
        "a duplicate names the instance that has the key",
        part.instance.name.id);
}

// ---- Starts of activities ----------------------------------------------------------------------

/// Forgets, when an activity begins, older starts that no rate of that moment counts. A rate that
/// is set later may miss them.
void StartLedger::forget_old(const QueueLimits& limits,
                             const std::string& queue,
                             Timestamp highest) {
    Millis longest{0};
    for (const auto& rate : {limits.started, limits.started_per_key}) {
        if (rate) longest = std::max(longest, rate->per);
    }
    std::erase_if(begun_, [&](const auto& entry) {
        return entry.second.queue == queue && entry.second.at + longest <= highest;
    });
}

void StartLedger::unlimited(const std::string& queue) {
    std::erase_if(begun_, [&](const auto& entry) { return entry.second.queue == queue; });
}

std::uint32_t StartLedger::recent(const StartRate& rate,
                                  const NewActivity& about,
                                  bool per_key,
                                  Timestamp highest) const {
    std::uint32_t count = 0;
    for (const auto& [token, one] : begun_) {
        if (one.queue != about.queue || (per_key && one.key != about.fairness_key)) continue;
        if (one.at + rate.per > highest) ++count;
    }
    return count;
}

bool StartLedger::keeps(const QueueLimits& limits,
                        const NewActivity& about,
                        Timestamp highest) const {
    const auto full = [&](const std::optional<StartRate>& rate, bool per_key) {
        if (!rate || (per_key && about.fairness_key.empty())) return false;
        return recent(*rate, about, per_key, highest) >= rate->count;
    };
    return full(limits.started, false) || full(limits.started_per_key, true);
}

void StartLedger::begun(Violations& violations,
                        const QueueLimits& limits,
                        const memory::Activity& activity,
                        Timestamp now,
                        Timestamp highest) {
    const NewActivity& about = activity.about;
    forget_old(limits, about.queue, highest);
    begun_[*activity.token] = StartTime{about.queue, about.fairness_key, now};
    const auto check = [&](const std::optional<StartRate>& rate, bool per_key) {
        if (!rate || (per_key && about.fairness_key.empty())) return;
        violations.expect(recent(*rate, about, per_key, highest) <= rate->count,
                          per_key ? "a key begins no more within a time than it may"
                                  : "a queue begins no more within a time than it may",
                          [&] { return to_string(activity.ref); });
    };
    check(limits.started, false);
    check(limits.started_per_key, true);
}

// ---- Fences ------------------------------------------------------------------------------------

void Fences::keep_run(const memory::Tables& tables, RunRef ref) {
    const memory::Run* const run = memory::find_run(tables, ref);
    if (run == nullptr) return;
    RunBefore before;
    if (run->lock) {
        before.lock = run->lock->token;
        before.worker = run->lock->worker;
        before.until = run->lock->until;
    }
    before.canceled = run->cancel.has_value();
    before.ended = run->ended();
    before.execution = run->execution;
    before.position = run->position;
    runs_[ref] = before;
}

void Fences::keep_answers(const memory::Tables& tables, const Turn& turn) {
    const memory::Run* const run = memory::find_run(tables, turn.run);
    if (run == nullptr || !run->cancel) return;
    // All that wait, not only those that the turn consumes: one that is left behind is late as
    // well.
    for (const auto& [key, message] : run->inbox) {
        if (key.second >= run->cancel->sequence) continue;
        const bool answer = !message.timer && message.content.execution == run->execution &&
                            message.content.command != 0;
        if (answer) answered_.push_back(message.content.command);
    }
}

void Fences::keep_activity(const memory::Tables& tables, const ActivityRef& activity) {
    const memory::Activity* const row = memory::find_activity(tables, activity);
    if (row != nullptr && row->token) leases_[activity] = Lease{*row->token, row->leased_until};
}

void Fences::before_commit(const memory::Tables& tables,
                           const Transition& transition,
                           Timestamp now) {
    now_ = now;
    runs_.clear();
    leases_.clear();
    answered_.clear();
    for (const Part& part : transition.parts) {
        if (const auto* start = std::get_if<Start>(&part)) {
            // The state that a turn of the new run in the same commit will find.
            runs_[start->instance.run] = RunBefore{.execution = 1};
        }
        if (const auto* turn = std::get_if<Turn>(&part)) {
            keep_run(tables, turn->run);
            keep_answers(tables, *turn);
        }
        if (const auto* back = std::get_if<AbandonTurn>(&part)) keep_run(tables, back->run);
        if (const auto* renew = std::get_if<RenewTurn>(&part)) keep_run(tables, renew->run);
        if (const auto* hold = std::get_if<Hold>(&part)) keep_run(tables, hold->run);
        if (const auto* finish = std::get_if<Finish>(&part)) {
            const auto* const by_lock = std::get_if<std::pair<RunRef, LeaseToken>>(&finish->target);
            if (by_lock != nullptr) keep_run(tables, by_lock->first);
        }
        if (const auto* ack = std::get_if<AckActivity>(&part)) keep_activity(tables, ack->activity);
        if (const auto* back = std::get_if<AbandonActivity>(&part)) {
            keep_activity(tables, back->activity);
        }
        if (const auto* renew = std::get_if<RenewActivity>(&part)) {
            keep_activity(tables, renew->activity);
        }
    }
}

void Fences::before_claim(const memory::Tables& tables) {
    leases_.clear();
    for (const auto& [activity, row] : tables.activities) {
        if (row.token) leases_[activity] = Lease{*row.token, row.leased_until};
    }
}

const Fences::Lease* Fences::lease_before(const ActivityRef& activity) const {
    const auto found = leases_.find(activity);
    return found == leases_.end() ? nullptr : &found->second;
}

std::string Fences::worker_of(RunRef run) const {
    const auto found = runs_.find(run);
    return found == runs_.end() ? std::string() : found->second.worker;
}

void Fences::check_lock(Violations& violations,
                        RunRef run,
                        LeaseToken token,
                        const char* what) const {
    const auto found = runs_.find(run);
    violations.expect(
        found != runs_.end() && found->second.lock == token,
        "only the holder of the lock writes",
        [&] { return std::string(what) + " of " + to_string(run) + " under " + to_string(token); });
}

void Fences::check_turn(Violations& violations, const Turn& turn) const {
    const auto found = runs_.find(turn.run);
    const auto subject = [&] { return "a turn of " + to_string(turn.run); };
    if (found == runs_.end()) {
        violations.report("only the holder of the lock writes", subject() + ", which is not there");
        return;
    }
    const RunBefore& before = found->second;
    if (turn.lock) {
        check_lock(violations, turn.run, *turn.lock, "a turn");
    } else {
        violations.expect(!before.lock || before.until <= now_,
                          "nobody writes beside the holder of the lock",
                          subject);
    }
    violations.expect(!before.ended, "a terminal state never changes", subject);
    violations.expect(!before.canceled || turn.cancel_seen,
                      "a turn that has not seen the cancel is refused",
                      subject);
    violations.expect(before.execution == turn.execution && before.position == turn.position,
                      "a turn goes on where history stands",
                      subject);
}

void Fences::check(Violations& violations, const Part& part) const {
    const auto holds = [&](const ActivityRef& activity, LeaseToken token, const char* what) {
        const Lease* const lease = lease_before(activity);
        violations.expect(
            lease != nullptr && lease->token == token, "only the holder of the lease writes", [&] {
                return std::string(what) + " of " + to_string(activity) + " under " +
                       to_string(token);
            });
        return lease;
    };
    if (const auto* turn = std::get_if<Turn>(&part)) check_turn(violations, *turn);
    if (const auto* back = std::get_if<AbandonTurn>(&part)) {
        check_lock(violations, back->run, back->token, "giving back");
    }
    if (const auto* hold = std::get_if<Hold>(&part)) {
        check_lock(violations, hold->run, hold->token, "holding");
    }
    if (const auto* finish = std::get_if<Finish>(&part)) {
        const auto* const by_lock = std::get_if<std::pair<RunRef, LeaseToken>>(&finish->target);
        if (by_lock != nullptr) check_lock(violations, by_lock->first, by_lock->second, "ending");
    }
    if (const auto* renew = std::get_if<RenewTurn>(&part)) {
        check_lock(violations, renew->run, renew->token, "renewal");
        const auto found = runs_.find(renew->run);
        violations.expect(found != runs_.end() && found->second.until > now_,
                          "an expired lease is not renewed",
                          to_string(renew->run));
    }
    if (const auto* ack = std::get_if<AckActivity>(&part); ack != nullptr && ack->completion) {
        holds(ack->activity, ack->token, "completion");
    }
    if (const auto* back = std::get_if<AbandonActivity>(&part)) {
        holds(back->activity, back->token, "giving back");
    }
    if (const auto* renew = std::get_if<RenewActivity>(&part)) {
        const Lease* const lease = holds(renew->activity, renew->token, "renewal");
        violations.expect(lease != nullptr && lease->until > now_,
                          "an expired lease is not renewed",
                          to_string(renew->activity));
    }
}

}  // namespace belay::sim
