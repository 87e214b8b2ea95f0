// What was measured: a table on the terminal while it is being measured, and JSON at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::bench {

/// Instances per second of the engine, beside what the bare store does in the same run.
struct Rate {
    std::string name;  ///< store.durability.workload.in_flight
    double per_second = 0;
    double p50_ms = 0;  ///< From the start of an instance to its end.
    double p99_ms = 0;
    double raw_per_second = 0;
    double rows = 0;         ///< Written, per instance.
    double commits = 0;      ///< Writes to the store, claims included, per instance.
    double least_ratio = 0;  ///< What is to be reached; 0 if nothing was promised.
};

/// Any other figure.
struct Figure {
    enum class Limit : std::uint8_t {
        most,  ///< What was promised: it must not be more.
        best,  ///< What bounds it: it cannot be better.
    };

    std::string name;
    double value = 0;
    std::string unit;
    double limit = 0;
    Limit kind = Limit::most;
};

/// Collects what was measured, and prints each line as soon as it is known.
class Report {
public:
    void add(const Rate& rate);
    void add(const Figure& figure);

    /// Everything, as a JSON list of objects.
    [[nodiscard]] std::string json() const;
    /// What was promised and not reached, a line each.
    [[nodiscard]] const std::vector<std::string>& missed() const noexcept { return missed_; }

private:
    std::vector<std::string> objects_;
    std::vector<std::string> missed_;
    bool rates_begun_ = false;
    bool figures_begun_ = false;
};

/// A JSON string, quotes included. Bytes that are not ASCII are passed on as they are.
[[nodiscard]] std::string json_string(std::string_view text);
/// A JSON number; `null` for what JSON has no number for.
[[nodiscard]] std::string json_number(double value);

}  // namespace belay::bench
