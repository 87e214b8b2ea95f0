#include "model/annotations.hpp"

#include "base/utf8.hpp"
#include <belay/ids.hpp>

#include <cmath>
#include <string>
#include <variant>

namespace belay::model {

namespace {

/// The most bytes of a bad name that are shown: enough to find it by.
constexpr std::size_t kNameShown = 64;

Error too_much(const std::string& what,
               std::size_t has,
               const std::string& unit,
               std::size_t most) {
    return Error(Errc::limit_exceeded,
                 what + " " + std::to_string(has) + " " + unit + "; at most " +
                     std::to_string(most) + " are allowed");
}

std::size_t size_of(const std::string& value) { return value.size(); }
/// A number is as large as its stored form, whatever its digits.
std::size_t size_of(const LabelValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? text->size() : sizeof(std::int64_t);
}

bool is_finite(const std::string& /*value*/) { return true; }
bool is_finite(const LabelValue& value) {
    const auto* real = std::get_if<double>(&value);
    return real == nullptr || std::isfinite(*real);
}

struct Bounds {
    std::size_t count;
    std::size_t bytes;
    std::size_t name_bytes;
};

template <class Map>
Result<void> check(const std::string& kind, const Map& entries, const Bounds& bounds) {
    if (entries.size() > bounds.count) {
        return too_much("there are", entries.size(), kind + "s", bounds.count);
    }
    for (const auto& [name, value] : entries) {
        const std::string shown = kind + " '" + base::printable(name, kNameShown) + "'";
        if (auto valid = check_name("the name of " + shown, name, bounds.name_bytes); !valid) {
            return valid;
        }
        if (!is_finite(value)) {
            return Error(Errc::invalid_argument,
                         shown + " is not a number, or infinite; nothing would find it");
        }
        const std::size_t bytes = name.size() + size_of(value);
        if (bytes > bounds.bytes) {
            return too_much("name and value of " + shown + " are", bytes, "bytes", bounds.bytes);
        }
    }
    return {};
}

}  // namespace

Result<void> check_labels(const Labels& labels, const Limits& limits) {
    return check("label", labels, Bounds{limits.labels, limits.label_bytes, limits.name_bytes});
}

Result<void> check_headers(const Headers& headers, const Limits& limits) {
    const Bounds bounds{limits.headers, limits.header_bytes, limits.name_bytes};
    return check("header", headers, bounds);
}

Result<void> check_given_headers(const Headers& headers, const Limits& limits) {
    if (auto valid = check_headers(headers, limits); !valid) return valid;
    const auto own = headers.lower_bound(std::string(kOwnHeaders));
    if (own == headers.end() || !own->first.starts_with(kOwnHeaders)) return {};
    return Error(Errc::invalid_argument,
                 "the name of header '" + base::printable(own->first, kNameShown) +
                     "' begins with '" + std::string(kOwnHeaders) +
                     "', which is kept for headers of Belay's own");
}

Headers given_headers(const Headers& headers) {
    Headers given = headers;
    std::erase_if(given, [](const auto& one) { return one.first.starts_with(kOwnHeaders); });
    return given;
}

}  // namespace belay::model
