// Which processes have a file open.
#pragma once

#include "store/sqlite/examine.hpp"

#include <string>
#include <vector>

namespace belay::sqlite {

/// As far as /proc shows them to this user; without this process.
[[nodiscard]] std::vector<FileUser> users_of(const std::string& path);

}  // namespace belay::sqlite
