// The rows of statements that are built for a filter.
#pragma once

#include "store/sqlite/listing_sql.hpp"
#include "store/sqlite/reader.hpp"

#include <optional>
#include <type_traits>
#include <variant>

namespace belay::sqlite {

/// Returns the run that has the name of the parent in the filter.
[[nodiscard]] inline std::optional<RunKey> parent_key_of(Connection& connection,
                                                         const InstanceMatch& match,
                                                         Timestamp now) {
    if (!match.parent) return std::nullopt;
    Reader reader(connection, now);
    const Run* run = reader.tables.find_run(InstanceName{match.space, *match.parent});
    return run == nullptr ? std::nullopt : std::optional(run->ref.key);
}

/// Calls `visit(query)` for each row of the listing. If it returns false, the other rows of that
/// statement are left out.
template <class Row, class Visit>
void each_row(Connection& connection, const Listing<Row>& listing, Visit visit) {
    constexpr const char* kWhat = "list of instances";
    for (const ListingSql& sql : listing.statements) {
        OneTimeStatement statement = connection.prepare_once(sql.text, kWhat);
        Query query = statement.use<Row>(kWhat);
        for (const SqlValue& value : sql.values) {
            std::visit([&](const auto& one) { query.bind(one); }, value);
        }
        while (query.step()) {
            if constexpr (std::is_void_v<decltype(visit(query))>) {
                visit(query);
            } else if (!visit(query)) {
                break;
            }
        }
    }
}

}  // namespace belay::sqlite
