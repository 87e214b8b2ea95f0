#include "cli/settings.hpp"

#include "cli/exit_code.hpp"
#include "cli/text.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace belay::cli {

namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Returns the text between the quotes. Only a comment may stand behind them.
std::optional<std::string> quoted_value(std::string_view text) {
    if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
    const std::size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view behind = trimmed(text.substr(end + 1));
    if (!behind.empty() && behind.front() != '#') return std::nullopt;
    const std::string_view value = text.substr(1, end - 1);
    if (value.contains('\\')) return std::nullopt;  // Escapes are not needed here.
    return std::string(value);
}

/// A relative sqlite: path, as seen from the directory of the file it was read from.
std::string beside(const std::string& url, const std::string& file) {
    constexpr std::string_view kScheme = "sqlite:";
    const fs::path directory = fs::path(file).parent_path();
    if (!url.starts_with(kScheme) || url.substr(kScheme.size()).starts_with('/')) return url;
    if (directory.empty() || directory == ".") return url;
    std::string prefix;
    for (const char c : directory.string()) {
        constexpr std::string_view kSpecial = "%?#";
        constexpr std::string_view kCodes = "253F23";
        const std::size_t which = kSpecial.find(c);
        if (which == std::string_view::npos) {
            prefix += c;
        } else {
            prefix += "%" + std::string(kCodes.substr(2 * which, 2));
        }
    }
    return std::string(kScheme) + prefix + "/" + url.substr(kScheme.size());
}

/// Returns none if it is not there, as far as this user may see. A file that is there counts: it is
/// not passed over because it cannot be read.
std::optional<std::string> read_file(const std::string& path) {
    std::error_code problem;
    if (!fs::exists(path, problem)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (file) content << file.rdbuf();
    // A directory opens, and fails when it is read.
    file.peek();
    if (file.is_open() && !file.bad()) return content.str();
    throw Problem(Exit::trouble,
                  "'" + safe(path) + "' is there and cannot be read",
                  "is it a file, and may this user read it? With --store or BELAY_STORE and "
                  "--space or BELAY_SPACE it is not needed");
}

Settings from_files(const Environment& environment) {
    const std::string here = (fs::path(environment.directory) / "belay.toml").string();
    if (const auto text = read_file(here)) return read_settings(*text, here);
    const auto configured = environment.variable("XDG_CONFIG_HOME");
    const auto home = environment.variable("HOME");
    fs::path directory;
    if (configured && !configured->empty()) {
        directory = *configured;
    } else if (home && !home->empty()) {
        directory = fs::path(*home) / ".config";
    } else {
        return {};
    }
    const std::string own = (directory / "belay" / "config").string();
    if (const auto text = read_file(own)) return read_settings(*text, own);
    return {};
}

}  // namespace

Settings read_settings(const std::string& text, const std::string& path) {
    Settings settings;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#') continue;
        if (content.front() == '[') break;  // Tables are for others, retention among them.
        const std::string where = safe(path) + ", line " + std::to_string(number) + ": ";
        const std::size_t equals = content.find('=');
        const std::string_view key = trimmed(content.substr(0, equals));
        const auto value = equals == std::string_view::npos
                               ? std::nullopt
                               : quoted_value(trimmed(content.substr(equals + 1)));
        if (!value) {
            throw usage_problem(where + "not a setting; one is written: store = \"sqlite:PATH\"");
        }
        if (key == "store") {
            settings.store = beside(*value, path);
            settings.store_from = path;
        } else if (key == "space") {
            settings.space = *value;
        } else if (key == "keys") {
            settings.keys = (fs::path(path).parent_path() / *value).string();
        } else {
            throw usage_problem(where + "unknown setting '" + safe(key) +
                                "'; known are store, space and keys");
        }
    }
    return settings;
}

Settings settings_of(const Arguments& arguments, const Environment& environment) {
    const auto said = [&](const char* option, const char* variable) -> std::optional<std::string> {
        if (auto value = arguments.value(option)) return value;
        auto value = environment.variable(variable);
        return value && !value->empty() ? value : std::nullopt;
    };
    const auto store = said("store", "BELAY_STORE");
    const auto space = said("space", "BELAY_SPACE");
    // A file that is not needed is not read: a mistake in it must not be in the way.
    Settings settings = store && space ? Settings() : from_files(environment);
    if (store) {
        settings.store = *store;
        settings.store_from = arguments.has("store") ? "--store" : "BELAY_STORE";
        settings.keys.clear();
    }
    const auto keys = environment.variable("BELAY_KEYS");
    if (keys && !keys->empty()) settings.keys = *keys;
    if (space) settings.space = *space;
    return settings;
}

}  // namespace belay::cli
