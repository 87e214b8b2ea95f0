#include "flow/definition/problem.hpp"

namespace belay::flow {

std::string to_string(const Problem& problem) {
    std::string text;
    if (!problem.flow.empty()) text += problem.flow + ", ";
    if (problem.place != kNoPlace) {
        text += "line " + std::to_string(problem.place.line) + ", column " +
                std::to_string(problem.place.column);
        text += ": ";
    } else if (!text.empty()) {
        text.replace(text.size() - 2, 2, ": ");
    }
    text += problem.message;
    if (!problem.advice.empty()) text += ". " + problem.advice;
    return text;
}

}  // namespace belay::flow
