// Lists with filters: the statement and the index for a request.
#pragma once

#include "store/sqlite/blocks.hpp"
#include "store/sqlite/sql.hpp"
#include <belay/store/listing.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::sqlite {

using SqlValue = std::variant<std::int64_t, double, std::string>;

/// A statement, built from constant pieces, and the values of its parameters in order. It begins
/// with a head of listing.sql.
struct ListingSql {
    std::string text;
    std::vector<SqlValue> values;
};

/// Statements whose rows have the columns of `Row`. Several: each has its own rows in order, and
/// the caller merges them. None: nothing can match.
template <class Row>
struct Listing {
    std::vector<ListingSql> statements;
};

/// Returns the kinships of the runs that match, in ascending order.
[[nodiscard]] std::vector<Kinship> kinships_of(const InstanceMatch& match);

/// Returns the SQL that selects a page. `parent`: the run that has the name of the request's
/// parent.
[[nodiscard]] Listing<columns::listed_instance> listing_sql(const ListInstances& request,
                                                            std::optional<RunKey> parent);

/// The same for counts: each pair of definition and status is in one row only.
[[nodiscard]] Listing<columns::counted_instances> counting_sql(const CountInstances& request,
                                                               std::optional<RunKey> parent);

/// The same for a selection by filter. Not for Past and Formers.
[[nodiscard]] Listing<columns::selected_instance> selection_sql(const SelectInstances& request,
                                                                std::optional<RunKey> parent);

}  // namespace belay::sqlite
