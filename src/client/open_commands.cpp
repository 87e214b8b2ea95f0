#include "client/open_commands.hpp"

#include "model/continued.hpp"

#include <utility>
#include <variant>

namespace belay::client {

AwaitedKind kind_of(MessageKind channel) noexcept {
    return channel == MessageKind::queue_message ? AwaitedKind::queue_message : AwaitedKind::event;
}

void OpenCommands::take(const model::Event& event) {
    std::visit(
        [this](const auto& one) {
            if constexpr (requires { on(one); }) on(one);
        },
        event);
}

Awaited& OpenCommands::open(CommandNo command, AwaitedKind kind, std::string name, bool shielded) {
    Awaited& awaited = open_[command];
    awaited.command = command;
    awaited.kind = kind;
    awaited.name = std::move(name);
    awaited.shielded = shielded;
    awaited.since = now_;
    return awaited;
}

void OpenCommands::close(CommandNo command) {
    const auto found = open_.find(command);
    if (found == open_.end()) return;
    const Awaited& awaited = found->second;
    if (awaited.kind == AwaitedKind::event || awaited.kind == AwaitedKind::queue_message) {
        const MessageKind channel = awaited.kind == AwaitedKind::event ? MessageKind::event_raised
                                                                       : MessageKind::queue_message;
        const auto waits = waits_.find(Channel(channel, awaited.name));
        if (waits != waits_.end()) {
            waits->second.erase(command);
            if (waits->second.empty()) waits_.erase(waits);
        }
    }
    open_.erase(found);
}

/// Messages that the execution before had received, and its code had not, come with the input.
void OpenCommands::on(const model::ExecutionStarted& event) {
    const Result<model::Continued> continued = model::unpack(event.input);
    if (!continued) return;
    for (const model::CarriedMessage& message : continued->messages) {
        ++kept_[Channel(message.channel, message.name)];
    }
}

bool OpenCommands::take_kept(const Channel& channel) {
    const auto kept = kept_.find(channel);
    if (kept == kept_.end()) return false;
    if (--kept->second == 0) kept_.erase(kept);
    return true;
}

/// The first wait for it gets it.
void OpenCommands::on(const model::MessageReceived& event) {
    const Channel channel(event.channel, event.name);
    const auto waits = waits_.find(channel);
    if (waits == waits_.end()) {
        ++kept_[channel];
    } else {
        close(*waits->second.begin());
    }
}

void OpenCommands::on(const model::ActivityScheduled& event) {
    Awaited& activity = open(event.command, AwaitedKind::activity, event.name, event.shielded);
    activity.queue = event.queue;
}

void OpenCommands::on(const model::TimerScheduled& event) {
    Awaited& timer = open(event.command, AwaitedKind::timer, std::string(), event.shielded);
    timer.until = event.due_at;
}

void OpenCommands::on(const model::ChildScheduled& event) {
    Awaited& child = open(event.command, AwaitedKind::child, event.definition, event.shielded);
    child.child_id = event.id;
}

void OpenCommands::on(const model::WaitScheduled& event) {
    const Channel channel(event.channel, event.name);
    if (take_kept(channel)) return;
    (void)open(event.command, kind_of(event.channel), event.name, event.shielded);
    waits_[channel].insert(event.command);
}

}  // namespace belay::client
