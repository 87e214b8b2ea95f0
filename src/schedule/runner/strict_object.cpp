#include "schedule/runner/strict_object.hpp"

#include <algorithm>
#include <utility>

namespace belay::schedule {

namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
    return text;
}

}  // namespace

std::string Problems::text() const { return joined(all_, "; "); }

StrictObject::StrictObject(const json::Value& value, Problems& problems)
    : value_(value), problems_(problems) {
    if (value.kind != json::Kind::object) {
        problems_.add("expected an object, got " + std::string(to_string(value.kind)));
    }
}

const json::Value* StrictObject::any(std::string_view name) {
    asked_.emplace_back(name);
    const auto found = std::ranges::find(value_.names, name);
    if (found == value_.names.end()) return nullptr;
    return &value_.items[static_cast<std::size_t>(found - value_.names.begin())];
}

const json::Value* StrictObject::field(std::string_view name, json::Kind kind) {
    const json::Value* const found = any(name);
    if (found == nullptr || found->kind == kind) return found;
    problems_.add("\"" + std::string(name) + "\" is " + std::string(to_string(found->kind)) +
                  " and not " + std::string(to_string(kind)));
    return nullptr;
}

void StrictObject::finish() {
    for (const std::string& name : value_.names) {
        if (std::ranges::find(asked_, name) != asked_.end()) continue;
        std::string problem = "unknown field \"";
        problem.append(name).append("\" (known: ").append(joined(asked_, ", ")).append(")");
        problems_.add(std::move(problem));
    }
}

void write_value(json::Writer& out, const json::Value& value) {
    switch (value.kind) {
        case json::Kind::null: out.null(); return;
        case json::Kind::boolean: out.boolean(value.truth); return;
        case json::Kind::number: out.raw(value.text); return;
        case json::Kind::text: out.text(value.text); return;
        case json::Kind::array:
            out.open_array();
            for (const json::Value& item : value.items) write_value(out, item);
            out.close_array();
            return;
        case json::Kind::object:
            out.open_object();
            for (std::size_t i = 0; i < value.items.size(); ++i) {
                out.key(value.names[i]);
                write_value(out, value.items[i]);
            }
            out.close_object();
            return;
    }
}

}  // namespace belay::schedule
