// Views of runs, and a terminal that shows them, for tests.
#pragma once

#include "cli/flow/run_view.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "support/manual_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::cli {

inline constexpr Timestamp kStart{Millis(1'700'000'000'000)};

inline Timestamp after(std::int64_t seconds) { return kStart + Millis(seconds * 1'000); }

inline StepView step(std::string id, graph::State state = graph::State::pending) {
    StepView view;
    view.id = std::move(id);
    view.kind = "script";
    view.state = state;
    if (state != graph::State::pending && state != graph::State::skipped) {
        view.began_at = kStart;
        view.attempt = 1;
    }
    if (has_ended(state)) view.ended_at = after(2);
    return view;
}

inline RunView run_of(std::vector<StepView> steps, std::vector<graph::Edge> edges = {}) {
    RunView view;
    view.id = "build-1";
    view.flow = "build";
    view.status = Status::running;
    view.created_at = kStart;
    view.lists.push_back(ListView{"steps", std::move(steps), std::move(edges)});
    return view;
}

/// A terminal without colours.
struct PlainTerminal {
    support::ManualClock clock;
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in;
    Terminal terminal{.out = out, .err = err, .in = in, .clock = clock};
};

/// The rows of a terminal that obeys what Screen writes.
class Rows {
public:
    Rows() : rows_(1) {}

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            if (bytes.starts_with("\x1b[")) {
                bytes.remove_prefix(2);
                const std::size_t end = bytes.find_first_not_of("0123456789?");
                obey(bytes[end], bytes.substr(0, end));
                bytes.remove_prefix(end + 1);
                continue;
            }
            put(bytes.front());
            bytes.remove_prefix(1);
        }
    }
    [[nodiscard]] const std::vector<std::string>& rows() const noexcept { return rows_; }
    [[nodiscard]] bool cursor_is_hidden() const noexcept { return hidden_; }
    /// The bytes of text that were written, without those that only move.
    [[nodiscard]] std::size_t written() const noexcept { return written_; }

private:
    void obey(char command, std::string_view number) {
        const auto count = static_cast<std::size_t>(std::atoi(std::string(number).c_str()));
        switch (command) {
            case 'A': row_ -= count; break;
            case 'B': row_ = std::min(row_ + count, rows_.size() - 1); break;
            case 'K': rows_[row_].resize(column_); break;
            case 'J':
                rows_.resize(row_ + 1);
                rows_[row_].resize(column_);
                break;
            case 'l': hidden_ = true; break;
            case 'h': hidden_ = false; break;
            default: break;
        }
    }
    void put(char c) {
        if (c == '\r') {
            column_ = 0;
        } else if (c == '\n') {
            if (++row_ == rows_.size()) rows_.emplace_back();
        } else {
            std::string& row = rows_[row_];
            if (column_ < row.size()) {
                row[column_] = c;
            } else {
                row += c;
            }
            ++column_;
            ++written_;
        }
    }

    std::vector<std::string> rows_;
    std::size_t row_ = 0;
    std::size_t column_ = 0;
    std::size_t written_ = 0;
    bool hidden_ = false;
};

}  // namespace belay::cli
