#include "runtime/turn_run.hpp"

#include "model/encoding.hpp"
#include <belay/store/operations.hpp>

#include <utility>

namespace belay::runtime {

namespace {

/// A timer has its number from when it was set; it came when it was due.
bool came_before(const Message& message, const CancelRecord& cancel) {
    if (message.id >= cancel.sequence) return false;
    const bool timer =
        message.content.kind == MessageKind::timer_fired || op::is_not_started(message.content);
    return !timer || message.sent_at <= cancel.requested_at;
}

}  // namespace

TurnRun::TurnRun(Clock& clock, Given&& given) : TurnTask(clock), given_(std::move(given)) {
    result_.before = given_.execution->position();
}

std::string TurnRun::describe() const {
    return "a turn of '" + given_.claim.name.id + "' (" + given_.claim.definition + ")";
}

void TurnRun::work() noexcept {
    if (!replay()) return;
    if (given_.execution->position() != given_.claim.position) return;
    take_turn();
}

/// Returns false if it cannot go on.
bool TurnRun::replay() {
    replay::Execution& execution = *given_.execution;
    const auto fail = [this](Came came, Error why) {
        result_.came = came;
        result_.error = std::move(why);
        return false;
    };
    for (const RecordedRow& row : given_.history) {
        const Result<std::vector<model::Event>> events = model::decode_events(row.row);
        if (!events) return fail(Came::unreadable, events.error());
        if (row.first_event != execution.position() + 1) {
            return fail(Came::inconsistent,
                        Error(Errc::corrupt,
                              "history has a gap: event " + std::to_string(row.first_event) +
                                  " follows event " + std::to_string(execution.position())));
        }
        if (const Result<void> same = execution.replay(*events); !same) {
            return fail(Came::inconsistent, same.error());
        }
    }
    return true;
}

void TurnRun::take_turn() {
    const ClaimedInstance& claim = given_.claim;
    replay::Execution& execution = *given_.execution;
    const auto apply = [&](const Message& message) {
        // Once it has continued as new, messages to the run are for the next execution.
        if (execution.continued() && message.content.execution == 0 &&
            !execution.took_early(message.content)) {
            result_.left.insert(message.id);
        } else {
            execution.apply(message.content);
        }
    };
    // Messages that came before the cancel are applied before it. Once the code has seen the cancel
    // there is no such order any more: nothing in history would divide the two.
    const bool cancel_is_new = claim.cancel && !execution.cancel_seen();
    const auto is_before_cancel = [&](const Message& message) {
        return !cancel_is_new || came_before(message, *claim.cancel);
    };
    for (const Message& message : claim.messages) {
        if (is_before_cancel(message)) execution.announce(message.content);
    }
    execution.begin_turn(claim.claimed_at, claim.input, claim.cancel.has_value());
    for (const Message& message : claim.messages) {
        if (is_before_cancel(message)) apply(message);
    }
    if (cancel_is_new) {
        for (const Message& message : claim.messages) {
            if (!is_before_cancel(message)) execution.announce(message.content);
        }
        execution.apply_cancel(*claim.cancel);
        for (const Message& message : claim.messages) {
            if (!is_before_cancel(message)) apply(message);
        }
    }
    for (const Finished& finished : given_.finished) execution.apply(finished.completion);
    // Unless there may be more messages, which came before it.
    const std::size_t most = given_.message_batch;
    if (claim.messages.size() < most && given_.finished.size() < most) {
        execution.fire_due(claim.claimed_at);
    }
    result_.events = execution.take_recorded();
    result_.row = model::encode_events(result_.events);
    result_.came = Came::taken;
}

}  // namespace belay::runtime
