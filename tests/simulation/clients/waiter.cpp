#include "simulation/clients/waiter.hpp"

#include "simulation/clients/operators.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

constexpr unsigned kGoesOnPercent = 60;

using client::Topic;
using client::UntilEnded;
using client::UntilSettled;
using client::UntilStatus;
using client::UntilValue;

std::string run_text(const std::optional<RunRef>& run) {
    return run ? " (" + to_string(*run) + ")" : " (no run known)";
}

}  // namespace

void WaitCounts::add(const WaitCounts& more) {
    at_once += more.at_once;
    by_notice += more.by_notice;
    by_poll += more.by_poll;
    of_status += more.of_status;
    of_value += more.of_value;
    settled += more.settled;
    continued += more.continued;
    gone += more.gone;
    static_assert(sizeof(WaitCounts) == 8 * sizeof(std::uint64_t),
                  "a new count must be added up here");
}

Waiter::Waiter(const VirtualTime& time,
               TrueStore& true_store,
               Transport& transport,
               Trace& trace,
               Violations& violations,
               const RunRecords& records,
               Rng& rng,
               EndpointNo number,
               const Policy& policy)
    : time_(time),
      true_store_(true_store),
      trace_(trace),
      violations_(violations),
      records_(records),
      rng_(rng),
      number_(number),
      policy_(policy),
      store_(true_store, transport, trace, number),
      questions_(store_, *this),
      clock_(time, Millis(0), Millis(rng.between(0, 1'000'000))),
      random_(rng.next()) {
    client_.emplace(questions_, clock_, random_, Limits(), policy_);
}

// ---- Waiting -----------------------------------------------------------------------------------

void Waiter::begin(const std::string& id, client::Until until) {
    BELAY_ASSERT(!waits_.contains(id));
    Wait wait;
    wait.until = std::move(until);
    wait.began_at = time_.now();
    waits_.emplace(id, wait);
}

void Waiter::wait_for_end(const std::string& id) {
    trace_.line(number_, [&] { return "waits for the end of " + id; });
    begin(id, UntilEnded());
    client_->wait(InstanceName{kSpace, id},
                  [this, id, life = life_](const Result<Outcome>& outcome) {
                      check_still_here(life, id);
                      on_end(id, outcome);
                  });
}

void Waiter::wait_for_status(const std::string& id, std::uint64_t seen) {
    trace_.line(number_, [&] {
        return "waits for a status of " + id + " other than " + std::to_string(seen);
    });
    begin(id, UntilStatus{seen});
    client_->wait_for_status(
        InstanceName{kSpace, id}, seen, [this, id, life = life_](const Result<InstanceInfo>& info) {
            check_still_here(life, id);
            on_status(id, info);
        });
}

void Waiter::wait_for_settling(const std::string& id) {
    trace_.line(number_, [&] { return "waits until " + id + " has settled"; });
    begin(id, UntilSettled());
    client_->wait_until_settled(InstanceName{kSpace, id},
                                [this, id, life = life_](const Result<Outcome>& outcome) {
                                    check_still_here(life, id);
                                    on_settled(id, outcome);
                                });
}

void Waiter::wait_for_value(const std::string& id,
                            const std::string& key,
                            const std::optional<Payload>& known) {
    trace_.line(number_, [&] {
        return "waits for a value " + key + " of " + id + " other than " +
               (known ? known->bytes : "none");
    });
    begin(id, UntilValue{key, known});
    client_->wait_for_value(InstanceName{kSpace, id},
                            key,
                            known,
                            [this, id, life = life_](const Result<std::optional<Payload>>& value) {
                                check_still_here(life, id);
                                on_value(id, value);
                            });
}

void Waiter::leave() {
    trace_.line(number_, [] { return std::string("waits no longer"); });
    ++life_;
    waits_.clear();
    // Its questions are answered all the same.
    client_.emplace(questions_, clock_, random_, Limits(), policy_);
}

void Waiter::step() {
    if (client_->step()) return;
    const std::optional<Millis> due = next_due();
    violations_.expect(!due || *due > time_.now(),
                       "a client with nothing to do says until when",
                       "e" + std::to_string(number_));
}

std::optional<Millis> Waiter::next_due() const {
    const std::optional<Millis> due = client_->next_due();
    return due ? std::optional(clock_.when(*due)) : std::nullopt;
}

void Waiter::hear_end(RunRef run) {
    note_told(run, Topic::end);
    store_.notify([run](StoreListener& listener) { listener.instance_ended(run); });
}

void Waiter::hear_settling(RunRef run) {
    note_told(run, Topic::settling);
    store_.notify([run](StoreListener& listener) { listener.instance_settled(run); });
}

void Waiter::hear_status(RunRef run) {
    note_told(run, Topic::status);
    store_.notify([run](StoreListener& listener) { listener.custom_status_changed(run); });
}

void Waiter::hear_values(RunRef run) {
    note_told(run, Topic::values);
    store_.notify([run](StoreListener& listener) { listener.key_values_changed(run); });
}

void Waiter::note_told(RunRef run, Topic topic) {
    for (auto& [id, wait] : waits_) {
        const bool of_it =
            topic == Topic::end || client::topic_of(wait.until) == static_cast<std::size_t>(topic);
        if ((!wait.run || *wait.run == run) && of_it) wait.told = true;
    }
}

// ---- Questions to the store --------------------------------------------------------------------

void Waiter::Questions::read_any(Read request, Done<ReadAnswer> done) {
    const auto* const question = std::get_if<ReadInstances>(&request);
    if (question == nullptr) {
        return ForwardingStore::read_any(std::move(request), std::move(done));
    }
    std::vector<Question> asked;
    for (const ReadInstance& one : question->instances) {
        asked.push_back({one.name.id, !one.run.has_value()});
    }
    for (const Question& one : asked) waiter_.asks(one.id);
    ForwardingStore::read_any(std::move(request),
                              [this, asked, life = waiter_.life_, done = std::move(done)](
                                  const Result<ReadAnswer>& answer) {
                                  if (life == waiter_.life_) are_answered(asked, answer);
                                  done(answer);
                              });
}

void Waiter::Questions::are_answered(const std::vector<Question>& asked,
                                     const Result<ReadAnswer>& answer) {
    if (!answer) {
        for (const Question& one : asked) waiter_.is_answered(one, answer.error());
        return;
    }
    const ReadInstances::Answer found = take_answer<ReadInstances>(*answer);
    BELAY_ASSERT(found.size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) waiter_.is_answered(asked[i], found[i]);
}

void Waiter::asks(const std::string& id) {
    const auto at = waits_.find(id);
    violations_.expect(at != waits_.end(), "only who waits asks", id);
    if (at == waits_.end()) return;
    Wait& wait = at->second;
    wait.asked_at = time_.now();
    wait.asked_because_told = std::exchange(wait.told, false);
}

void Waiter::is_answered(const Question& asked, const Result<ReadInstance::Answer>& answer) {
    const auto at = waits_.find(asked.id);
    if (at == waits_.end()) return;
    Wait& wait = at->second;
    if (!answer) {
        wait.told |= wait.asked_because_told;
        return;
    }
    ++wait.answers;
    if (!*answer) return;
    // The values are read next. Without them the client has learned nothing, and asks by name
    // again.
    const bool again = asked.by_name && std::holds_alternative<UntilValue>(wait.until);
    if (!wait.run || again) {
        wait.run = (*answer)->run;
        wait.first_execution = (*answer)->execution;
    }
    wait.last_execution = (*answer)->execution;
}

// ---- Answers -----------------------------------------------------------------------------------

Waiter::Wait Waiter::take(const std::string& id) {
    const auto at = waits_.find(id);
    violations_.expect(at != waits_.end(), "a wait ends once", id);
    if (at == waits_.end()) return Wait();
    Wait wait = std::move(at->second);
    waits_.erase(at);
    return wait;
}

void Waiter::on_end(const std::string& id, const Result<Outcome>& outcome) {
    const Wait wait = take(id);
    count(wait);
    if (!outcome) {
        check_when_known([this, id, wait, outcome] { check_error(id, wait, outcome.error()); });
        return;
    }
    check_when_known([this, id, wait, outcome] { check_outcome(id, wait, *outcome); });
    if (wait.last_execution > wait.first_execution) ++counts_.continued;
}

void Waiter::on_status(const std::string& id, const Result<InstanceInfo>& info) {
    const Wait wait = take(id);
    count(wait);
    if (!info) {
        check_when_known([this, id, wait, info] { check_error(id, wait, info.error()); });
        return;
    }
    check_when_known([this, id, wait, info] { check_status(id, wait, *info); });
    if (info->outcome) return;
    ++counts_.of_status;
    if (rng_.percent(kGoesOnPercent)) wait_for_status(id, info->custom_status_version);
}

void Waiter::on_settled(const std::string& id, const Result<Outcome>& outcome) {
    const Wait wait = take(id);
    count(wait);
    if (!outcome) {
        check_when_known([this, id, wait, outcome] { check_error(id, wait, outcome.error()); });
        return;
    }
    check_when_known([this, id, wait, outcome] {
        check_outcome(id, wait, *outcome);
        check_settled(id, wait);
    });
    ++counts_.settled;
}

void Waiter::on_value(const std::string& id, const Result<std::optional<Payload>>& value) {
    const Wait wait = take(id);
    count(wait);
    if (!value) {
        check_when_known([this, id, wait, value] { check_error(id, wait, value.error()); });
        return;
    }
    check_when_known([this, id, wait, value] { check_value(id, wait, *value); });
    const UntilValue& until = std::get<UntilValue>(wait.until);
    if (*value == until.known) return;
    ++counts_.of_value;
    if (rng_.percent(kGoesOnPercent)) wait_for_value(id, until.key, *value);
}

void Waiter::count(const Wait& wait) {
    if (wait.answers <= 1) {
        ++counts_.at_once;
    } else {
        ++(wait.asked_because_told ? counts_.by_notice : counts_.by_poll);
    }
}

const RunRecord* Waiter::record_of(const Wait& wait) const {
    return wait.run ? records_.find(*wait.run) : nullptr;
}

void Waiter::check_when_known(std::function<void()> check) {
    unchecked_.push_back(std::move(check));
    check_what_was_told();
}

void Waiter::check_what_was_told() {
    if (unchecked_.empty() || !true_store_.settled()) return;
    for (const auto& check : std::exchange(unchecked_, {})) check();
}

void Waiter::check_still_here(std::uint64_t life, const std::string& id) {
    violations_.expect(life == life_, "who waits no longer is not told", id);
}

/// The outcome must be that of the run that had the name when the wait began, and not of its
/// namesake. The observer must have seen it end.
void Waiter::check_outcome(const std::string& id, const Wait& wait, const Outcome& outcome) {
    trace_.line(number_, [&] {
        return "is told that " + id + " is " + std::string(to_string(outcome.status));
    });
    const RunRecord* const record = record_of(wait);
    violations_.expect(
        record != nullptr && record->ended_as(outcome),
        "a wait for the end tells how its run ended",
        [&] { return id + run_text(wait.run) + ": " + std::string(to_string(outcome.status)); });
}

void Waiter::check_settled(const std::string& id, const Wait& wait) {
    const RunRecord* const record = record_of(wait);
    violations_.expect(record != nullptr && record->settled_at,
                       "a wait until it has settled ends when its run has",
                       [&] { return id + run_text(wait.run); });
}

void Waiter::check_status(const std::string& id, const Wait& wait, const InstanceInfo& info) {
    const std::uint64_t seen = std::get<UntilStatus>(wait.until).seen;
    const auto subject = [&] {
        return id + run_text(wait.run) + " at version " +
               std::to_string(info.custom_status_version) + ", seen " + std::to_string(seen);
    };
    trace_.line(number_, [&] { return "is told of " + subject(); });
    violations_.expect(
        wait.run == info.run, "a wait is for the run that had the name when it began", subject);
    violations_.expect(info.outcome || info.custom_status_version != seen,
                       "a wait for a custom status ends with another one",
                       subject);
    const RunRecord* const record = record_of(wait);
    violations_.expect(
        record != nullptr && record->had(info.custom_status_version, info.custom_status),
        "a wait tells of a custom status that was set",
        subject);
    if (info.outcome) check_outcome(id, wait, *info.outcome);
}

/// The values are read a moment later than the rest. The run may be gone by then, or have ended.
void Waiter::check_value(const std::string& id,
                         const Wait& wait,
                         const std::optional<Payload>& value) {
    const UntilValue& until = std::get<UntilValue>(wait.until);
    const auto subject = [&] {
        return id + run_text(wait.run) + " with " + until.key + " = " +
               (value ? value->bytes : "none");
    };
    trace_.line(number_, [&] { return "is told of " + subject(); });
    const RunRecord* const record = record_of(wait);
    violations_.expect(record != nullptr && (record->over_at || value != until.known),
                       "a wait for a key-value ends with another one, or with its run",
                       subject);
    const bool lost = record != nullptr && record->gone && !value;
    violations_.expect(
        lost || (record != nullptr && record->had_value(until.key, value, wait.began_at)),
        "a wait tells of a key-value that the run had",
        subject);
}

void Waiter::check_error(const std::string& id, const Wait& wait, const Error& error) {
    trace_.line(number_, [&] { return "cannot wait for " + id + ": " + error.describe(); });
    ++counts_.gone;
    violations_.expect(error.code() == Errc::not_found && is_missing(id, wait),
                       "a wait fails only when its run is gone",
                       [&] { return id + run_text(wait.run) + ": " + error.describe(); });
}

bool Waiter::is_missing(const std::string& id, const Wait& wait) {
    if (wait.run) {
        const RunRecord* const record = record_of(wait);
        return record == nullptr || record->gone;
    }
    // It never learned of a run: so there was a moment, since it asked, when nobody had the name.
    bool there = false;
    true_store_.with_tables([&](memory::Tables& tables) {
        const auto run = tables.names.find(InstanceName{kSpace, id});
        if (run == tables.names.end()) return;
        const RunRecord* const record = records_.find(run->second);
        there = record != nullptr && record->began_at < wait.asked_at;
    });
    return !there;
}

// ---- Waits that should be over -----------------------------------------------------------------

/// The time since which there is an answer to it.
std::optional<Millis> Waiter::over_since(const Wait& wait) const {
    // Its first read, at the latest, tells it which run it waits for, or that there is none.
    if (!wait.run) return wait.began_at;
    const RunRecord* const record = record_of(wait);
    if (record == nullptr) return std::nullopt;  // A start that may be there or not.
    const std::optional<Millis> since = over_since(wait.until, *record);
    return since ? std::optional(std::max(*since, wait.began_at)) : std::nullopt;
}

std::optional<Millis> Waiter::over_since(const client::Until& until, const RunRecord& record) {
    if (std::holds_alternative<UntilSettled>(until)) return record.settled_at;
    if (std::holds_alternative<UntilEnded>(until)) return record.shown_over_at;
    std::optional<Millis> changed;
    if (const auto* const status = std::get_if<UntilStatus>(&until)) {
        changed = record.differs_since(status->seen);
    }
    if (const auto* const value = std::get_if<UntilValue>(&until)) {
        changed = record.value_differs_since(value->key, value->known);
    }
    if (!changed || !record.over_at) return changed ? changed : record.over_at;
    return std::min(*changed, *record.over_at);
}

std::size_t Waiter::overdue() const {
    return static_cast<std::size_t>(std::count_if(
        waits_.begin(), waits_.end(), [&](const auto& one) { return over_since(one.second); }));
}

void Waiter::check_wake_ups(Millis quiet_since) {
    for (const auto& [id, wait] : waits_) {
        const std::optional<Millis> since = over_since(wait);
        if (!since) continue;
        const auto subject = [&] {
            return "e" + std::to_string(number_) + " waits for " + id + run_text(wait.run) +
                   " since " + std::to_string(since->count()) + " ms in vain";
        };
        // Notices of the fault phase may not have been heard. The poll is there for that.
        violations_.expect(
            time_.now() <= std::max(*since, quiet_since) + policy_.poll_interval + kWakeUp,
            "no wait outlives its run by more than a poll interval",
            subject);
        violations_.expect(*since <= quiet_since || time_.now() <= *since + kWakeUp,
                           "a wait whose notification arrives is woken by it",
                           subject);
    }
}

}  // namespace belay::sim
