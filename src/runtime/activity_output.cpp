// The output of activities: written together every now and then, and with their ends.
#include "runtime/activity_dispatcher.hpp"
#include "runtime/retry_header.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

/// A handler that writes much is not waited for as long: this part of the interval.
constexpr int kSooner = 10;

OutputBounds bounds_of(const Limits& limits) {
    OutputBounds bounds;
    bounds.first_bytes = limits.output_first_bytes;
    bounds.last_bytes = limits.output_last_bytes;
    bounds.attempts = limits.output_attempts;
    bounds.run_bytes = limits.output_run_bytes;
    return bounds;
}

}  // namespace

std::shared_ptr<detail::OutputBuffer> ActivityDispatcher::make_output(LeaseToken token) {
    auto output = std::make_shared<detail::OutputBuffer>(bounds_of(services_.limits),
                                                         services_.policy.output_batch_bytes);
    output->listen(services_.clock,
                   [token,
                    tell = mailbox_.later<std::pair<LeaseToken, bool>>(
                        [this](const std::pair<LeaseToken, bool>& told) {
                            on_output(told.first, told.second);
                        })](bool full) { tell({token, full}); });
    return output;
}

/// Its handler has written something that was not taken yet.
void ActivityDispatcher::on_output(LeaseToken token, bool full) {
    const auto at = running_.find(token);
    if (at == running_.end() || !at->second.output) return;
    writing_.insert(token);
    const Millis now = services_.clock.monotonic();
    const Millis interval = services_.policy.output_interval;
    // Together with the output of others, and not for a handler that ends at once.
    Millis due = now + interval;
    if (full) due = std::max(now, wrote_at_ + interval / kSooner);
    write_at_ = write_at_ ? std::min(*write_at_, due) : due;
}

bool ActivityDispatcher::write_output() {
    if (!write_at_ || services_.clock.monotonic() < *write_at_) return false;
    write_at_.reset();
    wrote_at_ = services_.clock.monotonic();
    for (const LeaseToken token : std::exchange(writing_, {})) {
        const auto at = running_.find(token);
        if (at != running_.end()) write_output(at->second);
    }
    return true;
}

void ActivityDispatcher::write_output(Running& running) {
    if (!running.output || running.stop == StopReason::lease_lost) return;
    Unsaved& unsaved = running.unsaved;
    if (unsaved.sent > 0) {
        // Until the last one is answered its buffer is the bound of what waits.
        unsaved.more = true;
        return;
    }
    take_output(running);
    std::optional<AppendOutput> part = output_of(running);
    if (!part) return;
    unsaved.sent = unsaved.chunks.size();
    const LeaseToken token = running.claim.token;
    commits_.send(std::move(*part), [this, token](const Transition&, const Answer& answer) {
        on_written(token, answer);
    });
}

void ActivityDispatcher::on_written(LeaseToken token, const Answer& answer) {
    const auto at = running_.find(token);
    if (at == running_.end()) return;
    Running& running = at->second;
    Unsaved& unsaved = running.unsaved;
    // It was given up meanwhile, if there is less.
    const std::size_t sent = std::min(std::exchange(unsaved.sent, 0), unsaved.chunks.size());
    if (answer.done() || answer.refused_with(Errc::lease_lost) || !answer.error) {
        const auto begin = unsaved.chunks.begin();
        unsaved.chunks.erase(begin, begin + static_cast<std::ptrdiff_t>(sent));
        unsaved.before += sent;
        unsaved.complained = false;
    } else {
        give_up_output(running, sent, *answer.error);
    }
    if (std::exchange(unsaved.more, false)) on_output(token, true);
}

void ActivityDispatcher::give_up_output(Running& running, std::size_t count, const Error& why) {
    Unsaved& unsaved = running.unsaved;
    const auto end = unsaved.chunks.begin() + static_cast<std::ptrdiff_t>(count);
    // The next output tells of it.
    for (auto one = unsaved.chunks.begin(); one != end; ++one) {
        unsaved.lost_bytes += one->bytes + one->lost_bytes;
        unsaved.lost_lines += one->lines + one->lost_lines;
    }
    unsaved.chunks.erase(unsaved.chunks.begin(), end);
    unsaved.before += count;
    if (std::exchange(unsaved.complained, true)) return;
    services_.events.report(event_of(EngineCode::output_unwritten,
                                     LogLevel::warning,
                                     running.claim,
                                     "output of activity " + running.claim.name + " of '" +
                                         running.claim.instance.id +
                                         "' could not be written: " + why.describe()));
}

void ActivityDispatcher::take_output(Running& running) {
    Unsaved& unsaved = running.unsaved;
    std::vector<OutputChunk> taken = running.output->take();
    if (!taken.empty()) {
        taken.front().lost_bytes += std::exchange(unsaved.lost_bytes, 0);
        taken.front().lost_lines += std::exchange(unsaved.lost_lines, 0);
    }
    std::move(taken.begin(), taken.end(), std::back_inserter(unsaved.chunks));
    unsaved.source = running.output->source();
}

void ActivityDispatcher::end_output(Running& running) {
    if (!running.output) return;
    take_output(running);
    running.output->close();
    running.output.reset();
}

std::optional<AppendOutput> ActivityDispatcher::output_of(const Running& running) const {
    const Unsaved& unsaved = running.unsaved;
    // Another worker has it: nothing can be appended.
    if (unsaved.chunks.empty() || running.stop == StopReason::lease_lost) return std::nullopt;
    const ClaimedActivity& claim = running.claim;
    const Attempt attempt = attempt_of(claim.headers);
    AppendOutput part;
    part.activity = claim.activity;
    part.token = claim.token;
    part.attempt = claim.attempt + attempt.number - 1;
    part.first_command = attempt.first;
    part.source = unsaved.source.empty() ? claim.name : unsaved.source;
    part.before = unsaved.before;
    part.chunks = unsaved.chunks;
    part.bounds = bounds_of(services_.limits);
    return part;
}

}  // namespace belay::runtime
