// The figures: a table on the terminal while they are being measured, and JSON at the end.
#pragma once

#include "plan.hpp"
#include "statistics.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::bench {

/// Instances per second of the engine, beside those of the bare store, measured in turns.
struct Rate {
    std::string name;  ///< store.durability.workload.in_flight
    Kind kind = Kind::throughput;
    double per_second = 0;
    double p50_ms = 0;  ///< From the start of an instance to its end.
    double p99_ms = 0;
    double raw_per_second = 0;
    Estimate ratio;          ///< The part of raw, slice by slice.
    double rows = 0;         ///< Written, per instance.
    double commits = 0;      ///< Writes to the store, claims included, per instance.
    double least_ratio = 0;  ///< The promised ratio; 0 if nothing was promised.
};

/// Any other figure.
struct Figure {
    enum class Limit : std::uint8_t {
        most,   ///< A promise: it must not be more.
        least,  ///< A promise: it must not be less.
        best,   ///< A bound: it cannot be better.
    };

    std::string name;
    Estimate value;
    std::string unit;
    double limit = 0;
    Limit kind = Limit::most;
};

/// A figure of this build, compared with the same of another, measured in turns.
struct Comparison {
    std::string name;
    Kind kind = Kind::throughput;
    double before = 0;
    double now = 0;
    Estimate ratio;  ///< Now by before.
};

/// The limits for a build in comparison with another.
inline constexpr double kLeastThroughput = 0.95;
inline constexpr double kMostLatency = 1.10;

/// With more load than this beside it, an engine of many threads and a yardstick of one are not
/// slowed down alike, and the ratio of the two says nothing.
inline constexpr double kMostOtherLoad = 0.25;

/// The load of the rest of the machine meanwhile, in parts of all cores.
struct OtherLoad {
    double programs = 0;
    double stolen = 0;  ///< By the host.
};

/// Collects the figures, and prints each line as soon as it is known.
class Report {
public:
    /// Prints to `table`, if there is one.
    explicit Report(Plan plan, std::FILE* table = stdout) : plan_(std::move(plan)), table_(table) {}
    [[nodiscard]] bool wants(std::string_view name, Kind kind = Kind::other) {
        return plan_.wants(name, kind);
    }
    [[nodiscard]] const Plan& plan() const noexcept { return plan_; }

    void add(const Rate& rate);
    void add(const Figure& figure);
    void add(const Comparison& comparison);
    /// Two builds suffer alike. A figure measured beside a yardstick becomes unclear.
    void add(const OtherLoad& load);

    /// Everything, as a JSON list of objects.
    [[nodiscard]] std::string json() const;
    /// The promises that were not reached, a line each.
    [[nodiscard]] const std::vector<std::string>& missed() const noexcept { return missed_; }
    /// The figures whose spread is too wide to tell, a line each.
    [[nodiscard]] const std::vector<std::string>& unclear() const noexcept { return unclear_; }
    /// The last figure, as two builds are compared by it.
    [[nodiscard]] std::optional<double> last() const noexcept { return last_; }

private:
    enum class Table : std::uint8_t { none, rates, figures, comparisons };

    /// Begins another table, unless it is the one being printed.
    void begin(Table table, const char* heading);
    [[nodiscard]] Verdict note(const std::string& name,
                               const Estimate& value,
                               const std::string& unit,
                               Wanted wanted,
                               double bar);

    Plan plan_;
    std::FILE* table_;
    Table printing_ = Table::none;
    std::vector<std::string> objects_;
    std::vector<std::string> missed_;
    std::vector<std::string> unclear_;
    std::optional<double> last_;
};

/// A JSON string, quotes included. Bytes that are not ASCII are passed on as they are.
[[nodiscard]] std::string json_string(std::string_view text);
/// A JSON number; `null` if JSON has no number for it.
[[nodiscard]] std::string json_number(double value);

}  // namespace belay::bench
