#include "expr/checker.hpp"

#include "expr/functions.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::expr {

namespace {

/// The number of letters to change, add or remove to get from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::string advice(std::string_view name, const Type::Fields& known) {
    const std::string_view alike = most_alike(name, known);
    return alike.empty() ? "" : ". Did you mean \"" + std::string(alike) + "\"?";
}

/// The variable of a macro, and those around it.
struct TypeScope {
    std::string_view name;
    const Type* type;
    const TypeScope* outer;
};

/// True if an element of a literal may be left out.
bool has_optional(const Node& literal) {
    return std::ranges::find(literal.optional_elements, true) != literal.optional_elements.end();
}

class Checker {
public:
    Checker(const Type::Fields& names, std::vector<Problem>& problems)
        : names_(names), problems_(problems) {}

    Type type_of(const Node& node, const TypeScope* scope) {
        switch (node.kind) {
            case Node::Kind::literal: return Type(node.value.kind());
            case Node::Kind::name: return name(node, scope);
            case Node::Kind::field: return field(node, scope);
            case Node::Kind::has_field: return has_field(node, scope);
            case Node::Kind::index: return index(node, scope);
            case Node::Kind::call: return call(node, scope);
            case Node::Kind::list: return list(node, scope);
            case Node::Kind::map: return map(node, scope);
            case Node::Kind::conditional: return conditional(node, scope);
            case Node::Kind::all_of:
            case Node::Kind::any_of: return chain(node, scope);
            case Node::Kind::bind: return bind(node, scope);
            case Node::Kind::opt_map:
            case Node::Kind::opt_flat_map: return opt_map(node, scope);
            default: return over_range(node, scope);
        }
    }

private:
    void report(const Node& at, std::string message) {
        problems_.push_back({at.place, std::move(message)});
    }

    Type name(const Node& node, const TypeScope* scope) {
        for (; scope != nullptr; scope = scope->outer) {
            if (scope->name == node.name) return *scope->type;
        }
        const auto found = names_.find(node.name);
        if (found != names_.end()) return found->second;
        if (type_named(node.name)) return Type(Kind::type);
        report(node, "unknown name \"" + node.name + "\"" + advice(node.name, names_));
        return {};
    }

    // ---- Fields and indexes --------------------------------------------------------------------

    static Type optional_of(Type type, bool optional) {
        return optional ? Type::optional(std::move(type)) : type;
    }

    /// The type of a field; for an optional object the type of an optional field.
    Type member(const Node& node, const Type& object, const std::string& name, bool must_exist) {
        if (object.is(Kind::optional)) {
            return Type::optional(member(node, object.inner(), name, false));
        }
        if (!object.kind()) return {};
        if (!object.is(Kind::map)) {
            report(node, to_string(object) + " has no fields, and no \"" + name + "\"");
            return {};
        }
        const Type::Fields* fields = object.fields();
        if (fields == nullptr) return object.inner();
        const auto found = fields->find(name);
        if (found != fields->end()) return found->second;
        if (must_exist) report(node, "unknown field \"" + name + "\"" + advice(name, *fields));
        return {};
    }

    Type field(const Node& node, const TypeScope* scope) {
        const Type object = type_of(*node.children[0], scope);
        return optional_of(member(node, object, node.name, !node.optional), node.optional);
    }

    Type has_field(const Node& node, const TypeScope* scope) {
        const Type object = type_of(*node.children[0], scope);
        (void)member(node, object, node.name, false);
        return Type(Kind::boolean);
    }

    Type index(const Node& node, const TypeScope* scope) {
        const Type object = type_of(*node.children[0], scope);
        const Node& key_node = *node.children[1];
        const Type key = type_of(key_node, scope);
        if (object.is(Kind::optional)) return Type::optional(Type());
        if (object.is(Kind::map) && key_node.kind == Node::Kind::literal && key.is(Kind::text)) {
            const std::string& name = key_node.value.text();
            return optional_of(member(key_node, object, name, !node.optional), node.optional);
        }
        if (object.is(Kind::list) && key.kind() && !key.is(Kind::integer) &&
            !key.is(Kind::unsigned_integer)) {
            report(key_node, "the position in a list must be an int, not " + to_string(key));
        }
        if (object.kind() && !object.is(Kind::list) && !object.is(Kind::map)) {
            report(node, to_string(object) + " has no elements");
        }
        return optional_of(object.fields() == nullptr ? object.inner() : Type(), node.optional);
    }

    // ---- Calls ---------------------------------------------------------------------------------

    static bool takes(const Overload& overload, const std::vector<Type>& arguments) {
        return std::ranges::equal(
            overload.parameters, arguments, [](const Type& parameter, const Type& argument) {
                return may_be(argument, parameter);
            });
    }

    static Type result_of(const Overload& overload, const std::vector<Type>& arguments) {
        std::optional<Type> bound;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            bind_parameter(overload.parameters[i], arguments[i], bound);
        }
        return substitute(overload.result, bound);
    }

    Type call(const Node& node, const TypeScope* scope) {
        std::vector<Type> arguments;
        arguments.reserve(node.children.size());
        for (const NodePtr& child : node.children) arguments.push_back(type_of(*child, scope));
        std::optional<Type> result;
        for (const Overload& overload : node.overloads->overloads) {
            if (!takes(overload, arguments)) continue;
            const Type one = result_of(overload, arguments);
            result = result ? join(*result, one) : one;
        }
        if (result) return *result;
        std::string types;
        for (const Type& argument : arguments) {
            if (!types.empty()) types += ", ";
            types += to_string(argument);
        }
        report(node, shown_name(*node.overloads) + " does not take (" + types + ")");
        return {};
    }

    // ---- Literals and logic --------------------------------------------------------------------

    Type list(const Node& node, const TypeScope* scope) {
        std::optional<Type> element;
        for (const NodePtr& child : node.children) {
            const Type one = type_of(*child, scope);
            element = element ? join(*element, one) : one;
        }
        const bool optional = has_optional(node);
        return Type::list(optional ? Type() : element.value_or(Type()));
    }

    Type map(const Node& node, const TypeScope* scope) {
        Type::Fields fields;
        bool known = !has_optional(node);
        for (std::size_t i = 0; i < node.children.size(); i += 2) {
            const Node& key = *node.children[i];
            (void)type_of(key, scope);
            Type value = type_of(*node.children[i + 1], scope);
            if (key.kind == Node::Kind::literal && key.value.is(Kind::text)) {
                fields.insert_or_assign(key.value.text(), std::move(value));
            } else {
                known = false;
            }
        }
        return known ? Type::object(std::move(fields)) : Type(Kind::map);
    }

    void must_be_boolean(const Node& node, const TypeScope* scope) {
        const Type type = type_of(node, scope);
        if (type.kind() && !type.is(Kind::boolean)) {
            report(node, "expected a bool, found " + to_string(type));
        }
    }

    Type conditional(const Node& node, const TypeScope* scope) {
        must_be_boolean(*node.children[0], scope);
        const Type yes = type_of(*node.children[1], scope);
        const Type no = type_of(*node.children[2], scope);
        return join(yes, no);
    }

    Type chain(const Node& node, const TypeScope* scope) {
        for (const NodePtr& child : node.children) must_be_boolean(*child, scope);
        return Type(Kind::boolean);
    }

    // ---- Macros --------------------------------------------------------------------------------

    Type bind(const Node& node, const TypeScope* scope) {
        const Type value = type_of(*node.children[0], scope);
        const TypeScope inner{node.name, &value, scope};
        return type_of(*node.children[1], &inner);
    }

    Type opt_map(const Node& node, const TypeScope* scope) {
        const Type target = type_of(*node.children[0], scope);
        if (target.kind() && !target.is(Kind::optional)) {
            report(*node.children[0], "expected an optional, found " + to_string(target));
        }
        const Type value = target.inner();
        const TypeScope inner{node.name, &value, scope};
        const Type result = type_of(*node.children[1], &inner);
        return node.kind == Node::Kind::opt_map ? Type::optional(result) : result;
    }

    /// A macro over the elements of a list, or the keys of a map.
    Type over_range(const Node& node, const TypeScope* scope) {
        const Type range = type_of(*node.children[0], scope);
        if (range.kind() && !range.is(Kind::list) && !range.is(Kind::map)) {
            report(*node.children[0], "expected a list or a map, found " + to_string(range));
        }
        const Type element = range.is(Kind::list) ? range.inner() : Type();
        const TypeScope inner{node.name, &element, scope};
        if (node.kind == Node::Kind::transform) {
            if (node.children.size() == 3) must_be_boolean(*node.children[1], &inner);
            return Type::list(type_of(*node.children.back(), &inner));
        }
        if (node.kind == Node::Kind::sort_by) {
            (void)type_of(*node.children[1], &inner);
            return Type::list(element);
        }
        must_be_boolean(*node.children[1], &inner);
        return node.kind == Node::Kind::filter ? Type::list(element) : Type(Kind::boolean);
    }

    const Type::Fields& names_;
    std::vector<Problem>& problems_;
};

}  // namespace

std::string_view most_alike(std::string_view name, const Type::Fields& known) {
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const auto& [other, type] : known) {
        const std::size_t changes = distance(name, other);
        if (changes >= least) continue;
        least = changes;
        best = other;
    }
    return best;
}

Type check(const Node& node, const Type::Fields& names, std::vector<Problem>& problems) {
    return Checker(names, problems).type_of(node, nullptr);
}

}  // namespace belay::expr
