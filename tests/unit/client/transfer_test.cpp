// Instances that leave one store and come into another.
#include "management_fixture.hpp"
#include "model/event.hpp"

#include <gmock/gmock.h>

namespace belay::management_tests {
namespace {

using model::Event;
using ::testing::HasSubstr;

class Transfer : public Management {
protected:
    void commit_turn(std::vector<Event> events, Turn turn) {
        events.insert(events.begin(), model::TurnStarted{clock.wall()});
        if (turn.position == 0) {
            model::ExecutionStarted started;
            inner->read(ReadInstance{InstanceName(), turn.run},
                        [&](Result<ReadInstance::Answer> found) {
                            started.definition = (*found)->definition;
                            started.version = (*found)->version;
                            started.input = (*found)->input;
                        });
            events.insert(events.begin() + 1, std::move(started));
        }
        turn.history = model::encode_events(events);
        clock.advance(1s);
        const Answer answer = commit(std::move(turn));
        EXPECT_TRUE(answer.done()) << (answer.error ? answer.error->describe() : "");
    }
    void take_turn(RunRef run, std::vector<Event> events) {
        commit_turn(std::move(events), next_turn(run));
    }
    /// Two executions with activities, messages and values, that ended.
    RunRef rich(const std::string& id, bool end_it = true) {
        NewInstance instance = made(id);
        instance.input = Payload::text("in");
        instance.owner = "shop";
        instance.started_by = "ann";
        instance.headers = {{"traceparent", "00-1"}};
        instance.labels = {{"tier", std::int64_t{3}}, {"share", 2.0}, {"region", "eu\n"}};
        EXPECT_TRUE(commit(op::start(instance)).done());
        const RunRef run = instance.run;
        take_turn(run, {model::ActivityScheduled{1, "Charge", "", Payload::text("7"), false}});
        Turn next = next_turn(run);
        next.after = ContinuesAsNew{Payload(PayloadCodec::bytes, std::string("\0\xff", 2)), "2"};
        commit_turn(
            {model::CommandCompleted{1, Payload::text("paid")},
             model::ExecutionContinued{Payload(PayloadCodec::bytes, std::string("\0\xff", 2))}},
            std::move(next));
        Turn status = next_turn(run);
        status.custom_status = Payload::text("packing");
        status.key_values = {{"color", Payload::text("red")}};
        commit_turn({model::CustomStatusSet{Payload::text("packing")}}, std::move(status));
        if (!end_it) return run;
        Turn last = next_turn(run);
        Outcome outcome;
        outcome.output = Payload::text("done");
        last.after = Ends{outcome, std::nullopt};
        commit_turn({model::ExecutionEnded{outcome}}, std::move(last));
        return run;
    }
    std::string exported(const std::string& id, Client* from = nullptr) {
        const Result<std::string> text =
            (from == nullptr ? client : *from).export_instance(named(id));
        EXPECT_TRUE(text.ok()) << (text ? "" : text.error().describe());
        return text ? *text : std::string();
    }

    std::unique_ptr<Store> elsewhere = make_memory_store(clock);
    Client other{*elsewhere, clock};
};

BELAY_ON_EVERY_STORE(Transfer);

TEST_P(Transfer, ArrivesAsItWas) {
    rich("a");
    const std::string text = exported("a");
    EXPECT_EQ(exported("a"), text) << "the same instance is the same text";
    clock.advance(1h);
    const Result<InstanceBrief> brief = other.import_instance(text);
    ASSERT_TRUE(brief.ok()) << brief.error().describe();
    EXPECT_EQ(brief->name, named("a"));
    EXPECT_EQ(brief->status, Status::completed);
    EXPECT_EQ(exported("a", &other), text);

    const InstanceDescription here = *client.describe(named("a"));
    const InstanceDescription there = *other.describe(named("a"));
    EXPECT_EQ(describe_condition(there), describe_condition(here));
    EXPECT_EQ(there.info.outcome, here.info.outcome);
    EXPECT_EQ(there.info.input, here.info.input);
    EXPECT_EQ(there.info.labels, here.info.labels);
    EXPECT_EQ(there.info.headers, here.info.headers);
    EXPECT_EQ(there.info.created_at, here.info.created_at);
    EXPECT_EQ(there.info.started_at, here.info.started_at);
    EXPECT_EQ(there.info.ended_at, here.info.ended_at);
    EXPECT_EQ(there.info.event_count, here.info.event_count);
    EXPECT_EQ(there.info.history_bytes, here.info.history_bytes);
    EXPECT_EQ(there.info.custom_status, here.info.custom_status);
    EXPECT_EQ(there.info.custom_status_version, here.info.custom_status_version);
    EXPECT_TRUE(there.info.settled);
    for (const ExecutionNo execution : {1U, 2U}) {
        const Timeline mine = *client.timeline(named("a"), execution);
        const Timeline theirs = *other.timeline(named("a"), execution);
        ASSERT_EQ(mine.entries.size(), theirs.entries.size());
        for (std::size_t i = 0; i < mine.entries.size(); ++i) {
            EXPECT_EQ(theirs.entries[i].text, mine.entries[i].text);
            EXPECT_EQ(theirs.entries[i].at, mine.entries[i].at);
        }
    }
}

TEST_P(Transfer, ComesBackIntoItsOwnStore) {
    rich("a");
    const std::string text = exported("a");
    EXPECT_EQ(client.import_instance(text).error().code(), Errc::id_in_use);
    ASSERT_TRUE(client.import_instance(text, ImportOptions().id("b")).ok());
    ASSERT_TRUE(client.delete_instance(named("a")).ok());
    ASSERT_TRUE(client.import_instance(text).ok());
    EXPECT_EQ(exported("a"), text);
    ASSERT_TRUE(client.import_instance(text, ImportOptions().space("archive")).ok());
    EXPECT_TRUE(client.inspect(InstanceName{"archive", "a"}).ok());
    EXPECT_TRUE(client.delete_instance(named("b")).ok());
}

TEST_P(Transfer, HoweverItEnded) {
    pending("canceled");
    ASSERT_TRUE(client.cancel(named("canceled"), CancelOptions().by("ann").reason("why not")).ok());
    const RunRef terminated = pending("terminated");
    take_turn(terminated, {});
    ASSERT_TRUE(client.terminate(named("terminated")).ok());
    const RunRef failed = pending("failed");
    Turn last = next_turn(failed);
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.failure.message = "it broke: \xff";
    last.after = Ends{outcome, std::nullopt};
    commit_turn({model::ExecutionEnded{outcome}}, std::move(last));
    for (const char* id : {"canceled", "terminated", "failed"}) {
        const std::string text = exported(id);
        const Result<InstanceBrief> brief = other.import_instance(text);
        ASSERT_TRUE(brief.ok()) << id << ": " << brief.error().describe();
        EXPECT_EQ(exported(id, &other), text);
        EXPECT_EQ(*other.outcome(named(id)), *client.outcome(named(id)));
    }
}

TEST_P(Transfer, AnExportOfAnUnendedRunIsForReading) {
    rich("a", false);
    pending("b");
    for (const char* id : {"a", "b"}) {
        const std::string text = exported(id);
        EXPECT_THAT(text, HasSubstr("\"outcome\": null"));
        const Error error = other.import_instance(text).error();
        EXPECT_EQ(error.code(), Errc::still_running);
        EXPECT_THAT(error.message(), HasSubstr("only what has ended can be imported"));
    }
}

TEST_P(Transfer, AChildComesAsARootUnderAnIdOfItsOwn) {
    const RunRef parent = pending("p");
    Turn starts = next_turn(parent);
    NewChild wanted;
    wanted.instance = made("p/c");
    wanted.instance.run.shard = parent.shard;
    wanted.instance.parent = ParentLink{parent, 1, 4};
    starts.children.push_back(wanted);
    commit_turn({model::ChildScheduled{4, "Task", "p/c", Payload(), false}}, starts);
    ASSERT_TRUE(client.terminate(named("p")).ok());
    EXPECT_THAT(exported("p"), HasSubstr("\"children\": [\n      \"p/c\"\n    ]"));
    const std::string text = exported("p/c");
    EXPECT_THAT(text, HasSubstr("\"id\": \"p\",\n      \"execution\": 1,\n      \"command\": 4"));
    const Error error = other.import_instance(text).error();
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("an id of its own"));
    ASSERT_TRUE(other.import_instance(text, ImportOptions().id("c")).ok());
    EXPECT_EQ(*other.get_parent_id(named("c")), std::nullopt);
    ASSERT_TRUE(other.import_instance(exported("p")).ok());
    EXPECT_TRUE(other.list_children(named("p"))->empty());
}

TEST_P(Transfer, IsDoneOnceUnderARequestId) {
    rich("a");
    const std::string text = exported("a");
    const ImportOptions options = ImportOptions().request_id("r1");
    const Result<InstanceBrief> first = other.import_instance(text, options);
    ASSERT_TRUE(first.ok());
    const Result<InstanceBrief> again = other.import_instance(text, options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->run, first->run);
    std::string changed = text;
    changed.replace(changed.find("\"paid\""), 6, "\"PAID\"");
    EXPECT_EQ(other.import_instance(changed, options).error().code(), Errc::request_id_reused);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"00-1\"", "\"00-2\""}, {"\"started_by\": \"ann\"", "\"started_by\": \"bob\""}}) {
        changed = text;
        changed.replace(changed.find(from), from.size(), to);
        EXPECT_EQ(other.import_instance(changed, options).error().code(), Errc::request_id_reused)
            << to;
    }
    ASSERT_TRUE(other.delete_instance(named("a")).ok());
    const Result<InstanceBrief> gone = other.import_instance(text, options);
    ASSERT_TRUE(gone.ok());
    EXPECT_TRUE(gone->deleted);
}

TEST_P(Transfer, NothingComesFromTheFuture) {
    clock.advance(48h);
    rich("a");
    const std::string text = exported("a");
    support::ManualClock behind;
    const std::unique_ptr<Store> old = make_memory_store(behind);
    Client there(*old, behind);
    const Error error = there.import_instance(text).error();
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("between 1970 and now"));
    behind.advance(25h);
    EXPECT_TRUE(there.import_instance(text).ok()) << "clocks differ by some hours";
}

TEST_P(Transfer, IsDoneOnceWhenNobodyKnows) {
    rich("a");
    const std::string text = exported("a");
    ASSERT_TRUE(client.delete_instance(named("a")).ok());
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        store.fail_commit_of<Import>(fault);
        const Result<InstanceBrief> brief = client.import_instance(text);
        ASSERT_TRUE(brief.ok()) << brief.error().describe();
        EXPECT_EQ(exported("a"), text);
        ASSERT_TRUE(client.delete_instance(named("a")).ok());
    }
}

TEST_P(Transfer, MistakesAreTold) {
    EXPECT_EQ(client.export_instance(named("nobody")).error().code(), Errc::not_found);
    EXPECT_EQ(client.export_instance(named("")).error().code(), Errc::invalid_argument);
    EXPECT_THAT(client.import_instance("not JSON").error().message(), HasSubstr("line 1"));
    rich("a");
    const std::string text = exported("a");
    EXPECT_EQ(other.import_instance(text, ImportOptions().id("x\n")).error().code(),
              Errc::invalid_argument);
    EXPECT_EQ(other.import_instance(text, ImportOptions().space("")).error().code(),
              Errc::invalid_argument);
    Limits limits;
    limits.labels = 1;
    Client strict(*elsewhere, clock, system_random(), limits);
    EXPECT_EQ(strict.import_instance(text).error().code(), Errc::limit_exceeded);
    EXPECT_FALSE(other.inspect(named("a")).ok());
}

TEST_P(Transfer, NamesThatNobodyCanHaveUsedAreToldWithTheirPlace) {
    const std::string bad = "a\x07";
    const MessageKind event = MessageKind::event_raised;
    const auto terms = [&](std::string model::ActivityTerms::* field) {
        model::ActivityTerms made;
        made.*field = bad;
        return made;
    };
    model::ChildTerms version;
    version.version = bad;
    model::ChildTerms labels;
    labels.labels[bad] = true;
    const std::vector<std::pair<Event, std::string>> damages{
        {model::MessageReceived{event, bad, {}}, "name"},
        {model::MessageReceived{event, "", {}}, "name"},
        {model::MessageTaken{MessageKind::queue_message, bad}, "name"},
        {model::WaitScheduled{1, event, bad}, "name"},
        {model::ActivityScheduled{1, bad, "", {}}, "name"},
        {model::ActivityScheduled{1, "Charge", bad, {}}, "queue"},
        {model::ActivityScheduled{
             1, "Charge", "", {}, false, terms(&model::ActivityTerms::fairness_key)},
         "terms.fairness_key"},
        {model::ActivityScheduled{
             1, "Charge", "", {}, false, terms(&model::ActivityTerms::session)},
         "terms.session"},
        {model::ChildScheduled{1, bad, "a/1", {}}, "definition"},
        {model::ChildScheduled{1, "Ship", bad, {}}, "id"},
        {model::ChildScheduled{1, "Ship", "a/1", {}, false, version}, "terms.version"},
        {model::ChildScheduled{1, "Ship", "a/1", {}, false, labels}, "terms.labels"},
        {model::DetachedStarted{bad, "b", {}, "", {}}, "definition"},
        {model::DetachedStarted{"Ship", bad, {}, "", {}}, "id"},
        {model::DetachedStarted{"Ship", "b", {}, bad, {}}, "version"},
        {model::DetachedStarted{"Ship", "b", {}, "", labels.labels}, "labels"},
        {model::KeyValueSet{bad, {}}, "key"},
        {model::KeyValueCleared{bad}, "key"},
        {model::PatchMarked{bad}, "name"},
        {model::PatchRetired{bad}, "name"},
        {model::NextVersionChosen{bad}, "version"},
        {model::PatchMarked{std::string(256, 'p')}, "name"},
    };
    for (std::size_t i = 0; i < damages.size(); ++i) {
        const std::string id = "a" + std::to_string(i);
        const auto& [damage, field] = damages[i];
        take_turn(pending(id), {damage});
        ASSERT_TRUE(client.terminate(named(id)).ok());
        const Result<InstanceBrief> brief = other.import_instance(exported(id));
        ASSERT_FALSE(brief.ok()) << model::describe(damage);
        EXPECT_EQ(brief.error().code(),
                  i + 1 < damages.size() ? Errc::invalid_argument : Errc::limit_exceeded);
        EXPECT_THAT(brief.error().message(),
                    HasSubstr("'executions[0].turns[0][2]." + field + "' cannot be: "));
    }
}

TEST_P(Transfer, AHistoryThatCannotBeReadIsNotExported) {
    ended("a");
    const Error error = client.export_instance(named("a")).error();
    EXPECT_TRUE(error.code() == Errc::corrupt || error.code() == Errc::unsupported);
    EXPECT_THAT(error.message(), HasSubstr("execution 1: "));
}

TEST_P(Transfer, APayloadThatNobodyDecodedIsNotExported) {
    NewInstance instance = made("a");
    instance.input = Payload::text("ciphertext");
    instance.input.flags = 4;
    ASSERT_TRUE(commit(op::start(instance)).done());
    const Result<std::string> text = client.export_instance(named("a"));
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code(), Errc::unreadable);
    EXPECT_THAT(text.error().message(), HasSubstr("the input of 'a' is compressed or encrypted"));
}

TEST_P(Transfer, APayloadThatNobodyDecodedIsNotImported) {
    rich("a");
    std::string text = exported("a");
    const std::string codec = "\"codec\": \"text\",";
    const auto at = text.find(codec, text.find("\"key_values\""));
    ASSERT_NE(at, std::string::npos);
    text.insert(at + codec.size(), " \"flags\": 4,");
    const auto refused = other.import_instance(text);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::unreadable);
    EXPECT_THAT(refused.error().message(), HasSubstr("a value of a key of 'a' is compressed"));
    EXPECT_FALSE(other.inspect(named("a")).ok()) << "nothing is left of it";
}

TEST_P(Transfer, PrunedExecutionsAreNotThere) {
    rich("a");
    PruneOptions options;
    options.keep_last(1);
    ASSERT_TRUE(client.prune_executions(named("a"), options).ok());
    const std::string text = exported("a");
    ASSERT_TRUE(other.import_instance(text).ok());
    EXPECT_EQ(exported("a", &other), text);
    EXPECT_EQ(other.timeline(named("a"), 1).error().code(), Errc::not_found);
}

}  // namespace
}  // namespace belay::management_tests
