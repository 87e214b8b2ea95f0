// Threads that step a runtime.
#pragma once

#include "runtime/deferred_store.hpp"
#include "runtime/signal.hpp"
#include <belay/executor.hpp>
#include <belay/runtime.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace belay::runtime {

/// One runtime, stepped by whoever has news for it.
///
/// The core is stepped under a lock that nobody waits for: who finds it taken leaves, since its
/// holder looks for news once more when it has let go. Calls of the store are made outside the
/// lock, by whoever comes first, so that one thread commits while another one takes the next turns.
/// Two threads of its own see to it that there is always one left when one of them leads a commit;
/// a thread that has just ended an activity may `drive` as well, which saves waking another one.
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
    void start(std::uint32_t threads);

    /// Steps until there is nothing to do now, unless another thread is at it. `before_blocking` is
    /// called before a call of the store that may take long.
    void drive(const std::function<void()>& before_blocking = {});

    /// Claims nothing more, lets what runs end or gives it back, and joins its threads. False: it
    /// was not done after `most`, because the store did not answer; what was held is left to
    /// expire.
    bool stop(Millis most);

    /// See Runtime::store. Also good after `stop`.
    [[nodiscard]] Store& store() noexcept;
    [[nodiscard]] RuntimeCounts counts() const { return core_->counts(); }

private:
    class Front;
    class ToldExecutor;

    void run();
    bool round(int bursts, const std::function<void()>& before_blocking = {});
    [[nodiscard]] bool step_core(int bursts);
    [[nodiscard]] Millis until_due() const;

    Clock& clock_;
    std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
    DeferredStore deferred_;
    std::unique_ptr<ToldExecutor> executor_;
    std::unique_ptr<Runtime> core_;
    std::unique_ptr<Front> front_;
    std::mutex core_mutex_;
    std::atomic<bool> stopper_waits_{false};  // For the core's lock.
    std::atomic<Millis::rep> next_due_{0};
    bool stopping_ = false;  // Under the core's lock.
    std::atomic<bool> done_told_{false};
    std::atomic<bool> stopped_{false};
    std::vector<std::thread> threads_;
};

}  // namespace belay::runtime
