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
    if (info.execution == 1) return {};
    return refused(info, "has continued as new: run it again from the beginning");
}

/// Returns the history before the turn of the event with this number. Events count from 1.
Result<Events> history_before(Store& from, const InstanceInfo& info, EventNo number) {
    Result<Events> all =
        store::read_events(from, info.run, info.execution, std::numeric_limits<EventNo>::max());
    if (!all) return all.error();
    if (all->empty()) return refused(info, "has never begun: run it again from the beginning");
    if (number == 0 || number > all->size()) {
        return refused(info, "has the events 1 to " + std::to_string(all->size()));
    }
    std::size_t cut = static_cast<std::size_t>(number);
    while (cut > 0 && !std::holds_alternative<model::TurnStarted>((*all)[cut - 1])) --cut;
    if (cut <= 1) return refused(info, "begins with the turn of this event: run it again");
    all->resize(cut - 1);
    return all;
}

/// The open work of a history, as the turn that does all of it at once.
class OpenWork {
public:
    OpenWork(ServiceContext& context, const InstanceInfo& old, const Start& start)
        : context_(context), old_(old), start_(start) {}

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
        const std::string name =
            event.id.starts_with(before) ? event.id.substr(before.size()) : std::string();
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
    Result<Events> events = history_before(context.store, old, request.from);
    if (!events) return events.error();

    requests::Start wanted = start_like(old, like);
    wanted.input = old.input;
    wanted.version = old.version;
    // It goes on at once, so it cannot wait in line.
    if (wanted.concurrency && wanted.concurrency->when_busy == WhenBusy::queue) {
        wanted.concurrency->when_busy = WhenBusy::refuse;
    }
    Result<Start> start = start_part(context, std::move(wanted));
    if (!start) return start.error();
    Result<Turn> turn = OpenWork(context, old, *start).take(std::move(*events));
    if (!turn) return turn.error();
    return commit_both(context, std::move(*start), std::move(*turn));
}

}  // namespace belay::client
