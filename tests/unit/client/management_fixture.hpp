// Runs in every state that deletion and pruning care about, on every store.
#pragma once

#include "support/faulty_store.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/management.hpp>
#include <belay/retention.hpp>
#include <belay/service.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/transfer.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace belay::management_tests {

using namespace std::chrono_literals;
using support::FaultyStore;
using Fault = FaultyStore::Fault;
using Ids = std::vector<std::string>;

/// The parameter names the store.
class Management : public ::testing::TestWithParam<const char*> {
protected:
    static InstanceName named(const std::string& id) { return InstanceName{"default", id}; }

    Answer commit(Part part) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(CommitId{9, ++last_}, std::move(part)));
        Answer answer;
        inner->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
            answer = std::move(result->front());
        });
        return answer;
    }
    NewInstance made(const std::string& id) {
        NewInstance instance;
        instance.run = RunRef{shard_of(id), RunKey{++last_}};
        instance.name = named(id);
        instance.definition = "Task";
        return instance;
    }
    RunRef pending(const std::string& id) {
        const NewInstance instance = made(id);
        EXPECT_TRUE(commit(op::start(instance)).done());
        return instance.run;
    }
    /// A turn that records one event.
    Turn next_turn(RunRef run) {
        Turn turn;
        turn.run = run;
        turn.in_line = false;
        inner->read(ReadInstance{InstanceName(), run}, [&](Result<ReadInstance::Answer> found) {
            turn.execution = (*found)->execution;
            turn.position = (*found)->position;
            turn.cancel_seen = (*found)->cancel.has_value();
        });
        turn.history.count = 1;
        turn.history.bytes = "event";
        return turn;
    }
    RunRef running(const std::string& id) {
        const RunRef run = pending(id);
        EXPECT_TRUE(commit(next_turn(run)).done());
        return run;
    }
    void end(RunRef run, Status status = Status::completed) {
        Turn turn = next_turn(run);
        Ends ends;
        ends.outcome.status = turn.cancel_seen ? Status::canceled : status;
        if (ends.outcome.status == Status::canceled)
            ends.outcome.cancel.source = CancelSource::self;
        turn.after = std::move(ends);
        EXPECT_TRUE(commit(std::move(turn)).done());
    }
    RunRef ended(const std::string& id, Status status = Status::completed) {
        const RunRef run = running(id);
        end(run, status);
        return run;
    }
    void continue_as_new(RunRef run) {
        Turn turn = next_turn(run);
        turn.after = ContinuesAsNew{Payload(), "1"};
        EXPECT_TRUE(commit(std::move(turn)).done());
    }
    /// A running chain of so many executions, `apart` from each other.
    RunRef chain(const std::string& id, int executions, Millis apart = Millis(0)) {
        const RunRef run = pending(id);
        for (int i = 1; i < executions; ++i) {
            continue_as_new(run);
            clock.advance(apart);
        }
        return run;
    }
    RunRef child(RunRef parent, CommandNo command, const std::string& id) {
        Turn turn = next_turn(parent);
        NewChild wanted;
        wanted.instance = made(id);
        wanted.instance.run.shard = parent.shard;
        wanted.instance.parent = ParentLink{parent, turn.execution, command};
        turn.children.push_back(wanted);
        EXPECT_TRUE(commit(std::move(turn)).done());
        return wanted.instance.run;
    }

    [[nodiscard]] bool is_there(const std::string& id) { return client.inspect(named(id)).ok(); }
    [[nodiscard]] std::size_t executions_of(RunRef run) {
        std::size_t count = 0;
        inner->read(ListExecutions{run},
                    [&](Result<ListExecutions::Answer> found) { count = found->size(); });
        return count;
    }

    /// Small pages, so that every test takes several.
    static Policy small_pages() {
        Policy policy;
        policy.bulk_batch = 2;
        policy.prune_batch = 2;
        return policy;
    }

    support::ManualClock clock;
    support::TemporaryDirectory directory{support::TemporaryDirectory::in_memory()};
    std::unique_ptr<Store> inner = make();
    FaultyStore store{*inner};
    Client client{store, clock, system_random(), Limits(), small_pages()};

private:
    std::unique_ptr<Store> make() {
        if (std::string(GetParam()) == "memory") return make_memory_store(clock);
        const SqliteOptions options = SqliteOptions().synchronous(Synchronous::normal);
        return std::move(make_sqlite_store(directory.file("belay.db"), options, clock)).value();
    }

    std::uint64_t last_ = 1000;
};

inline std::string store_of(const ::testing::TestParamInfo<const char*>& info) {
    return info.param;
}

#define BELAY_ON_EVERY_STORE(suite) \
    INSTANTIATE_TEST_SUITE_P(Stores, suite, ::testing::Values("memory", "sqlite"), store_of)

}  // namespace belay::management_tests
