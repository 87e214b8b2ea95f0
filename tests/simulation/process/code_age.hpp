// Code that changes while runs are under way.
#pragma once

#include <belay/context.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace belay::sim {

/// The age of the code of a process.
enum class CodeAge : std::uint8_t {
    before_patches,   ///< It knows of no patch, and goes the old way.
    with_patches,     ///< It asks at each patch which way to go.
    patches_retired,  ///< There is only the new way left.
    patches_removed,  ///< And nothing that says there was another.
    broken,           ///< Somebody changed a call, and thought of neither versions nor patches.
};

[[nodiscard]] std::string_view to_string(CodeAge age);

/// Custom statuses that begin so say which way code went at a patch. So history has it.
inline constexpr const char* kNewWay = "new way at ";
inline constexpr const char* kOldWay = "old way at ";

/// The beginning of an activity's input, if broken code calls it in the place of another, and if it
/// is the one that should be called.
inline constexpr const char* kSpoiled = "spoiled ";
inline constexpr const char* kSound = "(a";

/// The answers that one execution got at patches.
class PatchAnswers {
public:
    explicit PatchAnswers(CodeAge age) : age_(age) {}

    /// True if the code must go the new way. The answer stays.
    [[nodiscard]] bool ask(const OrchestrationContext& ctx, const std::string& name);

private:
    CodeAge age_;
    std::map<std::string, bool> answers_;
};

}  // namespace belay::sim
