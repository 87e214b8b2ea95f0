#include "cli/flow/screen.hpp"

#include "cli/text.hpp"

#include <string_view>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kEraseRight = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

/// Moves to the beginning of the line that is `rows` above.
std::string up(std::size_t rows) {
    return rows == 0 ? "\r" : "\r\x1b[" + std::to_string(rows) + "A";
}

std::string down(std::size_t rows) {
    return rows == 0 ? "\r" : "\r\x1b[" + std::to_string(rows) + "B";
}

std::string all(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text.append(line).append(kEraseRight).append("\r\n");
    return text;
}

}  // namespace

std::size_t shown_columns(const std::string& line) {
    std::string plain;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] != '\x1b') {
            plain += line[at];
            continue;
        }
        at = line.find('m', at);
        if (at == std::string::npos) break;
    }
    return columns_of(plain);
}

std::string Screen::begin() {
    if (drawn_) return {};
    drawn_ = true;
    return std::string(kHideCursor);
}

std::string Screen::erase(std::size_t rows) const { return up(rows) + std::string(kEraseBelow); }

std::string Screen::draw(std::vector<std::string> lines) {
    std::string text = begin();
    if (lines.size() < lines_.size()) {
        text += erase(lines_.size()) + all(lines);
        lines_ = std::move(lines);
        return text;
    }
    std::size_t row = lines_.size();  // The row of the cursor.
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (lines[i] == lines_[i]) continue;
        text += row > i ? up(row - i) : down(i - row);
        text.append(lines[i]).append(kEraseRight);
        row = i;
    }
    if (row < lines_.size()) text += down(lines_.size() - row);
    for (std::size_t i = lines_.size(); i < lines.size(); ++i) {
        text.append(lines[i]).append(kEraseRight).append("\r\n");
    }
    lines_ = std::move(lines);
    return text;
}

std::string Screen::redraw(std::vector<std::string> lines, std::size_t width) {
    // A terminal that became narrower has broken the lines that are too long for it.
    std::size_t rows = 0;
    for (const std::string& line : lines_) {
        const std::size_t columns = shown_columns(line);
        rows += width == 0 || columns <= width ? 1 : (columns + width - 1) / width;
    }
    std::string text = begin() + erase(rows) + all(lines);
    lines_ = std::move(lines);
    return text;
}

std::string Screen::print_above(const std::vector<std::string>& printed) {
    if (printed.empty()) return {};
    return erase(lines_.size()) + all(printed) + all(lines_);
}

std::string Screen::leave() {
    lines_.clear();
    return std::exchange(drawn_, false) ? std::string(kShowCursor) : std::string();
}

}  // namespace belay::cli
