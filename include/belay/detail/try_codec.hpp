// Users' codecs, behind functions that return a Result.
#pragma once

#include <belay/codec.hpp>
#include <belay/error.hpp>
#include <belay/payload.hpp>

#include <exception>
#include <optional>
#include <string>
#include <utility>

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

/// Decodes a payload that was asked for, if there is one.
template <class T>
Result<std::optional<T>> decode_found(const std::string& what,
                                      const Result<std::optional<Payload>>& found) {
    if (!found) return found.error();
    if (!*found) return std::optional<T>();
    return try_codec(what,
                     [&] { return std::optional<T>(std::in_place, Codec<T>::decode(**found)); });
}

}  // namespace belay::detail
