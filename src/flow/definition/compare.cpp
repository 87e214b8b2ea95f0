#include "flow/definition/compare.hpp"

#include "json/writer.hpp"
#include "yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace belay::flow {

namespace {

void write_sorted(json::Writer& out, const yaml::Value& value) {
    switch (value.kind) {
        case yaml::Kind::null: out.null(); return;
        case yaml::Kind::boolean: out.boolean(value.truth); return;
        case yaml::Kind::integer: out.number(value.integer); return;
        case yaml::Kind::real:
            // As it is written: JSON has no infinity.
            out.open_object().field("real", value.text).close_object();
            return;
        case yaml::Kind::text: out.text(value.text); return;
        case yaml::Kind::list:
            out.open_array();
            for (const yaml::Value& item : value.items) write_sorted(out, item);
            out.close_array();
            return;
        case yaml::Kind::map: break;
    }
    std::map<std::string_view, const yaml::Value*> sorted;
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
        sorted.emplace(value.keys[i].name, &value.items[i]);
    }
    out.open_object();
    for (const auto& [name, item] : sorted) {
        out.key(name);
        write_sorted(out, *item);
    }
    out.close_object();
}

bool same(const yaml::Value& a, const yaml::Value& b) {
    json::Writer left;
    json::Writer right;
    write_sorted(left, a);
    write_sorted(right, b);
    return left.str() == right.str();
}

using Named = std::vector<std::pair<std::string, const yaml::Value*>>;

/// The entries of a map, or the steps of a list by their ids.
Named named_parts(const yaml::Value* value) {
    Named parts;
    if (value == nullptr) return parts;
    for (std::size_t i = 0; i < value->items.size(); ++i) {
        const yaml::Value& item = value->items[i];
        if (value->kind == yaml::Kind::map) {
            parts.emplace_back(value->keys[i].name, &item);
        } else if (const yaml::Value* const id = item.find("id")) {
            parts.emplace_back(id->text, &item);
        }
    }
    return parts;
}

const yaml::Value* part_in(const Named& parts, const std::string& name) {
    const auto found = std::ranges::find(parts, name, &Named::value_type::first);
    return found == parts.end() ? nullptr : found->second;
}

/// The fields of two objects that differ, in the order of their names.
std::vector<std::string> differing_fields(const yaml::Value& before, const yaml::Value& after) {
    std::set<std::string> names;
    for (const yaml::Value* const value : {&before, &after}) {
        for (const yaml::Key& key : value->keys) names.insert(key.name);
    }
    std::vector<std::string> fields;
    for (const std::string& name : names) {
        const yaml::Value* const a = before.find(name);
        const yaml::Value* const b = after.find(name);
        if (a == nullptr || b == nullptr || !same(*a, *b)) fields.push_back(name);
    }
    return fields;
}

struct PartKind {
    std::string_view field;
    std::string_view what;
};

/// The fields whose parts are compared one by one.
constexpr std::array kComparedParts{PartKind{"params", "param"},
                                    PartKind{"secrets", "secret"},
                                    PartKind{"steps", "step"},
                                    PartKind{"on_fail", "on_fail step"},
                                    PartKind{"finally", "finally step"},
                                    PartKind{"on_cancel", "on_cancel step"}};

class Comparison {
public:
    explicit Comparison(std::string flow) : flow_(std::move(flow)) {}

    std::vector<FlowChange> run(const yaml::Value& before, const yaml::Value& after) {
        for (const PartKind& part : kComparedParts) {
            compare_parts(part, before.find(part.field), after.find(part.field));
        }
        for (const std::string& name : differing_fields(before, after)) {
            const bool by_parts =
                std::ranges::find(kComparedParts, name, &PartKind::field) != kComparedParts.end();
            if (!by_parts) compare_field(name, before.find(name), after.find(name));
        }
        return std::move(changes_);
    }

private:
    void add(ChangeKind kind,
             std::string_view what,
             const std::string& name,
             std::vector<std::string> fields = {}) {
        changes_.push_back({flow_, kind, std::string(what), name, std::move(fields)});
    }

    void compare_field(const std::string& name, const yaml::Value* a, const yaml::Value* b) {
        const ChangeKind kind = a == nullptr   ? ChangeKind::added
                                : b == nullptr ? ChangeKind::removed
                                               : ChangeKind::changed;
        add(kind, "field", name);
    }

    void compare_parts(const PartKind& part, const yaml::Value* a, const yaml::Value* b) {
        const Named before = named_parts(a);
        const Named after = named_parts(b);
        std::vector<std::string> kept_before;
        std::vector<std::string> kept_after;
        for (const auto& [name, value] : before) {
            const yaml::Value* const other = part_in(after, name);
            if (other == nullptr) {
                add(ChangeKind::removed, part.what, name);
                continue;
            }
            kept_before.push_back(name);
            std::vector<std::string> fields = differing_fields(*value, *other);
            if (!fields.empty() || !same(*value, *other)) {
                add(ChangeKind::changed, part.what, name, std::move(fields));
            }
        }
        for (const auto& [name, value] : after) {
            if (part_in(before, name) == nullptr) {
                add(ChangeKind::added, part.what, name);
            } else {
                kept_after.push_back(name);
            }
        }
        const bool ordered = a != nullptr && a->kind == yaml::Kind::list;
        if (ordered && kept_before != kept_after) {
            add(ChangeKind::changed, "field", std::string(part.field), {"order"});
        }
    }

    std::string flow_;
    std::vector<FlowChange> changes_;
};

}  // namespace

std::string_view to_string(ChangeKind kind) noexcept {
    switch (kind) {
        case ChangeKind::added: return "added";
        case ChangeKind::removed: return "removed";
        case ChangeKind::changed: break;
    }
    return "changed";
}

std::vector<FlowChange> compare_definitions(const std::string& flow,
                                            std::string_view before,
                                            std::string_view after) {
    if (before == after) return {};
    const auto a = yaml::read(before);
    const auto b = yaml::read(after);
    if (!a || !b) return {{flow, ChangeKind::changed, "flow", flow}};
    return Comparison(flow).run(*a, *b);
}

std::vector<FlowChange> compare_bundles(const Bundle& before, const Bundle& after) {
    std::vector<std::string> names{after.main};
    for (const Bundle* const bundle : {&before, &after}) {
        for (const auto& [name, text] : bundle->sources) {
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
    }
    std::vector<FlowChange> changes;
    for (const std::string& name : names) {
        const auto a = before.sources.find(name);
        const auto b = after.sources.find(name);
        if (a == before.sources.end()) {
            changes.push_back({name, ChangeKind::added, "flow", name});
        } else if (b == after.sources.end()) {
            changes.push_back({name, ChangeKind::removed, "flow", name});
        } else {
            const auto found = compare_definitions(name, a->second, b->second);
            changes.insert(changes.end(), found.begin(), found.end());
        }
    }
    return changes;
}

}  // namespace belay::flow
