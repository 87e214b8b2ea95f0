// The one true store, and whoever watches what is done to it.
#pragma once

#include "simulation/clocks.hpp"
#include "simulation/report.hpp"
#include "store/memory/tables.hpp"
#include <belay/store/store.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace belay::sim {

/// Sees every change of the store, just before and just after it.
class Watcher {
public:
    virtual ~Watcher() = default;
    virtual void before_commit(const memory::Tables& tables, const Transition& transition) = 0;
    virtual void after_commit(const memory::Tables& tables,
                              const Transition& transition,
                              const Answer& answer) = 0;
    virtual void before_claim(const memory::Tables& tables) = 0;
    virtual void after_claim(const memory::Tables& tables,
                             const ClaimInstances& request,
                             const ClaimInstances::Answer& answer) = 0;
    virtual void after_claim(const memory::Tables& tables,
                             const ClaimActivities& request,
                             const ClaimActivities::Answer& answer) = 0;
};

/// A memory store on the virtual clock. Transitions of a batch are applied one by one, which the
/// contract allows, so that the watcher sees the state between them.
class Truth {
public:
    Truth(StoreClock& clock, const StoreOptions& options, Trace& trace);

    void watch(Watcher* watcher) { watcher_ = watcher; }
    [[nodiscard]] Store& store() noexcept { return *store_; }
    [[nodiscard]] Timestamp now() { return clock_.wall(); }

    [[nodiscard]] std::vector<Answer> commit(const std::vector<Transition>& batch);
    [[nodiscard]] ClaimInstances::Answer claim(const ClaimInstances& request);
    [[nodiscard]] ClaimActivities::Answer claim(const ClaimActivities& request);
    template <class Request>
    [[nodiscard]] Result<typename Request::Answer> read(const Request& request) {
        std::optional<Result<typename Request::Answer>> answer;
        store_->read(request,
                     [&](Result<typename Request::Answer> one) { answer.emplace(std::move(one)); });
        BELAY_ASSERT(answer.has_value());
        return std::move(*answer);
    }
    void with_tables(const std::function<void(memory::Tables&)>& use);

private:
    StoreClock& clock_;
    Trace& trace_;
    std::unique_ptr<Store> store_;
    Watcher* watcher_ = nullptr;
};

/// For the trace: "Turn order-7.1, Cancel order-8".
[[nodiscard]] std::string describe(const Transition& transition);
[[nodiscard]] std::string describe(const Answer& answer);

}  // namespace belay::sim
