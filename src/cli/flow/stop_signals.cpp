#include "cli/flow/stop_signals.hpp"

#include <atomic>

namespace belay::cli {

namespace {

// Atomics, because any thread of the worker may receive the signal.
std::atomic<int> interrupt_count{0};
std::atomic<bool> was_terminated{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void note(int signal) {
    if (signal == SIGINT) {
        interrupt_count.fetch_add(1);
    } else {
        was_terminated.store(true);
    }
}

}  // namespace

StopSignals::StopSignals() {
    interrupt_count = 0;
    was_terminated = false;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction action{};
        action.sa_handler = note;
        action.sa_flags = SA_RESTART;
        ::sigaction(kSignals.at(i), nullptr, &before_.at(i));
        // `nohup belay run` goes on without its terminal.
        if (before_.at(i).sa_handler == SIG_IGN) continue;
        ::sigaction(kSignals.at(i), &action, nullptr);
    }
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals.at(i), &before_.at(i), nullptr);
    }
}

int StopSignals::interrupts() noexcept { return interrupt_count.load(); }
bool StopSignals::terminated() noexcept { return was_terminated.load(); }

}  // namespace belay::cli
