// The files that Belay has beside the database. The users of the database may use them.
#pragma once

#include <belay/error.hpp>
#include <belay/store/sqlite/examine.hpp>

#include <fcntl.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace belay::sqlite {

/// The flags for opening these files. A symbolic link is not followed, as SQLite does not follow
/// one for the log. Otherwise anybody who may write to the directory could make root give away the
/// link's target.
inline constexpr int kOpeningBeside = O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;

/// Returns none if there is no such file.
[[nodiscard]] std::optional<FileAccess> access_of(const std::string& path);

/// Gives the open file of `descriptor` the mode and the group of the file `database`, and for root
/// its owner, as SQLite does with the log. Does nothing if there is no database yet: SQLite then
/// makes it with the mode of `kModeOfNewFiles`. Changes nothing for a user who does not own the
/// file. This is no error: `doctor` reports it.
void take_access_of(const std::string& database, int descriptor);

/// Gives the file `path` the group of the file `database`. SQLite gives the log and its index the
/// mode of the database, but its group only if it runs as root. Opens nothing: closing a second
/// descriptor of a file would end the locks that SQLite has on it.
void take_group_of(const std::string& database, const std::string& path);

/// The mode with which SQLite makes the database, before the umask.
inline constexpr mode_t kModeOfNewFiles = 0644;

/// Refuses an open file that is not regular or has another name: it may belong to somebody else.
[[nodiscard]] Result<void> check_own(const std::string& path, int descriptor);

/// Returns the reason why `path`, a file beside `database`, could not be opened. `reason` is the
/// errno. Returns `unavailable` if it may succeed later, and `invalid_argument` if it cannot.
[[nodiscard]] Error cannot_open(const std::string& path, const std::string& database, int reason);

}  // namespace belay::sqlite
