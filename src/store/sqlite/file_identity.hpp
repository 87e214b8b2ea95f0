// Which file a name or a descriptor stands for.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace belay::sqlite {

/// A file, whatever its name. No other file gets the same identity while somebody has it open.
struct FileIdentity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const FileIdentity&) const = default;
};

/// Returns nothing if there is no such file, or it cannot be looked at; errno then says why.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::string& path);
[[nodiscard]] std::optional<FileIdentity> identity_of(int descriptor);

/// True if a descriptor of this process stands for the file. True where /proc is not mounted.
[[nodiscard]] bool is_open_here(const FileIdentity& file);

}  // namespace belay::sqlite
