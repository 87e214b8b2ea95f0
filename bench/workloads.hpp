// The orchestrations that are measured.
#pragma once

#include <belay/activity.hpp>
#include <belay/registry.hpp>

#include <array>
#include <cstdint>

namespace belay::bench {

/// All of them take and give one number, so that nothing is measured but the engine.
using Run = belay::Definition<std::int64_t(std::int64_t)>;

inline constexpr belay::Activity<std::int64_t(std::int64_t)> Step{"Step"};
inline constexpr belay::Activity<std::int64_t(std::int64_t)> Flaky{"Flaky"};

inline constexpr Run Single{"Single"};          ///< One activity.
inline constexpr Run Fanout{"Fanout"};          ///< Five activities, joined.
inline constexpr Run Chain{"Chain"};            ///< Ten activities, one after the other.
inline constexpr Run Sequence{"Sequence"};      ///< As many in sequence as its input says.
inline constexpr Run WideJoin{"WideJoin"};      ///< As many joined as its input says.
inline constexpr Run Waiting{"Waiting"};        ///< Waits for an event.
inline constexpr Run HelperLoop{"HelperLoop"};  ///< Awaits a helper as often as its input says.
inline constexpr Run Retry{"Retry"};            ///< One activity, whose first attempt fails.
inline constexpr Run Parent{"Parent"};          ///< One child.
inline constexpr Run Leaf{"Leaf"};              ///< Such a child: ends at once.
inline constexpr Run Values{"Values"};          ///< One activity, and sets three key-values.
inline constexpr Run Consumer{"Consumer"};      ///< Receives one message of kQueue.

inline constexpr const char* kQueue = "work";

/// A workload: `rounds` times `width` activities at once.
struct Workload {
    const char* name;
    Run definition;
    std::uint32_t rounds;
    std::uint32_t width;
    std::uint32_t instances;  ///< The number in one measurement.
    std::uint32_t children = 0;
    std::uint32_t messages = 0;  ///< The client sends so many to each.
    std::uint32_t values = 0;
};

inline constexpr std::array kWorkloads{Workload{"single", Single, 1, 1, 10'000},
                                       Workload{"fanout", Fanout, 1, 5, 4'000},
                                       Workload{"chain", Chain, 10, 1, 2'000}};

/// Other features of orchestrations; measured with 500 in flight.
inline constexpr std::array kFeatures{Workload{"retry", Retry, 2, 1, 5'000},
                                      Workload{"child", Parent, 1, 0, 5'000, 1},
                                      Workload{"queue", Consumer, 1, 0, 5'000, 0, 1},
                                      Workload{"values", Values, 1, 1, 5'000, 0, 0, 3}};

/// The orchestrations above, without Step.
[[nodiscard]] Registry orchestrations();
/// With a Step that does nothing, and a Flaky that fails once.
[[nodiscard]] Registry code_without_effects();

}  // namespace belay::bench
