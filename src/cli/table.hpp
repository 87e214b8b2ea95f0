// Rows in aligned columns.
#pragma once

#include "cli/terminal.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

enum class Holds : std::uint8_t {
    other,
    id,      ///< Cut last, and in the middle: both ends tell ids apart.
    remark,  ///< Cut first. Printed below its row if it cannot have its least width.
};

struct Column {
    std::string title;
    bool right = false;  ///< Numbers.
    /// On a terminal that is too narrow it may be cut down to this; 0: it is never cut.
    std::size_t least = 0;
    Holds holds = Holds::other;
};

/// The columns that tables share.
[[nodiscard]] inline Column id_column(std::string title) {
    return {.title = std::move(title), .least = 16, .holds = Holds::id};
}
[[nodiscard]] inline Column remark_column(std::string title) {
    return {.title = std::move(title), .least = 24, .holds = Holds::remark};
}

struct Cell {
    Cell(std::string text_, Colour colour_ = Colour::none)
        : text(std::move(text_)), colour(colour_) {}
    Cell(const char* text_) : text(text_) {}

    std::string text;  ///< As stored: it is made safe when it is printed.
    Colour colour = Colour::none;
};

/// On a terminal it fits its width. Elsewhere nothing is cut. If the terminal is too narrow, empty
/// columns are left out and cells are cut. If that is not enough, each row becomes a list with one
/// line for each column.
class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<Cell> row);
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    [[nodiscard]] std::string render(const Terminal& terminal) const;

private:
    /// The width of each column in a table; 0: it is left out.
    struct Layout {
        std::vector<std::size_t> widths;
        std::size_t total = 0;

        [[nodiscard]] bool fits(const Terminal& terminal) const;
        void leave_out(std::size_t column);
    };
    [[nodiscard]] Layout natural() const;
    /// Cuts the columns that hold this, the widest first, until the table fits or nothing is left
    /// to cut.
    void cut(Layout& layout, const Terminal& terminal, Holds holds) const;
    /// Returns none if the terminal is too narrow for a table.
    [[nodiscard]] std::optional<Layout> layout(const Terminal& terminal) const;
    [[nodiscard]] std::string line(const Terminal& terminal,
                                   const Layout& layout,
                                   const std::vector<Cell>& row) const;
    [[nodiscard]] std::string records(const Terminal& terminal) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace belay::cli
