// The store answers once, and with nothing locked.
#include "fixture.hpp"

namespace belay::memory {
namespace {

using Answering = MemoryStoreTest;

TEST_F(Answering, EachCallIsAnsweredOnceBeforeItReturns) {
    int answers = 0;
    store_->commit({}, [&](Result<std::vector<Answer>> result) {
        ++answers;
        EXPECT_TRUE(result->empty());
    });
    store_->claim(ClaimInstances(), [&](Result<ClaimInstances::Answer>) { ++answers; });
    store_->claim(ClaimActivities(), [&](Result<ClaimActivities::Answer>) { ++answers; });
    store_->read(ReadInstance(), [&](Result<ReadInstance::Answer> result) {
        ++answers;
        EXPECT_FALSE(result->has_value());
    });
    store_->read(ListActivities(), [&](Result<ListActivities::Answer>) { ++answers; });
    EXPECT_EQ(answers, 5);
}

TEST_F(Answering, TheStoreCanBeUsedFromInsideAnAnswer) {
    bool found = false;
    std::vector<Transition> batch;
    batch.push_back(op::transition(next_commit(), op::start(instance("a"))));
    store_->commit(std::move(batch), [&](Result<std::vector<Answer>>) {
        store_->read(ReadInstance{name("a"), {}},
                     [&](Result<ReadInstance::Answer> read) { found = read->has_value(); });
    });
    EXPECT_TRUE(found);
}

TEST_F(Answering, TheStoreCanBeDestroyedFromInsideAnAnswer) {
    auto store = make_memory_store(clock_);
    std::vector<Transition> batch;
    batch.push_back(op::transition(next_commit(), op::start(instance("a"))));
    store->commit(std::move(batch), [&](Result<std::vector<Answer>>) { store.reset(); });
    EXPECT_EQ(store, nullptr);
}

TEST_F(Answering, ABatchAnswersInOrderEachOnItsOwn) {
    std::vector<Transition> batch;
    batch.push_back(op::transition(next_commit(), op::start(instance("a"))));
    batch.push_back(op::transition(next_commit(), op::start(instance("a"))));
    batch.push_back(op::transition(next_commit(), op::start(instance("b"))));
    store_->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
        ASSERT_EQ(result->size(), 3U);
        EXPECT_EQ(result.value()[0].verdict, Verdict::applied);
        EXPECT_TRUE(result.value()[1].refused_with(Errc::id_in_use));
        EXPECT_EQ(result.value()[2].verdict, Verdict::applied);
    });
}

TEST_F(Answering, ACommitWithoutAnIdIsNeverARepeat) {
    const NewInstance a = instance("a");
    EXPECT_EQ(commit_as(CommitId(), op::start(a)).verdict, Verdict::applied);
    EXPECT_TRUE(commit_as(CommitId(), op::start(a)).refused_with(Errc::id_in_use));
}

}  // namespace
}  // namespace belay::memory
