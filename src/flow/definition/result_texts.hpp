// Compares the steps of two definitions: would a step give the same result?
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace belay::flow {

/// The parts of a definition that decide results, in a form that does not depend on the layout.
struct ResultTexts {
    /// By step of the list `steps`. Left out are the steps before it, its retries and times, its
    /// place in queues, and the consequences of its end.
    std::map<std::string, std::string, std::less<>> steps{};
    std::string env{};   ///< The environment of all programs.
    std::string flow{};  ///< All that decides the output of a run, its steps and `env` included.
};

/// `source`: a definition without mistakes.
[[nodiscard]] ResultTexts result_texts(std::string_view source);

}  // namespace belay::flow
