// The signals that can ask a program of a step to end.
#pragma once

#include <array>
#include <csignal>
#include <string_view>
#include <utility>

namespace belay::flow {

/// A name of a definition, and its signal. The first one is the usual one.
using StopSignal = std::pair<std::string_view, int>;

inline constexpr std::array<StopSignal, 7> kStopSignals{{{"TERM", SIGTERM},
                                                         {"INT", SIGINT},
                                                         {"HUP", SIGHUP},
                                                         {"QUIT", SIGQUIT},
                                                         {"USR1", SIGUSR1},
                                                         {"USR2", SIGUSR2},
                                                         {"KILL", SIGKILL}}};

}  // namespace belay::flow
