// The open commands of an execution, as its history tells them.
#pragma once

#include "model/event.hpp"
#include <belay/finding.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay::client {

/// Follows an execution event by event. Knows nothing of queues: everything open is `waiting`.
class OpenCommands {
public:
    void take(const model::Event& event);

    /// By command.
    [[nodiscard]] const std::map<CommandNo, Awaited>& open() const noexcept { return open_; }
    /// Returns when the turn of the last event began.
    [[nodiscard]] Timestamp now() const noexcept { return now_; }

private:
    using Channel = std::pair<MessageKind, std::string>;

    void on(const model::ExecutionStarted& event);
    void on(const model::TurnStarted& event) { now_ = event.at; }
    void on(const model::CommandCompleted& event) { close(event.command); }
    void on(const model::CommandFailed& event) { close(event.command); }
    void on(const model::MessageReceived& event);
    void on(const model::ActivityScheduled& event);
    void on(const model::TimerScheduled& event);
    void on(const model::ChildScheduled& event);
    void on(const model::WaitScheduled& event);
    void on(const model::CommandCanceled& event) { close(event.command); }
    void on(const model::MessageTaken& event) { take_kept(Channel(event.channel, event.name)); }
    void on(const model::ExecutionEnded&) { open_.clear(); }
    void on(const model::ExecutionContinued&) { open_.clear(); }

    Awaited& open(CommandNo command, AwaitedKind kind, std::string name, bool shielded);
    void close(CommandNo command);
    /// Returns false if there is none.
    bool take_kept(const Channel& channel);

    Timestamp now_{};
    std::map<CommandNo, Awaited> open_;
    std::map<Channel, std::set<CommandNo>> waits_;
    std::map<Channel, std::uint64_t> kept_;  ///< Messages that nobody has waited for yet.
};

/// Returns the kind of wait for a channel.
[[nodiscard]] AwaitedKind kind_of(MessageKind channel) noexcept;

}  // namespace belay::client
