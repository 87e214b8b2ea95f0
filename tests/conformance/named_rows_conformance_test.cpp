// Runs the store contract and checks that each batch names the rows that it looks up.
#include "conformance/conformance.hpp"
#include "conformance/recorded_rows.hpp"
#include "support/manual_clock.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace belay::conformance {
namespace {

class RecordedFactory final : public StoreFactory {
public:
    std::unique_ptr<Store> make(const StoreOptions& options) override {
        return std::make_unique<RecordedStore>(clock_, options, [](const RecordedRows& rows) {
            EXPECT_EQ(rows.prefetches(), 1U);
            for (const std::string& kind : rows.faults()) {
                ADD_FAILURE() << kind << " was looked up that neither the batch names nor a row "
                              << "that was loaded before";
            }
        });
    }
    void advance(Millis by) override { clock_.advance(by); }
    void set_back(Millis by) override { clock_.set_back(by); }

private:
    support::ManualClock clock_;
};

/// Commits batches and says how their rows were loaded.
class NamedRowsTest : public ::testing::Test {
protected:
    struct Loads {
        std::size_t at_once = 0;
        std::size_t later = 0;
        bool operator==(const Loads&) const = default;
    };

    Loads commit(std::vector<Transition> batch) {
        std::optional<Result<std::vector<Answer>>> answered;
        store_.commit(std::move(batch), [&](auto answers) { answered = std::move(answers); });
        for (const Answer& answer : answered->value()) {
            EXPECT_EQ(answer.verdict, Verdict::applied)
                << (answer.error ? answer.error->describe() : "");
        }
        return last_;
    }

    std::vector<ClaimedActivity> claim(std::uint32_t max) {
        ClaimActivities request = op::claim_activity(LeaseToken{7, 1}, "worker", Millis(1000));
        request.max = max;
        std::vector<ClaimedActivity> claimed;
        store_.claim(request, [&](auto answer) { claimed = std::move(answer.value().claimed); });
        return claimed;
    }

    [[nodiscard]] static InstanceName name(std::uint64_t i) {
        return InstanceName{"space", "order-" + std::to_string(i)};
    }
    [[nodiscard]] static RunRef run(std::uint64_t i) { return RunRef{Shard{1}, RunKey{i}}; }
    [[nodiscard]] Transition fuse(auto... parts) {
        return op::transition(CommitId{1, ++commits_}, std::move(parts)...);
    }
    [[nodiscard]] static Start start(std::uint64_t i) {
        NewInstance instance;
        instance.run = run(i);
        instance.name = name(i);
        instance.owner = "shop";
        instance.definition = "Order";
        return op::start(std::move(instance));
    }
    /// Schedules an activity that must start in time, so it has a timer.
    [[nodiscard]] Turn first_turn(std::uint64_t i) {
        Turn turn;
        turn.run = run(i);
        turn.in_line = false;
        turn.history.count = 1;
        turn.history.bytes = "event";
        turn.activities.resize(1);
        turn.activities[0].command = 1;
        turn.activities[0].name = "Charge";
        turn.activities[0].schedule_to_start = clock_.wall() + Millis(1000);
        return turn;
    }

    support::ManualClock clock_;
    Loads last_;
    RecordedStore store_{clock_, StoreOptions(), [this](const RecordedRows& rows) {
                             last_ = Loads{rows.prefetches(), rows.later_loads()};
                             EXPECT_TRUE(rows.faults().empty());
                         }};
    std::uint64_t commits_ = 0;
};

constexpr std::uint64_t kMany = 100;

TEST_F(NamedRowsTest, ABatchOfPlainWorkIsLoadedInOneGo) {
    const Loads once{1, 0};
    std::vector<Transition> starts;
    for (std::uint64_t i = 1; i <= kMany; ++i) starts.push_back(fuse(start(i)));
    EXPECT_EQ(commit(std::move(starts)), once);

    // A timer is looked up only if there is anything in the inbox.
    std::vector<Transition> events;
    for (std::uint64_t i = 1; i <= kMany; ++i) {
        events.push_back(fuse(op::raise(name(i), "go", Payload())));
    }
    EXPECT_EQ(commit(std::move(events)), once);

    std::vector<Transition> turns;
    for (std::uint64_t i = 1; i <= kMany; ++i) turns.push_back(fuse(first_turn(i)));
    EXPECT_EQ(commit(std::move(turns)), once);

    const std::vector<ClaimedActivity> claimed = claim(kMany);
    ASSERT_EQ(claimed.size(), kMany);
    std::vector<Transition> others;
    for (const ClaimedActivity& item : claimed) {
        const NewMessage result = op::activity_completed(item.activity, Payload());
        others.push_back(fuse(op::ack_activity(item, result)));
    }
    EXPECT_EQ(commit(std::move(others)), once);
}

TEST_F(NamedRowsTest, ACancelGoesOnToTheActivitiesOfItsRun) {
    commit({fuse(start(1)), fuse(start(2)), fuse(first_turn(1))});
    EXPECT_EQ(commit({fuse(op::cancel(name(2), "enough", Millis(1000)))}), (Loads{1, 0}));
    const Loads loads = commit({fuse(op::terminate(name(1), "ops", "enough"))});
    EXPECT_EQ(loads.at_once, 1U);
    EXPECT_GT(loads.later, 0U);
}

}  // namespace
}  // namespace belay::conformance

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    belay::conformance::register_conformance(
        "NamedRows", [] { return std::make_unique<belay::conformance::RecordedFactory>(); });
    return RUN_ALL_TESTS();
}
