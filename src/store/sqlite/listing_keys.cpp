// The list of idempotency keys.
#include "store/rules/keys.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <utility>

namespace belay::sqlite {

namespace {

/// Returns the first place behind all places that begin with `text`.
std::string just_behind(std::string text) {
    text.push_back('\0');
    return text;
}

/// Returns the first place at or behind `at` where a matching key can be. Returns none if there is
/// no such place. So a list skips from one stretch of keys to the next and reads nothing between
/// them.
std::optional<KeyPlace> next_place(const ListKeys& request, KeyPlace at) {
    // When a part is raised, the parts behind it start anew.
    const auto raise = [](std::string& part, const std::string& least) {
        if (part >= least) return false;
        part = least;
        return true;
    };
    if (request.owner) {
        if (at.owner > *request.owner) return std::nullopt;
        if (raise(at.owner, *request.owner)) at.definition = at.key = std::string();
    }
    if (request.definition) {
        if (at.definition > *request.definition) {
            if (request.owner) return std::nullopt;
            return KeyPlace{just_behind(at.owner), *request.definition, request.prefix};
        }
        if (raise(at.definition, *request.definition)) at.key = std::string();
    }
    if (!raise(at.key, request.prefix) && !at.key.starts_with(request.prefix)) {
        if (!request.definition) {
            return next_place(request, KeyPlace{at.owner, just_behind(at.definition), {}});
        }
        if (request.owner) return std::nullopt;
        return KeyPlace{just_behind(at.owner), *request.definition, request.prefix};
    }
    return at;
}

using KeyListRow = columns::key_list;

KeyPlace read_place(const Query<KeyListRow>& query) {
    return KeyPlace{query.text(KeyListRow::owner),
                    query.text(KeyListRow::definition),
                    query.text(KeyListRow::key)};
}

KeyInfo read_key(const Query<KeyListRow>& query, const std::string& space, Timestamp now) {
    using Row = KeyListRow;
    KeyInfo info;
    info.owner = query.text(Row::owner);
    info.definition = query.text(Row::definition);
    info.key = query.text(Row::key);
    info.scope = query.as<KeyScope>(Row::scope);
    info.until = query.maybe_time(Row::until);
    const bool deleted = query.flag(Row::deleted) || query.null(Row::status);
    info.instance = InstanceBrief{query.run_ref(Row::run, Row::shard),
                                  InstanceName{space, query.text(Row::id)},
                                  query.as<Status>(deleted ? Row::last_status : Row::status),
                                  deleted};
    const bool ended = deleted || is_terminal(info.instance.status);
    info.taken = store::is_taken(info.scope, info.until, ended, info.instance.status, now);
    return info;
}

}  // namespace

ListKeys::Answer read(Connection& connection, const ListKeys& request, Timestamp now) {
    ListKeys::Answer page;
    KeyPlace from = request.after.value_or(KeyPlace());
    if (request.after) from.key = just_behind(std::move(from.key));
    for (std::optional<KeyPlace> at = next_place(request, std::move(from)); at;) {
        Query query = connection.use(Sql::key_list);
        query.bind(request.space, at->owner, at->definition, at->key);
        std::optional<KeyPlace> further;
        while (!further && page.size() < request.max && query.step()) {
            KeyPlace here = read_place(query);
            std::optional<KeyPlace> wanted = next_place(request, here);
            if (!wanted) return page;
            if (*wanted == here) {
                page.push_back(read_key(query, request.space, now));
            } else {
                further = std::move(wanted);
            }
        }
        at = std::move(further);
    }
    return page;
}

}  // namespace belay::sqlite
