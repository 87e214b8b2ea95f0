#include "simulation/process/code_watch.hpp"

namespace belay::sim {

namespace {

thread_local Violations* watcher_here = nullptr;
thread_local CodeWatch* watch_here = nullptr;
thread_local std::size_t* taken_here = nullptr;

}  // namespace

CodeWatch::CodeWatch(Violations& violations) {
    watcher_here = &violations;
    watch_here = this;
}
CodeWatch::~CodeWatch() {
    watcher_here = nullptr;
    watch_here = nullptr;
}

Violations* code_watcher() noexcept { return watcher_here; }

TakenCount::TakenCount() { taken_here = &value_; }
TakenCount::~TakenCount() { taken_here = nullptr; }

void count_taken_message() noexcept {
    if (taken_here != nullptr) ++*taken_here;
}

void count_in_code(Feature feature) noexcept {
    if (taken_here == nullptr && watch_here != nullptr) watch_here->features_.add(feature);
}

}  // namespace belay::sim
