// The store and the namespace: from the command line, the environment or a file.
#pragma once

#include "cli/command.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace belay::cli {

/// The environment of the process. Injected.
struct Environment {
    std::function<std::optional<std::string>(const std::string&)> variable;
    std::string directory;  ///< The working directory.
};

struct Settings {
    std::string store;       ///< A URL; empty: not set.
    std::string store_from;  ///< Its source, for errors: "--store", "./belay.toml".
    std::string space = "default";
    std::string keys;  ///< The path of a key file; empty: none.
};

/// A file of settings: lines `store = "sqlite:orders.db"`, `space = "default"`, `keys = "PATH"`,
/// comments behind #.
/// It is TOML. All behind the first [table] is for others.
/// A relative path of a store or of keys is meant from the directory of the file. Throws a Problem
/// that names the line.
[[nodiscard]] Settings read_settings(const std::string& text, const std::string& path);

/// The command line first, then BELAY_STORE and BELAY_SPACE, then ./belay.toml or, if there is
/// none, ~/.config/belay/config (below $XDG_CONFIG_HOME, if that is set). Keys are named by
/// BELAY_KEYS, else by the file that names the store: they are those of that store.
[[nodiscard]] Settings settings_of(const Arguments& arguments, const Environment& environment);

}  // namespace belay::cli
