// Users' codecs, behind functions that return a Result.
#pragma once

#include <belay/error.hpp>

#include <exception>
#include <string>

namespace belay::detail {

/// Returns the result of `function`, which calls a Codec. Any exception becomes `invalid_argument`:
/// "the input: 'x' is not a number", with `what` in front.
template <class Function>
auto try_codec(const std::string& what, const Function& function) -> Result<decltype(function())> {
    try {
        return function();
    } catch (const std::exception& problem) {
        const char* const text = problem.what();
        return Error(Errc::invalid_argument, what + ": " + (text == nullptr ? "" : text));
    } catch (...) {
        return Error(Errc::invalid_argument,
                     what + ": its Codec threw something that is not a std::exception");
    }
}

}  // namespace belay::detail
