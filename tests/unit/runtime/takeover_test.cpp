// When a runtime looks for dead processes.
#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace belay::runtime_tests::takeover {
namespace {

using namespace std::chrono_literals;

/// Answers how many other holders there are.
class PeopledStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void read_any(Read request, Done<ReadAnswer> done) override {
        if (!std::holds_alternative<ReadDeadHolders>(request)) {
            return ForwardingStore::read_any(std::move(request), std::move(done));
        }
        ReadDeadHolders::Answer answer;
        answer.others = others;
        ++looks;
        done(wrap_answer<ReadDeadHolders>(std::move(answer)));
    }

    std::uint32_t others = 0;
    int looks = 0;
};

class LookingForTheDead : public World {
protected:
    LookingForTheDead() {
        processes.push_back(std::make_unique<Process>(
            peopled, clock, registry_with(one_step), RuntimeOptions().policy(policy())));
        settle();
    }
    /// They use the store below, which is gone before those of the base.
    ~LookingForTheDead() override { processes.clear(); }

    static Policy policy() {
        Policy policy;
        policy.poll_interval = 24h;
        policy.retention_interval = 24h;
        return policy;
    }
    /// The time until it looks again.
    Millis until_the_next_look() {
        const int before = peopled.looks;
        Millis waited{0};
        while (peopled.looks == before && waited < 1h) {
            pass(1ms);
            ++waited;
        }
        return waited;
    }

    PeopledStore peopled{*inner};
};

TEST_F(LookingForTheDead, ItLooksAtOnceWhenItBegins) { EXPECT_EQ(peopled.looks, 1); }

TEST_F(LookingForTheDead, AloneFromTheBeginningItLooksSeldom) {
    EXPECT_EQ(until_the_next_look(), policy().sweep_interval);
    EXPECT_EQ(until_the_next_look(), policy().sweep_interval);
}

TEST_F(LookingForTheDead, WhenItHasSeenAnotherItLooksOftenFromThenOn) {
    peopled.others = 1;
    EXPECT_EQ(until_the_next_look(), policy().sweep_interval);
    EXPECT_EQ(until_the_next_look(), policy().takeover_interval);
    peopled.others = 0;
    EXPECT_EQ(until_the_next_look(), policy().takeover_interval);
    EXPECT_EQ(until_the_next_look(), policy().takeover_interval) << "also when it is alone again";
}

}  // namespace
}  // namespace belay::runtime_tests::takeover
