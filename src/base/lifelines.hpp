// Descriptors that tell other processes that this process lives.
#pragma once

#include <belay/detail/mutex.hpp>

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace belay::base {

/// A descriptor whose last copy is closed when this process is dead. All code of this process can
/// find it as long as this object exists. The guardian of the programs that this process runs takes
/// a copy of each. So for anyone who watches the descriptor, the process is dead only when its
/// programs are, too. A store has a lifeline and knows nothing of programs; so they meet here.
class Lifeline {
public:
    /// The descriptor must stay open as long as this object exists.
    explicit Lifeline(int descriptor);
    ~Lifeline();
    Lifeline(const Lifeline&) = delete;
    Lifeline& operator=(const Lifeline&) = delete;

private:
    const int descriptor_;
};

/// All lifelines of this process. Any thread.
class Lifelines {
public:
    /// Changes whenever a lifeline is added or removed.
    [[nodiscard]] static std::uint64_t version();
    /// Calls `use(descriptors, version)`. They stay open meanwhile.
    template <class Use>
    static void with_all(Use use) {
        Known& known = all();
        const detail::MutexLock lock(known.mutex);
        std::vector<int> descriptors;
        for (const Entry& one : known.entries) {
            // A child of fork(2) has closed the descriptors of its parent.
            if (one.descriptor >= 0 && one.process == process())
                descriptors.push_back(one.descriptor);
        }
        use(descriptors, known.version);
    }

private:
    friend class Lifeline;
    struct Entry {
        int descriptor = -1;
        pid_t process = -1;
    };
    struct Known {
        detail::Mutex mutex;
        std::vector<Entry> entries BELAY_GUARDED_BY(mutex);
        std::uint64_t version BELAY_GUARDED_BY(mutex) = 1;
    };
    [[nodiscard]] static Known& all();
    [[nodiscard]] static pid_t process();
};

}  // namespace belay::base
