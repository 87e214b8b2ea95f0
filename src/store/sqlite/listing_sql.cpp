#include "store/sqlite/listing_sql.hpp"

#include "store/sqlite/blocks.hpp"
#include "store/sqlite/query.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace belay::sqlite {

namespace {

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

constexpr std::array kEnds{Status::completed, Status::failed, Status::canceled, Status::skipped};

/// The source of the rows: an index, or the blocks that may have some. The builder uses the
/// source that is usually the narrowest of those that the request allows: the parent before the
/// definition. `natural` has the order of its rows.
enum class Source : std::uint8_t {
    ids,
    parent,
    label,
    held,
    id,
    chain,
    outcome,  ///< Ends of one definition: of roots, of children, or of parts.
    ended,
    open,
    version,
    definition,
    owner,
    created,
    key,
};

enum class Wanted : std::uint8_t {
    page,
    counts,
    keys,
    chains,  ///< The keys of runs that have old executions.
};

Source source_of(Wanted wanted, const ListInstances& request, bool ends, bool open) {
    if (request.ids) return Source::ids;
    if (request.parent) return Source::parent;
    if (!request.labels.empty()) return Source::label;
    if (request.held_only) return Source::held;
    if (!request.id_prefix.empty()) return Source::id;
    if (wanted == Wanted::chains) return Source::chain;
    if (ends) return request.definition ? Source::outcome : Source::ended;
    if (open) return Source::open;
    if (request.version) return Source::version;
    if (request.definition) return Source::definition;
    if (request.owner) return Source::owner;
    if (!request.created.empty()) return Source::created;
    // Counts need all rows, in no order.
    if (wanted == Wanted::counts) return Source::key;
    switch (request.order) {
        case InstanceOrder::id: return Source::id;
        case InstanceOrder::started: return Source::key;
        case InstanceOrder::created:
        case InstanceOrder::ended: break;
    }
    return Source::created;
}

/// Returns the first text behind all texts that begin with `prefix`. Returns none if there is no
/// such text.
std::optional<std::string> behind(std::string prefix) {
    while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
    if (prefix.empty()) return std::nullopt;
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    return prefix;
}

/// True if the index has only ended runs, by status.
bool is_of_ends(Source source) { return source == Source::ended || source == Source::outcome; }

/// True if blocks lead to the rows, in the order of keys.
bool is_of_values(Source source) {
    return source == Source::version || source == Source::definition || source == Source::owner;
}

/// The part of the rows that one of several statements selects.
struct Part {
    std::optional<Status> status = std::nullopt;
    std::optional<Kinship> kinship = std::nullopt;
};

// The statements have these values as numbers.
static_assert(kBlockBits == 24 && kMomentBits == 2);
constexpr const char* kFromBlocks =
    " from run_block b cross join run r not indexed "
    "on r.key between b.block << 24 and (b.block << 24) + 16777215 where b.kind = ?";

/// Builds one statement.
class Builder {
public:
    Builder(const ListInstances& request, std::optional<RunKey> parent)
        : request_(request), parent_(parent) {}

    [[nodiscard]] ListingSql build(const char* head,
                                   Wanted wanted,
                                   Source source,
                                   const Part& part) {
        add(head);
        from(source, part);
        if (wanted == Wanted::chains) {
            add(" and r.execution > 1 and exists (select 1 from execution e where e.run = r.key)");
        }
        if (part.status) add(" and r.status = ?", static_cast<std::int64_t>(*part.status));
        filter(source, part.status.has_value());
        ranges(source);
        if (wanted == Wanted::counts) {
            add(" group by r.definition, r.status");
        } else {
            place(source);
        }
        return std::move(sql_);
    }

private:
    /// Adds a constant piece. Values from the request go into parameters only.
    template <class... Values>
    void add(const char* piece, Values&&... values) {
        sql_.text += piece;
        (sql_.values.emplace_back(std::forward<Values>(values)), ...);
    }

    void from(Source source, const Part& part) {
        switch (source) {
            case Source::ids: add(" from run r indexed by run_name where true"); break;
            case Source::parent:
                add(" from run r indexed by run_parent where r.parent_key = ?",
                    stored(parent_->value));
                break;
            case Source::label:
                add(" from label l indexed by label_value cross join run r on r.key = l.run where");
                label_is(request_.labels.front());
                break;
            case Source::held:
                // The index has only held runs: all of its keys.
                add(" from run r indexed by run_held where r.held = 1 and r.key > ?", kEarliest);
                break;
            case Source::id: add(" from run r indexed by run_name where true"); break;
            case Source::chain: add(" from run r indexed by run_chain where true"); break;
            case Source::outcome:
                add(" from run r indexed by run_outcome where r.child = ? and r.definition = ?",
                    static_cast<std::int64_t>(*part.kinship),
                    *request_.definition);
                break;
            case Source::ended: from_blocks(ended_as(*part.status)); break;
            case Source::open:
                add(" from run r indexed by run_open where r.ended_at is null");
                break;
            case Source::version: from_blocks(BlockKind::version, *request_.version); break;
            case Source::definition:
                from_blocks(BlockKind::definition, *request_.definition);
                break;
            case Source::owner: from_blocks(BlockKind::owner, *request_.owner); break;
            case Source::created: from_blocks(BlockKind::created); break;
            case Source::key: add(" from run r not indexed where true"); break;
        }
        add(" and r.space = ? and r.former = 0", request_.space);
    }

    void from_blocks(BlockKind kind, const std::string& value = std::string()) {
        add(kFromBlocks, static_cast<std::int64_t>(kind));
        add(" and b.space = ? and b.value = ?", request_.space, value);
        if (!value.empty()) add(" and b.at = 0");
    }

    void label_is(const std::pair<std::string, LabelValue>& label) {
        const auto& [name, value] = label;
        add(" l.name = ? and l.kind = ? and l.value = ?",
            name,
            static_cast<std::int64_t>(value.index() + 1));
        std::visit(
            [this](const auto& one) {
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, bool>) {
                    sql_.values.emplace_back(std::int64_t{one});
                } else {
                    sql_.values.emplace_back(one);
                }
            },
            value);
    }

    /// Adds conditions that the index does not cover.
    void filter(Source source, bool has_status) {
        if (request_.parent && source != Source::parent) {
            add(" and r.parent_key = ?", stored(parent_->value));
        }
        for (std::size_t i = source == Source::label ? 1 : 0; i < request_.labels.size(); ++i) {
            add(" and exists (select 1 from label l where l.run = r.key and");
            label_is(request_.labels[i]);
            add(")");
        }
        if (request_.held_only && source != Source::held) add(" and r.held = 1");
        if (request_.version) add(" and r.version = ?", *request_.version);
        if (request_.definition && source != Source::outcome) {
            add(" and r.definition = ?", *request_.definition);
        }
        if (request_.owner) add(" and r.owner = ?", *request_.owner);
        if (request_.roots_only) {
            add(" and r.parent_key is null");
        } else if (!request_.shows_parts() && source != Source::outcome) {
            add(" and r.child < 2");
        }
        if (request_.statuses && !has_status) {
            std::int64_t wanted = 0;
            for (const Status status : *request_.statuses) {
                wanted |= std::int64_t{1} << static_cast<int>(status);
            }
            add(" and ((1 << r.status) & ?) <> 0", wanted);
        }
        if (request_.ids) has_one_of(*request_.ids);
        if (!request_.id_prefix.empty()) {
            add(" and r.id >= ?", request_.id_prefix);
            if (auto end = behind(request_.id_prefix)) add(" and r.id < ?", std::move(*end));
        }
    }

    void has_one_of(const std::vector<std::string>& ids) {
        add(" and r.id in (");
        for (std::size_t i = 0; i < ids.size(); ++i) add(i == 0 ? "?" : ", ?", ids[i]);
        add(")");
    }

    /// Adds the ranges of time, narrowed down to rows behind the previous page.
    void ranges(Source source) {
        const InstanceOrder order = request_.order;
        if (order == InstanceOrder::created || !request_.created.empty()) {
            const Span span = between(request_.created, order == InstanceOrder::created);
            add(" and r.created_at between ? and ?", span.first, span.last);
            if (source == Source::created) {
                add(" and r.created_at >> 2 = b.at");
                moments(span);
            }
        }
        if (order == InstanceOrder::ended || !request_.ended.empty() || is_of_ends(source)) {
            const Span span = between(request_.ended, order == InstanceOrder::ended);
            add(" and r.ended_at between ? and ?", span.first, span.last);
            if (source == Source::ended) {
                add(" and r.ended_at >> 2 = b.at");
                moments(span);
            }
        }
    }

    /// A range with both ends included.
    struct Span {
        std::int64_t first;
        std::int64_t last;
    };

    void moments(const Span& span) {
        add(" and b.at between ? and ?", moment_of(span.first), moment_of(span.last));
    }

    /// Adds the condition for rows behind the previous page, and the order.
    void place(Source source) {
        const bool down = request_.descending;
        if (request_.after) behind_place(source);
        switch (request_.order) {
            case InstanceOrder::started:
                if (source == Source::label) {
                    add(down ? " order by l.run desc" : " order by l.run");
                } else if (is_of_values(source)) {
                    add(down ? " order by b.block desc, r.key desc" : " order by b.block, r.key");
                } else {
                    add(down ? " order by r.key desc" : " order by r.key");
                }
                break;
            case InstanceOrder::created:
                add(" order by ");
                if (source == Source::created) add(down ? "b.at desc, " : "b.at, ");
                add(down ? "r.created_at desc, r.key desc" : "r.created_at, r.key");
                break;
            case InstanceOrder::ended:
                add(" order by ");
                if (source == Source::ended) add(down ? "b.at desc, " : "b.at, ");
                add(down ? "r.ended_at desc, r.key desc" : "r.ended_at, r.key");
                break;
            case InstanceOrder::id: add(down ? " order by r.id desc" : " order by r.id"); break;
        }
        add(" limit ?", static_cast<std::int64_t>(request_.max));
    }

    /// `from_place`: not beyond the place.
    [[nodiscard]] Span between(const TimeRange& range, bool from_place) const {
        std::int64_t first = range.from ? to_unix_ms(*range.from) : kEarliest;
        std::int64_t last = kLatest;
        if (range.before) {
            const std::int64_t before = to_unix_ms(*range.before);
            // There is no time before the first one.
            if (before == kEarliest) first = kLatest;
            last = before == kEarliest ? kEarliest : before - 1;
        }
        if (request_.after && from_place) {
            const std::int64_t at = to_unix_ms(request_.after->at);
            if (request_.descending) {
                last = std::min(last, at);
            } else {
                first = std::max(first, at);
            }
        }
        return Span{first, last};
    }

    void behind_place(Source source) {
        const bool down = request_.descending;
        const InstancePlace& place = *request_.after;
        const std::int64_t at = to_unix_ms(place.at);
        const std::int64_t key = stored(place.key.value);
        switch (request_.order) {
            case InstanceOrder::started:
                if (source == Source::label) {
                    add(down ? " and l.run < ?" : " and l.run > ?", key);
                } else {
                    add(down ? " and r.key < ?" : " and r.key > ?", key);
                    if (!is_of_values(source)) break;
                    add(down ? " and b.block <= ?" : " and b.block >= ?", block_of(key));
                }
                break;
            case InstanceOrder::created:
                add(down ? " and (r.created_at < ? or r.key < ?)"
                         : " and (r.created_at > ? or r.key > ?)",
                    at,
                    key);
                break;
            case InstanceOrder::ended:
                add(down ? " and (r.ended_at < ? or r.key < ?)"
                         : " and (r.ended_at > ? or r.key > ?)",
                    at,
                    key);
                break;
            case InstanceOrder::id: add(down ? " and r.id < ?" : " and r.id > ?", place.id); break;
        }
    }

    const ListInstances& request_;
    const std::optional<RunKey> parent_;
    ListingSql sql_;
};

}  // namespace

std::vector<Kinship> kinships_of(const InstanceMatch& match) {
    if (match.roots_only) return {Kinship::root};
    if (!match.shows_parts()) return {Kinship::root, Kinship::child};
    return {Kinship::root, Kinship::child, Kinship::part};
}

namespace {

/// Returns the parts of the source that a request needs, each with its rows in order.
std::vector<Part> parts_of(Source source,
                           const ListInstances& request,
                           const std::vector<Status>& ends,
                           const std::vector<Status>& open) {
    std::vector<Part> parts;
    switch (source) {
        case Source::outcome:
            for (const Status status : ends) {
                for (const Kinship one : kinships_of(request)) parts.push_back(Part{status, one});
            }
            break;
        case Source::ended:
            for (const Status status : ends) parts.push_back(Part{status});
            break;
        case Source::open:
            for (const Status status : open) parts.push_back(Part{status});
            break;
        default: parts.emplace_back();
    }
    return parts;
}

std::vector<ListingSql> statements_of(const char* head,
                                      Wanted what,
                                      const ListInstances& request,
                                      std::optional<RunKey> parent) {
    const auto wanted = [&](Status status) {
        return !request.statuses ||
               std::find(request.statuses->begin(), request.statuses->end(), status) !=
                   request.statuses->end();
    };
    const bool must_end = request.order == InstanceOrder::ended || !request.ended.empty();
    std::vector<Status> ends;
    std::copy_if(kEnds.begin(), kEnds.end(), std::back_inserter(ends), wanted);
    std::vector<Status> open;
    for (const Status status : {Status::pending, Status::running, Status::canceling}) {
        if (!must_end && wanted(status)) open.push_back(status);
    }
    if (ends.empty() && open.empty()) return {};
    if (request.parent && !parent) return {};
    if (request.ids && request.ids->empty()) return {};

    const Source source = source_of(what, request, open.empty(), ends.empty());
    std::vector<ListingSql> statements;
    for (const Part& part : parts_of(source, request, ends, open)) {
        statements.push_back(Builder(request, parent).build(head, what, source, part));
    }
    return statements;
}

template <class Row>
Listing<Row> listing_of(Head<Row> head,
                        Wanted what,
                        const ListInstances& request,
                        std::optional<RunKey> parent) {
    return Listing<Row>{statements_of(head.text, what, request, parent)};
}

}  // namespace

Listing<columns::listed_instance> listing_sql(const ListInstances& request,
                                              std::optional<RunKey> parent) {
    return listing_of(SqlHead::listed_instance, Wanted::page, request, parent);
}

Listing<columns::counted_instances> counting_sql(const CountInstances& request,
                                                 std::optional<RunKey> parent) {
    // This order needs nothing more of an instance.
    ListInstances list;
    static_cast<InstanceMatch&>(list) = request;
    list.order = InstanceOrder::started;
    return listing_of(SqlHead::counted_instances, Wanted::counts, list, parent);
}

namespace {

void set_place(ListInstances& list, const SelectInstances::Ended& which) {
    list.order = InstanceOrder::ended;
    list.roots_only = true;
    if (which.after) list.after = InstancePlace{which.after->first, {}, which.after->second};
}
void set_place(ListInstances& list, const auto& which) {
    list.order = InstanceOrder::started;
    if (which.after) list.after = InstancePlace{{}, {}, *which.after};
}

}  // namespace

Listing<columns::selected_instance> selection_sql(const SelectInstances& request,
                                                  std::optional<RunKey> parent) {
    ListInstances list;
    static_cast<InstanceMatch&>(list) = request;
    list.max = request.max;
    if (const auto* chains = std::get_if<SelectInstances::Chains>(&request.which)) {
        set_place(list, *chains);
        return listing_of(SqlHead::selected_instance, Wanted::chains, list, parent);
    }
    if (const auto* ended = std::get_if<SelectInstances::Ended>(&request.which)) {
        set_place(list, *ended);
    } else {
        set_place(list, std::get<SelectInstances::Any>(request.which));
    }
    return listing_of(SqlHead::selected_instance, Wanted::keys, list, parent);
}

}  // namespace belay::sqlite
