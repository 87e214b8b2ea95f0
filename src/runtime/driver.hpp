// Threads that step a runtime.
#pragma once

#include "runtime/deferred_store.hpp"
#include "runtime/signal.hpp"
#include "runtime/turn_threads.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/executor.hpp>
#include <belay/runtime.hpp>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace belay::runtime {

/// A thread that was made for something else, and drives for a while.
class DriverGuest {
public:
    virtual ~DriverGuest() = default;
    /// It is about to do something that may take long.
    virtual void about_to_block() = 0;
    /// Takes it from its maker.
    [[nodiscard]] virtual TurnThreads::Leave leave() = 0;
};

/// One runtime, stepped by the threads that have news for it.
///
/// The core is stepped under a lock that nobody waits for. A thread that finds it taken leaves,
/// since its holder looks for news once more when it has let go. Turns run outside the lock. Calls
/// of the store are made outside of it, by the thread that comes first. So one thread commits while
/// another one takes the next turns, and a turn keeps nobody waiting but its own run.
///
/// The driver has threads of its own, so one is always left to step when others lead a commit or
/// are in a turn (see Steppers). A thread that has just ended an activity may `drive` as well,
/// which saves waking another one.
class Driver {
public:
    /// The executor must not call back once `stop` has returned.
    Driver(Store& store,
           const Registry& registry,
           ActivityExecutor& executor,
           const RuntimeOptions& options);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    ~Driver();

    /// Until then nobody steps. Once.
    void start();

    /// Steps until there is nothing to do now, unless another thread is at it. Meanwhile the thread
    /// may be taken from its maker. Then it must touch nothing any more, not even this.
    void drive(DriverGuest& guest);

    /// Claims nothing more, lets activities and turns end or gives them back, destroys what turns
    /// left behind, and joins its threads. Returns false if this was not done after `most` because
    /// the store did not answer; then its leases are left to expire. Destructors that have not
    /// returned after the grace period are left to their threads.
    bool stop(Millis most);

    /// See Runtime::store. Also good after `stop`.
    [[nodiscard]] Store& store() noexcept;
    [[nodiscard]] RuntimeCounts counts() const;
    /// The turns that run though nobody waits for them.
    [[nodiscard]] std::vector<std::string> abandoned() const { return turns_->abandoned(); }

private:
    class FusingStore;
    class SignalingExecutor;
    /// The purpose of a thread here.
    enum class Role : std::uint8_t {
        driver,   ///< One of its own.
        guest,    ///< Somebody else's, for a while.
        stopper,  ///< Somebody else's, which must come back: it takes no turns.
        reserve,  ///< One of its own, which takes no turns and makes no calls (see Steppers).
    };
    [[nodiscard]] static bool takes_turns(Role role) noexcept {
        return role == Role::driver || role == Role::guest;
    }
    struct Visit {
        Role role = Role::stopper;
        DriverGuest* guest = nullptr;
        std::list<std::thread>::iterator seat{};  // The seat of a driver.
    };
    enum class Round : std::uint8_t {
        again,  ///< There is more to do.
        rest,   ///< There is nothing left to do here.
        gone,   ///< The thread was taken away in a turn: it touches nothing any more.
    };

    void add_thread() BELAY_EXCLUDES(seats_mutex_);
    void run(std::list<std::thread>::iterator seat);
    void stand_in();
    bool leave_seat(std::list<std::thread>::iterator seat, TurnThreads::Replace replace)
        BELAY_EXCLUDES(seats_mutex_);
    [[nodiscard]] Round round(const Visit& visit) BELAY_EXCLUDES(core_mutex_);
    [[nodiscard]] Round run_turns(TurnThreads& turns, const Visit& visit);
    bool make_calls(bool more, std::uint64_t seen, const Visit& visit);
    void call(const DeferredStore::Call& call, const Visit& visit);
    void finish_rounds();
    [[nodiscard]] bool step_core(int bursts) BELAY_REQUIRES(core_mutex_);
    [[nodiscard]] Millis until_due() const;

    Clock& clock_;
    const StoreTraits traits_;  // The store's.
    const Millis grace_;
    std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
    DeferredStore deferred_;
    std::shared_ptr<TurnThreads> turns_;
    std::unique_ptr<SignalingExecutor> executor_;
    std::unique_ptr<Runtime> core_ BELAY_PT_GUARDED_BY(core_mutex_);
    Store& starts_;  // The core's. For any thread, as long as there is a core.
    std::unique_ptr<FusingStore> fusing_store_;
    detail::Mutex core_mutex_;
    std::atomic<bool> stopper_waits_{false};  // For the core's lock.
    std::atomic<Millis::rep> next_due_{0};
    bool stopping_ BELAY_GUARDED_BY(core_mutex_) = false;
    std::atomic<bool> done_told_{false};
    std::atomic<bool> stopped_{false};
    detail::Mutex seats_mutex_;
    std::list<std::thread> seats_ BELAY_GUARDED_BY(seats_mutex_);
    std::thread reserve_;
};

}  // namespace belay::runtime
