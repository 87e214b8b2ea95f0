// Runs that go on from a place in the history of a run that has ended.
#include "client/handlers.hpp"
#include "client/starting.hpp"
#include "model/continued.hpp"
#include "model/event.hpp"
#include "model/retry_header.hpp"
#include "store/blocking.hpp"
#include "store/history.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <variant>

namespace belay::client {

namespace {

using Events = std::vector<model::Event>;

Error refused(const InstanceInfo& info, const std::string& why) {
    return {Errc::invalid_argument, "'" + info.name.id + "' " + why};
}

/// Everything else of a rerun is that of the run.
Result<void> check_options(const requests::Rerun& like) {
    const bool has_others = like.input || like.document || !like.version.empty() ||
                            like.delay != Millis(0) || like.when_busy == WhenBusy::replace;
    if (!has_others) return {};
    return Error(Errc::invalid_argument,
                 "a run that goes on from an event has the input, the document and the version of "
                 "the old one, and neither a delay nor a replacement");
}

Result<void> check_kind(const InstanceInfo& info) {
    if (const Result<void> ended = check_ended(info); !ended) return ended;
    if (info.document) {
        return refused(info, "is interpreted by a document: a flow is resumed from its steps");
    }
    return {};
}

Result<Events> events_of(Store& store, const InstanceInfo& info, ExecutionNo execution) {
    return store::read_events(store, info.run, execution, std::numeric_limits<EventNo>::max());
}

/// Returns " of execution 3"; nothing for a run that has only one.
std::string of_execution(const InstanceInfo& info, ExecutionNo execution) {
    return info.execution == 1 ? "" : " of execution " + std::to_string(execution);
}

/// Returns the history before the turn of the event with this number. Events count from 1.
Result<Events> history_before(Store& from,
                              const InstanceInfo& info,
                              ExecutionNo execution,
                              EventNo number) {
    if (execution > info.execution) {
        return refused(info, "has the executions 1 to " + std::to_string(info.execution));
    }
    Result<Events> all = events_of(from, info, execution);
    if (!all) return all.error();
    if (all->empty() && execution < info.execution) {
        return Error(Errc::not_found,
                     "the history" + of_execution(info, execution) + " of '" + info.name.id +
                         "' was pruned");
    }
    if (all->empty()) return refused(info, "has never begun: run it again from the beginning");
    if (number == 0 || number > all->size()) {
        return refused(
            info,
            "has the events 1 to " + std::to_string(all->size()) + of_execution(info, execution));
    }
    std::size_t cut = static_cast<std::size_t>(number);
    while (cut > 0 && !std::holds_alternative<model::TurnStarted>((*all)[cut - 1])) --cut;
    if (cut <= 1 && execution == 1) {
        return refused(info, "begins with the turn of this event: run it again");
    }
    if (cut <= 1) {
        return refused(info,
                       "begins execution " + std::to_string(execution) +
                           " with the turn of this event: choose a later one, or one of the "
                           "execution before");
    }
    all->resize(cut - 1);
    return all;
}

/// Returns the custom status that the run had when this execution began.
Result<std::optional<Payload>> status_before(Store& store,
                                             const InstanceInfo& info,
                                             ExecutionNo execution) {
    std::optional<Payload> status;
    while (--execution > 0 && !status) {
        const Result<Events> events = events_of(store, info, execution);
        if (!events) return events.error();
        if (events->empty()) break;  // It was pruned, and so were those before it.
        for (const model::Event& event : *events) {
            const auto* const set = std::get_if<model::CustomStatusSet>(&event);
            if (set != nullptr) status = set->status;
        }
    }
    return status;
}

/// The data with which an execution began.
struct Taken {
    Payload packed;
    model::Continued data;
    std::optional<Payload> status;
};

Result<Taken> taken_along(Store& store,
                          const InstanceInfo& info,
                          ExecutionNo execution,
                          const Events& events) {
    const auto at = std::ranges::find_if(events, [](const model::Event& event) {
        return std::holds_alternative<model::ExecutionStarted>(event);
    });
    if (at == events.end()) {
        return Error(Errc::corrupt, "a history does not begin with the start of its execution");
    }
    const Payload& packed = std::get<model::ExecutionStarted>(*at).input;
    Result<model::Continued> data = model::unpack(packed);
    if (!data) return data.error();
    Result<std::optional<Payload>> status = status_before(store, info, execution);
    if (!status) return status.error();
    return Taken{packed, std::move(*data), std::move(*status)};
}

/// The open work of a history, as the turn that does all of it at once.
class OpenWork {
public:
    OpenWork(ServiceContext& context,
             const InstanceInfo& old,
             ExecutionNo execution,
             const Start& start)
        : context_(context), old_(old), execution_(execution), start_(start) {}

    /// Takes over the data that the execution before left behind.
    void take_over(const model::Continued& continued, const std::optional<Payload>& status) {
        for (const model::CarriedMessage& message : continued.messages) {
            ++messages_[Channel(message.channel, message.name)];
        }
        for (const auto& [key, value] : continued.values) {
            turn_.key_values.push_back(KeyValueChange{key, value});
        }
        turn_.custom_status = status;
    }

    /// Takes the events, and gives children the ids that they have below the new run.
    Result<Turn> take(Events events) {
        for (model::Event& event : events) {
            std::visit(
                [this](auto& one) {
                    if constexpr (requires { on(one); }) on(one);
                },
                event);
        }
        if (problem_) return *problem_;
        turn_.run = start_.instance.run;
        turn_.in_line = false;
        turn_.history = model::encode_events(events);
        for (const auto& [command, event] : activities_) add(event);
        for (const auto& [command, event] : timers_) add(event);
        for (const auto& [command, event] : children_) add(event);
        const std::uint64_t room = context_.limits.buffered_messages;
        turn_.message_room = room - std::min(room, kept_messages());
        turn_.after = GoesOn();
        return std::move(turn_);
    }

private:
    using Channel = std::pair<MessageKind, std::string>;

    void on(const model::TurnStarted& event) { now_ = event.at; }
    void on(const model::CommandCompleted& event) { close(event.command); }
    void on(const model::CommandFailed& event) { close(event.command); }
    void on(const model::CommandCanceled& event) { close(event.command); }
    void on(const model::ActivityScheduled& event) { activities_.emplace(event.command, event); }
    void on(const model::TimerScheduled& event) { timers_.emplace(event.command, event); }
    void on(model::ChildScheduled& event) {
        const std::string before = old_.name.id + "/";
        std::string name =
            event.id.starts_with(before) ? event.id.substr(before.size()) : std::string();
        // The new run has one execution, so its children without a name have shorter ids.
        const std::string number = std::to_string(event.command);
        if (name == std::to_string(execution_) + "." + number) name = number;
        const std::string id = start_.instance.name.id + "/" + name;
        if (name.empty() || id.size() > context_.limits.name_bytes) {
            problem_ = refused(old_,
                               "has the child '" + event.id +
                                   "', whose id would be too long: choose a shorter id");
            return;
        }
        event.id = id;
        children_.emplace(event.command, event);
    }
    void on(const model::CancelRequested& /*event*/) {
        problem_ = refused(old_, "was canceled before this event: choose an earlier one");
    }
    void on(const model::MessageReceived& event) {
        ++messages_[Channel(event.channel, event.name)];
    }
    void on(const model::WaitScheduled& event) { ++waits_[Channel(event.channel, event.name)]; }
    void on(const model::MessageTaken& event) { ++waits_[Channel(event.channel, event.name)]; }
    void on(const model::CustomStatusSet& event) { turn_.custom_status = event.status; }
    void on(const model::KeyValueSet& event) {
        turn_.key_values.push_back(KeyValueChange{event.key, event.value});
    }
    void on(const model::KeyValueCleared& event) {
        turn_.key_values.push_back(KeyValueChange{event.key, std::nullopt});
    }
    void on(const model::KeyValuesCleared& /*event*/) { turn_.key_values.clear(); }

    void close(CommandNo command) {
        activities_.erase(command);
        timers_.erase(command);
        children_.erase(command);
    }

    /// At most as many as were received and not waited for.
    [[nodiscard]] std::uint64_t kept_messages() const {
        std::uint64_t kept = 0;
        for (const auto& [channel, count] : messages_) {
            const auto waits = waits_.find(channel);
            const std::uint64_t taken = waits == waits_.end() ? 0 : waits->second;
            kept += count - std::min(count, taken);
        }
        return kept;
    }

    /// Returns the time now at which as much is left as was left then.
    [[nodiscard]] Timestamp moved(Timestamp due) const {
        return context_.store.now() + std::max(Millis(0), std::chrono::ceil<Millis>(due - now_));
    }

    void add(const model::ActivityScheduled& event) {
        NewActivity activity;
        activity.command = event.command;
        activity.name = event.name;
        activity.queue = event.queue;
        activity.input = event.input;
        activity.headers = start_.instance.headers;
        activity.shielded = event.shielded;
        activity.priority = event.terms.priority;
        activity.fairness_key = event.terms.fairness_key;
        if (event.terms.schedule_to_start) {
            activity.schedule_to_start = moved(*event.terms.schedule_to_start);
        }
        activity.start_to_close = event.terms.start_to_close;
        activity.heartbeat_timeout = event.terms.heartbeat_timeout;
        activity.session = event.terms.session;
        if (event.terms.first != 0) {
            model::set_attempt(activity.headers,
                               model::Attempt{event.terms.attempt, event.terms.first});
        }
        turn_.activities.push_back(std::move(activity));
    }
    void add(const model::TimerScheduled& event) {
        turn_.timers.push_back(
            NewTimer{event.command, moved(event.due_at), op::timer_fired(1, event.command)});
    }
    void add(const model::ChildScheduled& event) {
        const NewInstance& parent = start_.instance;
        const ParentLink link{parent.run, 1, event.command};
        NewChild child;
        child.instance.run =
            RunRef{parent.run.shard, context_.sender->ids().run_key(parent.run.key)};
        child.instance.name = InstanceName{parent.name.space, event.id};
        child.instance.definition = event.definition;
        child.instance.version = event.terms.version;
        child.instance.owner = parent.owner;
        child.instance.labels = event.terms.labels;
        child.instance.parent_close = event.terms.parent_close;
        child.instance.part = event.part;
        child.instance.input = event.input;
        child.instance.parent = link;
        child.instance.started_by = parent.name.id;
        child.instance.headers = parent.headers;
        if (event.on_fail) {
            child.instance.on_fail =
                RunRef{parent.run.shard, context_.sender->ids().run_key(child.instance.run.key)};
        }
        Outcome conflict;
        conflict.status = Status::failed;
        conflict.failure = Failure{.kind = FailureKind::id_in_use,
                                   .message = "the id '" + event.id + "' is in use",
                                   .where = event.definition};
        child.on_conflict = op::child_ended(link, conflict);
        turn_.children.push_back(std::move(child));
    }

    ServiceContext& context_;
    const InstanceInfo& old_;
    const ExecutionNo execution_;
    const Start& start_;
    Timestamp now_{};
    Turn turn_;
    std::map<CommandNo, model::ActivityScheduled> activities_;
    std::map<CommandNo, model::TimerScheduled> timers_;
    std::map<CommandNo, model::ChildScheduled> children_;
    std::map<Channel, std::uint64_t> messages_;
    std::map<Channel, std::uint64_t> waits_;
    std::optional<Error> problem_;
};

/// Commits the start and the turn together: the run is never there without its history.
Result<StartResult> commit_both(ServiceContext& context, Start start, Turn turn) {
    const IdConflict policy = start.on_conflict;
    Transition transition = context.sender->prepare(std::move(start));
    transition.parts.emplace_back(std::move(turn));
    std::vector<Transition> batch;
    batch.push_back(std::move(transition));
    const Result<std::vector<Answer>> answers =
        detail::wait_for_answer<std::vector<Answer>>([&](Done<std::vector<Answer>> done) {
            context.sender->send(std::move(batch), std::move(done));
        });
    if (!answers) return answers.error();
    const Answer& answer = answers->front();
    return answer.verdict == Verdict::failed ? Result<StartResult>(error_of(answer))
                                             : start_result(answer, policy);
}

}  // namespace

Result<StartResult> answer(ServiceContext& context, const requests::Resume& request) {
    const requests::Rerun& like = request.like;
    const Result<void> fine = first_problem(
        {context.check(like.name), context.check("the label", like.link), check_options(like)});
    if (!fine) return fine.error();
    const Result<ReadInstance::Answer> found =
        store::ask(context.store, ReadInstance{like.name, like.run});
    if (!found) return found.error();
    if (!*found) return no_such_instance(like.name);
    const InstanceInfo& old = **found;
    if (const Result<void> kind = check_kind(old); !kind) return kind.error();
    const ExecutionNo execution = request.execution == 0 ? old.execution : request.execution;
    Result<Events> events = history_before(context.store, old, execution, request.from);
    if (!events) return events.error();
    Result<Taken> taken = taken_along(context.store, old, execution, *events);
    if (!taken) return taken.error();

    requests::Start wanted = start_like(old, like);
    wanted.input = taken->data.input;
    wanted.version = old.version;
    // It goes on at once, so it cannot wait in line.
    if (wanted.concurrency && wanted.concurrency->when_busy == WhenBusy::queue) {
        wanted.concurrency->when_busy = WhenBusy::refuse;
    }
    Result<Start> start = start_part(context, std::move(wanted));
    if (!start) return start.error();
    start->instance.input = std::move(taken->packed);
    OpenWork work(context, old, execution, *start);
    work.take_over(taken->data, taken->status);
    Result<Turn> turn = work.take(std::move(*events));
    if (!turn) return turn.error();
    return commit_both(context, std::move(*start), std::move(*turn));
}

}  // namespace belay::client
