// Listeners that follow runs: each change of a run is told once it is committed.
#include "conformance/case.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

BELAY_CONFORMANCE_AREA(following)

namespace belay::conformance {
namespace {

using Changes = std::set<RunChange>;

/// Hears what a store tells, on whichever thread and however long after the answer.
class Follower final : public StoreListener {
public:
    explicit Follower(bool follows) : follows_(follows) {}

    [[nodiscard]] bool follows_runs() const override { return follows_; }
    void run_changed(RunRef run, RunChange change) override {
        const std::lock_guard lock(mutex_);
        heard_[run].push_back(change);
        told_.notify_all();
    }
    void instance_ended(RunRef run) override {
        const std::lock_guard lock(mutex_);
        ended_.insert(run);
        told_.notify_all();
    }
    void instance_settled(RunRef run) override {
        const std::lock_guard lock(mutex_);
        settled_.insert(run);
        told_.notify_all();
    }
    void key_values_changed(RunRef run) override {
        const std::lock_guard lock(mutex_);
        key_values_.insert(run);
        told_.notify_all();
    }

    /// Waits for these changes of a run, and gives all that were told of it since the last call.
    std::vector<RunChange> take(RunRef run, const Changes& expected) {
        std::unique_lock lock(mutex_);
        (void)told_.wait_for(lock, kPatience, [&] {
            const std::vector<RunChange>& heard = heard_[run];
            const Changes distinct(heard.begin(), heard.end());
            return std::includes(
                distinct.begin(), distinct.end(), expected.begin(), expected.end());
        });
        return std::exchange(heard_[run], {});
    }
    bool hears_of_end(RunRef run) { return hears_of(ended_, run); }
    bool hears_of_settling(RunRef run) { return hears_of(settled_, run); }
    bool hears_of_key_values(RunRef run) { return hears_of(key_values_, run); }
    bool heard_anything() {
        const std::lock_guard lock(mutex_);
        return !heard_.empty();
    }

private:
    /// Only who is told nothing waits for so long.
    static constexpr std::chrono::seconds kPatience{20};

    bool hears_of(const std::set<RunRef>& told, RunRef run) {
        std::unique_lock lock(mutex_);
        return told_.wait_for(lock, kPatience, [&] { return told.contains(run); });
    }

    const bool follows_;
    std::mutex mutex_;
    std::condition_variable told_;
    std::map<RunRef, std::vector<RunChange>> heard_;
    std::set<RunRef> ended_;
    std::set<RunRef> settled_;
    std::set<RunRef> key_values_;
};

Delete delete_of(std::string id) {
    Delete part;
    part.name = named(std::move(id));
    return part;
}

class FollowingCase : public Case {
protected:
    void SetUp() override {
        Case::SetUp();
        store().subscribe(follower_);
    }
    void TearDown() override {
        store().unsubscribe(follower_);
        Case::TearDown();
    }

    /// Exactly these were told of the run since the last call.
    void expect(RunRef run, const Changes& expected, Where where = Where::current()) {
        const std::vector<RunChange> heard = follower_.take(run, expected);
        EXPECT_EQ(Changes(heard.begin(), heard.end()), expected) << "line " << where.line();
    }
    /// A run with nothing left to be told.
    RunRef quiet(std::string id) {
        const RunRef run = start_running(std::move(id));
        expect(run, {RunChange::started, RunChange::turn_committed, RunChange::status});
        return run;
    }

    Follower follower_{true};
};

BELAY_CASE_OF(FollowingCase, Following, AStart) {
    expect(start("a"), {RunChange::started});
    const RunRef parent = quiet("p");
    expect(start_child(parent, 1, "p/c"), {RunChange::started});
}

BELAY_CASE_OF(FollowingCase, Following, ATurn) {
    const RunRef run = start("a");
    expect(run, {RunChange::started});
    take_turn(run);
    expect(run, {RunChange::turn_committed, RunChange::status});
    apply(next_turn(run));
    expect(run, {RunChange::turn_committed});
    apply(continuing(next_turn(run)));
    expect(run, {RunChange::turn_committed});
}

BELAY_CASE_OF(FollowingCase, Following, ATurnThatIsRefusedIsNotTold) {
    const RunRef run = quiet("a");
    Turn late = next_turn(run);
    ++late.position;
    EXPECT_TRUE(refused(commit(late), Errc::position_moved));
    cancel("a");
    expect(run, {RunChange::status});
}

BELAY_CASE_OF(FollowingCase, Following, WhatNobodySeesIsNotTold) {
    const RunRef run = quiet("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    apply(op::abandon_turn(item, Millis(0), CountAttempt::yes));
    apply(Hold{run, claim(run).token, "it differs"});
    Release release;
    release.name = named("a");
    apply(release);
    apply(next_turn(run));
    expect(run, {RunChange::turn_committed});
}

BELAY_CASE_OF(FollowingCase, Following, ACustomStatus) {
    const RunRef run = quiet("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("half");
    apply(turn);
    expect(run, {RunChange::turn_committed, RunChange::custom_status});
}

BELAY_CASE_OF(FollowingCase, Following, ACancelIsAStatusOrAnEnd) {
    const RunRef run = quiet("a");
    cancel("a");
    expect(run, {RunChange::status});
    cancel("a");
    const RunRef pending = start("p");
    cancel("p");
    expect(pending, {RunChange::started, RunChange::ended, RunChange::settled});
    end(run, canceled());
    expect(run, {RunChange::turn_committed, RunChange::ended, RunChange::settled});
}

BELAY_CASE_OF(FollowingCase, Following, AnEndOfWhateverKind) {
    const RunRef completes = quiet("a");
    end(completes);
    expect(completes, {RunChange::turn_committed, RunChange::ended, RunChange::settled});
    const RunRef terminated = quiet("b");
    apply(op::terminate(named("b"), "operator", "stuck"));
    expect(terminated, {RunChange::ended, RunChange::settled});
}

BELAY_CASE_OF(FollowingCase, Following, ItIsSettledWithItsLastHandler) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    expect(run, {RunChange::started, RunChange::turn_committed, RunChange::status});
    end(run);
    expect(run, {RunChange::turn_committed, RunChange::ended});
    EXPECT_TRUE(applied(try_drop(item)));
    expect(run, {RunChange::settled});
}

BELAY_CASE_OF(FollowingCase, Following, ItIsSettledWithItsLastChild) {
    const RunRef parent = quiet("p");
    const RunRef child = start_child(parent, 1, "p/c");
    expect(parent, {RunChange::turn_committed});
    take_turn(child);
    expect(child, {RunChange::started, RunChange::turn_committed, RunChange::status});
    end(parent);
    expect(parent, {RunChange::turn_committed, RunChange::ended});
    expect(child, {RunChange::status});
    end(child, canceled());
    expect(child, {RunChange::turn_committed, RunChange::ended, RunChange::settled});
    expect(parent, {RunChange::settled});
}

BELAY_CASE_OF(FollowingCase, Following, ADeletion) {
    const RunRef run = quiet("a");
    end(run);
    expect(run, {RunChange::turn_committed, RunChange::ended, RunChange::settled});
    apply(delete_of("a"));
    expect(run, {RunChange::deleted});
    const RunRef running = quiet("b");
    apply(op::force_delete(named("b")));
    expect(running, {RunChange::deleted});
    EXPECT_TRUE(follower_.hears_of_end(running)) << "nobody waits for it any more";
}

BELAY_CASE_OF(FollowingCase, Following, AnImportHasEndedAlready) {
    Import part;
    part.instance = instance("a");
    part.outcome = completed("done");
    part.created_at = part.ended_at = now();
    part.executions = {ImportedExecution{1, now(), now(), {events(1)}}};
    apply(part);
    expect(part.instance.run, {RunChange::started, RunChange::ended, RunChange::settled});
    EXPECT_TRUE(follower_.hears_of_end(part.instance.run));
}

BELAY_CASE_OF(FollowingCase, Following, TheChangesOfARunComeInOrder) {
    const RunRef run = start("a");
    take_turn(run);
    cancel("a");
    end(run, canceled());
    apply(delete_of("a"));
    const std::vector<RunChange> heard = follower_.take(run, {RunChange::deleted});
    ASSERT_FALSE(heard.empty());
    EXPECT_EQ(heard.front(), RunChange::started);
    EXPECT_EQ(heard.back(), RunChange::deleted);
    const auto place = [&](RunChange change) {
        return std::find(heard.begin(), heard.end(), change) - heard.begin();
    };
    EXPECT_LT(place(RunChange::turn_committed), place(RunChange::ended));
    EXPECT_LT(place(RunChange::status), place(RunChange::ended));
    EXPECT_LT(place(RunChange::ended), place(RunChange::settled));
}

/// Listens as a client that waits does.
class HearingCase : public Case {
protected:
    void SetUp() override {
        Case::SetUp();
        store().subscribe(listener_);
    }
    void TearDown() override {
        store().unsubscribe(listener_);
        Case::TearDown();
    }

    Follower listener_{false};
};

BELAY_CASE_OF(HearingCase, Hearing, ItSettlesAfterItsEnd) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    end(run);
    EXPECT_TRUE(listener_.hears_of_end(run));
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(listener_.hears_of_settling(run));
}

BELAY_CASE_OF(HearingCase, Hearing, TheParentSettlesWithItsLastChild) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    EXPECT_TRUE(listener_.hears_of_end(parent));
    end(child, canceled());
    EXPECT_TRUE(listener_.hears_of_settling(parent));
}

BELAY_CASE_OF(HearingCase, Hearing, ItIsDeletedBeforeItSettles) {
    const RunRef run = start_with_activities("a", 1);
    (void)claim_activity();
    end(run);
    EXPECT_TRUE(listener_.hears_of_end(run));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(listener_.hears_of_settling(run)) << "nobody waits for it any more";
}

BELAY_CASE_OF(HearingCase, Hearing, KeyValues) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.key_values.push_back(KeyValueChange{"parcel", Payload::text("packed")});
    apply(turn);
    EXPECT_TRUE(listener_.hears_of_key_values(run));
}

BELAY_CASE_OF(FollowingCase, Following, OthersAreNotToldOfRuns) {
    Follower other(false);
    store().subscribe(other);
    const RunRef run = start("a");
    expect(run, {RunChange::started});
    cancel("a");
    expect(run, {RunChange::ended, RunChange::settled});
    EXPECT_TRUE(other.hears_of_end(run));
    store().unsubscribe(other);
    EXPECT_FALSE(other.heard_anything());
}

}  // namespace
}  // namespace belay::conformance
