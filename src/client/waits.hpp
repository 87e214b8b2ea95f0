// Waiting for runs: until they have ended or settled, or set another custom status or value.
#pragma once

#include "client/sleeper.hpp"
#include "client/started_runs.hpp"
#include "client/until.hpp"
#include "client/wait_table.hpp"
#include <belay/client_options.hpp>
#include <belay/detail/mutex.hpp>
#include <belay/limits.hpp>
#include <belay/service.hpp>
#include <belay/time.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace belay::client {

/// Everything that one client waits for. It has no thread. `step` reads what is due, and so does
/// one of the threads that block in `wait`, the *leader*, for all others. The store's notification
/// makes a run due at once and is otherwise not believed: only a read counts. Safe from any thread.
class Waits final : public StoreListener, public std::enable_shared_from_this<Waits> {
public:
    Waits(std::shared_ptr<Service> service, Clock& clock, const Policy& policy);
    ~Waits() override;
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;

    /// The run of a wait.
    struct Aim {
        InstanceName name;
        std::optional<RunRef> run{};  ///< Not set: the one that has the name.
    };

    /// Called before a start is sent. Returns none as long as nobody has waited.
    [[nodiscard]] std::optional<StartedRuns::Position> mark_start() BELAY_EXCLUDES(mutex_);
    /// The start that was sent at `sent` was answered. A wait for its run will read nothing at
    /// first.
    void note_started(const StartResult& started, StartedRuns::Position sent)
        BELAY_EXCLUDES(mutex_);

    /// Calls `told` once the wait is over or its run cannot be waited for. The call comes from a
    /// step, from the store's answer to it, or from a thread that blocks in `wait`. Never calls it
    /// after `close`.
    void add(const Aim& aim, Until until, WaitTable::Callback callback) BELAY_EXCLUDES(mutex_);
    /// Does one thing; false when there is nothing to do until a notification or `next_due`.
    bool step() BELAY_EXCLUDES(mutex_);
    /// On the monotonic clock; nothing while an answer is awaited, or nobody waits.
    [[nodiscard]] std::optional<Millis> next_due() BELAY_EXCLUDES(mutex_);
    /// Blocks until `step` has something to do. Returns false after `timeout`.
    [[nodiscard]] bool wait_until_due(Millis timeout) BELAY_EXCLUDES(mutex_);

    /// Blocks until the wait is over. Returns `still_running` after `timeout`. Reads at least once.
    [[nodiscard]] Sighting wait(const Aim& aim, const Until& until, Millis timeout)
        BELAY_EXCLUDES(mutex_);

    /// Drops callbacks, lets blocked threads go with `unavailable`, and returns when they have
    /// left.
    void close() BELAY_EXCLUDES(mutex_);

    void instance_ended(RunRef run) override { hear(run, Topic::end); }
    void instance_settled(RunRef run) override { hear(run, Topic::settling); }
    void custom_status_changed(RunRef run) override { hear(run, Topic::status); }
    void key_values_changed(RunRef run) override { hear(run, Topic::values); }

private:
    using Number = WaitTable::Number;
    using SleeperPtr = std::shared_ptr<Sleeper>;

    void listen();
    void hear(RunRef run, Topic topic) BELAY_EXCLUDES(mutex_);
    void on_read(Number batch, Result<requests::InspectMany::Answer> answer) BELAY_EXCLUDES(mutex_);

    /// Calls some thread that blocks to read for all, unless there is a leader. Prefers `near`.
    void call_leader(const SleeperPtr& near = nullptr) BELAY_REQUIRES(mutex_);
    /// The calling thread has been called: reads until nothing is due or its own wait is over.
    void lead(Sleeper& own) BELAY_EXCLUDES(mutex_);
    /// No longer leads; another thread goes on with what is due.
    void resign() BELAY_EXCLUDES(mutex_);

    /// Puts a wait into the table.
    [[nodiscard]] Number enter(const Aim& aim, WaitTable::Waiter waiter) BELAY_REQUIRES(mutex_);
    /// Begins a blocking wait, and calls its own thread if there is no leader. Zero: closed.
    [[nodiscard]] Number begin(const Aim& aim, const Until& until, const SleeperPtr& sleeper)
        BELAY_EXCLUDES(mutex_);
    [[nodiscard]] Sighting sleep(Number number, const SleeperPtr& sleeper, Sleeper::Time until);
    /// The time is over. A read that is made now still counts if nothing was read before.
    [[nodiscard]] Sighting give_up(Number number, const Aim& aim, Sleeper& sleeper)
        BELAY_EXCLUDES(mutex_);
    [[nodiscard]] Sighting look_once(const Aim& aim, const Until& until);
    [[nodiscard]] Millis time_until_due(Number number) BELAY_EXCLUDES(mutex_);
    /// Reads its run again if nothing woke the thread.
    void poll(Number number, const SleeperPtr& sleeper) BELAY_EXCLUDES(mutex_);
    void leave() BELAY_EXCLUDES(mutex_);

    const std::shared_ptr<Service> service_;
    Clock& clock_;
    const Millis poll_interval_;
    std::once_flag first_;  // A client that never waits does not listen.
    std::atomic<bool> subscribed_ = false;
    // Taken before that of a Sleeper.
    detail::Mutex mutex_;
    detail::Condition left_;
    WaitTable table_ BELAY_GUARDED_BY(mutex_);
    StartedRuns started_ BELAY_GUARDED_BY(mutex_);
    /// Threads that block and could lead.
    std::map<Number, SleeperPtr> sleepers_ BELAY_GUARDED_BY(mutex_);
    std::size_t blocked_ BELAY_GUARDED_BY(mutex_) = 0;  ///< Threads that are inside.
    Number last_stepper_ BELAY_GUARDED_BY(mutex_) = 0;
    bool has_leader_ BELAY_GUARDED_BY(mutex_) = false;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

}  // namespace belay::client
