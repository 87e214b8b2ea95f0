// Commands at a terminal, on a store in memory that can be told to fail.
#pragma once

#include "support/faulty_store.hpp"
#include "unit/cli/fake_terminal.hpp"
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

/// A person who says yes, and what happens until then.
class SaysYes : public std::streambuf {
public:
    explicit SaysYes(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}

private:
    int_type underflow() override {
        meanwhile_();
        setg(answer_.data(), answer_.data(), answer_.data() + answer_.size());
        return traits_type::to_int_type(answer_.front());
    }

    std::function<void()> meanwhile_;
    std::string answer_ = "y\n";
};

class CliCommandsTest : public ::testing::Test {
protected:
    CliCommandsTest() { fake.store = make_memory_store(fake.clock); }

    Exit run(const std::vector<std::string>& words) { return fake.run(words); }
    [[nodiscard]] std::string out() const { return fake.out.str(); }
    [[nodiscard]] std::string err() const { return fake.err.str(); }

    /// The next question is answered with yes, after this.
    void answer_yes_after(std::function<void()> meanwhile) {
        person = std::make_unique<SaysYes>(std::move(meanwhile));
        static_cast<std::istream&>(fake.in).rdbuf(person.get());
        fake.in.clear();
        fake.terminal.in_is_terminal = true;
        fake.terminal.err_is_terminal = true;
    }
    /// Puts a store in front that can be told to fail.
    support::FaultyStore& make_faulty() {
        healthy = fake.store;
        auto faulty = std::make_shared<support::FaultyStore>(*healthy);
        fake.store = faulty;
        return *faulty;
    }
    /// A chain of two executions that goes on.
    void start_chain(const std::string& id) {
        NewInstance instance;
        instance.run = {shard_of(id), RunKey{2000 + ++last_commit}};
        instance.name = {"default", id};
        instance.definition = "Meter";
        commit(op::start(instance));
        Turn turn;
        turn.run = instance.run;
        turn.in_line = false;
        turn.history.count = 1;
        turn.history.bytes = "event";
        turn.after = ContinuesAsNew{Payload(), "1"};
        commit(turn);
    }

    void commit(Part part) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(CommitId{9, ++last_commit}, std::move(part)));
        fake.store->commit(std::move(batch), [](const Result<std::vector<Answer>>& answers) {
            EXPECT_TRUE(answers.ok() && answers->front().done());
        });
    }

    FakeTerminal fake;
    std::uint64_t last_commit = 0;
    std::shared_ptr<Store> healthy;
    std::unique_ptr<SaysYes> person;
};

}  // namespace belay::cli
