// The lines that orchestrations and activities log, as long as their runtime is there.
#pragma once

#include "base/shared_mutex.hpp"
#include "runtime/event_log.hpp"
#include <belay/activity.hpp>
#include <belay/log.hpp>

#include <memory>
#include <utility>

namespace belay::runtime {

/// Makes events of lines. A turn or an activity that was given up may log when its runtime, and the
/// sink with it, is gone: then its lines go nowhere.
class UserLines {
public:
    explicit UserLines(EventLog& events) : gate_(std::make_shared<Gate>()) {
        gate_->events = &events;
        of_turns_ = std::make_shared<const LogSink>(
            [gate = gate_](const LogRecord& record) { gate->report(event_of(record)); });
        of_activities_ = std::make_shared<const ActivityLogSink>(
            [gate = gate_](LogLevel level, std::string_view text, const ActivityDetails& details) {
                gate->report(event_of(level, text, details));
            });
    }
    UserLines(const UserLines&) = delete;
    UserLines& operator=(const UserLines&) = delete;
    ~UserLines() {
        const base::WriteLock lock(gate_->mutex);
        gate_->events = nullptr;
    }

    /// Both are good for ever.
    [[nodiscard]] const std::shared_ptr<const LogSink>& of_turns() const noexcept {
        return of_turns_;
    }
    [[nodiscard]] const std::shared_ptr<const ActivityLogSink>& of_activities() const noexcept {
        return of_activities_;
    }

private:
    struct Gate {
        void report(EngineEvent event) {
            const base::ReadLock lock(mutex);
            if (events != nullptr) events->report(std::move(event));
        }
        base::SharedMutex mutex;
        // Lives as long as this points to it.
        EventLog* events BELAY_GUARDED_BY(mutex) BELAY_PT_GUARDED_BY(mutex) = nullptr;
    };

    [[nodiscard]] static EngineEvent event_of(const LogRecord& record) {
        EngineEvent event;
        event.code = EngineCode::orchestration_log;
        event.level = record.level;
        event.at = record.at;
        event.instance = record.instance;
        event.definition = record.definition;
        event.version = record.version;
        event.execution = record.execution;
        event.what = record.message;
        return event;
    }
    [[nodiscard]] static EngineEvent event_of(LogLevel level,
                                              std::string_view text,
                                              const ActivityDetails& details) {
        EngineEvent event;
        event.code = EngineCode::activity_log;
        event.level = level;
        event.instance = details.instance;
        event.definition = details.definition;
        event.version = details.version;
        event.execution = details.activity.execution;
        event.activity = details.name;
        event.attempt = details.attempt;
        event.what = text;
        return event;
    }

    std::shared_ptr<Gate> gate_;
    std::shared_ptr<const LogSink> of_turns_;
    std::shared_ptr<const ActivityLogSink> of_activities_;
};

}  // namespace belay::runtime
