// The figures of a group that are to be measured, and the number of slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::bench {

/// The way in which two builds are compared by a figure.
enum class Kind : std::uint8_t {
    throughput,  ///< More is better.
    latency,     ///< One at a time; less is better.
    other,       ///< They are not.
};

/// Every timed figure is the median of this many slices. The spread of nine is the range without
/// the least and the greatest.
inline constexpr std::size_t kSlices = 9;

class Plan {
public:
    /// Everything whose name contains `part`.
    static Plan containing(std::string part, std::size_t slices = kSlices) {
        Plan plan;
        plan.name_ = std::move(part);
        plan.slices_ = slices;
        return plan;
    }
    /// One slice of the figure of this name, without a yardstick.
    static Plan one_slice_of(std::string name) {
        Plan plan = containing(std::move(name), 1);
        plan.mode_ = Mode::one_slice;
        return plan;
    }
    /// Measures nothing, and remembers the figures that would be asked for.
    static Plan names_only() {
        Plan plan;
        plan.mode_ = Mode::names;
        return plan;
    }

    /// True if the figure of this name is to be measured. Groups ask for every figure they have.
    [[nodiscard]] bool wants(std::string_view name, Kind kind) {
        if (mode_ == Mode::names) names_.emplace_back(name, kind);
        if (mode_ == Mode::one_slice) return name == name_;
        return mode_ == Mode::all && name.find(name_) != std::string_view::npos;
    }
    /// True if anything is measured at all. A group without compared figures asks this first.
    [[nodiscard]] bool measures() const noexcept { return mode_ != Mode::names; }
    [[nodiscard]] std::size_t slices() const noexcept { return slices_; }
    [[nodiscard]] bool wants_yardstick() const noexcept { return mode_ == Mode::all; }

    using Names = std::vector<std::pair<std::string, Kind>>;
    /// The figures asked for so far, in a plan of `names_only`.
    [[nodiscard]] const Names& names() const noexcept { return names_; }

private:
    enum class Mode : std::uint8_t { all, one_slice, names };

    std::string name_;
    std::size_t slices_ = kSlices;
    Mode mode_ = Mode::all;
    Names names_;
};

}  // namespace belay::bench
