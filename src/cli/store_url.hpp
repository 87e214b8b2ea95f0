// A store, as a URL.
#pragma once

#include <belay/store/sqlite.hpp>

#include <string>
#include <string_view>

namespace belay::cli {

struct StoreUrl {
    std::string path;
    SqliteOptions options;
};

/// Reads "sqlite:PATH", "sqlite:///absolute/path?synchronous=normal&lock_timeout=5s". The path must
/// not contain %, ? and #: they are written as %25, %3F, %23. Returns `invalid_argument` if the URL
/// is wrong, `unsupported` if this program does not have such a store.
[[nodiscard]] Result<StoreUrl> parse_store_url(std::string_view url);

}  // namespace belay::cli
