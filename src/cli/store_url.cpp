#include "cli/store_url.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"

#include <optional>

namespace belay::cli {

namespace {

Error bad_url(std::string_view url, const std::string& why) {
    return Error(Errc::invalid_argument, "the store '" + safe(url) + "' " + why);
}

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

/// Returns none if a % is not followed by two digits, or stands for the end of a string.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
        if (!low || *high * 16 + *low == 0) return std::nullopt;
        result += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return result;
}

/// Applies one "name=value". Returns the mistake in it, or an empty text.
std::string apply_setting(std::string_view setting, SqliteOptions& options) {
    const std::size_t equals = setting.find('=');
    const std::string name(setting.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
    if (name == "synchronous") {
        if (value != "full" && value != "normal") return "synchronous is full or normal";
        options.synchronous(value == "full" ? Synchronous::full : Synchronous::normal);
        return {};
    }
    if (name == "lock_timeout") {
        const auto timeout = parse_duration(value);
        if (!timeout) return "lock_timeout is a duration such as 5s";
        options.lock_timeout(*timeout);
        return {};
    }
    return "does not know '" + safe(name) + "'; it knows synchronous and lock_timeout";
}

Result<StoreUrl> parse_sqlite(std::string_view url, std::string_view rest) {
    const std::size_t question = rest.find('?');
    std::string_view path = rest.substr(0, question);
    if (path.contains('#')) return bad_url(url, "has a '#'; in a path it is written %23");
    if (path.starts_with("//")) {
        path.remove_prefix(2);
        if (!path.starts_with('/')) {
            return bad_url(
                url, "names a host; a file is sqlite:relative/path or sqlite:///absolute/path");
        }
    }
    const auto decoded = percent_decoded(path);
    if (!decoded) return bad_url(url, "has a '%' that is not followed by two hexadecimal digits");
    if (decoded->empty()) return bad_url(url, "has no path");
    StoreUrl result{*decoded, {}};
    std::string_view settings =
        question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
    while (!settings.empty()) {
        const std::size_t end = settings.find('&');
        const std::string problem = apply_setting(settings.substr(0, end), result.options);
        if (!problem.empty()) return bad_url(url, "is wrong behind the '?': " + problem);
        settings = end == std::string_view::npos ? std::string_view() : settings.substr(end + 1);
    }
    return result;
}

}  // namespace

Result<StoreUrl> parse_store_url(std::string_view url) {
    const std::size_t colon = url.find(':');
    const std::string_view scheme = url.substr(0, colon);
    if (colon == std::string_view::npos || scheme.contains('/')) {
        return bad_url(url, "is no URL; a file is named as sqlite:" + safe(url));
    }
    if (scheme == "sqlite") return parse_sqlite(url, url.substr(colon + 1));
    const std::string name(scheme == "postgresql" ? "postgres" : scheme);
    return Error(Errc::unsupported, safe(name) + ": not in this build, which has sqlite:PATH");
}

}  // namespace belay::cli
