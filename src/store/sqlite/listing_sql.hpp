// Lists with filters: which statement answers a request, and from which index.
#pragma once

#include <belay/store/listing.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::sqlite {

using SqlValue = std::variant<std::int64_t, double, std::string>;

/// A statement, put together from constant pieces, and the values of its parameters in order.
struct ListingSql {
    std::string text;
    std::vector<SqlValue> values;
};

/// What selects a page, in the columns that listing.cpp reads. Several statements: each has its own
/// rows in order, and whoever asks merges them. None: nothing can match. `parent`: the run that has
/// the name of the request's parent.
[[nodiscard]] std::vector<ListingSql> listing_sql(const ListInstances& request,
                                                  std::optional<RunKey> parent);

/// The same for counts: rows of definition, status and number, each pair in one row only.
[[nodiscard]] std::vector<ListingSql> counting_sql(const CountInstances& request,
                                                   std::optional<RunKey> parent);

}  // namespace belay::sqlite
