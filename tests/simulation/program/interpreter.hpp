// The orchestration that runs random programs, and the handles it uses.
#pragma once

#include "simulation/process/code_age.hpp"
#include "simulation/program/program.hpp"
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace belay::sim {

/// Program, the messages received so far, and the number of times it may still continue as new.
using Program = Definition<std::string(std::string, std::string, std::int64_t)>;
inline constexpr std::array<Program, 2> kDefinitions = {Program{"alpha"}, Program{"beta"}};

/// The versions of their code; not every process has the second.
inline constexpr const char* kFirstVersion = "1";
inline constexpr const char* kSecondVersion = "2";

using Work = Activity<std::string(std::string)>;
inline constexpr std::array<Work, 3> kActivities = {Work{"pack"}, Work{"ship"}, Work{"bill"}};

inline constexpr std::array<const char*, 2> kQueues = {"", "slow"};
/// Fairness keys: the last is for nobody, whom only the limits of a whole queue bind.
inline constexpr std::array<const char*, 3> kFairnessKeys = {"ann", "bob", ""};
/// The text of a hold that operators made, and of a failure that ended it.
inline constexpr const char* kHeldByHand = "held by hand";

inline constexpr std::array<const char*, 2> kEvents = {"go", "pay"};
inline constexpr std::array<const char*, 2> kMailQueues = {"mail", "news"};

/// Runs `program` as code of that time, and returns the messages that it received, each followed by
/// a space.
[[nodiscard]] Orchestration<std::string> run_program(OrchestrationContext ctx,
                                                     CodeAge age,
                                                     std::string program,
                                                     std::string received,
                                                     std::int64_t continuations);

/// The version that an operator wants for a run under this id; empty: the newest.
[[nodiscard]] std::string wanted_version(const std::string& id);

/// The input of an instance that runs `program`; some are large.
[[nodiscard]] Payload program_input(const std::string& program, std::int64_t continuations);

/// The part of the code that a process has.
struct Code {
    std::array<bool, kDefinitions.size()> definitions{true, true};
    std::array<bool, kActivities.size()> activities{true, true, true};
    bool second_version = true;  ///< Each of its definitions has both versions.
    CodeAge age = CodeAge::with_patches;
    bool operator==(const Code&) const = default;
};
/// For the trace: describes unusual code.
[[nodiscard]] std::string describe(const Code& code);

void register_code(Registry& registry, const Code& code);

}  // namespace belay::sim
