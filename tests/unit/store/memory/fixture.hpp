// Shared by the tests of the memory store: a store under a clock that stands still.
#pragma once

#include "store/memory/inspect.hpp"
#include "support/manual_clock.hpp"
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace belay::memory {

class MemoryStoreTest : public ::testing::Test {
protected:
    ~MemoryStoreTest() override { EXPECT_THAT(check_memory_store(*store_), ::testing::IsEmpty()); }

    template <class... Parts>
    Answer commit(Parts&&... parts) {
        return commit_as(next_commit(), std::forward<Parts>(parts)...);
    }
    template <class... Parts>
    Answer commit_as(CommitId id, Parts&&... parts) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(id, std::forward<Parts>(parts)...));
        std::vector<Answer> answers;
        store_->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
            answers = std::move(result).value();
        });
        return answers.at(0);
    }
    CommitId next_commit() { return CommitId{1, ++commits_}; }
    LeaseToken next_token() { return LeaseToken{1, serials_ += 1000}; }

    template <class Request>
    typename Request::Answer read(Request request) {
        typename Request::Answer answer;
        store_->read(std::move(request), [&](Result<typename Request::Answer> result) {
            answer = std::move(result).value();
        });
        return answer;
    }
    std::vector<ClaimedInstance> claim_instances(std::uint32_t max = 1) {
        ClaimInstances request = op::claim_instance(next_token(), "w", Millis(1000));
        request.max = max;
        std::vector<ClaimedInstance> items;
        store_->claim(std::move(request), [&](Result<ClaimInstances::Answer> result) {
            items = std::move(result.value().claimed);
        });
        return items;
    }
    std::vector<ClaimedActivity> claim_activities(std::uint32_t max = 1) {
        ClaimActivities request = op::claim_activity(next_token(), "w", Millis(1000));
        request.max = max;
        std::vector<ClaimedActivity> items;
        store_->claim(std::move(request), [&](Result<ClaimActivities::Answer> result) {
            items = std::move(result.value().claimed);
        });
        return items;
    }

    NewInstance instance(const std::string& id) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{++keys_}};
        made.name = name(id);
        made.definition = "Test";
        return made;
    }
    static InstanceName name(const std::string& id) { return InstanceName{"space", id}; }
    static NewActivity activity(CommandNo command) {
        NewActivity made;
        made.command = command;
        made.name = "Act";
        return made;
    }
    static NewActivity handed_over(CommandNo command, LeaseToken token) {
        NewActivity made = activity(command);
        made.hand_over = NewActivity::HandOver{token, Millis(1000), "w"};
        return made;
    }
    static HistoryRow events(std::uint32_t count) {
        return HistoryRow{1, count, std::string(count, 'e')};
    }

    support::ManualClock clock_;
    std::unique_ptr<Store> store_ = make_memory_store(clock_);

private:
    std::uint64_t commits_ = 0;
    std::uint64_t serials_ = 0;
    std::uint64_t keys_ = 0;
};

}  // namespace belay::memory
