#include "unit/replay/harness.hpp"

#include "model/encoding.hpp"

namespace belay::replay {

namespace {

std::string shielded(bool is) { return is ? " shielded" : ""; }

std::string attempt(std::uint32_t number) {
    return number == 1 ? "" : " attempt " + std::to_string(number);
}

std::string number(CommandNo command) { return "#" + std::to_string(command); }

std::string outcome_in_short(const Outcome& outcome) {
    switch (outcome.status) {
        case Status::completed: return "completed " + model::describe(outcome.output);
        case Status::failed:
            return "failed " + std::string(to_string(outcome.failure.kind)) + ": " +
                   outcome.failure.message;
        case Status::canceled:
            return "canceled by " + std::string(to_string(outcome.cancel.source)) + ": " +
                   outcome.cancel.reason + ", cleanup " + std::string(to_string(outcome.cleanup));
        default: return std::string(to_string(outcome.status));
    }
}

/// History as it comes back from a store.
std::vector<model::Event> stored(const std::vector<model::Event>& events) {
    const Result<std::vector<model::Event>> read =
        model::decode_events(model::encode_events(events));
    if (!read) {
        ADD_FAILURE() << read.error().describe();
        return {};
    }
    EXPECT_EQ(*read, events) << "events change when they are stored";
    return *read;
}

}  // namespace

std::optional<std::string> brief(const model::Event& event, Timestamp now) {
    using namespace model;
    if (is_input(event)) return std::nullopt;
    if (const auto* e = std::get_if<ActivityScheduled>(&event)) {
        return "call " + number(e->command) + " " + e->name + " " + describe(e->input) +
               (e->queue.empty() ? "" : " on " + e->queue) + attempt(e->terms.attempt) +
               shielded(e->shielded);
    }
    if (const auto* e = std::get_if<TimerScheduled>(&event)) {
        return "timer " + number(e->command) + " +" + std::to_string((e->due_at - now).count()) +
               shielded(e->shielded);
    }
    if (const auto* e = std::get_if<ChildScheduled>(&event)) {
        return "child " + number(e->command) + " " + e->definition + " " + describe(e->input) +
               " as " + e->id + attempt(e->terms.attempt) + shielded(e->shielded);
    }
    if (const auto* e = std::get_if<WaitScheduled>(&event)) {
        return (e->channel == MessageKind::event_raised ? "wait " : "receive ") +
               number(e->command) + " " + e->name + shielded(e->shielded);
    }
    if (const auto* e = std::get_if<CommandCanceled>(&event)) return "cancel " + number(e->command);
    if (const auto* e = std::get_if<CustomStatusSet>(&event))
        return "status " + describe(e->status);
    if (const auto* e = std::get_if<ExecutionEnded>(&event)) return outcome_in_short(e->outcome);
    if (const auto* e = std::get_if<ExecutionContinued>(&event)) {
        return "continued " + describe(e->input);
    }
    if (const auto* e = std::get_if<MessageTaken>(&event)) {
        return (e->channel == MessageKind::event_raised ? "take event " : "take ") + e->name;
    }
    if (const auto* e = std::get_if<KeyValueSet>(&event)) {
        return "set " + e->key + " " + describe(e->value);
    }
    if (const auto* e = std::get_if<KeyValueCleared>(&event)) return "clear " + e->key;
    if (std::holds_alternative<KeyValuesCleared>(event)) return "clear all";
    if (const auto* e = std::get_if<PatchMarked>(&event)) return "patch " + e->name;
    if (const auto* e = std::get_if<PatchRetired>(&event)) return "retired " + e->name;
    if (const auto* e = std::get_if<NextVersionChosen>(&event)) return "version " + e->version;
    if (const auto* e = std::get_if<DetachedStarted>(&event)) {
        return "detached " + e->definition + " " + describe(e->input) + " as " + e->id +
               (e->version.empty() ? "" : " version " + e->version);
    }
    return describe(event);
}

Scenario::~Scenario() {
    if (resident_) require_same_state(*replayed(), "made anew at the end");
}

std::unique_ptr<Execution> Scenario::make() const {
    return std::make_unique<Execution>(
        registry_.orchestration(kDefinition)->handler,
        Identity{{"space", kInstance}, number_, kDefinition, "1", model::RandomSeeded{number_, 7}},
        limits_);
}

std::unique_ptr<Execution> Scenario::replayed() const {
    std::unique_ptr<Execution> fresh = make();
    const Result<void> same = fresh->replay(stored(history_));
    EXPECT_TRUE(same.ok()) << same.error().describe();
    return fresh;
}

void Scenario::require_same_state(const Execution& other, const char* which) const {
    EXPECT_EQ(other.position(), resident_->position()) << which;
    EXPECT_EQ(other.outcome(), resident_->outcome()) << which;
    EXPECT_EQ(other.continued(), resident_->continued()) << which;
    EXPECT_EQ(other.open_commands(), resident_->open_commands()) << which;
    EXPECT_EQ(other.cancel_seen(), resident_->cancel_seen()) << which;
    EXPECT_EQ(other.longest_shield(), resident_->longest_shield()) << which;
}

void Scenario::give(const Input& input) {
    const bool first_done = input(*resident_);
    applied_ = first_done;
    const std::vector<model::Event> recorded = resident_->take_recorded();
    if (checks_ == Checks::always) {
        const std::unique_ptr<Execution> anew = replayed();
        EXPECT_EQ(input(*anew), first_done);
        EXPECT_EQ(anew->take_recorded(), recorded) << "an execution made anew decides differently";
        require_same_state(*anew, "made anew");
        const Result<void> same = follower_->replay(stored(recorded));
        EXPECT_TRUE(same.ok()) << same.error().describe();
        require_same_state(*follower_, "the follower");
    }
    for (const model::Event& event : recorded) {
        if (std::optional<std::string> decision = brief(event, now_)) {
            unread_.push_back(std::move(*decision));
        }
    }
    history_.insert(history_.end(), recorded.begin(), recorded.end());
}

void Scenario::begin_turn(bool canceled) {
    now_ += Millis(1'000);
    give([&](Execution& execution) {
        execution.begin_turn(now_, input_, canceled);
        return true;
    });
}

Scenario& Scenario::start_with(Payload input) {
    input_ = std::move(input);
    resident_ = make();
    follower_ = make();
    begin_turn();
    return *this;
}

Scenario& Scenario::next_execution() {
    if (!resident_->continued()) {
        ADD_FAILURE() << "the execution did not continue as new";
        return *this;
    }
    require_same_state(*replayed(), "made anew before the next execution");
    Payload input = *resident_->continued();
    history_.clear();
    ++number_;
    return start_with(std::move(input));
}

Scenario& Scenario::feed(NewMessage message) {
    if (!in_turn_) begin_turn();
    give([&](Execution& execution) { return execution.apply(message); });
    return *this;
}

Scenario& Scenario::complete(CommandNo command) { return complete_with(command, Payload()); }

Scenario& Scenario::complete_with(CommandNo command, Payload payload) {
    const bool child = resident_->kind_of(command) == detail::OperationKind::child;
    return feed(NewMessage{child ? MessageKind::child_completed : MessageKind::activity_completed,
                           number_,
                           command,
                           "",
                           std::move(payload)});
}

Scenario& Scenario::fail(CommandNo command, const std::string& message) {
    return fail(command, Failure{.message = message});
}

Scenario& Scenario::fail(CommandNo command, Failure failure) {
    const bool child = resident_->kind_of(command) == detail::OperationKind::child;
    return feed(NewMessage{child ? MessageKind::child_failed : MessageKind::activity_failed,
                           number_,
                           command,
                           "",
                           model::to_payload(failure)});
}

Scenario& Scenario::fire(CommandNo timer) {
    return feed(NewMessage{MessageKind::timer_fired, number_, timer, "", Payload()});
}

Scenario& Scenario::child_canceled(CommandNo command, const std::string& reason) {
    return feed(NewMessage{MessageKind::child_canceled,
                           number_,
                           command,
                           "",
                           model::to_payload(CancelRecord{.reason = reason})});
}

Scenario& Scenario::cancel(const std::string& reason) {
    if (!in_turn_) begin_turn(true);
    const CancelRecord record{
        .source = CancelSource::user, .by = "tester", .reason = reason, .requested_at = now_};
    give([&](Execution& execution) {
        execution.apply_cancel(record);
        return true;
    });
    return *this;
}

Scenario& Scenario::expect(const std::vector<std::string>& decisions, std::source_location where) {
    const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "expect");
    EXPECT_THAT(std::exchange(unread_, {}), ::testing::ElementsAreArray(decisions));
    return *this;
}

const Outcome& Scenario::outcome() const {
    static const Outcome none;
    if (!resident_->outcome()) {
        ADD_FAILURE() << "the execution has not ended";
        return none;
    }
    return *resident_->outcome();
}

const Failure& Scenario::failure() const {
    EXPECT_EQ(outcome().status, Status::failed);
    return outcome().failure;
}

}  // namespace belay::replay
