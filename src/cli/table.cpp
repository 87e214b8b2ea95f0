#include "cli/table.hpp"

#include "cli/text.hpp"
#include <belay/detail/assert.hpp>

#include <algorithm>
#include <numeric>

namespace belay::cli {

namespace {

constexpr std::size_t kGap = 2;

/// `text` in a column of this width; the last one of a row is not filled up.
std::string in_column(
    const Terminal& terminal, const Cell& cell, std::size_t width, bool right, bool last) {
    const std::string text = fitted(cell.text, width);
    const std::string space(width - std::min(width, columns_of(text)), ' ');
    const std::string painted = terminal.paint(cell.colour, text);
    if (right) return space + painted;
    return last ? painted : painted + space;
}

}  // namespace

void Table::add(std::vector<Cell> row) {
    BELAY_ASSERT(row.size() == columns_.size());
    for (Cell& cell : row) cell.text = safe(cell.text);
    rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths(const Terminal& terminal) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = columns_of(columns_[i].title);
        for (const auto& row : rows_) widest = std::max(widest, columns_of(row[i].text));
        result.push_back(widest);
    }
    if (!terminal.out_is_terminal) return result;
    const std::size_t gaps = kGap * (columns_.size() - 1);
    std::size_t total = std::accumulate(result.begin(), result.end(), gaps);
    // The widest gives way first, so that short columns stay whole.
    while (total > terminal.width) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool can = columns_[i].least != 0 && result[i] > columns_[i].least;
            if (can && (widest == nullptr || result[i] > *widest)) widest = &result[i];
        }
        if (widest == nullptr) break;
        --*widest;
        --total;
    }
    return result;
}

std::string Table::render(const Terminal& terminal) const {
    const std::vector<std::size_t> width = widths(terminal);
    const std::string gap(kGap, ' ');
    std::string text;
    const auto line = [&](const auto& cell_of) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (i > 0) text += gap;
            const bool last = i + 1 == columns_.size();
            text += in_column(terminal, cell_of(i), width[i], columns_[i].right, last);
        }
        text.erase(text.find_last_not_of(' ') + 1);  // The last cells may be empty.
        text += "\n";
    };
    line([&](std::size_t i) { return Cell(columns_[i].title, Colour::bold); });
    for (const auto& row : rows_) line([&](std::size_t i) { return row[i]; });
    return text;
}

}  // namespace belay::cli
