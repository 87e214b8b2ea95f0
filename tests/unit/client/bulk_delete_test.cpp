// Deletion through the client: of one, of a list, of many.
#include "management_fixture.hpp"
#include "store/forwarding_store.hpp"

#include <array>
#include <set>
#include <thread>

namespace belay::management_tests {
namespace {

/// Fails the first transition of each batch that it has not seen.
class PiecesFail final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        if (!seen_.insert(run_of(batch.front())).second) {
            return inner().commit(std::move(batch), std::move(done));
        }
        ++failed_;
        batch.erase(batch.begin());
        inner().commit(std::move(batch), [done](Result<std::vector<Answer>> answers) {
            Answer busy;
            busy.verdict = Verdict::failed;
            busy.error = Error(Errc::busy, "the store is busy");
            answers->insert(answers->begin(), busy);
            done(std::move(answers));
        });
    }
    [[nodiscard]] int failed() const noexcept { return failed_; }

private:
    static RunRef run_of(const Transition& transition) {
        return *std::get<Delete>(transition.parts.front()).run;
    }
    std::set<RunRef> seen_;
    int failed_ = 0;
};

class BulkDelete : public Management {
protected:
    DeleteInstanceResult remove(const InstanceFilter& filter = InstanceFilter()) {
        const auto result = client.delete_instance_bulk(filter);
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : DeleteInstanceResult();
    }
};

BELAY_ON_EVERY_STORE(BulkDelete);

// ---- Under the names of the deletion design ----------------------------------------------------

TEST_P(BulkDelete, test_delete_instance_bulk_filter_combinations) {
    for (const char* id : {"a", "b", "c", "d"}) ended(id);
    EXPECT_EQ(remove(InstanceFilter().ids({"a", "b"})).instances, 2U);
    EXPECT_FALSE(is_there("a") || is_there("b"));
    EXPECT_EQ(remove(InstanceFilter().ids({"nobody", "a"})).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().ids({})).instances, 0U) << "an empty list chooses none";
    EXPECT_TRUE(is_there("c") && is_there("d"));
    EXPECT_EQ(remove().instances, 2U) << "an empty filter chooses all that have ended";
    EXPECT_FALSE(is_there("c") || is_there("d"));
}

TEST_P(BulkDelete, test_delete_instance_bulk_safety_and_limits) {
    for (const char* id : {"a", "b", "c", "d", "e"}) {
        ended(id);
        clock.advance(1s);
    }
    pending("pending");
    running("running");
    EXPECT_EQ(remove(InstanceFilter().limit(3)).instances, 3U);
    EXPECT_FALSE(is_there("a") || is_there("b") || is_there("c")) << "the longest ended first";
    EXPECT_EQ(remove(InstanceFilter().limit(0)).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().ids({"running", "pending", "d"})).instances, 1U);
    EXPECT_EQ(remove().instances, 1U);
    EXPECT_TRUE(is_there("pending") && is_there("running"));
}

TEST_P(BulkDelete, test_delete_instance_bulk_completed_before_filter) {
    ended("old");
    clock.advance(10s);
    const Timestamp cutoff = clock.wall();
    ended("at");
    clock.advance(1ms);
    ended("new");
    EXPECT_EQ(remove(InstanceFilter().ids({"at", "new"}).completed_before(cutoff)).instances, 0U)
        << "both must be true";
    EXPECT_EQ(remove(InstanceFilter().completed_before(cutoff)).instances, 1U);
    EXPECT_FALSE(is_there("old"));
    EXPECT_TRUE(is_there("at") && is_there("new"));
    const auto both = InstanceFilter().ids({"at", "new"}).completed_before(cutoff + 1ms);
    EXPECT_EQ(remove(both).instances, 1U);
    EXPECT_TRUE(is_there("new"));
}

TEST_P(BulkDelete, test_delete_instance_bulk_cascades_to_children) {
    const RunRef parent = running("p");
    const RunRef middle = child(parent, 1, "p/c");
    end(child(middle, 1, "p/c/g"));
    end(middle);
    end(parent);
    const DeleteInstanceResult counts = remove(InstanceFilter().ids({"p", "p/c"}));
    EXPECT_EQ(counts.instances, 3U);
    EXPECT_EQ(counts.executions, 3U);
    EXPECT_FALSE(is_there("p") || is_there("p/c") || is_there("p/c/g"));
}

TEST_P(BulkDelete, test_purge_skips_running_instances) {
    ended("done");
    const RunRef run = chain("chain", 3);
    running("running");
    EXPECT_EQ(remove(InstanceFilter().ids({"done", "chain", "running"})).instances, 1U);
    EXPECT_TRUE(is_there("chain")) << "between two executions it is running";
    EXPECT_EQ(executions_of(run), 3U);
}

TEST_P(BulkDelete, test_purge_only_deletes_terminal) {
    ended("completed", Status::completed);
    ended("failed", Status::failed);
    ended("canceled", Status::canceled);
    running("running");
    running("canceling");
    ASSERT_TRUE(client.cancel(named("canceling")).ok());
    EXPECT_EQ(remove().instances, 3U);
    EXPECT_TRUE(is_there("running") && is_there("canceling"));
}

TEST_P(BulkDelete, test_purge_5_day_retention) {
    for (int day = 0; day < 10; ++day) {
        ended("day-" + std::to_string(day));
        clock.advance(24h);
    }
    const Timestamp five_days_ago = clock.wall() - 5 * 24h;
    EXPECT_EQ(remove(InstanceFilter().completed_before(five_days_ago)).instances, 5U);
    EXPECT_FALSE(is_there("day-4"));
    EXPECT_TRUE(is_there("day-5"));
}

TEST_P(BulkDelete, test_timestamp_comparison_accuracy) {
    ended("a");
    const Timestamp at = clock.wall();
    EXPECT_EQ(remove(InstanceFilter().completed_before(at - 1ms)).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().completed_before(at)).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().completed_before(at + 1ms)).instances, 1U);
}

// ---- More --------------------------------------------------------------------------------------

TEST_P(BulkDelete, AddsUpWhatItRemoved) {
    for (int i = 0; i < 7; ++i) {
        const RunRef run = chain("a" + std::to_string(i), 2);
        end(run);
    }
    const DeleteInstanceResult counts = remove();
    EXPECT_EQ(counts.instances, 7U);
    EXPECT_EQ(counts.executions, 14U);
    EXPECT_EQ(counts.events, 14U);
}

TEST_P(BulkDelete, RootsWithSomethingRunningBelowAreOvertaken) {
    for (const char* id : {"p1", "p2", "p3"}) {
        const RunRef parent = running(id);
        const RunRef below = child(parent, 1, std::string(id) + "/c");
        ASSERT_TRUE(commit(next_turn(below)).done());
        end(parent);
    }
    clock.advance(1s);
    ended("later");
    // Those that are protected do not use up the limit: else retention would stand still.
    EXPECT_EQ(remove(InstanceFilter().limit(1)).instances, 1U);
    EXPECT_FALSE(is_there("later"));
    EXPECT_TRUE(is_there("p1") && is_there("p2") && is_there("p3"));
}

TEST_P(BulkDelete, ChildrenAreNotDeletedByThemselves) {
    const RunRef parent = running("p");
    end(child(parent, 1, "p/c"));
    EXPECT_EQ(remove(InstanceFilter().ids({"p/c"})).instances, 0U);
    EXPECT_EQ(remove().instances, 0U);
    EXPECT_TRUE(is_there("p/c"));
}

TEST_P(BulkDelete, OtherNamespacesAreNotTouched) {
    ended("a");
    EXPECT_EQ(remove(InstanceFilter().space("elsewhere")).instances, 0U);
    EXPECT_TRUE(is_there("a"));
}

TEST_P(BulkDelete, UnknownOutcomesAreCountedOnce) {
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        for (const char* id : {"a", "b", "c"}) ended(id);
        store.fail_commit_of<Delete>(fault);
        const DeleteInstanceResult counts = remove();
        EXPECT_EQ(counts.instances, 3U);
        EXPECT_EQ(counts.events, 6U);
        EXPECT_EQ(store.planned(), 0U);
    }
}

TEST_P(BulkDelete, ANamesakeOfWhatWasChosenIsSpared) {
    ended("a");
    clock.advance(1h);
    std::optional<Result<DeleteInstanceResult>> result;
    store.hold_commit_of<Delete>();
    client.delete_instance_bulk(InstanceFilter().completed_before(clock.wall()),
                                [&](Result<DeleteInstanceResult> one) { result = std::move(one); });
    ASSERT_FALSE(result.has_value()) << "it has been chosen, and not yet deleted";
    ASSERT_TRUE(client.delete_instance(named("a")).ok());
    ended("a");  // As ended as the one that was chosen, but not as long ago.
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 0U);
    EXPECT_TRUE(is_there("a"));
}

TEST_P(BulkDelete, ABusyStoreIsAskedAgain) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    for (int i = 0; i < 3; ++i) store.fail_commit_of<Delete>(Fault::not_applied);
    EXPECT_EQ(remove().instances, 3U);
}

/// The first so many selections find it busy.
class BusyReads final : public ForwardingStore {
public:
    BusyReads(Store& inner, int times) : ForwardingStore(inner), left_(times) {}

    void read_any(Read request, Done<ReadAnswer> done) override {
        if (std::holds_alternative<SelectInstances>(request) && left_-- > 0) {
            return done(Error(Errc::busy, "the store is busy"));
        }
        inner().read_any(std::move(request), std::move(done));
    }

private:
    int left_;
};

TEST_P(BulkDelete, ABusyStoreIsAskedAgainForWhatThereIs) {
    const Ids ids{"a", "b", "c"};
    for (const std::string& id : ids) ended(id);
    BusyReads busy(store, 3);
    Client own(busy);
    const auto named_ones = own.delete_instance_bulk(InstanceFilter().ids({"a", "b"}));
    ASSERT_TRUE(named_ones.ok()) << named_ones.error().describe();
    EXPECT_EQ(named_ones->instances, 2U);
    BusyReads again(store, 3);
    Client other(again);
    const auto rest = other.delete_instance_bulk(InstanceFilter());
    ASSERT_TRUE(rest.ok()) << rest.error().describe();
    EXPECT_EQ(rest->instances, 1U);
}

TEST_P(BulkDelete, AnErrorIsReportedAndTheSameCallGoesOn) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    for (int i = 0; i < 11; ++i) store.fail_commit_of<Delete>(Fault::not_applied);
    const auto failed = client.delete_instance_bulk(InstanceFilter());
    ASSERT_FALSE(failed.ok());
    EXPECT_TRUE(failed.error().retryable());
    EXPECT_EQ(remove().instances, 3U);
}

TEST_P(BulkDelete, AFailedItemIsTriedAgainByItself) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    PiecesFail some(*inner);
    Client own(some, clock, system_random(), Limits(), small_pages());
    const auto result = own.delete_instance_bulk(InstanceFilter());
    ASSERT_TRUE(result.ok()) << result.error().describe();
    EXPECT_EQ(result->instances, 3U);
    EXPECT_EQ(some.failed(), 2) << "the first of each batch of two, and of the last one";
}

TEST_P(BulkDelete, ItGoesOnWhenTheClientIsGone) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    std::optional<Result<DeleteInstanceResult>> result;
    store.hold_commit_of<Delete>();
    {
        Client own(store, clock, system_random(), Limits(), small_pages());
        own.delete_instance_bulk(
            InstanceFilter(), [&](Result<DeleteInstanceResult> one) { result = std::move(one); });
    }
    ASSERT_FALSE(result.has_value());
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 3U);
}

TEST_P(BulkDelete, RunsThatEndMeanwhileAreNotChased) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    std::optional<Result<DeleteInstanceResult>> result;
    store.hold_commit_of<Delete>();
    client.delete_instance_bulk(InstanceFilter(),
                                [&](Result<DeleteInstanceResult> one) { result = std::move(one); });
    clock.advance(1s);
    ended("late");
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 3U);
    EXPECT_TRUE(is_there("late"));
}

TEST_P(BulkDelete, AllThatAFilterSaysMustBeTrue) {
    const auto add = [&](const char* id, const char* definition, const char* owner, Status status) {
        NewInstance instance = made(id);
        instance.definition = definition;
        instance.owner = owner;
        ASSERT_TRUE(commit(op::start(instance)).done());
        end(instance.run, status);
    };
    add("a", "order", "shop", Status::completed);
    add("b", "order", "shop", Status::failed);
    add("c", "order", "desk", Status::failed);
    add("d", "bill", "shop", Status::failed);
    const auto all = InstanceFilter().definition("order").owner("shop").statuses({Status::failed});
    EXPECT_EQ(remove(InstanceFilter(all).ids({"a", "c", "d"})).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter(all).ids({"a", "b"})).instances, 1U);
    EXPECT_FALSE(is_there("b"));
    EXPECT_EQ(remove(InstanceFilter().statuses({})).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().statuses({Status::failed})).instances, 2U);
    EXPECT_EQ(remove(InstanceFilter().owner("desk")).instances, 0U);
    EXPECT_EQ(remove(InstanceFilter().definition("order")).instances, 1U);
}

TEST_P(BulkDelete, CommitsAreBoundedByWhatGoesAlong) {
    Policy policy;
    policy.bulk_rows = 20;
    Client own(store, clock, system_random(), Limits(), policy);
    for (int i = 0; i < 4; ++i) {
        const RunRef parent = running("p" + std::to_string(i));
        for (CommandNo c = 1; c <= 5; ++c) {
            end(child(parent, c, "p" + std::to_string(i) + "/" + std::to_string(c)));
        }
        end(parent);
    }
    for (int i = 0; i < 6; ++i) ended("small" + std::to_string(i));
    const std::uint64_t before = inner->counts().commits;
    const auto result = own.delete_instance_bulk(InstanceFilter());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->instances, 4U * 6 + 6);
    if (std::string(GetParam()) == "sqlite") {
        EXPECT_EQ(inner->counts().commits - before, 5U) << "each tree by itself, the rest together";
    }
}

TEST_P(BulkDelete, ASmallLimitReadsPagesThatAreNotSmall) {
    // Roots that cannot go stand before the one that can.
    for (int i = 0; i < 6; ++i) {
        const RunRef parent = running("p" + std::to_string(i));
        ASSERT_TRUE(commit(next_turn(child(parent, 1, "p" + std::to_string(i) + "/c"))).done());
        end(parent);
    }
    clock.advance(1s);
    ended("a");
    Client own(store, clock);
    const std::size_t before = store.sent().size();
    EXPECT_EQ(own.delete_instance_bulk(InstanceFilter().limit(1))->instances, 1U);
    EXPECT_EQ(store.sent().size() - before, 7U) << "no more than the limit at a time";
}

TEST_P(BulkDelete, ATreeThatIsTooLargeToListGoesByItsRoot) {
    Limits few;
    few.bulk_ids = 3;
    Client own(store, clock, system_random(), few);
    const RunRef parent = running("p");
    for (CommandNo i = 1; i <= 3; ++i) end(child(parent, i, "p/" + std::to_string(i)));
    end(parent);
    const auto tree = own.get_instance_tree(named("p"));
    ASSERT_TRUE(tree.ok());
    EXPECT_EQ(own.delete_instances_atomic("default", tree->all_ids).error().code(),
              Errc::limit_exceeded);
    EXPECT_EQ(own.delete_instance(named("p"))->instances, 4U);
}

TEST_P(BulkDelete, FiltersThatMakeNoSenseAreRefused) {
    const auto refusal = [&](const InstanceFilter& filter) {
        return client.delete_instance_bulk(filter).error().code();
    };
    EXPECT_EQ(refusal(InstanceFilter().ids({"a\nb"})), Errc::invalid_argument);
    EXPECT_EQ(refusal(InstanceFilter().space("")), Errc::invalid_argument);
    EXPECT_EQ(refusal(InstanceFilter().ids(Ids(Limits().bulk_ids + 1, "a"))), Errc::limit_exceeded);
}

TEST_P(BulkDelete, ManyPagesTakeNoStack) {
    constexpr int kMany = 3000;
    for (int i = 0; i < kMany; ++i) ended("a" + std::to_string(i));
    EXPECT_EQ(remove(InstanceFilter().limit(kMany)).instances, static_cast<std::uint64_t>(kMany));
}

TEST_P(BulkDelete, TwoAtTheSameTimeDeleteEachOnce) {
    constexpr std::uint64_t kMany = 200;
    for (std::uint64_t i = 0; i < kMany; ++i) ended("a" + std::to_string(i));
    std::array<std::uint64_t, 2> deleted{};
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t& count : deleted) {
            threads.emplace_back([&] {
                Client own(*inner, clock, system_random(), Limits(), small_pages());
                const auto result = own.delete_instance_bulk(InstanceFilter());
                if (result) count = result->instances;
            });
        }
    }
    EXPECT_EQ(deleted[0] + deleted[1], kMany);
    EXPECT_EQ(remove().instances, 0U);
}

TEST_P(BulkDelete, KeysStayForTheirScope) {
    Start start = op::start(made("a"));
    start.key = IdempotencyKey{"k", KeyScope::forever, Millis(0)};
    ASSERT_TRUE(commit(start).done());
    end(start.instance.run);
    EXPECT_EQ(remove().instances, 1U);
    start.instance = made("b");
    const Answer again = commit(start);
    EXPECT_TRUE(again.refused_with(Errc::duplicate_key));
    ASSERT_TRUE(again.instance);
    EXPECT_TRUE(again.instance->deleted);
}

// ---- Previews ----------------------------------------------------------------------------------

TEST_P(BulkDelete, APreviewCountsWhatCanGo) {
    ended("a");
    const RunRef parent = running("parent");
    const RunRef below = child(parent, 1, "parent/1");
    EXPECT_TRUE(commit(next_turn(below)).done());
    end(parent);
    running("busy");
    const auto seen = client.preview_delete_bulk(InstanceFilter());
    ASSERT_TRUE(seen.ok()) << seen.error().describe();
    EXPECT_EQ(seen->ids, Ids{"a"});
    EXPECT_EQ(seen->still_needed, 1U) << "its child runs";
    EXPECT_TRUE(is_there("a")) << "nothing is written";
    EXPECT_EQ(remove().instances, 1U) << "and so it is";
    end(below);
    const auto now = client.preview_delete_bulk(InstanceFilter().ids({"parent", "parent/1", "no"}));
    ASSERT_TRUE(now.ok()) << now.error().describe();
    EXPECT_EQ(now->ids, Ids{"parent"});
    EXPECT_EQ(now->still_needed, 0U);
}

TEST_P(BulkDelete, APreviewKnowsOfEarlierRunsOfAnId) {
    const RunRef first = running("a");
    Start again = op::start(made("a"));
    again.on_conflict = IdConflict::replace;
    ASSERT_TRUE(commit(again).done());
    // The second, which waits for the first to settle, never ran: it ends at once.
    ASSERT_TRUE(client.cancel(named("a")).ok());
    const auto seen = client.preview_delete_bulk(InstanceFilter());
    ASSERT_TRUE(seen.ok()) << seen.error().describe();
    EXPECT_EQ(seen->ids, Ids());
    EXPECT_EQ(seen->still_needed, 1U) << "the first is canceling, and goes with it";
    EXPECT_EQ(remove().instances, 0U) << "and so it is";
    end(first);
    EXPECT_EQ(client.preview_delete_bulk(InstanceFilter())->ids, Ids{"a"});
    EXPECT_EQ(remove().instances, 2U);
}

TEST_P(BulkDelete, ARunThatEndsAfterItBeganStaysAlsoIfItIsNamed) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    const RunRef late = running("late");
    store.hold_commit_of<Delete>();
    std::optional<Result<DeleteInstanceResult>> result;
    client.delete_instance_bulk(
        InstanceFilter().ids({"a", "b", "c", "late"}),
        [&](Result<DeleteInstanceResult> one) { result.emplace(std::move(one)); });
    clock.advance(1ms);
    end(late);
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 3U);
    EXPECT_TRUE(is_there("late"));
}

TEST_P(BulkDelete, APreviewStopsAtTheLimit) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    const auto seen = client.preview_delete_bulk(InstanceFilter().limit(2));
    ASSERT_TRUE(seen.ok()) << seen.error().describe();
    EXPECT_EQ(seen->ids.size(), 2U);
    EXPECT_EQ(client.preview_delete_bulk(InstanceFilter().space("")).error().code(),
              Errc::invalid_argument);
}

}  // namespace
}  // namespace belay::management_tests
