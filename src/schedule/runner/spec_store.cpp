#include "schedule/runner/spec_store.hpp"

#include "schedule/runner/names.hpp"

#include <algorithm>

namespace belay::schedule {

namespace {

/// Less than Limits::key_value_bytes. Recorded runs depend on it.
constexpr std::size_t kPart = 60'000;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string spec_key(std::size_t part) {
    return part == 0 ? kSpec : std::string(kSpec) + "." + std::to_string(part);
}

std::vector<std::string> split_spec(const std::string& spec) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin < spec.size()) {
        std::size_t end = std::min(spec.size(), begin + kPart);
        while (end < spec.size() && end > begin + 1 && continues_character(spec[end])) --end;
        parts.push_back(spec.substr(begin, end - begin));
        begin = end;
    }
    return parts;
}

std::string spec_in(const std::map<std::string, Payload>& values) {
    std::string spec;
    for (std::size_t i = 0;; ++i) {
        const auto part = values.find(spec_key(i));
        if (part == values.end()) return spec;
        spec += part->second.bytes;
    }
}

}  // namespace belay::schedule
