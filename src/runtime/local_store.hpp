// The store as the clients of a process with a runtime see it.
#pragma once

#include "runtime/turn_dispatcher.hpp"
#include "store/forwarding_store.hpp"

#include <vector>

namespace belay::runtime {

/// A lone start of a run that can have its first turn at once.
[[nodiscard]] bool is_ready_start(const std::vector<Transition>& batch);

/// Passes everything on, except that a ready start goes to the runtime, which commits it together
/// with the run's first turn.
class LocalStore final : public ForwardingStore {
public:
    LocalStore(Store& store, TurnDispatcher& turns) : ForwardingStore(store), turns_(turns) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;

private:
    TurnDispatcher& turns_;
};

}  // namespace belay::runtime
