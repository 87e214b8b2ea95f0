#include "cli/span_view.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::size_t kWidestSpanName = 28;
constexpr std::size_t kTookColumns = 8;
constexpr std::size_t kNarrowestState = 6;
constexpr std::size_t kNarrowestBar = 10;
constexpr std::size_t kWidestBar = 60;

std::string repeated(std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
}

/// The column of a moment, out of `columns`.
std::size_t column_of(Timestamp at, Timestamp from, Timestamp to, std::size_t columns) {
    const auto all = std::max<std::int64_t>((to - from).count(), 1);
    const auto part = std::clamp<std::int64_t>((at - from).count(), 0, all);
    const auto column = static_cast<std::size_t>(
        static_cast<double>(part) / static_cast<double>(all) * static_cast<double>(columns));
    return std::min(column, columns - 1);
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
    const std::string space(columns - std::min(columns, columns_of(text)), ' ');
    return right ? space + text : text + space;
}

}  // namespace

std::string render_spans(const Terminal& terminal,
                         const std::vector<Span>& spans,
                         Timestamp from,
                         Timestamp to) {
    std::size_t name_columns = 0;
    std::size_t state_columns = 0;
    for (const Span& span : spans) {
        name_columns = std::max(name_columns, columns_of(safe(span.name)));
        state_columns = std::max(state_columns, columns_of(safe(span.state)));
    }
    name_columns = std::min(name_columns, kWidestSpanName);
    if (terminal.out_is_terminal) {
        const std::size_t others = name_columns + kTookColumns + kNarrowestBar + 8;
        const std::size_t room = terminal.width > others ? terminal.width - others : 0;
        state_columns = std::min(state_columns, std::max(room, kNarrowestState));
    }
    const std::size_t rest = name_columns + kTookColumns + state_columns + 8;
    const std::size_t bar_columns =
        std::clamp(terminal.width > rest ? terminal.width - rest : 0, kNarrowestBar, kWidestBar);
    std::string text;
    for (const Span& span : spans) {
        const std::size_t first = column_of(span.begin, from, to, bar_columns);
        const std::size_t last =
            std::max(first, column_of(span.end.value_or(to), from, to, bar_columns));
        // A span that goes on ends in an arrow.
        const std::string bar = repeated("█", last - first) + (span.end ? "█" : "▶");
        text += "  " +
                padded(fitted_in_middle(safe(span.name), name_columns), name_columns, false) +
                "  " + std::string(first, ' ') + terminal.paint(span.colour, bar) +
                std::string(bar_columns - last - 1, ' ') + "  " +
                padded(format_duration(span.end.value_or(to) - span.begin), kTookColumns, true) +
                "  " + terminal.paint(span.colour, fitted(safe(span.state), state_columns)) + "\n" +
                span.below;
    }
    return text;
}

}  // namespace belay::cli
