#include "flow/definition/result_texts.hpp"

#include "json/writer.hpp"
#include "yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace belay::flow {

namespace {

constexpr std::array<std::string_view, 15> kOtherFields{"id",
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
                                                        "stop_signal",
                                                        "on_cancel",
                                                        "end_flow"};

/// The fields of a flow, beside its steps, that decide the output of a run.
constexpr std::array<std::string_view, 6> kOutputFields{
    "params", "secrets", "env", "if", "output", "output_type"};
/// The fields of a step that decide if others are skipped.
constexpr std::array<std::string_view, 4> kSkippingFields{"needs", "after", "may_fail", "end_flow"};

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

std::string text_without_layout(const yaml::Value& value) {
    json::Writer out;
    write(out, value);
    return out.str();
}

/// The order of steps is among the parts that decide an output: it says which are skipped.
std::string output_text(const yaml::Value& document,
                        const std::map<std::string, std::string, std::less<>>& steps) {
    json::Writer out;
    out.open_object();
    for (const std::string_view field : kOutputFields) {
        const yaml::Value* const value = document.find(field);
        if (value != nullptr) out.field(field, text_without_layout(*value));
    }
    for (const auto& [id, text] : steps) out.field("step " + id, text);
    if (const yaml::Value* const all = document.find("steps")) {
        for (const yaml::Value& step : all->items) {
            const yaml::Value* const id = step.find("id");
            for (const std::string_view field : kSkippingFields) {
                const yaml::Value* const value = step.find(field);
                if (id == nullptr || value == nullptr) continue;
                out.field(id->text + " " + std::string(field), text_without_layout(*value));
            }
        }
    }
    return out.close_object().str();
}

}  // namespace

ResultTexts result_texts(std::string_view source) {
    ResultTexts texts;
    const auto document = yaml::read(source);
    if (!document) return texts;
    if (const yaml::Value* const steps = document->find("steps")) {
        for (const yaml::Value& step : steps->items) {
            const yaml::Value* const id = step.find("id");
            if (id == nullptr) continue;
            json::Writer out;
            write_map(out, step, true);
            texts.steps.emplace(id->text, out.str());
        }
    }
    if (const yaml::Value* const env = document->find("env")) texts.env = text_without_layout(*env);
    texts.flow = output_text(*document, texts.steps);
    return texts;
}

}  // namespace belay::flow
