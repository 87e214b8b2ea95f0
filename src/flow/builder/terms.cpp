#include "expr/value_json.hpp"
#include "flow/definition/code_type.hpp"
#include "flow/interpreter/code_values.hpp"
#include "json/writer.hpp"
#include <belay/flow/draft.hpp>

#include <algorithm>
#include <stdexcept>

namespace belay::detail {

namespace {

using expr::Kind;
using expr::Value;

std::string in_parentheses(const FlowTerm& term) {
    if (term.is_simple) return term.text;
    std::string text("(");
    return text.append(term.text).append(")");
}

void add_missing(std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const std::string& name : from) {
        if (std::ranges::find(to, name) == to.end()) to.push_back(name);
    }
}

/// Returns a text in which no expression is found: `${{` stands as `$${{`.
std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with("${{")) out += '$';
        out += text[i];
    }
    return out;
}

/// Returns the value with all texts in it escaped. Names of members have no expressions.
Value escaped(const Value& value) {
    if (value.is(Kind::text)) return Value(escaped(value.text()));
    if (value.is(Kind::list)) {
        expr::List list;
        list.reserve(value.list().size());
        for (const Value& element : value.list()) list.push_back(escaped(element));
        return Value(std::move(list));
    }
    if (!value.is(Kind::map)) return value;
    std::vector<expr::Map::Entry> entries;
    entries.reserve(value.map().size());
    for (const auto& [name, member] : value.map().entries()) {
        entries.emplace_back(name, escaped(member));
    }
    return Value(expr::Map::make(std::move(entries)).value_or(expr::Map()));
}

std::string json_of(const Value& value) {
    auto json = expr::to_json(value);
    if (!json) {
        throw std::invalid_argument("belay: this cannot be a constant of a flow: " +
                                    json.error().message());
    }
    return *std::move(json);
}

}  // namespace

FlowTerm joined_terms(const FlowTerm& left, const char* op, const FlowTerm& right) {
    if (left.flow != nullptr && right.flow != nullptr && left.flow != right.flow) {
        throw std::invalid_argument("belay: these values belong to two flows");
    }
    FlowTerm joined;
    joined.text = in_parentheses(left).append(op).append(in_parentheses(right));
    joined.needs = left.needs;
    add_missing(joined.needs, right.needs);
    joined.after = left.after;
    add_missing(joined.after, right.after);
    joined.flow = left.flow != nullptr ? left.flow : right.flow;
    joined.is_simple = false;
    return joined;
}

FlowTerm wrapped_term(const char* before, const FlowTerm& term, const std::string& after) {
    FlowTerm wrapped = term;
    wrapped.text = std::string(before).append(in_parentheses(term)).append(after);
    wrapped.constant.clear();
    wrapped.is_simple = *before == '\0';
    return wrapped;
}

FlowTerm constant_term(const Payload& value, const std::string& type) {
    const auto code_type = flow::CodeType::parse(type);
    const Value constant = flow::value_of(value, code_type.value_or(flow::CodeType()));
    FlowTerm term;
    term.text = json_of(constant);
    term.constant = json_of(escaped(constant));
    term.is_simple = !term.text.starts_with('-');
    return term;
}

std::string plain_text(std::string_view text) { return json::Writer().text(text).str(); }

std::string flow_text(std::string_view text) { return plain_text(escaped(text)); }

std::string flow_hole(const FlowTerm& term) {
    if (!term.constant.empty()) return term.constant;
    std::string text("${{ ");
    return plain_text(text.append(term.text).append(" }}"));
}

std::string flow_time(Millis time) { return plain_text(std::to_string(time.count()).append("ms")); }

std::string step_id_of(std::string_view name) {
    std::string id;
    for (const char c : name) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (is_capital) {
            if (!id.empty() && id.back() != '_') id += '_';
            id += static_cast<char>(c - 'A' + 'a');
        } else if (is_plain) {
            id += c;
        } else if (!id.empty() && id.back() != '_') {
            id += '_';
        }
    }
    return id;
}

}  // namespace belay::detail
