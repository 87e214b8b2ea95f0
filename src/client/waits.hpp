// Waiting for runs to end, or to set another custom status.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/limits.hpp>
#include <belay/service.hpp>
#include <belay/time.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace belay::client {

/// Everything that one client waits for. It has no thread: `step` reads again what is due. The
/// store's notification makes a wait due at once and is otherwise not believed: what a read says
/// counts. Safe from any thread.
class Waits final : public StoreListener, public std::enable_shared_from_this<Waits> {
public:
    Waits(std::shared_ptr<Service> service, Clock& clock, const Policy& policy);
    ~Waits() override;
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;

    /// What ends a wait before the run does: that its custom status has another version than this.
    using SeenStatus = std::optional<std::uint64_t>;

    /// `done` is called, from a step or from the store's answer to it, once the run has ended, or
    /// its custom status is not the one seen, or it cannot be waited for; not at all if this is
    /// destroyed before.
    std::uint64_t add(InstanceName name, SeenStatus seen, Done<InstanceInfo> done);
    /// Does one thing; false when there is nothing to do until a notification or `next_due`.
    bool step();
    /// On the monotonic clock; nothing while an answer is awaited, or nobody waits.
    [[nodiscard]] std::optional<Millis> next_due();

    /// Blocks, and steps meanwhile, for at most `timeout`: then `still_running`.
    [[nodiscard]] Result<InstanceInfo> wait(const InstanceName& name,
                                            SeenStatus seen,
                                            Millis timeout);

    void instance_ended(RunRef run) override;
    void custom_status_changed(RunRef run) override;

private:
    struct Wait {
        InstanceName name;
        SeenStatus seen;
        Done<InstanceInfo> done;
        std::optional<RunRef> run;  // Known from the first read on: the name may move.
        Millis due_at{0};
        bool reading = false;
        bool again = false;  // Something happened while it was being read.
    };

    void on_read(std::uint64_t number, const Result<InstanceInfo>& result);
    [[nodiscard]] std::uint64_t changes() BELAY_EXCLUDES(mutex_);
    /// False if none came after `before` until then.
    [[nodiscard]] bool wait_for_change(std::uint64_t before,
                                       std::chrono::steady_clock::time_point until)
        BELAY_EXCLUDES(mutex_);
    [[nodiscard]] Millis time_until_due(std::uint64_t number);
    void make_due(std::uint64_t number);
    /// Those that wait for this run, or do not know yet which they wait for.
    template <class Which>
    void make_due(RunRef run, Which which);
    void remove(std::uint64_t number);

    const std::shared_ptr<Service> service_;
    Clock& clock_;
    const Millis poll_interval_;
    const Millis retry_delay_;
    std::once_flag first_;  // A client that never waits does not listen.
    bool subscribed_ = false;
    detail::Mutex mutex_;
    detail::Condition changed_;  // Something is due, or was answered.
    std::uint64_t changes_ BELAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t last_ BELAY_GUARDED_BY(mutex_) = 0;
    std::map<std::uint64_t, Wait> waits_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::client
