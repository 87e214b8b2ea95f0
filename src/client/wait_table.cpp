#include "client/wait_table.hpp"

#include "client/service_context.hpp"

#include <iterator>
#include <memory>

namespace belay::client {

namespace {

/// Few enough that the payloads of all fit into memory, and many enough that a read of its own for
/// each is saved.
constexpr std::size_t kMostTogether = 64;

unsigned bit_of(std::size_t topic) { return 1U << topic; }

/// Everybody is interested in the end. Who waits for the end of a canceled flow waits for its
/// settling.
bool interests(const std::array<std::size_t, kTopics>& interested, std::size_t topic) {
    constexpr auto kEnd = static_cast<std::size_t>(Topic::end);
    constexpr auto kSettling = static_cast<std::size_t>(Topic::settling);
    return topic == kEnd || interested[topic] > 0 || (topic == kSettling && interested[kEnd] > 0);
}

}  // namespace

// ---- Waiters -----------------------------------------------------------------------------------

auto WaitTable::add(InstanceName name, Waiter waiter, Millis now) -> Number {
    const Number number = ++last_;
    const auto [at, fresh] = by_name_.try_emplace(std::move(name), number);
    // A target has the number of its first waiter.
    Target& target = targets_[at->second];
    if (fresh) {
        target.name = at->first;
        schedule(number, target, now);
    }
    join(number, at->second, std::move(waiter));
    return number;
}

auto WaitTable::add(
    const InstanceName& name, RunRef run, bool may_be_over, Waiter waiter, Millis now) -> Number {
    const Number number = ++last_;
    const auto [at, fresh] = by_run_.try_emplace(run.key, number);
    Target& target = targets_[at->second];
    if (fresh) {
        target.name = name;
        target.run = run;
        schedule(number, target, now + (may_be_over ? Millis(0) : poll_interval_));
    } else if (may_be_over && target.reading) {
        target.again = true;
    } else if (may_be_over) {
        schedule(at->second, target, now);
    }
    // A read that is under way may say less than was true when this wait began.
    waiter.after = number;
    join(number, at->second, std::move(waiter));
    return number;
}

void WaitTable::join(Number number, Number target, Waiter waiter) {
    Target& joined = targets_.at(target);
    joined.waiters.insert(number);
    ++joined.interested[topic_of(waiter.until)];
    waiter.target = target;
    waiters_.emplace(number, std::move(waiter));
}

auto WaitTable::remove(Number number) -> std::optional<Waiter> {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return std::nullopt;
    Waiter waiter = std::move(at->second);
    waiters_.erase(at);
    Target& target = targets_.at(waiter.target);
    target.waiters.erase(number);
    --target.interested[topic_of(waiter.until)];
    if (target.waiters.empty()) erase(waiter.target);
    return waiter;
}

auto WaitTable::remove_all() -> std::vector<Waiter> {
    std::vector<Waiter> all;
    all.reserve(waiters_.size());
    for (auto& [number, waiter] : waiters_) all.push_back(std::move(waiter));
    waiters_.clear();
    targets_.clear();
    by_run_.clear();
    by_name_.clear();
    schedule_.clear();
    return all;
}

void WaitTable::erase(Number number) {
    const auto at = targets_.find(number);
    const Target& target = at->second;
    if (!target.reading) schedule_.erase({target.due_at, number});
    if (target.run) {
        by_run_.erase(target.run->key);
    } else if (const auto name = by_name_.find(target.name);
               name != by_name_.end() && name->second == number) {
        by_name_.erase(name);
    }
    targets_.erase(at);
}

void WaitTable::schedule(Number number, Target& target, Millis at) {
    schedule_.erase({target.due_at, number});
    target.due_at = at;
    schedule_.emplace(at, number);
}

// ---- Due reads ---------------------------------------------------------------------------------

auto WaitTable::hear(RunRef run, Topic topic, Millis now) -> const Waiter* {
    const auto index = static_cast<std::size_t>(topic);
    for (auto& [number, reading] : readings_) {
        if (reading.by_name) reading.heard[run] |= bit_of(index);
    }
    const auto known = by_run_.find(run.key);
    if (known == by_run_.end()) return nullptr;
    Target& target = targets_.at(known->second);
    if (!interests(target.interested, index)) return nullptr;
    if (target.reading) {
        target.again = true;
        return nullptr;
    }
    schedule(known->second, target, now);
    return &waiters_.at(*target.waiters.begin());
}

void WaitTable::make_due(Number waiter, Millis now) {
    const auto at = waiters_.find(waiter);
    if (at == waiters_.end()) return;
    Target& target = targets_.at(at->second.target);
    if (!target.reading) schedule(at->second.target, target, now);
}

bool WaitTable::has_due(Millis now) const {
    return !schedule_.empty() && schedule_.begin()->first <= now;
}

std::optional<Millis> WaitTable::next_due() const {
    return schedule_.empty() ? std::nullopt : std::optional(schedule_.begin()->first);
}

std::optional<Millis> WaitTable::due_of(Number waiter) const {
    const auto at = waiters_.find(waiter);
    if (at == waiters_.end()) return std::nullopt;
    const Target& target = targets_.at(at->second.target);
    return target.reading ? std::nullopt : std::optional(target.due_at);
}

auto WaitTable::take_due(Millis now) -> std::optional<Batch> {
    if (!has_due(now)) return std::nullopt;
    Batch batch;
    batch.number = ++last_;
    Reading& reading = readings_[batch.number];
    while (has_due(now) && reading.targets.size() < kMostTogether) {
        const Number next = schedule_.begin()->second;
        const bool alone = targets_.at(next).alone;
        if (alone && !reading.targets.empty()) break;
        add_to_batch(next, batch, reading);
        if (alone) break;
    }
    return batch;
}

void WaitTable::add_to_batch(Number number, Batch& batch, Reading& reading) {
    Target& target = targets_.at(number);
    schedule_.erase({target.due_at, number});
    target.reading = true;
    target.again = false;
    if (!target.run) {
        reading.by_name = true;
        const auto name = by_name_.find(target.name);
        if (name != by_name_.end() && name->second == number) by_name_.erase(name);
    }
    reading.targets.push_back(number);
    const bool values = target.interested[static_cast<std::size_t>(Topic::values)] > 0;
    batch.request.instances.push_back({target.name, target.run, values});
}

// ---- Answers of reads --------------------------------------------------------------------------

auto WaitTable::apply(Number batch, Result<requests::InspectMany::Answer> answer, Millis now)
    -> std::vector<Over> {
    const auto node = readings_.extract(batch);
    const std::pair<const Number, Reading> reading(batch, node.mapped());
    const std::vector<Number>& targets = reading.second.targets;
    if (answer && answer->size() != targets.size()) {
        answer = Error(Errc::corrupt, "the answer is about another number of instances");
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto at = targets_.find(targets[i]);
        if (at == targets_.end()) continue;  // Given up meanwhile.
        at->second.reading = false;
        if (answer) {
            see(targets[i], std::move((*answer)[i]), reading, now);
        } else {
            fail(targets[i], answer.error(), targets.size(), now);
        }
    }
    return std::exchange(over_, {});
}

void WaitTable::fail(Number number, const Error& error, std::size_t together, Millis now) {
    Target& target = targets_.at(number);
    if (error.retryable()) {
        // The one that told of the end does not tell again.
        schedule(number, target, now + retry_delay_);
    } else if (together > 1) {
        // One of them cannot be read, and the others are not to suffer from it.
        target.alone = true;
        schedule(number, target, now);
    } else {
        return finish_all(number, error);
    }
    if (!target.run) by_name_.try_emplace(target.name, number);
}

void WaitTable::see(Number number,
                    std::optional<InspectedRun> seen,
                    const std::pair<const Number, Reading>& reading,
                    Millis now) {
    Target& target = targets_.at(number);
    if (!seen) return finish_all(number, no_such_instance(target.name));
    const auto sighting = std::make_shared<const Result<InspectedRun>>(std::move(*seen));
    const InspectedRun& run = **sighting;
    for (auto next = target.waiters.begin(); next != target.waiters.end();) {
        const Number waiter = *next++;
        Waiter& one = waiters_.at(waiter);
        if (one.after >= reading.first) continue;
        one.looked = true;
        if (is_over(one.until, run.info, run.values)) finish(number, target, waiter, sighting);
    }
    if (target.waiters.empty()) return erase(number);
    if (!target.run) {
        const auto heard = reading.second.heard.find(run.info.run);
        const unsigned topics = heard == reading.second.heard.end() ? 0 : heard->second;
        return resolve(number, run.info.run, topics, now);
    }
    schedule(number, target, now + (target.again ? Millis(0) : poll_interval_));
}

void WaitTable::resolve(Number number, RunRef run, unsigned heard, Millis now) {
    Target& target = targets_.at(number);
    bool again = false;
    for (std::size_t topic = 0; topic < kTopics; ++topic) {
        again |= (heard & bit_of(topic)) != 0 && interests(target.interested, topic);
    }
    const auto [known, fresh] = by_run_.try_emplace(run.key, number);
    if (fresh) {
        target.run = run;
        return schedule(number, target, now + (again ? Millis(0) : poll_interval_));
    }
    Target& other = targets_.at(known->second);
    for (const Number waiter : target.waiters) {
        Waiter& one = waiters_.at(waiter);
        one.target = known->second;
        // A read of the other may be under way, and say less than this one did.
        one.after = last_;
        ++other.interested[topic_of(one.until)];
    }
    other.waiters.merge(target.waiters);
    if (again && other.reading) other.again = true;
    if (again && !other.reading) schedule(known->second, other, now);
    targets_.erase(number);
}

void WaitTable::finish(Number number, Target& target, Number waiter, const Sighting& sighting) {
    const auto at = waiters_.find(waiter);
    BELAY_ASSERT(at != waiters_.end() && at->second.target == number);
    target.waiters.erase(waiter);
    --target.interested[topic_of(at->second.until)];
    over_.push_back(Over{waiter, std::move(at->second), sighting});
    waiters_.erase(at);
}

void WaitTable::finish_all(Number number, const Error& error) {
    Target& target = targets_.at(number);
    const auto sighting = std::make_shared<const Result<InspectedRun>>(error);
    while (!target.waiters.empty()) finish(number, target, *target.waiters.begin(), sighting);
    erase(number);
}

}  // namespace belay::client
