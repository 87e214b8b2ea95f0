// Deletion through the client: of one, of a list, of many.
#include "management_fixture.hpp"

#include <array>
#include <thread>

namespace belay::management_tests {
namespace {

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

TEST_P(BulkDelete, AnErrorIsReportedAndTheSameCallGoesOn) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    store.fail_commit_of<Delete>(Fault::not_applied);
    const auto failed = client.delete_instance_bulk(InstanceFilter());
    ASSERT_FALSE(failed.ok());
    EXPECT_TRUE(failed.error().retryable());
    EXPECT_EQ(remove().instances, 3U);
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

}  // namespace
}  // namespace belay::management_tests
