// The files that Belay has beside the database, and who may use them: whoever may use the database.
#pragma once

#include <belay/error.hpp>
#include <belay/store/sqlite/examine.hpp>

#include <fcntl.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace belay::sqlite {

/// The way these files are opened. A symbolic link is not followed, as SQLite does not for the log:
/// who may write to the directory must not have root give away the file that it leads to.
inline constexpr int kOpeningBeside = O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;

/// Returns nothing if there is no such file.
[[nodiscard]] std::optional<FileAccess> access_of(const std::string& path);

/// Gives the open file of `descriptor` the mode and the group of the file `database`, and for root
/// its owner, as SQLite does with the log. Does nothing if there is no database yet: SQLite then
/// makes it with the mode that `kModeOfNewFiles` gives. A user who does not own the file changes
/// nothing, which is no error: `doctor` tells.
void take_access_of(const std::string& database, int descriptor);

/// Gives the file `path` the group of the file `database`. SQLite gives the log and its index the
/// mode of the database, but its group only if it runs as root. Opens nothing: to close a second
/// descriptor of a file would end the locks that SQLite has on it.
void take_group_of(const std::string& database, const std::string& path);

/// As SQLite makes the database, before the umask.
inline constexpr mode_t kModeOfNewFiles = 0644;

/// Refuses an open file that is no regular one, or has another name: it may be somebody else's.
[[nodiscard]] Result<void> check_own(const std::string& path, int descriptor);

/// Why `path`, a file beside `database`, could not be opened; `reason` is the errno. Returns
/// `unavailable` if it may succeed later, and `invalid_argument` if it cannot.
[[nodiscard]] Error cannot_open(const std::string& path, const std::string& database, int reason);

}  // namespace belay::sqlite
