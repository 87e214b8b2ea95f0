#include "cli/table.hpp"

#include "cli/text.hpp"
#include <belay/detail/assert.hpp>

#include <algorithm>
#include <numeric>

namespace belay::cli {

namespace {

constexpr std::size_t kGap = 2;

std::string cut_to(const Cell& cell, const Column& column, std::size_t width) {
    return column.holds == Holds::id ? fitted_in_middle(cell.text, width)
                                     : fitted(cell.text, width);
}

}  // namespace

void Table::add(std::vector<Cell> row) {
    BELAY_ASSERT(row.size() == columns_.size());
    for (Cell& cell : row) cell.text = safe(cell.text);
    rows_.push_back(std::move(row));
}

bool Table::Layout::fits(const Terminal& terminal) const {
    return !terminal.out_is_terminal || total <= terminal.width;
}

void Table::Layout::leave_out(std::size_t column) {
    if (widths[column] == 0) return;
    total -= widths[column] + kGap;
    widths[column] = 0;
}

Table::Layout Table::natural() const {
    Layout result;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = columns_of(columns_[i].title);
        for (const auto& row : rows_) widest = std::max(widest, columns_of(row[i].text));
        result.widths.push_back(widest);
    }
    const std::size_t gaps = kGap * (columns_.size() - 1);
    result.total = std::accumulate(result.widths.begin(), result.widths.end(), gaps);
    return result;
}

void Table::cut(Layout& layout, const Terminal& terminal, Holds holds) const {
    while (!layout.fits(terminal)) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const Column& column = columns_[i];
            std::size_t& width = layout.widths[i];
            const bool can = column.holds == holds && column.least != 0 && width > column.least;
            if (can && (widest == nullptr || width > *widest)) widest = &width;
        }
        if (widest == nullptr) return;
        --*widest;
        --layout.total;
    }
}

std::optional<Table::Layout> Table::layout(const Terminal& terminal) const {
    Layout all = natural();
    if (all.fits(terminal)) return all;
    for (std::size_t i = 0; i < columns_.size() && !rows_.empty(); ++i) {
        const bool empty =
            std::ranges::all_of(rows_, [&](const auto& row) { return row[i].text.empty(); });
        if (empty) all.leave_out(i);
    }
    Layout beside = all;
    for (const Holds holds : {Holds::remark, Holds::other}) cut(beside, terminal, holds);
    if (beside.fits(terminal)) return beside;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].holds == Holds::remark) all.leave_out(i);
    }
    for (const Holds holds : {Holds::other, Holds::id}) cut(all, terminal, holds);
    if (all.fits(terminal)) return all;
    return std::nullopt;
}

std::string Table::line(const Terminal& terminal,
                        const Layout& layout,
                        const std::vector<Cell>& row) const {
    std::string text;
    std::size_t gap = 0;  // Nothing is filled up behind the last column.
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t width = layout.widths[i];
        if (width == 0) continue;
        const std::string shown = cut_to(row[i], columns_[i], width);
        const std::size_t space = width - std::min(width, columns_of(shown));
        text.append(gap + (columns_[i].right ? space : 0), ' ');
        text += terminal.paint(row[i].colour, shown);
        gap = kGap + (columns_[i].right ? 0 : space);
    }
    text.erase(text.find_last_not_of(' ') + 1);  // The last cells may be empty.
    text += "\n";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool below = columns_[i].holds == Holds::remark && layout.widths[i] == 0;
        if (!below || row[i].text.empty()) continue;
        text +=
            "  " + terminal.paint(row[i].colour, fitted(row[i].text, terminal.width - 2)) + "\n";
    }
    return text;
}

std::string Table::records(const Terminal& terminal) const {
    std::size_t widest = 0;
    for (const Column& column : columns_) widest = std::max(widest, columns_of(column.title));
    const std::size_t rest = terminal.width > widest + kGap ? terminal.width - widest - kGap : 1;
    std::string text;
    for (const auto& row : rows_) {
        if (!text.empty()) text += "\n";
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (row[i].text.empty()) continue;
            const std::string& title = columns_[i].title;
            text += terminal.paint(Colour::bold, title) +
                    std::string(widest + kGap - columns_of(title), ' ') +
                    terminal.paint(row[i].colour, cut_to(row[i], columns_[i], rest)) + "\n";
        }
    }
    return text;
}

std::string Table::render(const Terminal& terminal) const {
    const std::optional<Layout> layout = this->layout(terminal);
    if (!layout) return records(terminal);
    std::vector<Cell> titles;
    titles.reserve(columns_.size());
    for (const Column& column : columns_) {
        const bool below = column.holds == Holds::remark && layout->widths[titles.size()] == 0;
        titles.emplace_back(below ? "" : column.title, Colour::bold);
    }
    std::string text = line(terminal, *layout, titles);
    for (const auto& row : rows_) text += line(terminal, *layout, row);
    return text;
}

}  // namespace belay::cli
