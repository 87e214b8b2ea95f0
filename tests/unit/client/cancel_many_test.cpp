// Cancel of many through the client: by filter, by tree, by key.
#include "management_fixture.hpp"
#include "store/forwarding_store.hpp"

namespace belay::management_tests {
namespace {

class CancelMany : public Management {
protected:
    CancelManyResult cancel(const CancelTargets& targets) {
        const auto result = client.cancel_bulk(targets, CancelOptions().reason("enough").by("ann"));
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : CancelManyResult();
    }
    [[nodiscard]] Status status_of(const std::string& id) {
        return client.inspect(named(id)).value().status;
    }
    static CancelManyResult counts(std::uint64_t canceled,
                                   std::uint64_t already = 0,
                                   std::uint64_t not_found = 0) {
        CancelManyResult result;
        result.matched = canceled + already;
        result.canceled = canceled;
        result.already_ending = already;
        result.not_found = not_found;
        return result;
    }
    RunRef labeled(const std::string& id, const std::string& city) {
        NewInstance instance = made(id);
        instance.labels["city"] = city;
        EXPECT_TRUE(commit(op::start(instance)).done());
        return instance.run;
    }
};

BELAY_ON_EVERY_STORE(CancelMany);

TEST_P(CancelMany, CancelsWhatMatchesAndHasNotEnded) {
    for (const char* id : {"a", "b", "c"}) running(id);
    pending("p");
    ended("done");
    EXPECT_EQ(cancel(InstanceFilter()), counts(4));
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(status_of(id), Status::canceling) << id;
    EXPECT_EQ(status_of("p"), Status::canceled) << "nothing of it had run";
    EXPECT_EQ(status_of("done"), Status::completed);
    const auto info = client.inspect(named("a")).value();
    EXPECT_EQ(info.cancel->reason, "enough");
    EXPECT_EQ(info.cancel->by, "ann");
}

TEST_P(CancelMany, ARepeatIsHarmless) {
    for (const char* id : {"a", "b", "c"}) running(id);
    EXPECT_EQ(cancel(InstanceFilter()), counts(3));
    const CancelRecord first = *client.inspect(named("a")).value().cancel;
    clock.advance(1s);
    EXPECT_EQ(cancel(InstanceFilter()), counts(0, 3));
    EXPECT_EQ(*client.inspect(named("a")).value().cancel, first);
}

TEST_P(CancelMany, EveryPartOfTheFilterCounts) {
    labeled("ulm-1", "Ulm");
    labeled("ulm-2", "Ulm");
    labeled("bonn", "Bonn");
    running("plain");
    EXPECT_EQ(cancel(InstanceFilter().definition("Other")), counts(0));
    EXPECT_EQ(cancel(InstanceFilter().label("city", "Ulm").id_prefix("ulm-1")), counts(1));
    EXPECT_EQ(cancel(InstanceFilter().label("city", "Ulm")), counts(1));
    EXPECT_EQ(cancel(InstanceFilter().status(Status::running)), counts(1));
    EXPECT_EQ(status_of("plain"), Status::canceling);
    EXPECT_EQ(status_of("bonn"), Status::pending);
}

TEST_P(CancelMany, TheLimitNamesWhatItLeaves) {
    for (const char* id : {"a", "b", "c", "d", "e"}) running(id);
    CancelManyResult first = cancel(InstanceFilter().limit(2));
    EXPECT_EQ(first.canceled, 2U);
    EXPECT_EQ(first.matched, 2U);
    EXPECT_EQ(first.remaining, (Ids{"c", "d", "e"}));
    EXPECT_FALSE(first.more);
    EXPECT_EQ(status_of("c"), Status::running);
    const CancelManyResult second = cancel(InstanceFilter().limit(2));
    EXPECT_EQ(second.canceled, 2U);
    EXPECT_EQ(second.already_ending, 2U) << "they are no part of the limit";
    EXPECT_EQ(second.remaining, Ids{"e"});
    EXPECT_EQ(cancel(InstanceFilter().limit(0)).remaining, Ids{"e"});
    EXPECT_EQ(cancel(InstanceFilter().limit(1)).remaining, Ids());
}

TEST_P(CancelMany, NoMoreThanAThousandAreNamed) {
    for (int i = 0; i < 1'002; ++i) pending("a" + std::to_string(i));
    const auto seen = client.preview_cancel_bulk(InstanceFilter().limit(1));
    ASSERT_TRUE(seen.ok());
    EXPECT_EQ(seen->canceled, 1U);
    EXPECT_EQ(seen->remaining.size(), 1'000U);
    EXPECT_TRUE(seen->more);
}

TEST_P(CancelMany, APreviewSaysWhatWouldHappenAndWritesNothing) {
    for (const char* id : {"a", "b", "c"}) running(id);
    ASSERT_TRUE(client.cancel(named("c")).ok());
    const auto seen = client.preview_cancel_bulk(InstanceFilter().limit(1));
    ASSERT_TRUE(seen.ok());
    EXPECT_EQ(seen->canceled, 1U);
    EXPECT_EQ(seen->remaining, Ids{"b"});
    for (const char* id : {"a", "b"}) EXPECT_EQ(status_of(id), Status::running) << id;
    auto all = client.preview_cancel_bulk(InstanceFilter());
    ASSERT_TRUE(all.ok());
    all->chosen.clear();
    EXPECT_EQ(cancel(InstanceFilter()), *all);
}

TEST_P(CancelMany, ACancelReachesOnlyRunsOfThePreview) {
    const RunRef a = running("a");
    const RunRef b = running("b");
    running("c");
    const auto seen = client.preview_cancel_bulk(InstanceFilter().limit(2));
    ASSERT_TRUE(seen.ok());
    EXPECT_EQ(seen->chosen, (std::vector<ChosenRun>{{"a", a}, {"b", b}}));
    ASSERT_TRUE(commit(op::force_delete(named("b"))).done());
    running("b");
    running("d");
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).runs(seen->chosen)), counts(1, 0, 1));
    EXPECT_EQ(status_of("a"), Status::canceling);
    EXPECT_EQ(status_of("b"), Status::running) << "a namesake";
    EXPECT_EQ(status_of("d"), Status::running);
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).runs({})), counts(0));
}

TEST_P(CancelMany, NamedOnesAreCountedAlsoWhenTheyHaveEndedOrAreNotThere) {
    running("a");
    ended("done");
    const auto named_ones = InstanceFilter().ids({"done", "nobody", "a", "a"});
    EXPECT_EQ(cancel(named_ones), counts(1, 1, 1));
    EXPECT_EQ(cancel(InstanceFilter().ids({})), counts(0));
}

TEST_P(CancelMany, ATreeIsCanceledFromItsRootDown) {
    const RunRef root = running("r");
    const RunRef first = child(root, 1, "r/a");
    ASSERT_TRUE(commit(next_turn(first)).done());
    const RunRef below = child(first, 1, "r/a/g");
    ASSERT_TRUE(commit(next_turn(below)).done());
    running("other");
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).tree("r/a")), counts(2));
    EXPECT_EQ(status_of("r"), Status::running);
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).tree("r")), counts(1, 2));
    for (const char* id : {"r", "r/a", "r/a/g"}) EXPECT_EQ(status_of(id), Status::canceling) << id;
    EXPECT_EQ(status_of("other"), Status::running);
    const auto nobody = client.cancel_bulk(CancelTargets(InstanceFilter()).tree("nobody"));
    ASSERT_FALSE(nobody.ok());
    EXPECT_EQ(nobody.error().code(), Errc::not_found);
}

TEST_P(CancelMany, TheRunThatWasStartedWithAKey) {
    const auto start = [&](const std::string& id, const std::string& definition) {
        ASSERT_TRUE(client.start(definition, Payload(), StartOptions().id(id).key("k")).ok());
    };
    start("a", "Order");
    start("b", "Bill");
    ASSERT_TRUE(client.start("Order", Payload(), StartOptions().id("c").key("k2")).ok());
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).key("k", "Bill")), counts(1));
    EXPECT_EQ(status_of("b"), Status::canceled);
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).key("k")), counts(1, 1));
    EXPECT_EQ(status_of("a"), Status::canceled);
    EXPECT_EQ(status_of("c"), Status::pending) << "another key that begins alike";
    const auto unknown = client.cancel_bulk(CancelTargets(InstanceFilter()).key("nothing"));
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code(), Errc::not_found);
}

TEST_P(CancelMany, AKeyDoesNotMeanTheNamesakeOfADeletedRun) {
    ASSERT_TRUE(client.start("Order", Payload(), StartOptions().id("a").key("k")).ok());
    ASSERT_TRUE(client.delete_instance(named("a"), true).ok());
    running("a");
    EXPECT_EQ(cancel(CancelTargets(InstanceFilter()).key("k")), counts(0, 0, 1));
    EXPECT_EQ(status_of("a"), Status::running);
}

/// Starts a run with each page that is read, a few times.
class StartsMore final : public ForwardingStore {
public:
    StartsMore(Store& inner, std::function<void()> start)
        : ForwardingStore(inner), start_(std::move(start)) {}

    void read_any(Read request, Done<ReadAnswer> done) override {
        if (!std::holds_alternative<SelectInstances>(request)) {
            return inner().read_any(std::move(request), std::move(done));
        }
        start_();
        inner().read_any(std::move(request), std::move(done));
    }

private:
    std::function<void()> start_;
};

TEST_P(CancelMany, RunsThatStartMeanwhileAreLeftAlone) {
    for (const char* id : {"a", "b", "c", "d"}) running(id);
    // They are there, whatever the clock says now.
    clock.set_back(Millis(60'000));
    int more = 0;
    StartsMore busy(*inner, [&] {
        if (more < 20) running("later-" + std::to_string(more++));
    });
    Client other(busy, clock, system_random(), Limits(), small_pages());
    const auto result = other.cancel_bulk(InstanceFilter());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(*result, counts(4));
    EXPECT_EQ(status_of("later-0"), Status::running);
    EXPECT_LT(more, 20) << "they were not chased";
}

TEST_P(CancelMany, RunsThatStartMeanwhileAreNotNamedAsLeftByTheLimit) {
    for (const char* id : {"a", "b", "c"}) running(id);
    int more = 0;
    StartsMore busy(*inner, [&] {
        if (more < 20) running("later-" + std::to_string(more++));
    });
    Client other(busy, clock, system_random(), Limits(), small_pages());
    const auto result = other.cancel_bulk(InstanceFilter().limit(1));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->remaining, (Ids{"b", "c"}));
}

/// Replaces each instance by a namesake before it is canceled.
class Replaces final : public ForwardingStore {
public:
    Replaces(Store& inner, std::function<void(const InstanceName&)> replace)
        : ForwardingStore(inner), replace_(std::move(replace)) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        for (const Transition& one : batch) {
            if (const auto* part = std::get_if<Cancel>(&one.parts.front())) replace_(part->name);
        }
        inner().commit(std::move(batch), std::move(done));
    }

private:
    std::function<void(const InstanceName&)> replace_;
};

TEST_P(CancelMany, OnlyTheRunThatWasChosenIsCanceled) {
    running("a");
    Replaces replaced(*inner, [&](const InstanceName& name) {
        ASSERT_TRUE(commit(op::force_delete(name)).done());
        running(name.id);
    });
    Client other(replaced, clock);
    const auto result = other.cancel_bulk(InstanceFilter());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->canceled, 0U);
    EXPECT_EQ(result->not_found, 1U);
    EXPECT_EQ(status_of("a"), Status::running);
}

TEST_P(CancelMany, AnUnknownOutcomeIsSentAgainAndCountedOnce) {
    for (const char* id : {"a", "b", "c"}) running(id);
    store.fail_commit_of<Cancel>(Fault::applied_but_unknown);
    EXPECT_EQ(cancel(InstanceFilter()), counts(3));
}

TEST_P(CancelMany, NonsenseIsRefused) {
    const auto refusal = [&](const CancelTargets& targets, const CancelOptions& options) {
        return client.cancel_bulk(targets, options).error().code();
    };
    const CancelOptions plain;
    EXPECT_EQ(refusal(InstanceFilter().space(""), plain), Errc::invalid_argument);
    EXPECT_EQ(refusal(CancelTargets(InstanceFilter()).key(""), plain), Errc::invalid_argument);
    EXPECT_EQ(refusal(CancelTargets(InstanceFilter().ids({"a"})).tree("a"), plain),
              Errc::invalid_argument);
    EXPECT_EQ(refusal(CancelTargets(InstanceFilter()).runs({}).tree("a"), plain),
              Errc::invalid_argument);
    EXPECT_EQ(refusal(CancelTargets(InstanceFilter()).runs({{"", RunRef()}}), plain),
              Errc::invalid_argument);
    EXPECT_EQ(refusal(CancelTargets(InstanceFilter())
                          .runs(std::vector<ChosenRun>(Limits().bulk_ids + 1, {"a", RunRef()})),
                      plain),
              Errc::limit_exceeded);
    EXPECT_EQ(refusal(InstanceFilter(), CancelOptions().request_id("r")), Errc::invalid_argument);
    EXPECT_EQ(refusal(InstanceFilter(), CancelOptions().deadline(Millis(0))),
              Errc::invalid_argument);
}

}  // namespace
}  // namespace belay::management_tests
