#include "flow/definition/result_texts.hpp"

#include "json/writer.hpp"
#include "yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace belay::flow {

namespace {

constexpr std::array<std::string_view, 14> kOtherFields{"id",
                                                        "description",
                                                        "needs",
                                                        "after",
                                                        "window",
                                                        "retry",
                                                        "timeout",
                                                        "queue",
                                                        "session",
                                                        "limit_key",
                                                        "priority",
                                                        "may_fail",
                                                        "on_cancel",
                                                        "end_flow"};

void write(json::Writer& out, const yaml::Value& value);

/// Writes the members in the order of their names.
void write_map(json::Writer& out, const yaml::Value& value, bool is_step) {
    std::map<std::string_view, const yaml::Value*> members;
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
        const std::string_view name = value.keys[i].name;
        const bool left_out =
            is_step && std::ranges::find(kOtherFields, name) != kOtherFields.end();
        if (!left_out) members.emplace(name, &value.items[i]);
    }
    out.open_object();
    for (const auto& [name, member] : members) {
        out.key(name);
        write(out, *member);
    }
    out.close_object();
}

void write(json::Writer& out, const yaml::Value& value) {
    if (value.kind == yaml::Kind::map) {
        write_map(out, value, false);
    } else if (value.kind == yaml::Kind::list) {
        out.open_array();
        for (const yaml::Value& item : value.items) write(out, item);
        out.close_array();
    } else {
        // The kind tells 1 from "1".
        out.open_array().text(to_string(value.kind)).text(value.text).close_array();
    }
}

}  // namespace

std::map<std::string, std::string, std::less<>> result_texts(std::string_view source) {
    std::map<std::string, std::string, std::less<>> texts;
    const auto document = yaml::read(source);
    const yaml::Value* const steps = document ? document->find("steps") : nullptr;
    if (steps == nullptr) return texts;
    for (const yaml::Value& step : steps->items) {
        const yaml::Value* const id = step.find("id");
        if (id == nullptr) continue;
        json::Writer out;
        write_map(out, step, true);
        texts.emplace(id->text, out.str());
    }
    return texts;
}

}  // namespace belay::flow
