// Whether what is asked of a list makes sense.
#pragma once

#include <belay/error.hpp>
#include <belay/store/listing.hpp>

#include <cstdint>
#include <string>

namespace belay::client {

[[nodiscard]] Result<void> check_page_size(std::uint32_t size);
[[nodiscard]] Result<void> check_statuses(const std::vector<Status>& statuses);
/// The beginning of an id or a key, of at most so many bytes: it may end within a character.
[[nodiscard]] Result<void> check_prefix(const char* of,
                                        const std::string& prefix,
                                        std::size_t most);

}  // namespace belay::client
