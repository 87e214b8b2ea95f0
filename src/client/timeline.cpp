// The timeline of an execution, event by event.
#include "client/handlers.hpp"
#include "client/open_commands.hpp"
#include "store/blocking.hpp"
#include "store/history.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <variant>

namespace belay::client {

namespace {

/// Makes entries of events, in order.
class TimelineBuilder {
public:
    [[nodiscard]] TimelineEntry tell(const model::Event& event) {
        entry_ = TimelineEntry();
        entry_.event = ++events_;
        entry_.text = model::describe(event);
        if (const auto* turn = std::get_if<model::TurnStarted>(&event)) now_ = turn->at;
        entry_.at = now_;
        std::visit([this](const auto& one) { on(one); }, event);
        return std::move(entry_);
    }

private:
    void on(const model::ExecutionStarted& event) {
        entry_.kind = TimelineKind::started;
        entry_.name = event.definition;
    }
    void on(const model::TurnStarted&) { entry_.kind = TimelineKind::turn; }
    void on(const model::CommandCompleted& event) { ends(event.command, TimelineKind::completed); }
    void on(const model::CommandFailed& event) {
        ends(event.command, TimelineKind::failed);
        entry_.failure = event.failure;
    }
    void on(const model::CommandCanceled& event) { ends(event.command, TimelineKind::let_go); }
    void on(const model::MessageReceived& event) {
        entry_.kind = TimelineKind::received;
        entry_.what = kind_of(event.channel);
        entry_.name = event.name;
    }
    void on(const model::CancelRequested& event) {
        entry_.kind = TimelineKind::cancel;
        entry_.cancel = event.record;
    }
    void on(const model::ActivityScheduled& event) {
        entry_.queue = event.queue;
        scheduled(event.command, AwaitedKind::activity, event.name);
    }
    void on(const model::TimerScheduled& event) {
        entry_.until = event.due_at;
        scheduled(event.command, AwaitedKind::timer, std::string());
    }
    void on(const model::ChildScheduled& event) {
        entry_.child_id = event.id;
        scheduled(event.command, AwaitedKind::child, event.definition);
    }
    void on(const model::WaitScheduled& event) {
        scheduled(event.command, kind_of(event.channel), event.name);
    }
    void on(const model::CustomStatusSet&) { entry_.kind = TimelineKind::custom_status; }
    void on(const model::ExecutionEnded& event) {
        entry_.kind = TimelineKind::ended;
        entry_.outcome = event.outcome;
    }
    void on(const model::ExecutionContinued&) { entry_.kind = TimelineKind::continued; }
    void on(const model::RandomSeeded&) { entry_.kind = TimelineKind::noted; }
    void on(const model::MessageTaken& event) {
        entry_.kind = TimelineKind::noted;
        entry_.what = kind_of(event.channel);
        entry_.name = event.name;
    }
    void on(const model::KeyValueSet& event) { noted(event.key); }
    void on(const model::KeyValueCleared& event) { noted(event.key); }
    void on(const model::KeyValuesCleared&) { entry_.kind = TimelineKind::noted; }
    void on(const model::PatchMarked& event) { noted(event.name); }
    void on(const model::PatchRetired& event) { noted(event.name); }
    void on(const model::NextVersionChosen& event) { noted(event.version); }
    void on(const model::DetachedStarted& event) {
        noted(event.definition);
        entry_.child_id = event.id;
    }

    void noted(const std::string& name) {
        entry_.kind = TimelineKind::noted;
        entry_.name = name;
    }

    void scheduled(CommandNo command, AwaitedKind what, const std::string& name) {
        entry_.kind = TimelineKind::scheduled;
        entry_.command = command;
        entry_.what = what;
        entry_.name = name;
        commands_[command] = Command{now_, what, name, entry_.child_id, entry_.queue};
    }

    /// Names again the command that has come back.
    void ends(CommandNo command, TimelineKind how) {
        entry_.kind = how;
        entry_.command = command;
        const auto found = commands_.find(command);
        if (found == commands_.end()) return;
        entry_.what = found->second.what;
        entry_.name = found->second.name;
        entry_.child_id = found->second.child_id;
        entry_.queue = found->second.queue;
        entry_.scheduled_at = found->second.at;
    }

    struct Command {
        Timestamp at{};
        AwaitedKind what = AwaitedKind::activity;
        std::string name;
        std::string child_id;
        std::string queue;
    };

    TimelineEntry entry_;
    EventNo events_ = 0;
    Timestamp now_{};
    std::map<CommandNo, Command> commands_;
};

}  // namespace

Result<Timeline> answer(ServiceContext& context, const requests::ReadTimeline& request) {
    const InstanceName& name = request.name;
    if (const Result<void> fine = context.check(name); !fine) return fine.error();
    const Result<ReadInstance::Answer> found =
        store::ask(context.store, ReadInstance{name, std::nullopt});
    if (!found) return found.error();
    if (!*found) return no_such_instance(name);
    const InstanceInfo& info = **found;
    Timeline timeline;
    timeline.instance = InstanceBrief{info.run, info.name, info.status, false};
    timeline.execution = request.execution == 0 ? info.execution : request.execution;
    Result<ListExecutions::Answer> executions = store::ask(context.store, ListExecutions{info.run});
    if (!executions) return executions.error();
    timeline.executions = std::move(*executions);
    const auto& list = timeline.executions;
    if (std::none_of(list.begin(), list.end(), [&](const ExecutionInfo& one) {
            return one.execution == timeline.execution;
        })) {
        return Error(Errc::not_found,
                     "instance '" + name.id + "' has no execution " +
                         std::to_string(timeline.execution) + " (any more)");
    }
    const Result<std::vector<model::Event>> events = store::read_events(
        context.store, info.run, timeline.execution, std::numeric_limits<EventNo>::max());
    if (!events) return events.error();
    TimelineBuilder builder;
    for (const model::Event& event : *events) timeline.entries.push_back(builder.tell(event));
    return timeline;
}

}  // namespace belay::client
