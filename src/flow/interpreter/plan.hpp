// A definition, prepared once for all of its runs: the edges of its graphs, and what expressions
// use.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/interpreter/uses.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// The lists of steps of a definition.
enum class ListName : std::uint8_t { steps, on_fail, on_cancel, finally };

inline constexpr std::array kListNames{
    ListName::steps, ListName::on_fail, ListName::on_cancel, ListName::finally};

/// Returns the name that definitions write: "on_fail".
[[nodiscard]] std::string_view to_string(ListName list) noexcept;
[[nodiscard]] std::optional<ListName> list_named(std::string_view name) noexcept;

/// Returns the steps of a list.
[[nodiscard]] const std::vector<Step>& steps_of(const Definition& definition, ListName list);

/// One step, prepared.
struct PlannedStep {
    std::size_t awaited = 0;                ///< The number of steps that it begins after.
    std::vector<std::size_t> dependents{};  ///< The steps that begin after it.
    std::vector<std::string> reads{};       ///< The steps that its expressions name, sorted.
    bool reads_all = false;                 ///< Its expressions use `steps` as a whole.
    bool output_is_used = false;            ///< Some expression of the definition uses its results.
    Uses of_items{};                        ///< The uses of its items, if it is a map.
};

/// One list of steps, prepared.
struct PlannedList {
    ListName name = ListName::steps;
    const std::vector<Step>* steps = nullptr;
    std::vector<PlannedStep> planned{};
    std::vector<std::size_t> last{};  ///< The steps after which no other begins.
};

/// Owns its definition. Safe to read from any thread.
class Plan {
public:
    explicit Plan(std::shared_ptr<const Definition> definition);
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    [[nodiscard]] const Definition& definition() const noexcept { return *definition_; }
    [[nodiscard]] const PlannedList& list(ListName name) const;
    /// Returns the position in that list; none if it has no such step.
    [[nodiscard]] std::optional<std::size_t> find(ListName list,
                                                  std::string_view step) const noexcept;

private:
    void mark_used_outputs();

    std::shared_ptr<const Definition> definition_;
    std::vector<PlannedList> lists_;
};

/// True if a canceled run of this flow has something to do: it must get a turn with the cancel in
/// view. Any other run may end in the cancel's own commit.
[[nodiscard]] bool cleans_up(const Definition& definition) noexcept;

}  // namespace belay::flow
