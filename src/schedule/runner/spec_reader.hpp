// The fields of a schedule's JSON form, one by one.
#pragma once

#include "base/duration.hpp"
#include "base/utc.hpp"
#include "schedule/runner/strict_object.hpp"
#include "schedule/runner/words.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::schedule {

/// Reads the fields of one object.
class SpecReader {
public:
    SpecReader(StrictObject& object, Problems& problems) : object_(object), problems_(problems) {}

    void text(std::string_view name, std::string& out) {
        if (const json::Value* const found = object_.field(name, json::Kind::text)) {
            out = found->text;
        }
    }
    void truth(std::string_view name, bool& out) {
        if (const json::Value* const found = object_.field(name, json::Kind::boolean)) {
            out = found->truth;
        }
    }
    [[nodiscard]] std::optional<Millis> duration(std::string_view name) {
        const json::Value* const found = object_.field(name, json::Kind::text);
        if (found == nullptr) return std::nullopt;
        const std::optional<Millis> time = base::parse_duration(found->text);
        if (!time) bad(name, found->text, "no duration, such as \"90s\" or \"1h30m\"");
        return time;
    }
    [[nodiscard]] std::optional<Timestamp> time(std::string_view name) {
        const json::Value* const found = object_.field(name, json::Kind::text);
        if (found == nullptr) return std::nullopt;
        std::string text = found->text;
        if (text.size() == 20 && text.back() == 'Z') text.insert(19, ".000");
        const std::optional<Timestamp> at = base::parse_stamp(text);
        if (!at) bad(name, found->text, "no time in UTC, such as \"2026-11-19T03:15:00Z\"");
        return at;
    }
    void integer(std::string_view name, std::int32_t& out) {
        const json::Value* const found = object_.field(name, json::Kind::number);
        if (found == nullptr) return;
        const char* const end = found->text.data() + found->text.size();
        const auto [stopped, problem] = std::from_chars(found->text.data(), end, out);
        if (problem == std::errc() && stopped == end) return;
        bad(name, found->text, "no integer of 32 bits");
    }
    template <class Choice, std::size_t N>
    void choice(std::string_view name, const Word<Choice> (&words)[N], Choice& out) {
        const json::Value* const found = object_.field(name, json::Kind::text);
        if (found == nullptr) return;
        if (const std::optional<Choice> one = find_choice(words, found->text)) {
            out = *one;
            return;
        }
        std::string all;
        for (const Word<Choice>& word : words) {
            all += (all.empty() ? "" : ", ") + std::string(word.second);
        }
        bad(name, found->text, "none of " + all);
    }

private:
    void bad(std::string_view name, const std::string& text, const std::string& what) {
        problems_.add("\"" + std::string(name) + "\": \"" + text + "\" is " + what);
    }

    StrictObject& object_;
    Problems& problems_;
};

/// Writes a duration in the largest unit that gives a whole number.
[[nodiscard]] inline std::string duration_text(Millis time) {
    constexpr std::pair<std::int64_t, const char*> kUnits[] = {
        {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}, {1, "ms"}};
    for (const auto& [size, unit] : kUnits) {
        if (time.count() % size == 0) return std::to_string(time.count() / size) + unit;
    }
    return "0ms";
}

}  // namespace belay::schedule
