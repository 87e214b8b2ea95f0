#include "conformance/case.hpp"

#include "conformance/answer_to.hpp"

namespace belay::conformance {

namespace {

constexpr std::uint64_t kTokensPerCall = 100'000;

}  // namespace

void Case::SetUp() {
    factory_ = make_();
    store_ = factory_->make(StoreOptions());
}

void Case::TestBody() {
    try {
        body();
    } catch (const Stop&) {
        // Reported where it was thrown.
    }
}

void Case::TearDown() {
    store_.reset();
    factory_.reset();
}

void Case::use_options(const StoreOptions& options) {
    store_.reset();
    store_ = factory_->make(options);
}

void Case::stop(const std::string& message, Where where) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << message;
    throw Stop();
}

RunRef Case::fresh_run(std::string_view id) { return RunRef{shard_of(id), RunKey{++last_key_}}; }

CommitId Case::fresh_commit() { return CommitId{7, ++last_commit_}; }

LeaseToken Case::fresh_token() {
    return LeaseToken{0xA11CE, last_serial_.fetch_add(kTokensPerCall) + 1};
}

// ---- Writing -----------------------------------------------------------------------------------

std::vector<Answer> Case::commit_batch(const std::vector<Change>& batch, Where where) {
    std::vector<Transition> transitions;
    transitions.reserve(batch.size());
    for (const Change& change : batch) {
        transitions.push_back(change.transition());
        if (transitions.back().commit == CommitId()) transitions.back().commit = fresh_commit();
    }
    auto result = answer_to<std::vector<Answer>>([&](Done<std::vector<Answer>> done) {
        store_->commit(std::move(transitions), std::move(done));
    });
    if (!result) stop("commit: " + result.error().describe(), where);
    if (result->size() != batch.size()) stop("not one answer for each transition", where);
    return std::move(*result);
}

Answer Case::commit(const Change& change, Where where) {
    return commit_batch({change}, where).front();
}

Answer Case::apply(const Change& change, Where where) {
    Answer answer = commit(change, where);
    if (!applied(answer)) stop("expected applied, it was " + describe(answer), where);
    return answer;
}

// ---- Instances ---------------------------------------------------------------------------------

NewInstance Case::instance(std::string id) {
    NewInstance made;
    made.run = fresh_run(id);
    made.definition = "Order";
    made.version = "1.0";
    made.input = Payload::text("input of " + id);
    made.owner = "team";
    made.started_by = "tester";
    made.name = named(std::move(id));
    return made;
}

RunRef Case::start(std::string id, Where where) {
    NewInstance made = instance(std::move(id));
    const RunRef run = made.run;
    apply(op::start(std::move(made)), where);
    return run;
}

RunRef Case::start_running(std::string id, Where where) {
    const RunRef run = start(std::move(id), where);
    apply(next_turn(run, where), where);
    return run;
}

RunRef Case::start_with_activities(std::string id, CommandNo count, Where where) {
    const RunRef run = start(std::move(id), where);
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= count; ++command) wanted.push_back(activity(command));
    schedule(run, std::move(wanted), where);
    return run;
}

RunRef Case::start_child(RunRef parent, CommandNo command, std::string id, Where where) {
    return start_child(parent, command, std::move(id), ParentClose::cancel, where);
}

RunRef Case::start_abandoned(RunRef parent, CommandNo command, std::string id, Where where) {
    return start_child(parent, command, std::move(id), ParentClose::abandon, where);
}

RunRef Case::start_child(
    RunRef parent, CommandNo command, std::string id, ParentClose close, Where where) {
    Turn turn = next_turn(parent, where);
    NewChild child;
    child.instance = instance(std::move(id));
    child.instance.parent_close = close;
    child.instance.parent = ParentLink{parent, turn.execution, command};
    child.on_conflict.kind = MessageKind::child_failed;
    child.on_conflict.execution = turn.execution;
    child.on_conflict.command = command;
    child.on_conflict.name = "conflict";
    const RunRef run = child.instance.run;
    turn.children.push_back(std::move(child));
    apply(std::move(turn), where);
    return run;
}

void Case::raise(std::string id, std::string event_name, Where where) {
    apply(op::raise(named(std::move(id)), std::move(event_name), Payload::text("payload")), where);
}

Answer Case::cancel(std::string id, std::string reason, Where where) {
    return apply(op::cancel(named(std::move(id)), std::move(reason), kDeadline), where);
}

Answer Case::sweep(std::uint32_t limit, Where where) {
    Sweep part;
    part.limit = limit;
    part.by = "sweeper";
    return apply(std::move(part), where);
}

// ---- Turns -------------------------------------------------------------------------------------

Turn Case::turn_of(const ClaimedInstance& item) { return op::turn(item, events(1)); }

Turn Case::next_turn(RunRef run, Where where) {
    const InstanceInfo known = info(run, where);
    Turn turn;
    turn.run = run;
    turn.execution = known.execution;
    turn.position = known.position;
    turn.cancel_seen = known.cancel.has_value();
    turn.in_line = false;
    turn.history = events(1);
    return turn;
}

Turn Case::ending(Turn turn, Outcome outcome, Where where) {
    Ends ends;
    const InstanceInfo known = info(turn.run, where);
    if (known.parent) ends.parent_notice = op::child_ended(*known.parent, outcome);
    ends.outcome = std::move(outcome);
    turn.after = std::move(ends);
    return turn;
}

Turn Case::continuing(Turn turn, std::string input) {
    ContinuesAsNew next;
    next.input = Payload::text(std::move(input));
    next.version = "2.0";
    turn.after = std::move(next);
    return turn;
}

void Case::schedule(RunRef run, std::vector<NewActivity> wanted, Where where) {
    Turn turn = next_turn(run, where);
    turn.activities = std::move(wanted);
    apply(std::move(turn), where);
}

void Case::end(RunRef run, Outcome outcome, Where where) {
    apply(ending(next_turn(run, where), std::move(outcome), where), where);
}

void Case::take_turn(RunRef run, Where where) { apply(turn_of(claim(run, where)), where); }

std::vector<Message> Case::inbox(RunRef run, Where where) {
    auto item = try_claim(run, kLease, where);
    if (!item) return {};
    apply(op::abandon_turn(*item, Millis(0), CountAttempt::no), where);
    return std::move(item->messages);
}

// ---- Activities --------------------------------------------------------------------------------

Answer Case::try_complete(const ClaimedActivity& item, Where where) {
    return commit(
        op::ack_activity(item, op::activity_completed(item.activity, Payload::text("result"))),
        where);
}

Answer Case::try_drop(const ClaimedActivity& item, Where where) {
    return commit(op::ack_activity(item, std::nullopt), where);
}

void Case::complete(const ClaimedActivity& item, Where where) {
    const Answer answer = try_complete(item, where);
    if (!applied(answer)) stop("expected applied, it was " + describe(answer), where);
}

Answer Case::try_renew(const ClaimedActivity& item, Millis extend, Where where) {
    return commit(op::renew_activity(item, extend), where);
}

}  // namespace belay::conformance
