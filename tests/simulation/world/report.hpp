// The report of a simulation: its trace, and its violations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay::sim {

/// A broken invariant.
struct Violation {
    std::string invariant;
    std::string detail;
};

/// Keeps the first violation: later ones are noise.
class Violations {
public:
    void report(std::string invariant, std::string detail) {
        if (!first_) first_ = Violation{std::move(invariant), std::move(detail)};
    }
    /// `detail` is the text, or a function that makes it: most expectations hold.
    template <class Detail>
    void expect(bool holds, const char* invariant, Detail&& detail) {
        if (holds) return;
        if constexpr (std::is_invocable_v<Detail&>) {
            report(invariant, detail());
        } else {
            report(invariant, std::forward<Detail>(detail));
        }
    }
    [[nodiscard]] const std::optional<Violation>& first() const noexcept { return first_; }
    [[nodiscard]] bool any() const noexcept { return first_.has_value(); }

private:
    std::optional<Violation> first_;
};

/// One line for each thing that happens: its time, the process, the event. Default: off. A seed
/// that fails is simply run again with the trace on.
class Trace {
public:
    Trace(bool on, const std::int64_t& now_ms) : on_(on), now_ms_(now_ms) {}

    [[nodiscard]] bool on() const noexcept { return on_; }
    /// `make` returns the text and is called only if the trace is on.
    template <class Make>
    void line(std::uint32_t endpoint, Make&& make) {
        if (on_) line("e" + std::to_string(endpoint), std::forward<Make>(make));
    }
    template <class Make>
    void line(std::string_view who, Make&& make) {
        if (!on_) return;
        char time[32];
        std::snprintf(time, sizeof time, "%8lld ms  ", static_cast<long long>(now_ms_));
        std::string text = time + std::string(who);
        text.resize(std::max<std::size_t>(text.size(), 26), ' ');
        lines_.push_back(text + " " + make());
    }
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

private:
    bool on_;
    const std::int64_t& now_ms_;
    std::vector<std::string> lines_;
};

}  // namespace belay::sim
