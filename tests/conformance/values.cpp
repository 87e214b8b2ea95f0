// Answers, values and changes, as cases say them.
#include "conformance/case.hpp"

namespace belay::conformance {

namespace {

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

::testing::AssertionResult applied(const Answer& answer) {
    if (answer.verdict == Verdict::applied) return ::testing::AssertionSuccess() << "applied";
    return ::testing::AssertionFailure() << "it was " << describe(answer);
}

::testing::AssertionResult already_applied(const Answer& answer) {
    if (answer.verdict == Verdict::already_applied) {
        return ::testing::AssertionSuccess() << "already applied";
    }
    return ::testing::AssertionFailure() << "it was " << describe(answer);
}

::testing::AssertionResult refused(const Answer& answer, Errc code) {
    if (!answer.refused_with(code)) {
        return ::testing::AssertionFailure()
               << "expected a refusal with " << to_string(code) << ", it was " << describe(answer);
    }
    if (answer.error->retryable() || answer.error->outcome_unknown()) {
        return ::testing::AssertionFailure()
               << "the refusal is not permanent: " << describe(answer);
    }
    return ::testing::AssertionSuccess() << "refused";
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
Change::Change(DeleteInstances part) : transition_(only(std::move(part))) {}
Change::Change(Prune part) : transition_(only(std::move(part))) {}
Change::Change(Redrive part) : transition_(only(std::move(part))) {}
Change::Change(Discard part) : transition_(only(std::move(part))) {}
Change::Change(SetRetention part) : transition_(only(std::move(part))) {}
Change::Change(Import part) : transition_(only(std::move(part))) {}
Change::Change(SetQueueLimits part) : transition_(only(std::move(part))) {}
Change::Change(ReleaseSessions part) : transition_(only(part)) {}
Change::Change(ReleaseHolder part) : transition_(only(part)) {}
Change::Change(SetPause part) : transition_(only(std::move(part))) {}
Change::Change(AppendOutput part) : transition_(only(std::move(part))) {}

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

}  // namespace belay::conformance
