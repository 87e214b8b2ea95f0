// Real threads: whoever commits first wins, and everyone is told the truth.
#include "conformance/case.hpp"

#include <barrier>
#include <map>
#include <set>
#include <thread>

BELAY_CONFORMANCE_AREA(concurrency)

namespace belay::conformance {
namespace {

/// Runs `work(i)` on so many threads that begin together, and waits for them.
template <class Work>
void together(std::size_t threads, Work work) {
    std::barrier ready(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
        workers.emplace_back([&, i] {
            ready.arrive_and_wait();
            try {
                work(i);
            } catch (...) {
                ADD_FAILURE() << "a thread ended early";
            }
        });
    }
}

/// Counts down however the thread ends.
struct Leaving {
    std::atomic<int>& present;
    ~Leaving() { --present; }
};

std::size_t count_applied(const std::vector<Answer>& answers) {
    std::size_t count = 0;
    for (const Answer& answer : answers) count += answer.verdict == Verdict::applied ? 1U : 0U;
    return count;
}

BELAY_CASE(Concurrency, EachRunIsClaimedOnce) {
    for (int i = 0; i < 40; ++i) start("a" + std::to_string(i));
    std::vector<std::vector<ClaimedInstance>> claimed(8);
    together(8, [&](std::size_t i) {
        while (auto item = try_claim()) claimed[i].push_back(std::move(*item));
    });
    std::set<RunRef> runs;
    std::set<LeaseToken> tokens;
    std::size_t total = 0;
    for (const auto& items : claimed) {
        for (const ClaimedInstance& item : items) {
            runs.insert(item.run);
            tokens.insert(item.token);
            EXPECT_EQ(item.attempts, 1U);
            ++total;
        }
    }
    EXPECT_EQ(total, 40U);
    EXPECT_EQ(runs.size(), 40U);
    EXPECT_EQ(tokens.size(), 40U);
}

BELAY_CASE(Concurrency, EachActivityIsClaimedOnce) {
    start_with_activities("a", 200);
    std::vector<std::vector<ClaimedActivity>> claimed(8);
    together(8, [&](std::size_t i) {
        while (true) {
            auto items = claim_activities(3);
            if (items.empty()) break;
            for (ClaimedActivity& item : items) claimed[i].push_back(std::move(item));
        }
    });
    std::set<CommandNo> commands;
    std::size_t total = 0;
    for (const auto& items : claimed) {
        for (const ClaimedActivity& item : items) commands.insert(item.activity.command);
        total += items.size();
    }
    EXPECT_EQ(total, 200U);
    EXPECT_EQ(commands.size(), 200U);
}

BELAY_CASE(Concurrency, OneExpiredLockHasOneNewHolder) {
    const RunRef run = start("a");
    claim(run);
    advance(kLease);
    std::vector<std::optional<ClaimedInstance>> claimed(8);
    together(8, [&](std::size_t i) { claimed[i] = try_claim(run); });
    std::size_t holders = 0;
    for (const auto& item : claimed) holders += item ? 1U : 0U;
    EXPECT_EQ(holders, 1U);
}

BELAY_CASE(Concurrency, SimultaneousStartsWithOneKeyCreateOne) {
    std::vector<Start> starts;
    for (int i = 0; i < 16; ++i) {
        Start part = op::start(instance("a" + std::to_string(i)));
        part.key = IdempotencyKey{"order-7", KeyScope::forever, Millis(0)};
        starts.push_back(std::move(part));
    }
    std::vector<Answer> answers(starts.size());
    together(starts.size(), [&](std::size_t i) { answers[i] = commit(starts[i]); });
    EXPECT_EQ(count_applied(answers), 1U);
    const auto items = claim_instances(100);
    ASSERT_EQ(items.size(), 1U);
    for (const Answer& answer : answers) {
        ASSERT_TRUE(answer.instance);
        EXPECT_EQ(answer.instance->run, items[0].run) << "all are told of the same one";
        if (answer.verdict == Verdict::applied) continue;
        EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    }
}

BELAY_CASE(Concurrency, SimultaneousStartsWithOneIdCreateOne) {
    std::vector<Start> starts;
    for (int i = 0; i < 16; ++i) starts.push_back(op::start(instance("a")));
    std::vector<Answer> answers(starts.size());
    together(starts.size(), [&](std::size_t i) { answers[i] = commit(starts[i]); });
    EXPECT_EQ(count_applied(answers), 1U);
    for (const Answer& answer : answers) {
        ASSERT_TRUE(answer.instance);
        EXPECT_EQ(answer.instance->run, found("a").run);
    }
}

BELAY_CASE(Concurrency, TurnsWithOneTokenAreAppliedOnce) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    std::vector<Answer> answers(8);
    together(8, [&](std::size_t i) { answers[i] = commit(turn_of(item)); });
    EXPECT_EQ(count_applied(answers), 1U);
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Concurrency, IdenticalCommitsAreAppliedOnce) {
    const RunRef run = start("a");
    const Change transition = fuse(turn_of(claim(run)));
    std::vector<Answer> answers(8);
    together(8, [&](std::size_t i) { answers[i] = commit(transition); });
    EXPECT_EQ(count_applied(answers), 1U);
    for (const Answer& answer : answers) EXPECT_TRUE(answer.done()) << describe(answer);
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Concurrency, CompletionsWithOneTokenAreAppliedOnce) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    std::vector<Answer> answers(8);
    together(8, [&](std::size_t i) { answers[i] = try_complete(item); });
    EXPECT_EQ(count_applied(answers), 1U);
    EXPECT_EQ(info(run).ready_messages, 1U);
}

BELAY_CASE(Concurrency, CompletionOrCancelWinsNeverBoth) {
    for (int round = 0; round < 50; ++round) {
        const std::string id = "a" + std::to_string(round);
        const RunRef run = start_with_activities(id, 1);
        const ClaimedActivity item = claim_activity();
        Answer completion;
        Answer cancellation;
        together(2, [&](std::size_t i) {
            if (i == 0) {
                completion = try_complete(item);
            } else {
                cancellation = commit(op::cancel(named(id), "enough", kDeadline));
            }
        });
        ASSERT_TRUE(applied(cancellation));
        const bool completed_first = completion.verdict == Verdict::applied;
        EXPECT_EQ(info(run).ready_messages, completed_first ? 1U : 0U);
        EXPECT_EQ(cancellation.stopped.size(), completed_first ? 0U : 1U);
        EXPECT_EQ(stopping(run).size(), completed_first ? 0U : 1U);
        if (completed_first) {
            const auto messages = inbox(run);
            ASSERT_EQ(messages.size(), 1U);
            EXPECT_LT(messages[0].id, cancel_record(run).sequence);
        } else {
            EXPECT_TRUE(refused(completion, Errc::canceled));
        }
    }
}

BELAY_CASE(Concurrency, CompletionOrDeletionWinsNeverBoth) {
    for (int round = 0; round < 50; ++round) {
        const std::string id = "a" + std::to_string(round);
        start_with_activities(id, 1);
        const ClaimedActivity item = claim_activity();
        Answer completion;
        Answer deletion;
        together(2, [&](std::size_t i) {
            if (i == 0) {
                completion = try_complete(item);
            } else {
                deletion = commit(op::force_delete(named(id)));
            }
        });
        ASSERT_TRUE(applied(deletion));
        const bool completed_first = completion.verdict == Verdict::applied;
        EXPECT_TRUE(completed_first || refused(completion, Errc::lease_lost));
        EXPECT_EQ(deletion.stopped.size(), completed_first ? 0U : 1U);
        EXPECT_EQ(deletion.deleted.messages, 1U) << "its row or its message";
        EXPECT_FALSE(find(id));
        EXPECT_FALSE(try_claim());
    }
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Concurrency, TurnOrCancelComesFirstAndTheTurnIsNeverBlind) {
    for (int round = 0; round < 50; ++round) {
        const std::string id = "a" + std::to_string(round);
        const RunRef run = start_running(id);
        const Turn turn = ending(next_turn(run), completed());
        Answer ended;
        Answer cancellation;
        together(2, [&](std::size_t i) {
            if (i == 0) {
                ended = commit(turn);
            } else {
                cancellation = commit(op::cancel(named(id), "enough", kDeadline));
            }
        });
        ASSERT_TRUE(applied(cancellation));
        if (ended.verdict == Verdict::applied) {
            EXPECT_FALSE(cancellation.changed);
            EXPECT_EQ(status(run), Status::completed);
        } else {
            EXPECT_TRUE(refused(ended, Errc::cancel_unseen));
            EXPECT_TRUE(cancellation.changed);
            EXPECT_EQ(status(run), Status::canceling);
        }
    }
}

BELAY_CASE(Concurrency, SimultaneousCancelsLeaveOneRecord) {
    const RunRef run = start_running("a");
    std::vector<Answer> answers(8);
    together(8, [&](std::size_t i) {
        answers[i] = commit(op::cancel(named("a"), "reason " + std::to_string(i), kDeadline));
    });
    std::size_t changed = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(applied(answers[i]));
        if (!answers[i].changed) continue;
        ++changed;
        EXPECT_EQ(cancel_record(run).reason, "reason " + std::to_string(i));
    }
    EXPECT_EQ(changed, 1U);
}

BELAY_CASE(Concurrency, NoMessageIsLostOrDoubled) {
    const RunRef run = start_running("a");
    std::map<std::string, int> received;
    std::atomic<int> senders{3};
    together(4, [&](std::size_t i) {
        if (i > 0) {
            const Leaving leaving{senders};
            for (int k = 0; k < 50; ++k) raise("a", std::to_string(i) + ":" + std::to_string(k));
            return;
        }
        while (senders > 0 || info(run).ready_messages > 0) {
            const auto item = try_claim(run);
            if (!item) {
                std::this_thread::yield();
                continue;
            }
            for (const Message& message : item->messages) ++received[message.content.name];
            apply(turn_of(*item));
        }
    });
    EXPECT_EQ(received.size(), 150U);
    for (const auto& [name, times] : received) EXPECT_EQ(times, 1) << name;
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Concurrency, ManyWorkersDrainTheQueueOnce) {
    const RunRef run = start_with_activities("a", 100);
    together(4, [&](std::size_t) {
        while (const auto item = try_claim_activity()) {
            EXPECT_TRUE(applied(try_complete(*item)));
        }
    });
    std::set<CommandNo> commands;
    const auto messages = inbox(run);
    for (const Message& message : messages) commands.insert(message.content.command);
    EXPECT_EQ(messages.size(), 100U);
    EXPECT_EQ(commands.size(), 100U);
    EXPECT_TRUE(activities(run).empty());
}

}  // namespace
}  // namespace belay::conformance
