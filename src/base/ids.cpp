#include "base/utf8.hpp"
#include <belay/ids.hpp>

#include <cstdio>

namespace belay {

std::string_view root_of(std::string_view instance_id) noexcept {
    return instance_id.substr(0, instance_id.find('/'));
}

Shard shard_of(std::string_view instance_id) noexcept {
    // FNV-1a: simple enough to be written the same in SQL or any other language.
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : root_of(instance_id)) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001B3ULL;
    }
    return Shard{static_cast<std::uint16_t>(hash % kShardCount)};
}

namespace {

/// Checks the size and the characters. Control characters are refused, except those in `allowed`.
Result<void> check_characters(std::string_view what,
                              std::string_view text,
                              std::size_t max_bytes,
                              std::string_view allowed) {
    const auto problem = [&](Errc code, const std::string& message) {
        return Error(code, std::string(what) + " " + message);
    };
    if (text.size() > max_bytes) {
        return problem(Errc::limit_exceeded,
                       "is " + std::to_string(text.size()) + " bytes long; at most " +
                           std::to_string(max_bytes) + " are allowed");
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = base::utf8_sequence(text.substr(at));
        if (length == 0) {
            return problem(Errc::invalid_argument,
                           "is not valid UTF-8 at byte " + std::to_string(at));
        }
        const bool fine = allowed.find(text[at]) != std::string_view::npos;
        if (!fine && base::is_control(text.substr(at, length))) {
            return problem(Errc::invalid_argument,
                           "has a control character at byte " + std::to_string(at));
        }
        at += length;
    }
    return {};
}

}  // namespace

Result<void> check_name(std::string_view what, std::string_view name, std::size_t max_bytes) {
    if (name.empty()) {
        return Error(Errc::invalid_argument, std::string(what) + " must not be empty");
    }
    return check_characters(what, name, max_bytes, "");
}

Result<void> check_instance_id(std::string_view what, std::string_view id, std::size_t max_bytes) {
    const bool is_root = root_of(id).size() == id.size();
    Result<void> whole = check_name(what, id, is_root ? max_bytes : max_bytes + kShortPathBytes);
    if (!whole || is_root) return whole;
    return check_characters("the root's part of " + std::string(what), root_of(id), max_bytes, "");
}

Result<void> check_text(std::string_view what, std::string_view text, std::size_t max_bytes) {
    return check_characters(what, text, max_bytes, "\n\t");
}

std::string to_string(RunRef run) {
    return std::to_string(run.shard.value) + ":" + std::to_string(run.key.value);
}

std::string to_string(const ActivityRef& activity) {
    return to_string(activity.run) + "/" + std::to_string(activity.execution) + "#" +
           std::to_string(activity.command);
}

std::string to_string(LeaseToken token) {
    char text[40];
    std::snprintf(text,
                  sizeof text,
                  "%016llx-%llu",
                  static_cast<unsigned long long>(token.holder),
                  static_cast<unsigned long long>(token.serial));
    return text;
}

}  // namespace belay
