#include "flow/steps/program_result.hpp"

#include "flow/steps/failures.hpp"

#include <set>
#include <string>

namespace belay::flow {

namespace {

std::string_view without_final_newline(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

std::string lines_of(std::string_view text) {
    json::Writer out;
    out.open_array();
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out.text(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return out.close_array().str();
}

/// Names that are equal once they are masked get more stars, so that each is there once.
void write_masked_fields(json::Writer& out, const json::Value& object, const Masker& masker) {
    std::set<std::string> names;
    out.open_object();
    for (std::size_t i = 0; i < object.items.size(); ++i) {
        std::string name = masker.mask(object.names[i]);
        while (!names.insert(name).second) name += '*';
        out.key(name);
        write_masked(out, object.items[i], masker);
    }
    out.close_object();
}

}  // namespace

void write_masked(json::Writer& out, const json::Value& value, const Masker& masker) {
    switch (value.kind) {
        case json::Kind::null: out.null(); return;
        case json::Kind::boolean: out.boolean(value.truth); return;
        case json::Kind::number: out.raw(value.text); return;
        case json::Kind::text: out.text(masker.mask(value.text)); return;
        case json::Kind::array:
            out.open_array();
            for (const json::Value& item : value.items) write_masked(out, item, masker);
            out.close_array();
            return;
        case json::Kind::object: write_masked_fields(out, value, masker); return;
    }
}

Payload output_as_json(std::string_view what, std::string_view text, const Masker& masker) {
    const std::string masked = masker.mask(text);
    const Result<json::Value> value = json::parse(masked);
    if (!value) {
        std::string problem(what);
        problem.append(" is not JSON: ").append(value.error().message());
        if (masked != text) problem += " (it has a secret, which is masked before it is read)";
        fail(final_failure("output", problem));
    }
    // Again, for secrets whose characters were written as escapes.
    json::Writer out;
    write_masked(out, *value, masker);
    return Payload(PayloadCodec::json, out.str());
}

Payload output_as(OutputForm form, std::string_view output, const Masker& masker) {
    if (form == OutputForm::json) return output_as_json("the standard output", output, masker);
    if (form == OutputForm::none) return Payload(PayloadCodec::json, "null");
    const std::string masked = masker.mask(output);
    if (form == OutputForm::lines) return Payload(PayloadCodec::json, lines_of(masked));
    const json::Writer text = json::Writer().text(without_final_newline(masked));
    return Payload(PayloadCodec::json, text.str());
}

}  // namespace belay::flow
