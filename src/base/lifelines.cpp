#include "base/lifelines.hpp"

#include <unistd.h>

#include <algorithm>

namespace belay::base {

Lifelines::Known& Lifelines::all() {
    // Never destroyed: a store may be destroyed while the process ends.
    static auto* const kOnly = new Known();
    return *kOnly;
}

pid_t Lifelines::process() { return ::getpid(); }

std::uint64_t Lifelines::version() {
    Known& known = all();
    const detail::MutexLock lock(known.mutex);
    return known.version;
}

Lifeline::Lifeline(int descriptor) : descriptor_(descriptor) {
    Lifelines::Known& known = Lifelines::all();
    const detail::MutexLock lock(known.mutex);
    known.entries.push_back({descriptor, Lifelines::process()});
    ++known.version;
}

Lifeline::~Lifeline() {
    Lifelines::Known& known = Lifelines::all();
    const detail::MutexLock lock(known.mutex);
    const auto found = std::find_if(known.entries.begin(), known.entries.end(), [&](auto& one) {
        return one.descriptor == descriptor_ && one.process == Lifelines::process();
    });
    if (found != known.entries.end()) known.entries.erase(found);
    ++known.version;
}

}  // namespace belay::base
