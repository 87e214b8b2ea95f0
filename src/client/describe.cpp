// One instance, and all that it awaits.
#include "client/handlers.hpp"
#include "client/open_commands.hpp"
#include "store/blocking.hpp"
#include "store/history.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace belay::client {

namespace {

/// Returns `at` if that is later than `now`; none if it can be taken at once.
std::optional<Timestamp> later_than(Timestamp at, Timestamp now) {
    return at > now ? std::optional(at) : std::nullopt;
}

/// Completes the facts from history with those from the queues at the same moment.
class OpenWorkFacts {
public:
    explicit OpenWorkFacts(const OpenWork& work) : work_(work) {
        for (const WaitingMessage& message : work_.messages) {
            if (message.command != 0 || message.at > work_.as_of) continue;
            ++arrived_[Channel(kind_of(message.kind), message.name)];
        }
    }

    /// To be called once for each, in the order of their commands: the first wait for a message
    /// gets it.
    void complete(Awaited& awaited) {
        switch (awaited.kind) {
            case AwaitedKind::activity: complete_activity(awaited); break;
            case AwaitedKind::timer:
                if (awaited.until <= work_.as_of) awaited.state = AwaitedState::answered;
                break;
            case AwaitedKind::child: complete_child(awaited); break;
            case AwaitedKind::event:
            case AwaitedKind::queue_message: complete_wait(awaited); break;
        }
    }

    /// Returns what is known without history: activities and children that are there.
    [[nodiscard]] std::vector<Awaited> from_queues() const {
        std::vector<Awaited> found;
        for (const ActivityInfo& row : work_.activities) {
            Awaited awaited;
            awaited.command = row.activity.command;
            awaited.name = row.name;
            awaited.queue = row.queue;
            awaited.shielded = row.shielded;
            found.push_back(std::move(awaited));
        }
        for (const OpenChild& child : work_.open_children) {
            if (child.execution != work_.info.execution) continue;
            Awaited awaited;
            awaited.command = child.command;
            awaited.kind = AwaitedKind::child;
            awaited.child_id = child.instance.name.id;
            found.push_back(std::move(awaited));
        }
        for (const WaitingMessage& message : work_.messages) {
            if (!message.timer || message.kind != MessageKind::timer_fired) continue;
            Awaited awaited;
            awaited.command = message.command;
            awaited.kind = AwaitedKind::timer;
            awaited.until = message.at;
            found.push_back(std::move(awaited));
        }
        std::sort(found.begin(), found.end(), [](const Awaited& a, const Awaited& b) {
            return a.command < b.command;
        });
        return found;
    }

private:
    using Channel = std::pair<AwaitedKind, std::string>;

    void complete_activity(Awaited& awaited) const {
        const auto row = std::find_if(
            work_.activities.begin(), work_.activities.end(), [&](const ActivityInfo& one) {
                return one.activity.execution == work_.info.execution &&
                       one.activity.command == awaited.command;
            });
        if (row == work_.activities.end()) {
            // A row goes when its answer comes, or by a cancel.
            const bool stopped = work_.info.cancel && find_answer(awaited.command) == nullptr;
            awaited.state = stopped ? AwaitedState::stopped : AwaitedState::answered;
            return;
        }
        awaited.attempt = row->attempt;
        awaited.unregistered = row->unregistered;
        awaited.progress = row->progress;
        awaited.progress_at = row->progress_at;
        if (row->visible_at == Timestamp::max()) {
            awaited.state = AwaitedState::answered;  // Nobody began it in time.
            return;
        }
        if (row->token != LeaseToken()) {
            awaited.state = row->leased ? AwaitedState::running : AwaitedState::lease_expired;
            awaited.worker = row->worker;
            awaited.until = row->leased_until;
            return;
        }
        awaited.since = row->visible_at;
        awaited.until = later_than(row->visible_at, work_.as_of);
        if (row->unregistered > 0) {
            awaited.state = AwaitedState::no_code;
        } else if (!awaited.until) {
            awaited.state = AwaitedState::queued;
        } else {
            awaited.state = row->attempt > 0 ? AwaitedState::retrying : AwaitedState::delayed;
        }
    }

    void complete_child(Awaited& awaited) const {
        const auto child = std::find_if(
            work_.open_children.begin(), work_.open_children.end(), [&](const OpenChild& one) {
                return one.execution == work_.info.execution && one.command == awaited.command;
            });
        if (child != work_.open_children.end()) {
            awaited.child_status = child->instance.status;
            return;
        }
        awaited.state = AwaitedState::answered;
        const WaitingMessage* answer = find_answer(awaited.command);
        if (answer == nullptr) return;
        awaited.child_status = answer->kind == MessageKind::child_failed     ? Status::failed
                               : answer->kind == MessageKind::child_canceled ? Status::canceled
                                                                             : Status::completed;
    }

    void complete_wait(Awaited& awaited) {
        const auto arrived = arrived_.find(Channel(awaited.kind, awaited.name));
        if (arrived == arrived_.end() || arrived->second == 0) return;
        --arrived->second;
        awaited.state = AwaitedState::answered;
    }

    [[nodiscard]] const WaitingMessage* find_answer(CommandNo command) const {
        const auto found = std::find_if(
            work_.messages.begin(), work_.messages.end(), [&](const WaitingMessage& message) {
                return message.execution == work_.info.execution && message.command == command;
            });
        return found == work_.messages.end() ? nullptr : &*found;
    }

    const OpenWork& work_;
    std::map<Channel, std::uint64_t> arrived_;  ///< Messages that no wait has been given yet.
};

void set_condition(InstanceDescription& description, const OpenWork& work) {
    const InstanceInfo& info = work.info;
    if (is_terminal(info.status)) {
        description.condition = Condition::ended;
        description.since = info.ended_at;
    } else if (info.held) {
        description.condition = Condition::held;
    } else if (work.waits_for_former) {
        description.condition = Condition::replacing;
    } else if (info.in_line) {
        description.condition = Condition::in_line;
    } else if (info.locked) {
        description.condition = Condition::in_turn;
        description.worker = work.lock_worker;
        description.until = work.lock_until;
    } else if (info.code_missing_since) {
        description.condition = Condition::code_missing;
        description.since = info.code_missing_since;
        if (work.claimable_at) description.until = later_than(*work.claimable_at, work.as_of);
    } else if (work.claimable_at && *work.claimable_at <= work.as_of) {
        description.condition = Condition::turn_due;
        description.since = work.claimable_at;
    } else if (work.claimable_at && (info.status == Status::pending || info.ready_messages > 0)) {
        description.condition = Condition::delayed;
        description.until = work.claimable_at;
    }
}

/// Everything but what it awaits.
InstanceDescription without_awaited(const OpenWork& work) {
    InstanceDescription description;
    description.info = work.info;
    description.as_of = work.as_of;
    description.root_id = std::string(root_of(work.info.name.id));
    description.parent_id = work.parent_id;
    set_condition(description, work);
    description.children = work.children;
    description.open_children = work.open_children.size();
    description.stopping = work.stopping;
    std::copy_if(work.messages.begin(),
                 work.messages.end(),
                 std::back_inserter(description.messages),
                 [](const WaitingMessage& message) { return !message.timer; });
    description.message_count = work.message_count;
    return description;
}

/// The most reads of an instance whose history is lost while it is being read.
constexpr int kTries = 3;

}  // namespace

Result<InstanceDescription> answer(ServiceContext& context, const requests::Describe& request) {
    const InstanceName& name = request.name;
    if (const Result<void> fine = context.check(name); !fine) return fine.error();
    for (int tries = 0; tries < kTries; ++tries) {
        const Result<ReadOpenWork::Answer> found =
            store::ask(context.store, ReadOpenWork{name, ReadOpenWork().max_messages});
        if (!found) return found.error();
        if (!*found) return no_such_instance(name);
        const OpenWork& work = **found;
        InstanceDescription description = without_awaited(work);
        Result<KeyValues::Answer> values = store::ask(context.store, KeyValues{work.info.run});
        if (!values) return values.error();
        description.values = std::move(*values);
        if (is_terminal(work.info.status)) return description;

        // History only grows: up to the position it had then, it is as it was.
        const Result<std::vector<model::Event>> events = store::read_events(
            context.store, work.info.run, work.info.execution, work.info.position);
        if (!events && events.error().retryable()) return events.error();
        OpenWorkFacts facts(work);
        if (!events) {
            description.history_problem = events.error().describe();
            description.awaits = facts.from_queues();
        } else if (events->size() < work.info.position) {
            continue;  // It was deleted, or pruned, in between.
        } else {
            OpenCommands commands;
            for (const model::Event& event : *events) commands.take(event);
            for (const auto& [command, awaited] : commands.open()) {
                description.awaits.push_back(awaited);
            }
        }
        for (Awaited& awaited : description.awaits) facts.complete(awaited);
        return description;
    }
    return Error(Errc::busy, "instance '" + name.id + "' changes faster than it can be read");
}

}  // namespace belay::client
