// Timeouts of attempts, and the progress that handlers report meanwhile.
#include "runtime/activity_dispatcher.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

/// `at` + `duration`, at most the end of time.
Millis later(Millis at, Millis duration) {
    return at > Millis::max() - duration ? Millis::max() : at + duration;
}

std::string in_words(Millis duration) {
    const bool whole = duration.count() % 1000 == 0;
    return std::to_string(whole ? duration.count() / 1000 : duration.count()) +
           (whole ? " s" : " ms");
}

}  // namespace

/// Before its handler begins.
void ActivityDispatcher::watch(Running& running) {
    running.begun_at = services_.clock.monotonic();
    const LeaseToken token = running.claim.token;
    running.task->heartbeats().listen(
        services_.clock,
        services_.limits.heartbeat_bytes,
        [token, tell = mailbox_.later<LeaseToken>([this](LeaseToken of) { on_beat(of); })] {
            tell(token);
        });
    if (const auto bound = bound_of(running)) set_look_at(running, bound->at);
}

std::optional<ActivityDispatcher::Bound> ActivityDispatcher::bound_of(
    const Running& running) const {
    const ClaimedActivity& claim = running.claim;
    std::optional<Bound> bound;
    if (claim.start_to_close) {
        bound = Bound{later(running.begun_at, *claim.start_to_close),
                      "it did not end within " + in_words(*claim.start_to_close)};
    }
    if (claim.heartbeat_timeout) {
        const Millis last = running.task->heartbeats().last_beat().value_or(running.begun_at);
        const Millis at = later(last, *claim.heartbeat_timeout);
        if (!bound || at < bound->at) {
            bound = Bound{at, "it gave no heartbeat for " + in_words(*claim.heartbeat_timeout)};
        }
    }
    return bound;
}

bool ActivityDispatcher::stop_late() {
    const Millis now = services_.clock.monotonic();
    if (bounded_.empty() || now < bounded_.begin()->first) return false;
    const LeaseToken token = bounded_.begin()->second;
    Running& running = running_.at(token);
    Bound bound = bound_of(running).value();
    set_look_at(running, std::nullopt);
    if (now < bound.at) {
        set_look_at(running, bound.at);  // It has given a heartbeat since.
    } else if (running.stop == StopReason::none && executor_.withdraw(running.task)) {
        // It has not begun: it waited for a thread, and others may have room.
        give_back_unbegun(running);
    } else if (running.stop == StopReason::none) {
        ++services_.counters.timeouts;
        running.late = std::move(bound.late);
        stop(token, StopReason::timeout);
    }
    return true;
}

/// Reports the failure of an attempt whose time was over. A later result does not count.
void ActivityDispatcher::report_late(const Running& running) {
    Failure failure{.kind = FailureKind::timeout,
                    .message = running.late,
                    .where = running.claim.name,
                    .attempt = running.claim.attempt};
    if (running.given_up) failure.detail = "it did not stop when asked, and may still be running";
    report_failure(running, std::move(failure));
}

// ---- Progress ----------------------------------------------------------------------------------

/// Its handler has said something that was not taken yet.
void ActivityDispatcher::on_beat(LeaseToken token) {
    const auto at = running_.find(token);
    if (at == running_.end() || !at->second.task) return;
    Running& running = at->second;
    const Millis now = services_.clock.monotonic();
    const Millis next =
        running.told_at ? later(*running.told_at, services_.policy.heartbeat_interval) : now;
    set_tell_at(running, std::max(now, next));
}

bool ActivityDispatcher::tell_progress() {
    const Millis now = services_.clock.monotonic();
    if (telling_.empty() || now < telling_.begin()->first) return false;
    const LeaseToken token = telling_.begin()->second;
    Running& running = running_.at(token);
    set_tell_at(running, std::nullopt);
    running.told_at = now;
    if (auto progress = running.task->heartbeats().take()) {
        keeper_.renew_with(token, std::move(*progress));
    }
    return true;
}

std::optional<Payload> ActivityDispatcher::unwritten(const Running& running) const {
    if (!running.task) return std::nullopt;
    std::optional<Payload> last = running.task->heartbeats().take();
    return last ? last : keeper_.unwritten(running.claim.token);
}

void ActivityDispatcher::tell_last(Running& running, Payload progress) {
    const LeaseToken token = running.claim.token;
    // Its lease lasts no longer for that: its handler is gone with the process, or soon.
    RenewActivity part{running.claim.activity, token, keeper_.left(token), std::move(progress)};
    keeper_.remove(token);
    send(token, std::move(part));
}

void ActivityDispatcher::set_look_at(Running& running, std::optional<Millis> at) {
    const LeaseToken token = running.claim.token;
    if (running.look_at) bounded_.erase({*running.look_at, token});
    running.look_at = at;
    if (at) bounded_.emplace(*at, token);
}

void ActivityDispatcher::set_tell_at(Running& running, std::optional<Millis> at) {
    const LeaseToken token = running.claim.token;
    if (running.tell_at) telling_.erase({*running.tell_at, token});
    running.tell_at = at;
    if (at) telling_.emplace(*at, token);
}

}  // namespace belay::runtime
