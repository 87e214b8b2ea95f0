// Which store, as a URL.
#pragma once

#include <belay/store/sqlite.hpp>

#include <string>
#include <string_view>

namespace belay::cli {

struct StoreUrl {
    std::string path;
    SqliteOptions options;
};

/// "sqlite:PATH", "sqlite:///absolute/path?synchronous=normal&lock_timeout=5s". What the path must
/// not contain (%, ?, #) is written as %25, %3F, %23. `invalid_argument` says what is wrong with
/// it; `unsupported` of a store that this program does not have.
[[nodiscard]] Result<StoreUrl> parse_store_url(std::string_view url);

}  // namespace belay::cli
