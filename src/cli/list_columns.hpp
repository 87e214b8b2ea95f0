// The columns of `belay list`: which are shown, and by which the rows are sorted.
#pragma once

#include "cli/command.hpp"
#include "cli/table.hpp"
#include <belay/finding.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

/// A row of the list.
struct ListRow {
    ListedInstance listed;
    /// Read only for a column that shows it: it takes another request.
    std::optional<Payload> custom_status;
};

struct ListColumn {
    std::string name;  ///< As the option has it.
    Column column;
    Cell (*cell)(const ListRow& row, Timestamp now);
    /// Sorts as numbers do. Null: as the text of the cell.
    std::int64_t (*number)(const ListRow& row, Timestamp now) = nullptr;
    /// The store sorts by it: not only the rows of one page, but all that match.
    std::optional<InstanceOrder> order{};
    bool usual = false;  ///< Shown unless others are chosen.
};

[[nodiscard]] Option columns_option();
[[nodiscard]] Option sort_option();

/// The columns of `--columns`, or the usual ones. Throws a Problem that names an unknown one.
[[nodiscard]] std::vector<const ListColumn*> chosen_columns(const Arguments& arguments);
[[nodiscard]] bool shows_custom_status(const std::vector<const ListColumn*>& columns);

struct ListSort {
    const ListColumn* by = nullptr;
    bool descending = false;
};

/// The value of `--sort`. None: the newest first.
[[nodiscard]] std::optional<ListSort> chosen_sort(const Arguments& arguments);

/// Sorts rows by a column that the store does not sort by. Rows that are equal stay in order.
void sort_rows(std::vector<ListRow>& rows, const ListSort& sort, Timestamp now);

}  // namespace belay::cli
