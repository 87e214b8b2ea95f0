// Reading a JSON object of which every field is known, with all problems named.
#pragma once

#include "json/value.hpp"
#include "json/writer.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::schedule {

/// The problems of a text, in the order they were found.
class Problems {
public:
    void add(std::string problem) { all_.push_back(std::move(problem)); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    /// Returns all of them in one sentence.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::string> all_;
};

/// Hands out the fields of an object. A field of another kind, and a field that nobody asked for,
/// is a problem. `value` and `problems` must outlive it.
class StrictObject {
public:
    StrictObject(const json::Value& value, Problems& problems);

    /// Returns null if there is no such field.
    [[nodiscard]] const json::Value* any(std::string_view name);
    /// Returns null if there is no such field, or if it is of another kind, which is a problem.
    [[nodiscard]] const json::Value* field(std::string_view name, json::Kind kind);
    /// Reports the fields that nobody has asked for.
    void finish();

private:
    const json::Value& value_;
    Problems& problems_;
    std::vector<std::string> asked_;
};

/// Writes a value as it was read, without spaces.
void write_value(json::Writer& out, const json::Value& value);

}  // namespace belay::schedule
