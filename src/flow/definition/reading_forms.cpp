// Constants, expressions and texts with expressions.
#include "expr/limits.hpp"
#include "expr/template.hpp"
#include "flow/definition/reading.hpp"

#include <algorithm>
#include <cmath>

namespace belay::flow {

namespace {

bool has_expression(const Form& form) {
    if (form.text() != nullptr) return true;
    if (const auto* items = form.items()) return std::ranges::any_of(*items, has_expression);
    if (const auto* fields = form.fields()) {
        return std::ranges::any_of(*fields,
                                   [](const auto& field) { return has_expression(field.second); });
    }
    return false;
}

/// Returns a list or a map without expressions as one constant.
Form folded(Form form) {
    if (form.constant() != nullptr || has_expression(form)) return form;
    return Form(*form.run({}));
}

bool is_variable_name(std::string_view name) {
    return !name.empty() && (name.front() < '0' || name.front() > '9') &&
           std::ranges::all_of(name, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_';
           });
}

}  // namespace

std::optional<expr::Value> Reading::constant(const yaml::Value& value) {
    switch (value.kind) {
        case yaml::Kind::null: return expr::Value();
        case yaml::Kind::boolean: return expr::Value(value.truth);
        case yaml::Kind::integer: return expr::Value(value.integer);
        case yaml::Kind::text: return expr::Value(value.text);
        case yaml::Kind::real:
            if (std::isfinite(value.real)) return expr::Value(value.real);
            report(value.place, "JSON cannot hold the number " + value.text);
            return std::nullopt;
        case yaml::Kind::list: {
            expr::List items;
            for (const yaml::Value& item : value.items) {
                auto one = constant(item);
                if (!one) return std::nullopt;
                items.push_back(*std::move(one));
            }
            return expr::Value(std::move(items));
        }
        case yaml::Kind::map: break;
    }
    std::vector<expr::Map::Entry> entries;
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
        auto one = constant(value.items[i]);
        if (!one) return std::nullopt;
        entries.emplace_back(expr::Value(value.keys[i].name), *std::move(one));
    }
    return expr::Value(expr::Map::make(std::move(entries)).value_or(expr::Map()));
}

void Reading::add_site(std::string_view field, Place place, const Form& form, SiteKind kind) {
    if (has_expression(form)) sites.push_back({owner, kind, std::string(field), place, form});
}

std::optional<expr::Program> Reading::bare(const Entry& entry, SiteKind kind) {
    const yaml::Value& value = entry.value;
    if (value.kind == yaml::Kind::null || value.kind == yaml::Kind::list ||
        value.kind == yaml::Kind::map) {
        wrong(entry, "an expression");
        return std::nullopt;
    }
    if (value.text.find_first_not_of(" \t\n") == value.text.find("${{") && !value.text.empty()) {
        const auto text = expr::Template::parse(value.text, source_.inside(value));
        report(value.place,
               in_quotes(entry.name) + " is an expression already",
               text && text->is_one_expression() ? "Write it without ${{ }}" : "");
        return std::nullopt;
    }
    const bool is_text = value.kind == yaml::Kind::text;
    auto program = expr::Program::parse(
        value.text, is_text ? source_.inside(value) : expr::Origin(value.place));
    if (!program) {
        report(program.error());
        return std::nullopt;
    }
    add_site(entry.name, value.place, Form(expr::Template::of(*program)), kind);
    return std::move(*program);
}

std::optional<Form> Reading::read_text(const yaml::Value& value) {
    auto text = expr::Template::parse(value.text, source_.inside(value));
    if (!text) {
        report(text.error());
        return std::nullopt;
    }
    if (!text->is_plain()) return Form(std::move(*text));
    // `$${{` stands for `${{`.
    return Form(text->run({}).value_or(expr::Value(value.text)));
}

std::optional<Form> Reading::text_form(std::string_view field,
                                       const yaml::Value& value,
                                       SiteKind kind) {
    if (value.kind == yaml::Kind::null || value.kind == yaml::Kind::list ||
        value.kind == yaml::Kind::map) {
        wrong({field, value.place, value}, "a text");
        return std::nullopt;
    }
    if (value.kind != yaml::Kind::text) return Form(expr::Value(value.text));
    auto form = read_text(value);
    if (form) add_site(field, value.place, *form, kind);
    return form;
}

std::optional<Form> Reading::read_form(const yaml::Value& value) {
    if (value.kind == yaml::Kind::text) return read_text(value);
    if (value.kind == yaml::Kind::list) {
        Form::Items items;
        for (const yaml::Value& item : value.items) {
            auto one = read_form(item);
            if (!one) return std::nullopt;
            items.push_back(*std::move(one));
        }
        return Form(std::move(items));
    }
    if (value.kind == yaml::Kind::map) {
        Form::Fields fields;
        for (std::size_t i = 0; i < value.keys.size(); ++i) {
            auto one = read_form(value.items[i]);
            if (!one) return std::nullopt;
            fields.emplace_back(value.keys[i].name, *std::move(one));
        }
        return Form(std::move(fields));
    }
    auto made = constant(value);
    if (!made) return std::nullopt;
    return Form(*std::move(made));
}

std::optional<Form> Reading::form(std::string_view field, const yaml::Value& value, SiteKind kind) {
    auto made = read_form(value);
    if (!made) return std::nullopt;
    add_site(field, value.place, *made, kind);
    return folded(*std::move(made));
}

FormFields Reading::text_fields(const Entry& entry, SiteKind kind) {
    FormFields fields;
    if (!is_map(entry.value, in_quotes(entry.name))) return fields;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const std::string& name = entry.value.keys[i].name;
        if (auto one = text_form(name, entry.value.items[i], kind)) {
            fields.emplace_back(name, *std::move(one));
        }
    }
    return fields;
}

FormFields Reading::environment(const Entry& entry, SiteKind kind) {
    FormFields fields = text_fields(entry, kind);
    if (entry.value.kind != yaml::Kind::map) return fields;
    for (const yaml::Key& key : entry.value.keys) {
        if (!is_variable_name(key.name)) {
            report(key.place,
                   in_quotes(key.name) + " cannot be the name of a variable",
                   "Use letters, digits and _, and no digit at the start");
        } else if (key.name == "BELAY_OUTPUT") {
            report(key.place, "Belay sets BELAY_OUTPUT itself");
        }
    }
    return fields;
}

}  // namespace belay::flow
