// Checks of requests for lists.
#pragma once

#include <belay/error.hpp>
#include <belay/store/listing.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay::client {

inline constexpr std::uint32_t kLargestPage = 1'000;
/// At most so many are asked for at once.
[[nodiscard]] Result<void> check_page_size(std::uint32_t size, std::uint32_t most = kLargestPage);
[[nodiscard]] Result<void> check_statuses(const std::vector<Status>& statuses);
/// The beginning of an id or a key, of at most so many bytes: it may end within a character.
[[nodiscard]] Result<void> check_prefix(const char* of,
                                        const std::string& prefix,
                                        std::size_t most);

/// A value that the enum has: any number may come from the other side of a wire.
template <class Enum>
[[nodiscard]] Result<void> check_choice(const char* what, Enum value, Enum first, Enum last) {
    if (value >= first && value <= last) return {};
    return Error(
        Errc::invalid_argument,
        std::string("there is no ") + what + " " + std::to_string(static_cast<int>(value)));
}

[[nodiscard]] Result<void> check_source(CancelSource source);

/// The time that the cleanup of a cancel may take: as Policy::cancel_deadline is checked.
[[nodiscard]] Result<void> check_deadline(const std::optional<Millis>& deadline);

/// Returns the order in which an index has the matches.
[[nodiscard]] InstanceOrder natural_order(const InstanceMatch& match);

}  // namespace belay::client
