// The events that the parts of a runtime report: counted, limited, and handed to the sink.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/engine_event.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/store/claim.hpp>

#include <array>
#include <string>

namespace belay::runtime {

/// True for lines that orchestrations and activities log.
[[nodiscard]] bool is_of_users(EngineCode code) noexcept;

/// Thread-safe. Counts every event; hands at most a few of each code in a second to the sink, so
/// that a store that is away does not flood a log. Lines of users' code are never left out.
class EventLog {
public:
    EventLog(Clock& clock, std::string worker, EngineEventSink sink, RuntimeCounts& counts)
        : clock_(clock), worker_(std::move(worker)), sink_(std::move(sink)), counts_(counts) {}
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    /// Fills in the worker and, if it is not set, the time.
    void report(EngineEvent event);

private:
    /// So many of one code may be told at once, and so long it takes until one more may.
    static constexpr int kBurst = 20;
    static constexpr Millis kRefill{1'000};

    struct Bucket {
        int left = kBurst;
        Millis refilled_at{0};
        std::uint64_t left_out = 0;
    };

    /// Sets `left_out`. Returns false if the event is left out.
    [[nodiscard]] bool admit(EngineEvent& event);

    Clock& clock_;
    const std::string worker_;
    const EngineEventSink sink_;
    RuntimeCounts& counts_;
    detail::Mutex mutex_;
    std::array<Bucket, kEngineCodes> buckets_ BELAY_GUARDED_BY(mutex_){};
};

/// Names the run that an event is about, with all that its claim says of it.
void describe(EngineEvent& event, const ClaimedInstance& claim);
/// Names the activity, likewise.
void describe(EngineEvent& event, const ClaimedActivity& claim);
/// An event about a run, with all that its claim says of it.
[[nodiscard]] EngineEvent event_of(EngineCode code,
                                   LogLevel level,
                                   const ClaimedInstance& claim,
                                   std::string what,
                                   std::string advice = {});
/// An event about an activity, likewise.
[[nodiscard]] EngineEvent event_of(EngineCode code,
                                   LogLevel level,
                                   const ClaimedActivity& claim,
                                   std::string what,
                                   std::string advice = {});
/// An event about no run in particular.
[[nodiscard]] EngineEvent event_of(EngineCode code,
                                   LogLevel level,
                                   std::string what,
                                   std::string advice = {});
/// Messages that a commit could not deliver (Answer::undelivered).
[[nodiscard]] EngineEvent undelivered_event(std::uint64_t count);
/// An error of the store, with advice that fits it. A store that will answer later is a warning.
[[nodiscard]] EngineEvent store_event(EngineCode code, const std::string& what, const Error& error);

}  // namespace belay::runtime
