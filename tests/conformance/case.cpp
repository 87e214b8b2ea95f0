#include "conformance/case.hpp"

#include <future>

namespace belay::conformance {

namespace {

constexpr std::uint64_t kTokensPerCall = 100'000;
/// A hint may be too short, so that following it takes several looks; far fewer than these.
constexpr int kMostLooks = 100;

/// Asks, and waits for the answer on whichever thread it comes.
template <class T, class Ask>
Result<T> answer_to(Ask ask) {
    auto answer = std::make_shared<std::promise<Result<T>>>();
    auto answered = answer->get_future();
    ask(Done<T>([answer](Result<T> result) { answer->set_value(std::move(result)); }));
    return answered.get();
}

std::shared_ptr<const Transition> only(Part part) {
    auto made = std::make_shared<Transition>();
    made->parts.push_back(std::move(part));
    return made;
}

}  // namespace

std::string describe(const Answer& answer) {
    std::string text;
    switch (answer.verdict) {
        case Verdict::applied: text = "applied"; break;
        case Verdict::already_applied: text = "already applied"; break;
        case Verdict::refused: text = "refused"; break;
        case Verdict::failed: text = "failed"; break;
    }
    if (answer.error) text += " (" + answer.error->describe() + ")";
    return text;
}

testing::AssertionResult applied(const Answer& answer) {
    if (answer.verdict == Verdict::applied) return testing::AssertionSuccess() << "applied";
    return testing::AssertionFailure() << "it was " << describe(answer);
}

testing::AssertionResult already_applied(const Answer& answer) {
    if (answer.verdict == Verdict::already_applied) {
        return testing::AssertionSuccess() << "already applied";
    }
    return testing::AssertionFailure() << "it was " << describe(answer);
}

testing::AssertionResult refused(const Answer& answer, Errc code) {
    if (!answer.refused_with(code)) {
        return testing::AssertionFailure()
               << "expected a refusal with " << to_string(code) << ", it was " << describe(answer);
    }
    if (answer.error->retryable() || answer.error->outcome_unknown()) {
        return testing::AssertionFailure() << "the refusal is not permanent: " << describe(answer);
    }
    return testing::AssertionSuccess() << "refused";
}

InstanceName named(std::string id) { return InstanceName{"default", std::move(id)}; }

HistoryRow events(std::uint32_t count, std::string bytes) {
    HistoryRow row;
    row.count = count;
    row.bytes = std::move(bytes);
    return row;
}

NewActivity activity(CommandNo command, std::string name) {
    NewActivity made;
    made.command = command;
    made.name = std::move(name);
    made.input = Payload::text("input of " + std::to_string(command));
    return made;
}

NewMessage event(std::string name, std::string text) {
    NewMessage message;
    message.kind = MessageKind::event_raised;
    message.name = std::move(name);
    message.payload = Payload::text(std::move(text));
    return message;
}

Outcome completed(std::string output) {
    Outcome outcome;
    outcome.status = Status::completed;
    outcome.output = Payload::text(std::move(output));
    return outcome;
}

Outcome failed(std::string message) {
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.failure.message = std::move(message);
    return outcome;
}

Outcome canceled(Cleanup cleanup) {
    Outcome outcome;
    outcome.status = Status::canceled;
    outcome.cancel.source = CancelSource::self;
    outcome.cleanup = cleanup;
    return outcome;
}

Outcome poisoned() {
    Outcome outcome = failed("killed its worker too often");
    outcome.failure.kind = FailureKind::poison;
    return outcome;
}

LeaseToken token_after(LeaseToken first, std::uint64_t i) {
    return LeaseToken{first.holder, first.serial + i};
}

std::vector<std::string> names_of(const std::vector<Message>& messages) {
    std::vector<std::string> names;
    for (const Message& message : messages) names.push_back(message.content.name);
    return names;
}

std::vector<CommandNo> commands_of(const std::vector<ClaimedActivity>& activities) {
    std::vector<CommandNo> commands;
    for (const ClaimedActivity& item : activities) commands.push_back(item.activity.command);
    return commands;
}

// ---- Changes -----------------------------------------------------------------------------------

Change::Change(Start part) : transition_(only(std::move(part))) {}
Change::Change(Turn part) : transition_(only(std::move(part))) {}
Change::Change(AckActivity part) : transition_(only(std::move(part))) {}
Change::Change(AbandonActivity part) : transition_(only(std::move(part))) {}
Change::Change(RenewActivity part) : transition_(only(std::move(part))) {}
Change::Change(AbandonTurn part) : transition_(only(std::move(part))) {}
Change::Change(RenewTurn part) : transition_(only(std::move(part))) {}
Change::Change(Cancel part) : transition_(only(std::move(part))) {}
Change::Change(Finish part) : transition_(only(std::move(part))) {}
Change::Change(Send part) : transition_(only(std::move(part))) {}
Change::Change(Deliver part) : transition_(only(std::move(part))) {}
Change::Change(Hold part) : transition_(only(std::move(part))) {}
Change::Change(Release part) : transition_(only(std::move(part))) {}
Change::Change(Delete part) : transition_(only(std::move(part))) {}
Change::Change(FreeKey part) : transition_(only(std::move(part))) {}
Change::Change(Sweep part) : transition_(only(std::move(part))) {}

Change::Change(CommitId commit, std::initializer_list<Change> parts) {
    auto made = std::make_shared<Transition>();
    made->commit = commit;
    for (const Change& change : parts) {
        const std::vector<Part>& added = change.transition().parts;
        made->parts.insert(made->parts.end(), added.begin(), added.end());
    }
    transition_ = std::move(made);
}

Change Change::with(StopTerms stop) const {
    Change changed = *this;
    auto made = std::make_shared<Transition>(*transition_);
    made->stop = stop;
    changed.transition_ = std::move(made);
    return changed;
}

// ---- The case ----------------------------------------------------------------------------------

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
    Turn turn = next_turn(parent, where);
    NewChild child;
    child.instance = instance(std::move(id));
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

template <class Request>
typename Request::Answer Case::claim_any(Request request, Where where) {
    auto result = answer_to<typename Request::Answer>([&](Done<typename Request::Answer> done) {
        store_->claim(std::move(request), std::move(done));
    });
    if (!result) stop("claim: " + result.error().describe(), where);
    return std::move(*result);
}

ClaimInstances::Answer Case::claim_with_hint(ClaimInstances request, Where where) {
    return claim_any(std::move(request), where);
}

std::vector<ClaimedInstance> Case::claim_instances(ClaimInstances request, Where where) {
    return claim_any(std::move(request), where).claimed;
}

std::vector<ClaimedInstance> Case::claim_instances(std::uint32_t max, Where where) {
    ClaimInstances request = op::fetch_orchestration_item(fresh_token(), "worker", kLease);
    request.max = max;
    return claim_any(std::move(request), where).claimed;
}

std::optional<ClaimedInstance> Case::try_claim(std::optional<RunRef> run,
                                               Millis lease,
                                               Where where) {
    ClaimInstances request = op::fetch_orchestration_item(fresh_token(), "worker", lease);
    request.run = run;
    auto items = claim_any(std::move(request), where).claimed;
    if (items.size() > 1) stop("more was claimed than asked for", where);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
}

ClaimedInstance Case::claim(RunRef run, Where where) {
    auto item = try_claim(run, kLease, where);
    if (!item) stop("the run is not claimable", where);
    if (item->run != run) stop("another run was claimed", where);
    return std::move(*item);
}

template <class Request>
std::optional<Millis> Case::sleep_and_claim(Request request, Where where) {
    Millis slept{0};
    for (int looks = 0; looks < kMostLooks; ++looks) {
        request.first_token = fresh_token();
        const auto answer = claim_any(request, where);
        if (!answer.claimed.empty()) return slept;
        if (!answer.ready_in) return std::nullopt;
        if (*answer.ready_in <= Millis(0)) stop("a worker would spin", where);
        advance(*answer.ready_in);
        slept += *answer.ready_in;
    }
    stop("a worker would look more than " + std::to_string(kMostLooks) + " times", where);
}

std::optional<Millis> Case::slept_until_claimed(ClaimInstances request, Where where) {
    return sleep_and_claim(std::move(request), where);
}

std::optional<Millis> Case::slept_until_claimed(ClaimActivities request, Where where) {
    return sleep_and_claim(std::move(request), where);
}

Turn Case::turn_of(const ClaimedInstance& item) {
    return op::ack_orchestration_item(item, events(1));
}

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
    apply(op::abandon_orchestration_item(*item, Millis(0), CountAttempt::no), where);
    return std::move(item->messages);
}

// ---- Activities --------------------------------------------------------------------------------

ClaimActivities::Answer Case::claim_with_hint(ClaimActivities request, Where where) {
    return claim_any(std::move(request), where);
}

std::vector<ClaimedActivity> Case::claim_activities(ClaimActivities request, Where where) {
    return claim_any(std::move(request), where).claimed;
}

std::vector<ClaimedActivity> Case::claim_activities(std::uint32_t max, Where where) {
    ClaimActivities request = op::fetch_work_item(fresh_token(), "worker", kLease);
    request.max = max;
    return claim_activities(std::move(request), where);
}

std::optional<ClaimedActivity> Case::try_claim_activity(Millis lease, Where where) {
    auto items = claim_activities(op::fetch_work_item(fresh_token(), "worker", lease), where);
    if (items.size() > 1) stop("more was claimed than asked for", where);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
}

ClaimedActivity Case::claim_activity(Where where) {
    auto item = try_claim_activity(kLease, where);
    if (!item) stop("no activity is claimable", where);
    return std::move(*item);
}

Answer Case::try_complete(const ClaimedActivity& item, Where where) {
    return commit(
        op::ack_work_item(item, op::activity_completed(item.activity, Payload::text("result"))),
        where);
}

Answer Case::try_drop(const ClaimedActivity& item, Where where) {
    return commit(op::ack_work_item(item, std::nullopt), where);
}

void Case::complete(const ClaimedActivity& item, Where where) {
    const Answer answer = try_complete(item, where);
    if (!applied(answer)) stop("expected applied, it was " + describe(answer), where);
}

Answer Case::try_renew(const ClaimedActivity& item, Millis extend, Where where) {
    return commit(op::renew_work_item_lock(item, extend), where);
}

// ---- Reading -----------------------------------------------------------------------------------

template <class Request>
typename Request::Answer Case::read_any(Request request, Where where) {
    auto result = answer_to<typename Request::Answer>([&](Done<typename Request::Answer> done) {
        store_->read(std::move(request), std::move(done));
    });
    if (!result) stop("read: " + result.error().describe(), where);
    return std::move(*result);
}

ReadInstance::Answer Case::read(ReadInstance request, Where where) {
    return read_any(std::move(request), where);
}

ReadHistory::Answer Case::read(ReadHistory request, Where where) {
    return read_any(std::move(request), where);
}

ListExecutions::Answer Case::read(ListExecutions request, Where where) {
    return read_any(std::move(request), where);
}

ListChildren::Answer Case::read(ListChildren request, Where where) {
    return read_any(std::move(request), where);
}

KeyValues::Answer Case::read(KeyValues request, Where where) {
    return read_any(std::move(request), where);
}

ListDeadLetters::Answer Case::read(ListDeadLetters request, Where where) {
    return read_any(std::move(request), where);
}

ListActivities::Answer Case::read(ListActivities request, Where where) {
    return read_any(std::move(request), where);
}

ListStopping::Answer Case::read(ListStopping request, Where where) {
    return read_any(std::move(request), where);
}

ListHeld::Answer Case::read(ListHeld request, Where where) {
    return read_any(std::move(request), where);
}

CheckLeases::Answer Case::read(CheckLeases request, Where where) {
    return read_any(std::move(request), where);
}

std::optional<InstanceInfo> Case::find(std::string id, Where where) {
    ReadInstance request;
    request.name = named(std::move(id));
    return read(std::move(request), where);
}

std::optional<InstanceInfo> Case::find(RunRef run, Where where) {
    ReadInstance request;
    request.run = run;
    return read(std::move(request), where);
}

InstanceInfo Case::info(RunRef run, Where where) {
    auto found = find(run, where);
    if (!found) stop("there is no such run", where);
    return std::move(*found);
}

InstanceInfo Case::found(std::string id, Where where) {
    auto instance_found = find(std::move(id), where);
    if (!instance_found) stop("there is no such instance", where);
    return std::move(*instance_found);
}

Outcome Case::outcome_of(RunRef run, Where where) {
    auto known = info(run, where);
    if (!known.outcome) stop("the run has not ended", where);
    return std::move(*known.outcome);
}

CancelRecord Case::cancel_record(RunRef run, Where where) {
    auto known = info(run, where);
    if (!known.cancel) stop("the run was not canceled", where);
    return std::move(*known.cancel);
}

Status Case::status(RunRef run, Where where) { return info(run, where).status; }

std::vector<ActivityInfo> Case::activities(std::optional<RunRef> run, Where where) {
    return read(ListActivities{run}, where);
}

std::vector<StoppingInfo> Case::stopping(std::optional<RunRef> run, Where where) {
    return read(ListStopping{run}, where);
}

std::vector<DeadLetter> Case::dead_letters(Where where) { return read(ListDeadLetters(), where); }

std::map<std::string, Payload> Case::key_values(RunRef run, Where where) {
    return read(KeyValues{run}, where);
}

std::vector<RecordedRow> Case::history(RunRef run, ExecutionNo execution, Where where) {
    ReadHistory request;
    request.run = run;
    request.execution = execution;
    return read(std::move(request), where);
}

}  // namespace belay::conformance
