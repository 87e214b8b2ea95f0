#include "runtime/event_log.hpp"

#include <algorithm>
#include <utility>

namespace belay::runtime {

namespace {

std::string advice_for(const Error& error) {
    switch (error.code()) {
        case Errc::busy: return "another process holds the store: belay doctor names it";
        case Errc::unavailable:
            return "look at the disk, and at what gives coders their keys: belay doctor says "
                   "whether the disk is full";
        case Errc::outcome_unknown: return "the disk failed in the midst of a commit: look at it";
        default: return {};
    }
}

}  // namespace

bool is_of_users(EngineCode code) noexcept {
    return code == EngineCode::orchestration_log || code == EngineCode::activity_log;
}

void EventLog::report(EngineEvent event) {
    ++counts_.events[static_cast<std::size_t>(event.code)];
    if (!sink_ || !admit(event)) return;
    event.worker = worker_;
    if (event.at == Timestamp()) event.at = clock_.wall();
    // A sink is somebody else's code, and is called in the midst of the engine's own.
    try {
        sink_(event);
    } catch (...) {  // NOLINT(bugprone-empty-catch): there is nowhere left to say it.
    }
}

bool EventLog::admit(EngineEvent& event) {
    if (is_of_users(event.code)) return true;
    const Millis now = clock_.monotonic();
    const detail::MutexLock lock(mutex_);
    Bucket& bucket = buckets_[static_cast<std::size_t>(event.code)];
    const auto refills = (now - bucket.refilled_at) / kRefill;
    if (refills > 0) {
        bucket.left = static_cast<int>(std::min<decltype(refills)>(bucket.left + refills, kBurst));
        bucket.refilled_at += refills * kRefill;
    }
    if (bucket.left == 0) {
        ++bucket.left_out;
        return false;
    }
    --bucket.left;
    event.left_out = std::exchange(bucket.left_out, 0);
    return true;
}

void describe(EngineEvent& event, const ClaimedInstance& claim) {
    event.instance = claim.name;
    event.definition = claim.definition;
    event.version = claim.version;
    event.execution = claim.execution;
    event.attempt = claim.attempts;
}

void describe(EngineEvent& event, const ClaimedActivity& claim) {
    event.instance = claim.instance;
    event.definition = claim.definition;
    event.version = claim.version;
    event.execution = claim.activity.execution;
    event.activity = claim.name;
    event.attempt = claim.attempt;
}

EngineEvent event_of(EngineCode code, LogLevel level, std::string what, std::string advice) {
    EngineEvent event;
    event.code = code;
    event.level = level;
    event.what = std::move(what);
    event.advice = std::move(advice);
    return event;
}

EngineEvent event_of(EngineCode code,
                     LogLevel level,
                     const ClaimedInstance& claim,
                     std::string what,
                     std::string advice) {
    EngineEvent event = event_of(code, level, std::move(what), std::move(advice));
    describe(event, claim);
    return event;
}

EngineEvent event_of(EngineCode code,
                     LogLevel level,
                     const ClaimedActivity& claim,
                     std::string what,
                     std::string advice) {
    EngineEvent event = event_of(code, level, std::move(what), std::move(advice));
    describe(event, claim);
    return event;
}

EngineEvent undelivered_event(std::uint64_t count) {
    return event_of(EngineCode::message_undeliverable,
                    LogLevel::warning,
                    std::to_string(count) +
                        (count == 1 ? " message is a dead letter" : " messages are dead letters") +
                        ": there is no run for it",
                    "belay dead-letters list shows it; send it again or discard it");
}

EngineEvent store_event(EngineCode code, const std::string& what, const Error& error) {
    const bool passes = error.retryable() || error.outcome_unknown();
    return event_of(code,
                    passes ? LogLevel::warning : LogLevel::error,
                    what + ": " + error.describe() + (passes ? "; it is tried again" : ""),
                    advice_for(error));
}

}  // namespace belay::runtime
