// The waiters of each run, and when each run is read next.
#pragma once

#include "client/sleeper.hpp"
#include "client/until.hpp"
#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/time.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::client {

/// Waiters, keyed by the run that they wait for: one read answers all who wait for the same one. It
/// reads nothing itself and knows no threads.
///
/// A wait begins with a name, or with a run. If with a name, its first read says which run that is.
/// From then on the wait is for that run, also if another run gets the name. Waits for the same
/// name share the first read only if they began before it did.
class WaitTable {
public:
    using Number = std::uint64_t;
    using Callback = std::function<void(const Sighting&)>;

    explicit WaitTable(const Policy& policy)
        : poll_interval_(policy.poll_interval), retry_delay_(policy.retry_delay) {}

    /// The one to be told: a callback, or a thread.
    struct Waiter {
        Until until;
        Callback callback;
        std::shared_ptr<Sleeper> sleeper;
        Number target = 0;
        Number after = 0;     ///< Only reads that began later count.
        bool looked = false;  ///< Some read found that it is not over yet.
    };
    /// A wait that is over.
    struct Over {
        Number number = 0;
        Waiter waiter;
        Sighting sighting;
    };
    /// A read to be made, of several runs at once.
    struct Batch {
        Number number = 0;
        requests::InspectMany request;
    };

    /// Due at once.
    Number add(InstanceName name, Waiter waiter, Millis now);
    /// For this run. Due at once if it `may_be_over`; else when the store tells of the run.
    Number add(const InstanceName& name, RunRef run, bool may_be_over, Waiter waiter, Millis now);
    /// Gives up a wait. Returns none if it is over.
    std::optional<Waiter> remove(Number waiter);
    /// Gives up all of them.
    [[nodiscard]] std::vector<Waiter> remove_all();

    /// The store told of a run. Returns one of the waiters that this makes due, if there is any.
    const Waiter* hear(RunRef run, Topic topic, Millis now);
    /// The run of this waiter is to be read now.
    void make_due(Number waiter, Millis now);

    /// All that is due, up to a bound. It is not due again before `apply`.
    [[nodiscard]] std::optional<Batch> take_due(Millis now);
    /// Takes the answer to a batch. Returns the waits that are over.
    [[nodiscard]] std::vector<Over> apply(Number batch,
                                          Result<requests::InspectMany::Answer> answer,
                                          Millis now);

    [[nodiscard]] bool has_due(Millis now) const;
    /// The earliest; none if nothing is to be read unless the store tells or answers.
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// Returns the due time of the run of this waiter; none while it is read.
    [[nodiscard]] std::optional<Millis> due_of(Number waiter) const;

private:
    /// The state of an aim that several wait for together.
    struct Target {
        InstanceName name;
        std::optional<RunRef> run;  ///< Not set: no read has said it yet.
        std::set<Number> waiters;
        std::array<std::size_t, kTopics> interested{};  ///< The number of waiters for each topic.
        Millis due_at{0};
        bool reading = false;
        bool again = false;  ///< Something was told while it was read.
        bool alone = false;  ///< A read together with others failed.
    };
    /// A batch that is not answered yet.
    struct Reading {
        std::vector<Number> targets;
        bool by_name = false;  ///< It will say of some name which run that is.
        /// Told meanwhile: one bit for each topic. The run may be the one of a name.
        std::map<RunRef, unsigned> heard;
    };

    /// Adds it to its target, which is there.
    void join(Number number, Number target, Waiter waiter);
    void schedule(Number number, Target& target, Millis at);
    void erase(Number number);
    void add_to_batch(Number number, Batch& batch, Reading& reading);
    void fail(Number number, const Error& error, std::size_t together, Millis now);
    void see(Number number,
             std::optional<InspectedRun> seen,
             const std::pair<const Number, Reading>& reading,
             Millis now);
    /// The run of the name is known now. A target of that run takes these waiters in, if there is
    /// one.
    void resolve(Number number, RunRef run, unsigned heard, Millis now);
    void finish(Number number, Target& target, Number waiter, const Sighting& sighting);
    void finish_all(Number number, const Error& error);

    const Millis poll_interval_;
    const Millis retry_delay_;
    Number last_ = 0;  ///< The last number of a waiter, target or batch.
    std::unordered_map<Number, Waiter> waiters_;
    std::unordered_map<Number, Target> targets_;
    std::unordered_map<RunKey, Number> by_run_;
    std::map<InstanceName, Number> by_name_;        ///< Their first read has not begun.
    std::set<std::pair<Millis, Number>> schedule_;  ///< Targets that are not being read.
    std::map<Number, Reading> readings_;
    std::vector<Over> over_;  ///< Gathered by `apply`.
};

}  // namespace belay::client
