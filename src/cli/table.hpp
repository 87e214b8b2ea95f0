// Rows in aligned columns.
#pragma once

#include "cli/terminal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace belay::cli {

struct Column {
    std::string title;
    bool right = false;  ///< Numbers.
    /// On a terminal that is too narrow it may be cut down to this; 0: it is never cut.
    std::size_t least = 0;
};

struct Cell {
    Cell(std::string text_, Colour colour_ = Colour::none)
        : text(std::move(text_)), colour(colour_) {}
    Cell(const char* text_) : text(text_) {}

    std::string text;  ///< As stored: it is made safe when it is printed.
    Colour colour = Colour::none;
};

/// On a terminal it fits its width; elsewhere nothing is cut.
class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<Cell> row);
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    [[nodiscard]] std::string render(const Terminal& terminal) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths(const Terminal& terminal) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace belay::cli
