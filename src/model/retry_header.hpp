// Tells a worker which attempt of a RetryPolicy it runs: a header of the activity, so that no store
// has to know of it.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::model {

/// The number of an attempt, and the command of the first one.
struct Attempt {
    std::uint32_t number = 1;
    CommandNo first = 0;  ///< 0: this is the first.
};

/// One of the engine's own: see model::kOwnHeaders.
inline constexpr const char* kRetryHeader = "belay-attempt";

inline void set_attempt(Headers& headers, const Attempt& attempt) {
    headers[kRetryHeader] = std::to_string(attempt.number) + " of " + std::to_string(attempt.first);
}

/// Returns a first attempt if the header is missing or cannot be read.
[[nodiscard]] inline Attempt attempt_of(const Headers& headers) {
    const auto found = headers.find(kRetryHeader);
    if (found == headers.end()) return {};
    constexpr std::string_view kOf = " of ";
    const char* const end = found->second.data() + found->second.size();
    Attempt attempt;
    const auto number = std::from_chars(found->second.data(), end, attempt.number);
    const std::string_view rest(number.ptr, static_cast<std::size_t>(end - number.ptr));
    if (number.ec != std::errc() || !rest.starts_with(kOf)) return {};
    const auto first = std::from_chars(number.ptr + kOf.size(), end, attempt.first);
    if (first.ec != std::errc() || first.ptr != end) return {};
    return attempt;
}

}  // namespace belay::model
