// Random transitions, valid and not, with the consistency check after each.
#include "fixture.hpp"
#include "support/sanitized.hpp"

#include <random>

namespace belay::memory {
namespace {

class RandomWalk : public MemoryStoreTest {
protected:
    void walk(unsigned seed, int steps) {
        random_.seed(seed);
        for (int i = 0; i < steps; ++i) {
            step();
            const auto problems = check_memory_store(*store_);
            ASSERT_THAT(problems, ::testing::IsEmpty()) << "seed " << seed << ", step " << i;
        }
    }

private:
    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
    bool chance(unsigned percent) { return below(100) < percent; }
    Millis some_time() { return Millis(below(3) == 0 ? 0 : below(2000)); }
    InstanceName some_name() {
        const std::string root = "run-" + std::to_string(below(6));
        return name(chance(30) ? root + "/" + std::to_string(below(3)) : root);
    }

    template <class... Parts>
    void write(Parts&&... parts) {
        last_ = op::transition(next_commit(), std::forward<Parts>(parts)...);
        send(last_);
    }
    void send(Transition transition) {
        std::vector<Transition> batch;
        batch.push_back(std::move(transition));
        store_->commit(std::move(batch), [](Result<std::vector<Answer>> result) {
            EXPECT_NE(result.value()[0].verdict, Verdict::failed);
        });
    }

    void step() {
        switch (below(16)) {
            case 0:
            case 1: start(); break;
            case 2:
            case 3:
                for (auto& item : claim_instances(1 + below(3))) runs_.push_back(std::move(item));
                break;
            case 4:
                for (auto& item : claim_activities(1 + below(3))) work_.push_back(std::move(item));
                break;
            case 5:
            case 6:
            case 7: use_claimed_run(); break;
            case 8:
            case 9: use_claimed_work(); break;
            case 10: write(op::cancel(some_name(), "random", some_time())); break;
            case 11: write(op::raise(some_name(), "event", Payload())); break;
            case 12: operate(); break;
            case 13: write(Sweep{1 + below(5), "sweeper"}); break;
            case 14: pass_time(); break;
            default: send(last_); break;
        }
    }

    std::string some_request() {
        return chance(30) ? "request-" + std::to_string(below(4)) : std::string();
    }

    void pass_time() {
        if (chance(10)) return clock_.set_back(Millis(below(2000)));
        clock_.advance(Millis(below(4) == 0 ? 20'000 : below(800)));
    }

    void start() {
        Start part = op::start(instance(some_name().id));
        part.on_conflict = chance(40) ? IdConflict::replace : IdConflict::fail;
        part.delay = some_time();
        part.request_id = some_request();
        if (chance(30)) {
            const auto scope = static_cast<KeyScope>(1 + below(4));
            part.key = IdempotencyKey{"key-" + std::to_string(below(3)), scope, Millis(1000)};
        }
        if (chance(50)) return write(std::move(part));
        Turn turn;
        turn.run = part.instance.run;
        fill(turn);
        write(std::move(part), std::move(turn));
    }

    void fill(Turn& turn) {
        turn.history = events(below(3));
        for (CommandNo command = 1; command <= 4; ++command) {
            const CommandNo fresh = static_cast<CommandNo>(turn.position) * 10 + command;
            if (chance(25)) {
                NewActivity made = chance(50) ? handed_over(fresh, next_token()) : activity(fresh);
                made.shielded = chance(30);
                made.delay = some_time();
                turn.activities.push_back(std::move(made));
            }
            if (chance(15)) {
                turn.timers.push_back(
                    NewTimer{fresh, store_->now() + some_time(), op::timer_fired(1, fresh)});
            }
            if (chance(10)) add_child(turn, fresh);
            if (chance(10)) turn.canceled_activities.push_back(fresh > 10 ? fresh - 10 : fresh);
            if (chance(10)) turn.canceled_timers.push_back(fresh > 10 ? fresh - 10 : fresh);
            if (chance(10)) turn.canceled_children.push_back(fresh > 10 ? fresh - 10 : fresh);
        }
        if (chance(15)) {
            Ends ends;
            ends.outcome.status =
                turn.cancel_seen || chance(30) ? Status::canceled : Status::failed;
            ends.outcome.cancel.source = CancelSource::self;
            turn.after = std::move(ends);
        } else if (chance(15)) {
            turn.after = ContinuesAsNew{Payload(), "2"};
        } else if (turn.lock && chance(20)) {
            turn.keep_lock = Millis(500);
        }
    }

    void add_child(Turn& turn, CommandNo command) {
        NewInstance child = instance(some_name().id + "/" + std::to_string(below(3)));
        child.parent = ParentLink{turn.run, turn.execution, command};
        turn.children.push_back(NewChild{std::move(child), NewMessage()});
    }

    void use_claimed_run() {
        if (runs_.empty()) return;
        const auto at = runs_.begin() + below(static_cast<unsigned>(runs_.size()));
        const ClaimedInstance item = *at;
        if (chance(90)) runs_.erase(at);
        switch (below(8)) {
            case 0: {
                AbandonTurn part = op::abandon_turn(item, some_time());
                if (chance(50)) part.reason = AbandonReason::unregistered;
                return write(part);
            }
            case 1: return write(Hold{item.run, item.token, "random"});
            case 2: return write(op::renew_turn(item, Millis(700)));
            case 3: {
                Finish part;
                part.target = std::pair(item.run, item.token);
                part.outcome.status = Status::failed;
                return write(std::move(part));
            }
            default: {
                Turn turn = op::turn(item, HistoryRow());
                if (chance(20)) turn.consumed.clear();
                fill(turn);
                return write(std::move(turn));
            }
        }
    }

    void use_claimed_work() {
        if (work_.empty()) return;
        const auto at = work_.begin() + below(static_cast<unsigned>(work_.size()));
        const ClaimedActivity item = *at;
        if (chance(80)) work_.erase(at);
        switch (below(5)) {
            case 0: return write(op::abandon_activity(item, some_time(), CountAttempt::no));
            case 1: return write(op::renew_activity(item, Millis(700)));
            case 2: return write(op::ack_activity(item, std::nullopt));
            default:
                return write(
                    op::ack_activity(item, op::activity_completed(item.activity, Payload())));
        }
    }

    void operate() {
        switch (below(11)) {
            case 0: return write(op::terminate(some_name(), "me", "random"));
            case 8: {
                Redrive part;
                part.letter = some_letter();
                if (chance(70)) part.to = some_name();
                part.space = "space";
                part.request_id = some_request();
                return write(std::move(part));
            }
            case 9: return write(Discard{some_letter(), "space", some_request(), {}});
            case 10: {
                Finish part;
                part.target = some_name();
                part.outcome.status = Status::failed;
                part.held_only = true;
                return write(std::move(part));
            }
            case 1: return write(Delete{some_name(), chance(50), some_request(), {}, {}});
            case 5: return delete_some();
            case 6:
            case 7: {
                Prune part = op::prune_executions(some_name(), below(3));
                if (chance(30)) part.ended_before = store_->now() - some_time();
                part.max = 1 + below(3);
                part.request_id = some_request();
                return write(std::move(part));
            }
            case 2: return write(Release{some_name(), some_request(), {}});
            case 3: return write(Deliver{RunRef{Shard{1}, RunKey{below(50)}}, NewMessage()});
            default: return write(FreeKey{"space", "", "Test", "key-1", some_request(), {}});
        }
    }

    /// Often the first that is there.
    std::uint64_t some_letter() {
        std::uint64_t letter = below(50);
        store_->read(ListDeadLetters{}, [&](Result<ListDeadLetters::Answer> letters) {
            if (!letters->empty() && chance(80)) letter = letters->front().id;
        });
        return letter;
    }

    /// A tree as it is, or not quite.
    void delete_some() {
        DeleteInstances part;
        part.space = some_name().space;
        part.force = chance(70);
        part.request_id = some_request();
        store_->read(ListTree{some_name()}, [&](Result<ListTree::Answer> tree) {
            for (const InstanceBrief& one : tree.value()) part.ids.push_back(one.name.id);
        });
        if (chance(20)) part.ids.push_back(some_name().id);
        write(std::move(part));
    }

    std::mt19937 random_;
    Transition last_;
    std::vector<ClaimedInstance> runs_;
    std::vector<ClaimedActivity> work_;
};

TEST_F(RandomWalk, StaysConsistent) {
    for (unsigned seed = 1; seed <= (support::kSanitized ? 5 : 20); ++seed) {
        walk(seed, 500);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace belay::memory
