// Functions on lists and maps.
#include "expr/function_types.hpp"
#include "expr/functions.hpp"
#include "expr/limits.hpp"
#include "expr/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace belay::expr {

namespace {

Outcome size_of_list(Arguments a, Budget& /*budget*/) {
    return Value(static_cast<std::int64_t>(a[0].list().size()));
}

Outcome size_of_map(Arguments a, Budget& /*budget*/) {
    return Value(static_cast<std::int64_t>(a[0].map().size()));
}

/// Appends the items of `list`, and those of lists in it. Returns false when the budget is used up.
bool flatten_into(List& flat, const List& list, std::int64_t depth, Budget& budget) {
    for (const Value& item : list) {
        if (item.is(Kind::list) && depth > 0) {
            if (!flatten_into(flat, item.list(), depth - 1, budget)) return false;
            continue;
        }
        if (!budget.elements(1)) return false;
        flat.push_back(item);
    }
    return true;
}

Outcome flatten(Arguments a, Budget& budget) {
    const std::int64_t depth = a.size() == 2 ? a[1].integer() : 1;
    if (depth < 0) return failed("flatten() takes a depth of 0 or more");
    List flat;
    if (!flatten_into(flat, a[0].list(), std::min<std::int64_t>(depth, kDeepest), budget)) {
        return over_budget();
    }
    return Value(std::move(flat));
}

Outcome slice(Arguments a, Budget& budget) {
    const List& list = a[0].list();
    const std::int64_t from = a[1].integer();
    const std::int64_t to = a[2].integer();
    if (from < 0 || to < from || to > static_cast<std::int64_t>(list.size())) {
        return failed("slice(" + std::to_string(from) + ", " + std::to_string(to) +
                      ") is out of the range of a list of " + std::to_string(list.size()));
    }
    if (!budget.elements(static_cast<std::uint64_t>(to - from))) return over_budget();
    return Value(List(list.begin() + from, list.begin() + to));
}

Outcome reverse_list(Arguments a, Budget& budget) {
    const List& list = a[0].list();
    if (!budget.elements(list.size())) return over_budget();
    return Value(List(list.rbegin(), list.rend()));
}

/// The work of sorting, a little more than it is.
bool take_sorting(std::size_t size, Budget& budget) {
    std::uint64_t rounds = 1;
    for (std::size_t rest = size; rest > 1; rest /= 2) ++rounds;
    return budget.elements(size) && budget.work(size * rounds);
}

/// True if all items can be compared with each other.
bool have_order(const List& list) {
    return std::ranges::all_of(list, [&](const Value& item) {
        const auto order = compare(item, list.front());
        return order && *order != std::partial_ordering::unordered;
    });
}

Outcome sort(Arguments a, Budget& budget) {
    const List& list = a[0].list();
    if (!take_sorting(list.size(), budget)) return over_budget();
    if (!have_order(list)) return failed("sort() takes values of one kind that have an order");
    return Value(sorted(list, list));
}

Outcome distinct(Arguments a, Budget& budget) {
    List kept;
    for (const Value& item : a[0].list()) {
        if (!budget.work(1 + kept.size())) return over_budget();
        const bool known =
            std::ranges::any_of(kept, [&](const Value& other) { return equal(item, other); });
        if (known) continue;
        if (!budget.elements(1)) return over_budget();
        kept.push_back(item);
    }
    return Value(std::move(kept));
}

Outcome range(Arguments a, Budget& budget) {
    const std::int64_t size = a[0].integer();
    if (size < 0) return failed("lists.range() takes a size of 0 or more");
    if (!budget.elements(static_cast<std::uint64_t>(size))) return over_budget();
    List list;
    for (std::int64_t i = 0; i < size; ++i) list.emplace_back(i);
    return Value(std::move(list));
}

Outcome first(Arguments a, Budget& /*budget*/) {
    return a[0].list().empty() ? Value::none() : Value::some(a[0].list().front());
}

Outcome last(Arguments a, Budget& /*budget*/) {
    return a[0].list().empty() ? Value::none() : Value::some(a[0].list().back());
}

template <bool Values>
Outcome side_of_map(Arguments a, Budget& budget) {
    if (!budget.elements(a[0].map().size())) return over_budget();
    List list;
    for (const auto& [key, value] : a[0].map().entries()) list.push_back(Values ? value : key);
    return Value(std::move(list));
}

}  // namespace

void add_list_functions(FunctionTable& table) {
    const Type item = Type::parameter();
    const Type list = Type::list(item);
    table.function("size", {kAnyList}, kInt, size_of_list);
    table.method("size", {kAnyList}, kInt, size_of_list);
    table.function("size", {kAnyMap}, kInt, size_of_map);
    table.method("size", {kAnyMap}, kInt, size_of_map);
    table.method("flatten", {Type::list(list)}, list, flatten);
    table.method("flatten", {kAnyList, kInt}, kAnyList, flatten);
    table.method("slice", {list, kInt, kInt}, list, slice);
    table.method("reverse", {list}, list, reverse_list);
    table.method("sort", {list}, list, sort);
    table.method("distinct", {list}, list, distinct);
    table.method("first", {list}, Type::optional(item), first);
    table.method("last", {list}, Type::optional(item), last);
    table.function("lists.range", {kInt}, Type::list(kInt), range);
    table.method("keys", {kAnyMap}, kAnyList, side_of_map<false>);
    table.method("values", {Type::map(item)}, list, side_of_map<true>);
}

}  // namespace belay::expr
