#include <belay/versions.hpp>

#include <algorithm>
#include <cstddef>

namespace belay {

namespace {

/// Takes the part before the first dot off the version, with the dot.
std::string_view take_part(std::string_view& version) {
    const std::size_t dot = version.find('.');
    const std::string_view part = version.substr(0, dot);
    version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
    return part;
}

bool is_number(std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the number without leading zeros. A number may have any length: without zeros the longer
/// one is larger.
std::string_view significant(std::string_view number) {
    const std::size_t first = number.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : number.substr(first);
}

std::strong_ordering compare_parts(std::string_view one, std::string_view other) {
    if (!is_number(one) || !is_number(other)) {
        if (is_number(one) != is_number(other)) {
            return is_number(one) ? std::strong_ordering::greater : std::strong_ordering::less;
        }
        return one.compare(other) <=> 0;
    }
    one = significant(one);
    other = significant(other);
    if (one.size() != other.size()) return one.size() <=> other.size();
    return one.compare(other) <=> 0;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view one, std::string_view other) {
    while (!one.empty() || !other.empty()) {
        const std::string_view part = take_part(one);
        const auto order = compare_parts(part, take_part(other));
        if (order != 0) return order;
    }
    return std::strong_ordering::equal;
}

}  // namespace belay
