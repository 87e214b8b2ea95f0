// EXPECT: no matching (member )?function for call to

#include <belay/task.hpp>

inline constexpr belay::Activity<int(std::string)> Count{"Count"};
inline constexpr belay::Activity<void(std::string, belay::FlowFailure)> Tell{"Tell"};
inline constexpr belay::Activity<void(int)> Show{"Show"};

void code() {
    belay::Task<int(std::string)> task("count", Count);
#ifdef BELAY_CONTROL
    task.on_fail(Tell);
#else
    task.on_fail(Show);
#endif
}
