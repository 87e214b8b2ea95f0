// Instances that ended elsewhere.
#include "conformance/case.hpp"

#include <functional>
#include <limits>

BELAY_CONFORMANCE_AREA(importing)

namespace belay::conformance {
namespace {

class ImportingCase : public Case {
protected:
    static Timestamp at(std::int64_t seconds) {
        return from_unix_ms(1'600'000'000'000 + 1000 * seconds);
    }
    static ImportedExecution execution(ExecutionNo number, std::vector<HistoryRow> rows) {
        return ImportedExecution{number, at(10 * number), at(10 * number + 9), std::move(rows)};
    }
    /// A chain of two executions, the first of which was pruned, with every field filled.
    [[nodiscard]] Import chain(std::string id) {
        Import part;
        part.instance = instance(std::move(id));
        part.instance.headers = {{"traceparent", "00-1"}};
        part.instance.labels = {{"tier", std::int64_t{3}}, {"region", std::string("eu")}};
        part.outcome = completed("done");
        part.created_at = at(0);
        part.started_at = at(1);
        part.custom_status = Payload::text("nearly");
        part.custom_status_version = 7;
        part.key_values = {{"color", Payload::text("red")}, {"size", Payload::text("XL")}};
        part.executions = {execution(2, {events(3, "first"), events(2, "second")}),
                           execution(3, {events(1, "third")})};
        part.ended_at = part.executions.back().ended_at;
        part.input_digest[0] = 5;
        return part;
    }
    /// One that ended without a turn.
    [[nodiscard]] Import never_run(std::string id) {
        Import part;
        part.instance = instance(std::move(id));
        part.cancel = CancelRecord{CancelSource::user, "ann", "enough", at(2), 1};
        part.outcome = canceled(Cleanup::not_needed);
        part.outcome->cancel = *part.cancel;
        part.cancel_deadline = at(60);
        part.created_at = at(0);
        part.executions = {execution(1, {})};
        part.ended_at = part.executions.back().ended_at;
        return part;
    }
    /// A refused import leaves nothing behind.
    void expect_refused(const std::function<void(Import&)>& damage,
                        Errc code = Errc::invalid_argument,
                        Where where = Where::current()) {
        Import part = chain("a");
        damage(part);
        EXPECT_TRUE(refused(commit(part, where), code)) << "line " << where.line();
        EXPECT_FALSE(find("a", where).has_value()) << "line " << where.line();
    }
};

BELAY_CASE_OF(ImportingCase, Importing, WhatIsImportedIsRead) {
    const Import part = chain("a");
    const Answer answer = apply(part);
    ASSERT_TRUE(answer.instance.has_value());
    EXPECT_EQ(answer.instance->run, part.instance.run);
    EXPECT_EQ(answer.instance->status, Status::completed);

    const InstanceInfo info = found("a");
    EXPECT_EQ(info.run, part.instance.run);
    EXPECT_EQ(info.definition, "Order");
    EXPECT_EQ(info.version, "1.0");
    EXPECT_EQ(info.status, Status::completed);
    EXPECT_EQ(info.outcome, *part.outcome);
    EXPECT_EQ(info.input, part.instance.input);
    EXPECT_EQ(info.owner, "team");
    EXPECT_EQ(info.started_by, "tester");
    EXPECT_EQ(info.headers, part.instance.headers);
    EXPECT_EQ(info.labels, part.instance.labels);
    EXPECT_EQ(info.created_at, at(0));
    EXPECT_EQ(info.started_at, at(1));
    EXPECT_EQ(info.ended_at, at(39));
    EXPECT_EQ(info.execution, 3U);
    EXPECT_EQ(info.position, 1U);
    EXPECT_EQ(info.event_count, 6U);
    EXPECT_EQ(info.history_bytes, std::string("firstsecondthird").size() + 3 * row_overhead());
    EXPECT_EQ(info.custom_status, part.custom_status);
    EXPECT_EQ(info.custom_status_version, 7U);
    EXPECT_EQ(key_values(info.run), part.key_values);
    EXPECT_TRUE(info.settled);
    EXPECT_FALSE(info.locked);
    EXPECT_FALSE(info.held);
    EXPECT_EQ(info.ready_messages, 0U);
}

BELAY_CASE_OF(ImportingCase, Importing, WithItsExecutionsAndTheirHistory) {
    const Import part = chain("a");
    apply(part);
    const auto executions = read(ListExecutions{part.instance.run});
    ASSERT_EQ(executions.size(), 2U);
    EXPECT_EQ(executions[0].execution, 2U);
    EXPECT_EQ(executions[0].status, Status::continued_as_new);
    EXPECT_EQ(executions[0].events, 5U);
    EXPECT_EQ(executions[0].started_at, at(20));
    EXPECT_EQ(executions[0].ended_at, at(29));
    EXPECT_EQ(executions[1].execution, 3U);
    EXPECT_EQ(executions[1].status, Status::completed);
    EXPECT_EQ(executions[1].events, 1U);
    EXPECT_EQ(executions[1].started_at, at(30));
    EXPECT_EQ(executions[1].ended_at, at(39));

    EXPECT_TRUE(history(part.instance.run, 1).empty());
    const auto rows = history(part.instance.run, 2);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].first_event, 1U);
    EXPECT_EQ(rows[0].row.bytes, "first");
    EXPECT_EQ(rows[1].first_event, 4U);
    EXPECT_EQ(rows[1].row.count, 2U);
    EXPECT_EQ(rows[1].row.bytes, "second");
    ASSERT_EQ(history(part.instance.run, 3).size(), 1U);
    EXPECT_EQ(history(part.instance.run, 3)[0].row.bytes, "third");
}

BELAY_CASE_OF(ImportingCase, Importing, OneThatNeverRan) {
    const Import part = never_run("a");
    apply(part);
    const InstanceInfo info = found("a");
    EXPECT_EQ(info.status, Status::canceled);
    EXPECT_EQ(info.outcome, *part.outcome);
    EXPECT_EQ(info.cancel, part.cancel);
    EXPECT_EQ(info.cancel_deadline, part.cancel_deadline);
    EXPECT_EQ(info.started_at, std::nullopt);
    EXPECT_EQ(info.position, 0U);
    EXPECT_EQ(info.custom_status, std::nullopt);
    EXPECT_EQ(sweep().swept, 0U) << "its deadline means nothing any more";
}

BELAY_CASE_OF(ImportingCase, Importing, LongPayloads) {
    Import part = chain("a");
    part.instance.input = Payload::text(std::string(100'000, 'i'));
    part.outcome = completed(std::string(100'000, 'o'));
    part.custom_status = Payload::text(std::string(100'000, 'c'));
    apply(part);
    const InstanceInfo info = found("a");
    EXPECT_EQ(info.input, part.instance.input);
    EXPECT_EQ(info.outcome, *part.outcome);
    EXPECT_EQ(info.custom_status, part.custom_status);
}

BELAY_CASE_OF(ImportingCase, Importing, NothingOfItIsRun) {
    apply(chain("a"));
    EXPECT_FALSE(try_claim().has_value());
    EXPECT_TRUE(claim_activities().empty());
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "go", Payload())), Errc::already_ended));
    EXPECT_FALSE(cancel("a").changed);
}

BELAY_CASE_OF(ImportingCase, Importing, ItIsListedAndCounted) {
    apply(chain("a"));
    ListInstances request;
    request.space = named("").space;
    request.labels = {{"tier", std::int64_t{3}}};
    request.ended.before = at(40);
    const auto listed = read(request);
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].instance.name.id, "a");
    EXPECT_EQ(listed[0].created_at, at(0));
    CountInstances counts;
    counts.space = request.space;
    ASSERT_EQ(read(counts).size(), 1U);
    EXPECT_EQ(read(counts)[0].status, Status::completed);
}

BELAY_CASE_OF(ImportingCase, Importing, RetentionGoesByItsOwnEnd) {
    apply(chain("a"));
    SelectInstances request;
    request.space = named("").space;
    request.which = SelectInstances::Past{"Order", Status::completed, at(39), {}, {}};
    EXPECT_TRUE(read(request).empty());
    request.which = SelectInstances::Past{"Order", Status::completed, at(40), {}, {}};
    const auto past = read(request);
    ASSERT_EQ(past.size(), 1U);
    EXPECT_TRUE(past[0].settled);
    EXPECT_TRUE(past[0].root);
    EXPECT_EQ(past[0].old_executions, 1U);
}

BELAY_CASE_OF(ImportingCase, Importing, ItIsPrunedAndDeleted) {
    const Import part = chain("a");
    apply(part);
    const Answer pruned = apply(op::prune_executions(named("a"), 1));
    EXPECT_EQ(pruned.deleted.executions, 1U);
    EXPECT_EQ(pruned.deleted.events, 5U);
    EXPECT_EQ(found("a").event_count, 1U);
    EXPECT_EQ(found("a").history_bytes, std::string("third").size() + row_overhead());
    Delete gone;
    gone.name = named("a");
    const Answer deleted = apply(gone);
    EXPECT_EQ(deleted.deleted, (DeleteCounts{1, 1, 1, 0}));
    EXPECT_FALSE(find("a").has_value());
    EXPECT_TRUE(history(part.instance.run, 3).empty());
    EXPECT_TRUE(key_values(part.instance.run).empty());
}

BELAY_CASE_OF(ImportingCase, Importing, ItsNameGoesToARunThatReplacesIt) {
    apply(chain("a"));
    Start next = op::start(instance("a"));
    next.on_conflict = IdConflict::replace;
    apply(next);
    EXPECT_EQ(found("a").run, next.instance.run);
    EXPECT_TRUE(try_claim(next.instance.run).has_value()) << "there is nothing to wait for";
}

BELAY_CASE_OF(ImportingCase, Importing, AnIdInUseIsRefused) {
    const RunRef run = start("a");
    const Answer answer = commit(chain("a"));
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    ASSERT_TRUE(answer.instance.has_value());
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_TRUE(answer.input_differs);
    EXPECT_EQ(found("a").status, Status::pending);

    Start other = op::start(instance("b"));
    EXPECT_TRUE(refused(commit(fuse(other, chain("b"))), Errc::id_in_use));
    EXPECT_TRUE(refused(commit(fuse(chain("b"), chain("b"))), Errc::id_in_use));
    EXPECT_FALSE(find("b").has_value());
}

BELAY_CASE_OF(ImportingCase, Importing, AStartFindsItsIdInUse) {
    apply(chain("a"));
    Start again = op::start(instance("a"));
    again.input_digest[0] = 5;
    const Answer answer = commit(again);
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    EXPECT_FALSE(answer.input_differs);
}

BELAY_CASE_OF(ImportingCase, Importing, ARunKeyInUseIsRefused) {
    const RunRef run = start("other");
    expect_refused([&](Import& part) { part.instance.run = run; }, Errc::run_key_taken);
}

BELAY_CASE_OF(ImportingCase, Importing, NamesAreChecked) {
    const std::string longer(Limits().name_bytes + 1, 'x');
    expect_refused([](Import& part) { part.instance.definition = ""; });
    expect_refused([](Import& part) { part.instance.version = "a\nb"; });
    expect_refused([](Import& part) { part.instance.name.space = ""; });
    expect_refused([&](Import& part) { part.instance.definition = longer; }, Errc::limit_exceeded);
    Import part = chain("");
    EXPECT_TRUE(refused(commit(part), Errc::invalid_argument));
}

BELAY_CASE_OF(ImportingCase, Importing, WhatNoRunCanBeIsRefused) {
    const RunRef parent = start_running("parent");
    expect_refused([](Import& part) { part.outcome->status = Status::running; });
    expect_refused([](Import& part) { part.outcome->status = Status::continued_as_new; });
    expect_refused([](Import& part) { part.outcome = canceled(); });
    expect_refused([](Import& part) { part.cancel = CancelRecord(); });
    expect_refused([](Import& part) {
        part.outcome = canceled();
        part.cancel = CancelRecord{CancelSource::user, "somebody else", "", at(0), 1};
    });
    expect_refused([&](Import& part) { part.instance.parent = ParentLink{parent, 1, 1}; });
    expect_refused([](Import& part) { part.executions.clear(); });
    expect_refused([](Import& part) { part.executions[0].execution = 0; });
    expect_refused([](Import& part) { part.executions[0].execution = 3; });
    expect_refused([](Import& part) { part.executions[0].history[1].count = 0; });
    expect_refused([](Import& part) { part.ended_at = at(1000); });
    expect_refused([](Import& part) { part.custom_status.reset(); });
    expect_refused([](Import& part) { part.custom_status_version = 0; });
    expect_refused([](Import& part) { part.key_values[""] = Payload(); });
    apply(chain("a"));
}

BELAY_CASE_OF(ImportingCase, Importing, TimesThatCannotBeAreRefused) {
    const Timestamp later = now() + 25h;
    for (const Timestamp when : {Timestamp::min(), Timestamp::max(), from_unix_ms(-1), later}) {
        expect_refused([&](Import& part) { part.created_at = when; });
        expect_refused([&](Import& part) { part.started_at = when; });
        expect_refused([&](Import& part) { part.executions[0].started_at = when; });
        expect_refused([&](Import& part) { part.executions[0].ended_at = when; });
        expect_refused([&](Import& part) {
            part.executions.back().ended_at = when;
            part.ended_at = when;
        });
    }
    expect_refused([&](Import& part) { part.created_at += 25h; });
    expect_refused([&](Import& part) { *part.started_at += 25h; });
    expect_refused([&](Import& part) { *part.started_at -= 25h; });
    expect_refused([&](Import& part) { part.executions[0].ended_at += 25h; });
    expect_refused([&](Import& part) { part.executions[1].started_at += 25h; });
    expect_refused([](Import& part) { part.cancel_deadline = at(60); });
    Import part = chain("a");
    part.created_at += 23h;  // A clock was set back.
    apply(part);
    EXPECT_EQ(found("a").created_at, part.created_at);
}

BELAY_CASE_OF(ImportingCase, Importing, LabelsThatAreNoNumbersAreRefused) {
    for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()}) {
        expect_refused([&](Import& part) { part.instance.labels["share"] = value; });
    }
}

BELAY_CASE_OF(ImportingCase, Importing, ARepeatedCommitIsRecognised) {
    const Change change = fuse(chain("a"));
    apply(change);
    EXPECT_TRUE(already_applied(commit(change)));
    Delete gone;
    gone.name = named("a");
    apply(gone);
    const Answer repeated = commit(change);
    EXPECT_TRUE(already_applied(repeated)) << "nothing brings a deleted run back";
    EXPECT_FALSE(find("a").has_value());
}

BELAY_CASE_OF(ImportingCase, Importing, ARepeatedRequestIsRecognised) {
    Import part = chain("a");
    part.request_id = "r1";
    part.request_digest[0] = 1;
    apply(part);
    // Drawn anew by whoever asks again.
    part.instance.run = fresh_run("a");
    const Answer repeated = commit(part);
    EXPECT_TRUE(already_applied(repeated));
    ASSERT_TRUE(repeated.instance.has_value());
    EXPECT_EQ(repeated.instance->run, found("a").run);
    part.request_digest[0] = 2;
    EXPECT_TRUE(refused(commit(part), Errc::request_id_reused));
    Start other = op::start(instance("a"));
    other.request_id = "r1";
    other.request_digest[0] = 1;
    EXPECT_TRUE(refused(commit(other), Errc::request_id_reused)) << "that was no start";
}

}  // namespace
}  // namespace belay::conformance
