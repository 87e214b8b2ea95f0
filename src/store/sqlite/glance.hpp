// A look at a file before anything is opened, locked or created beside it.
#pragma once

#include <belay/error.hpp>

#include <string>

namespace belay::sqlite {

/// Looks at the file `path`. Creates nothing beside it and takes no lock. Returns `unsupported`,
/// with the name of what it is, if it is another program's database. Returns `corrupt` if it is no
/// database. Succeeds for a file that is not there, cannot be read or is not marked yet: opening it
/// decides.
[[nodiscard]] Result<void> peek(const std::string& path);

/// The error for a file of another program. `contents` says what it is, in words.
[[nodiscard]] Error foreign_file(const std::string& contents);

/// Returns the words for `foreign_file`: the application id as a number and, if it is text, as
/// text.
[[nodiscard]] std::string describe_application(std::int64_t application);

/// Returns the URI for opening `path` with these parameters, as "immutable=1".
[[nodiscard]] std::string uri_of(const std::string& path, const std::string& parameters);

}  // namespace belay::sqlite
