#include "flow/definition/form.hpp"

#include <expected>

namespace belay::flow {

namespace {

using Outcome = std::expected<expr::Value, expr::Problem>;

Outcome run_items(const Form::Items& items, const expr::Map& variables) {
    expr::List values;
    values.reserve(items.size());
    for (const Form& item : items) {
        Outcome value = item.run(variables);
        if (!value) return value;
        values.push_back(*std::move(value));
    }
    return expr::Value(std::move(values));
}

Outcome run_fields(const Form::Fields& fields, const expr::Map& variables) {
    std::vector<expr::Map::Entry> entries;
    entries.reserve(fields.size());
    for (const auto& [name, form] : fields) {
        Outcome value = form.run(variables);
        if (!value) return value;
        entries.emplace_back(expr::Value(name), *std::move(value));
    }
    // The reader has refused names that are there twice.
    return expr::Value(expr::Map::make(std::move(entries)).value_or(expr::Map()));
}

}  // namespace

Outcome Form::run(const expr::Map& variables) const {
    if (const expr::Template* const text = this->text()) return text->run(variables);
    if (const Items* const items = this->items()) return run_items(*items, variables);
    if (const Fields* const fields = this->fields()) return run_fields(*fields, variables);
    return *constant();
}

std::string secret_mark(std::string_view nonce, std::string_view name) {
    std::string mark = "<secret ";
    return mark.append(nonce).append(" ").append(name).append(">");
}

}  // namespace belay::flow
