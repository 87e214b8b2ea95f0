// Notes of all that the store accepted, kept beside it.
#pragma once

#include "simulation/world/report.hpp"
#include "store/memory/tables.hpp"
#include <belay/store/answer.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

/// Every raised or enqueued message carries a text of its own. The ledger knows where each one
/// went.
class MessageLedger {
public:
    struct Entry {
        RunRef run;
        std::string channel;
        std::size_t received = 0;
    };

    void accepted(Violations& violations, const NewMessage& message, RunRef run);
    void received(Violations& violations, RunRef run, const std::string& text);
    /// The messages that a completed run says it received: each was its own, and none twice.
    void check_output(Violations& violations, RunRef run, const std::string& output) const;
    [[nodiscard]] const std::map<std::string, Entry>& all() const noexcept { return entries_; }

private:
    std::map<std::string, Entry> entries_;
};

/// Messages that reached nobody: each is sent again at most once, or thrown away, and is there
/// until then.
class LetterLedger {
public:
    /// Notes the contents of the letters that `transition` is about: afterwards they are gone.
    void before_commit(const memory::Tables& tables, const Transition& transition);
    /// `part` was applied.
    void delivered(const memory::Tables& tables,
                   Violations& violations,
                   MessageLedger& messages,
                   const Deliver& part);
    void redriven(Violations& violations,
                  MessageLedger& messages,
                  const Redrive& part,
                  const Answer& answer);
    void discarded(Violations& violations, const Discard& part);
    void check(Violations& violations, const memory::Tables& tables) const;

    [[nodiscard]] std::uint64_t redriven() const noexcept { return redriven_; }
    [[nodiscard]] std::uint64_t discarded() const noexcept { return discarded_; }

private:
    void take(Violations& violations, std::uint64_t letter, const char* what);

    std::set<std::string> open_;                     ///< By their texts, which are unique.
    std::map<std::uint64_t, NewMessage> looked_at_;  ///< By the transition under way.
    std::uint64_t redriven_ = 0;
    std::uint64_t discarded_ = 0;
};

/// The runs that hold idempotency keys, by the rules of the scopes.
class KeyLedger {
public:
    /// The state of a run: its status, or the last one before it was deleted.
    struct Standing {
        Status status = Status::pending;
        bool deleted = false;
    };
    using StandingOf = std::function<Standing(RunRef)>;

    /// Tells the store's clock at a write. A window that was seen to be over stays over when the
    /// clock is set back: the key may be gone.
    void note_time(Timestamp now);
    void started(Violations& violations, const Start& part, Timestamp now, const StandingOf& of);
    void refused(Violations& violations, const Start& part, const Answer& answer) const;

private:
    struct Entry {
        RunRef run;
        KeyScope scope = KeyScope::forever;
        Timestamp free_at{};
        bool window_over = false;
    };
    [[nodiscard]] static std::string name_of(const Start& part);

    std::map<std::string, Entry> entries_;
};

/// The times at which activities were begun in queues that limit their rate.
class StartLedger {
public:
    /// One was leased now. `highest`: the latest time that the store's clock ever showed. Starts
    /// that no rate counted then are forgotten, also if the clock was set back since.
    void begun(Violations& violations,
               const QueueLimits& limits,
               const memory::Activity& activity,
               Timestamp now,
               Timestamp highest);
    /// True if a rate keeps this one from beginning now. Other reasons may too.
    [[nodiscard]] bool keeps(const QueueLimits& limits,
                             const NewActivity& about,
                             Timestamp highest) const;
    /// The queue has no limits any more. New limits begin to count anew.
    void unlimited(const std::string& queue);
    /// It was given back, and nothing of it had run.
    void taken_back(LeaseToken token) { begun_.erase(token); }
    /// Nobody knows any more which of them the store knows.
    void forget() { begun_.clear(); }

private:
    struct StartTime {
        std::string queue;
        std::string key;
        Timestamp at{};
    };

    void forget_old(const QueueLimits& limits, const std::string& queue, Timestamp highest);
    /// The number that a rate counts: of the queue, or of the key in it.
    [[nodiscard]] std::uint32_t recent(const StartRate& rate,
                                       const NewActivity& about,
                                       bool per_key,
                                       Timestamp highest) const;

    std::map<LeaseToken, StartTime> begun_;
};

/// The holders of leases just before a change. They tell if it should have been let through.
class Fences {
public:
    void before_commit(const memory::Tables& tables, const Transition& transition, Timestamp now);
    void before_claim(const memory::Tables& tables);

    /// `part` was applied: its sender must have held the lease.
    void check(Violations& violations, const Part& part) const;
    /// The lease on `activity` before the claim, if it was leased.
    struct Lease {
        LeaseToken token;
        Timestamp until{};
    };
    [[nodiscard]] const Lease* lease_before(const ActivityRef& activity) const;
    /// The worker that had the lock of the run; empty: none.
    [[nodiscard]] std::string worker_of(RunRef run) const;
    /// Commands with an answer that waits and was accepted before the cancel the turn sees.
    [[nodiscard]] const std::vector<CommandNo>& answered_before_cancel() const noexcept {
        return answered_;
    }

private:
    struct RunBefore {
        std::optional<LeaseToken> lock{};
        std::string worker{};
        Timestamp until{};
        bool canceled = false;
        bool ended = false;
        ExecutionNo execution = 0;
        EventNo position = 0;
    };

    void check_turn(Violations& violations, const Turn& turn) const;
    void check_lock(Violations& violations, RunRef run, LeaseToken token, const char* what) const;
    void keep_run(const memory::Tables& tables, RunRef run);
    void keep_answers(const memory::Tables& tables, const Turn& turn);
    void keep_activity(const memory::Tables& tables, const ActivityRef& activity);

    Timestamp now_{};
    std::map<RunRef, RunBefore> runs_;
    std::map<ActivityRef, Lease> leases_;
    std::vector<CommandNo> answered_;
};

}  // namespace belay::sim
