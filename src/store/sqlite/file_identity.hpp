// The identity of the file behind a name or a descriptor.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace belay::sqlite {

/// A file, whatever its name. No other file gets the same identity while it is open.
struct FileIdentity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const FileIdentity&) const = default;
};

/// Returns none if there is no such file or it cannot be examined. errno then has the reason.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::string& path);
[[nodiscard]] std::optional<FileIdentity> identity_of(int descriptor);

/// True if a descriptor of this process is of the file. Also true if /proc is not mounted.
[[nodiscard]] bool is_open_here(const FileIdentity& file);

}  // namespace belay::sqlite
