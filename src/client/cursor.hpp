// The place where a list goes on, as a text that people can copy.
#pragma once

#include <belay/error.hpp>
#include <belay/store/listing.hpp>

#include <string>

namespace belay::client {

/// Returns the place of the last one of a page, with the mark of the request.
[[nodiscard]] std::string cursor_of(const ListInstances& request, const InstancePlace& last);
[[nodiscard]] std::string cursor_of(const ListKeys& request, const KeyPlace& last);
/// Returns `invalid_argument` if the text is no cursor, or one of a list that asked for something
/// else.
[[nodiscard]] Result<InstancePlace> read_cursor(const ListInstances& request,
                                                const std::string& cursor);
[[nodiscard]] Result<KeyPlace> read_cursor(const ListKeys& request, const std::string& cursor);

}  // namespace belay::client
