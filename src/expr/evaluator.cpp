#include "expr/evaluator.hpp"

#include "base/utf8.hpp"
#include "expr/functions.hpp"
#include "expr/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::expr {

namespace {

using Answer = std::expected<Value, Problem>;

/// A variable of a macro, and those around it.
struct Scope {
    std::string_view name;
    const Value* value;
    const Scope* outer;
};

std::unexpected<Problem> problem_at(const Node& at, std::string message, bool limit = false) {
    return std::unexpected(Problem{at.place, std::move(message), limit});
}

class Evaluator {
public:
    Evaluator(const Map& variables, Budget& budget) : variables_(variables), budget_(budget) {}

    Answer value_of(const Node& node, const Scope* scope) {
        if (!budget_.work(1)) return over(node);
        switch (node.kind) {
            case Node::Kind::literal: return node.value;
            case Node::Kind::name: return name(node, scope);
            case Node::Kind::field: return field(node, scope);
            case Node::Kind::has_field: return has_field(node, scope);
            case Node::Kind::index: return index(node, scope);
            case Node::Kind::call: return call(node, scope);
            case Node::Kind::list: return list(node, scope);
            case Node::Kind::map: return map(node, scope);
            case Node::Kind::conditional: return conditional(node, scope);
            case Node::Kind::all_of: return chain(node, scope, false);
            case Node::Kind::any_of: return chain(node, scope, true);
            case Node::Kind::for_all: return quantified(node, scope, false);
            case Node::Kind::exists: return quantified(node, scope, true);
            case Node::Kind::exists_one: return exists_one(node, scope);
            case Node::Kind::filter: return filter(node, scope);
            case Node::Kind::transform: return transform(node, scope);
            case Node::Kind::sort_by: return sort_by(node, scope);
            case Node::Kind::opt_map:
            case Node::Kind::opt_flat_map: return opt_map(node, scope);
            case Node::Kind::bind: return bind(node, scope);
        }
        return problem_at(node, "unknown kind of node");
    }

private:
    [[nodiscard]] static std::unexpected<Problem> over(const Node& node) {
        return problem_at(node, over_budget().error().message, true);
    }

    // ---- Names, fields and indexes -------------------------------------------------------------

    Answer name(const Node& node, const Scope* scope) const {
        for (; scope != nullptr; scope = scope->outer) {
            if (scope->name == node.name) return *scope->value;
        }
        if (const Value* value = variables_.find(node.name)) return *value;
        if (const auto kind = type_named(node.name)) return Value::type(*kind);
        return problem_at(node, "unknown name \"" + node.name + "\"");
    }

    /// Finds a value in a map or a list. Returns nullptr if it is not there, and a problem if no
    /// value can be there.
    static std::expected<const Value*, Problem> find(const Node& node,
                                                     const Value& object,
                                                     const Value& key) {
        if (object.is(Kind::map)) return object.map().find(key);
        if (object.is(Kind::list) && (key.is(Kind::integer) || key.is(Kind::unsigned_integer))) {
            const auto size = static_cast<std::uint64_t>(object.list().size());
            const bool negative = key.is(Kind::integer) && key.integer() < 0;
            const std::uint64_t at = key.is(Kind::integer)
                                         ? static_cast<std::uint64_t>(key.integer())
                                         : key.unsigned_integer();
            return negative || at >= size ? nullptr : &object.list()[at];
        }
        return problem_at(node,
                          to_string(Type(object.kind())) + " has no element with a key of type " +
                              to_string(Type(key.kind())));
    }

    static Answer missing(const Node& node, const Value& object, const Value& key) {
        if (object.is(Kind::list)) {
            const std::string at = key.is(Kind::integer) ? std::to_string(key.integer())
                                                         : std::to_string(key.unsigned_integer());
            return problem_at(node,
                              "the list has no element " + at + ": it has " +
                                  std::to_string(object.list().size()));
        }
        const std::string name = key.is(Kind::text) ? base::printable(key.text(), 60) : "this";
        return problem_at(node, "no such key: " + name);
    }

    /// `object.key`, `object[key]` and their optional forms.
    static Answer element(const Node& node, const Value& object, const Value& key) {
        const Value* inner = &object;
        bool optional = node.optional;
        if (object.is(Kind::optional)) {
            if (object.held() == nullptr) return Value::none();
            inner = object.held();
            optional = true;
        }
        const auto found = find(node, *inner, key);
        if (!found) return std::unexpected(found.error());
        if (*found == nullptr) return optional ? Value::none() : missing(node, *inner, key);
        return optional ? Value::some(**found) : **found;
    }

    Answer field(const Node& node, const Scope* scope) {
        const Answer object = value_of(*node.children[0], scope);
        if (!object) return object;
        return element(node, *object, Value(node.name));
    }

    Answer has_field(const Node& node, const Scope* scope) {
        const Answer object = value_of(*node.children[0], scope);
        if (!object) return object;
        const Value* inner = &*object;
        if (object->is(Kind::optional)) {
            if (object->held() == nullptr) return Value(false);
            inner = object->held();
        }
        const auto found = find(node, *inner, Value(node.name));
        if (!found) return std::unexpected(found.error());
        return Value(*found != nullptr);
    }

    Answer index(const Node& node, const Scope* scope) {
        const Answer object = value_of(*node.children[0], scope);
        if (!object) return object;
        const Answer key = value_of(*node.children[1], scope);
        if (!key) return key;
        return element(node, *object, *key);
    }

    // ---- Calls and literals --------------------------------------------------------------------

    Answer call(const Node& node, const Scope* scope) {
        std::vector<Value> arguments;
        arguments.reserve(node.children.size());
        for (const NodePtr& child : node.children) {
            Answer argument = value_of(*child, scope);
            if (!argument) return argument;
            arguments.push_back(std::move(*argument));
        }
        Outcome outcome = expr::call(*node.overloads, arguments, budget_);
        if (!outcome) return problem_at(node, outcome.error().message, outcome.error().limit);
        return std::move(*outcome);
    }

    /// Evaluates an element of a literal. Returns none for an optional one that is not there.
    std::expected<std::optional<Value>, Problem> literal_element(const Node& child,
                                                                 const Scope* scope,
                                                                 bool optional) {
        Answer value = value_of(child, scope);
        if (!value) return std::unexpected(value.error());
        if (!optional) return std::move(*value);
        if (!value->is(Kind::optional)) {
            return problem_at(child, "an element behind a question mark must be an optional");
        }
        if (value->held() == nullptr) return std::nullopt;
        return *value->held();
    }

    Answer list(const Node& node, const Scope* scope) {
        List items;
        if (!budget_.elements(node.children.size())) return over(node);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            auto item = literal_element(*node.children[i], scope, node.optional_elements[i]);
            if (!item) return std::unexpected(item.error());
            if (*item) items.push_back(std::move(**item));
        }
        return Value(std::move(items));
    }

    Answer map(const Node& node, const Scope* scope) {
        std::vector<Map::Entry> entries;
        if (!budget_.elements(node.children.size())) return over(node);
        for (std::size_t i = 0; i < node.children.size(); i += 2) {
            Answer key = value_of(*node.children[i], scope);
            if (!key) return key;
            if (!can_be_key(key->kind())) {
                return problem_at(*node.children[i],
                                  to_string(Type(key->kind())) + " cannot be the key of a map");
            }
            auto value =
                literal_element(*node.children[i + 1], scope, node.optional_elements[i / 2]);
            if (!value) return std::unexpected(value.error());
            if (*value) entries.emplace_back(std::move(*key), std::move(**value));
        }
        auto made = Map::make(std::move(entries));
        if (!made) return problem_at(node, "the map has a key twice");
        return Value(std::move(*made));
    }

    // ---- Logic ---------------------------------------------------------------------------------

    std::expected<bool, Problem> truth_of(const Node& node, const Scope* scope) {
        const Answer value = value_of(node, scope);
        if (!value) return std::unexpected(value.error());
        if (value->is(Kind::boolean)) return value->boolean();
        return problem_at(node, "expected a bool, found " + to_string(Type(value->kind())));
    }

    Answer conditional(const Node& node, const Scope* scope) {
        const auto truth = truth_of(*node.children[0], scope);
        if (!truth) return std::unexpected(truth.error());
        return value_of(*node.children[*truth ? 1 : 2], scope);
    }

    /// Collects the operands of `&&` (or `||`). One that is false (or true) decides, whatever the
    /// others are: a problem counts only if none decides.
    class Chain {
    public:
        explicit Chain(bool deciding) : deciding_(deciding) {}

        /// Returns true when the answer is known.
        bool add(const std::expected<bool, Problem>& operand) {
            if (operand) {
                decided_ = *operand == deciding_;
                return decided_;
            }
            if (!problem_ || operand.error().limit) problem_ = operand.error();
            return problem_->limit;
        }
        [[nodiscard]] Answer answer() const {
            if (decided_) return Value(deciding_);
            if (problem_) return std::unexpected(*problem_);
            return Value(!deciding_);
        }

    private:
        bool deciding_;
        bool decided_ = false;
        std::optional<Problem> problem_;
    };

    Answer chain(const Node& node, const Scope* scope, bool deciding) {
        Chain chain(deciding);
        for (const NodePtr& child : node.children) {
            if (chain.add(truth_of(*child, scope))) break;
        }
        return chain.answer();
    }

    // ---- Macros --------------------------------------------------------------------------------

    /// Returns the elements that a macro walks over: those of a list, or the keys of a map.
    std::expected<List, Problem> range_of(const Node& node, const Scope* scope) {
        const Answer range = value_of(*node.children[0], scope);
        if (!range) return std::unexpected(range.error());
        if (range->is(Kind::list)) return range->list();
        if (!range->is(Kind::map)) {
            return problem_at(*node.children[0],
                              "expected a list or a map, found " + to_string(Type(range->kind())));
        }
        if (!budget_.elements(range->map().size())) return over(node);
        List keys;
        for (const auto& entry : range->map().entries()) keys.push_back(entry.first);
        return keys;
    }

    Answer quantified(const Node& node, const Scope* scope, bool deciding) {
        const auto range = range_of(node, scope);
        if (!range) return std::unexpected(range.error());
        Chain chain(deciding);
        for (const Value& item : *range) {
            const Scope inner{node.name, &item, scope};
            if (chain.add(truth_of(*node.children[1], &inner))) break;
        }
        return chain.answer();
    }

    Answer exists_one(const Node& node, const Scope* scope) {
        const auto range = range_of(node, scope);
        if (!range) return std::unexpected(range.error());
        std::size_t found = 0;
        for (const Value& item : *range) {
            const Scope inner{node.name, &item, scope};
            const auto truth = truth_of(*node.children[1], &inner);
            if (!truth) return std::unexpected(truth.error());
            if (*truth) ++found;
        }
        return Value(found == 1);
    }

    Answer filter(const Node& node, const Scope* scope) {
        const auto range = range_of(node, scope);
        if (!range) return std::unexpected(range.error());
        List kept;
        for (const Value& item : *range) {
            const Scope inner{node.name, &item, scope};
            const auto truth = truth_of(*node.children[1], &inner);
            if (!truth) return std::unexpected(truth.error());
            if (!*truth) continue;
            if (!budget_.elements(1)) return over(node);
            kept.push_back(item);
        }
        return Value(std::move(kept));
    }

    Answer transform(const Node& node, const Scope* scope) {
        const auto range = range_of(node, scope);
        if (!range) return std::unexpected(range.error());
        const bool filtered = node.children.size() == 3;
        List made;
        for (const Value& item : *range) {
            const Scope inner{node.name, &item, scope};
            if (filtered) {
                const auto truth = truth_of(*node.children[1], &inner);
                if (!truth) return std::unexpected(truth.error());
                if (!*truth) continue;
            }
            Answer value = value_of(*node.children.back(), &inner);
            if (!value) return value;
            if (!budget_.elements(1)) return over(node);
            made.push_back(std::move(*value));
        }
        return Value(std::move(made));
    }

    Answer sort_by(const Node& node, const Scope* scope) {
        const auto range = range_of(node, scope);
        if (!range) return std::unexpected(range.error());
        List keys;
        for (const Value& item : *range) {
            const Scope inner{node.name, &item, scope};
            Answer key = value_of(*node.children[1], &inner);
            if (!key) return key;
            const auto order = compare(*key, keys.empty() ? *key : keys.front());
            if (!order || *order == std::partial_ordering::unordered) {
                return problem_at(node, "sortBy() takes keys of one kind that have an order");
            }
            if (!budget_.elements(2) || !budget_.work(16)) return over(node);
            keys.push_back(std::move(*key));
        }
        return Value(sorted(*range, keys));
    }

    Answer opt_map(const Node& node, const Scope* scope) {
        const Answer target = value_of(*node.children[0], scope);
        if (!target) return target;
        if (!target->is(Kind::optional)) {
            return problem_at(node,
                              "expected an optional, found " + to_string(Type(target->kind())));
        }
        if (target->held() == nullptr) return Value::none();
        const Scope inner{node.name, target->held(), scope};
        Answer value = value_of(*node.children[1], &inner);
        if (!value) return value;
        if (node.kind == Node::Kind::opt_map) return Value::some(std::move(*value));
        if (!value->is(Kind::optional)) return problem_at(node, "optFlatMap() takes an optional");
        return value;
    }

    Answer bind(const Node& node, const Scope* scope) {
        const Answer value = value_of(*node.children[0], scope);
        if (!value) return value;
        const Scope inner{node.name, &*value, scope};
        return value_of(*node.children[1], &inner);
    }

    const Map& variables_;
    Budget& budget_;
};

}  // namespace

std::expected<Value, Problem> evaluate(const Node& node, const Map& variables, Budget& budget) {
    return Evaluator(variables, budget).value_of(node, nullptr);
}

}  // namespace belay::expr
