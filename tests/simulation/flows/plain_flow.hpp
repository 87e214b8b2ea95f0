// A plain interpreter of definitions: it knows no engine, no time and no crash.
//
// The end of a step follows from its definition and the ends of the steps before it. So every step
// is evaluated, as if nothing ever failed the flow or ended it early. Whatever the order in which
// things happen in a run, a step that ends does so as here.
#pragma once

#include "flow/definition/definition.hpp"
#include "simulation/flows/scripts.hpp"
#include <belay/status.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::sim {

/// The end of a step or an item.
struct PlainEnd {
    /// unknown: it waits for something that never came.
    enum class How : std::uint8_t { unknown, completed, failed, skipped };

    How how = How::unknown;
    expr::Value output{};                         ///< completed
    FailureKind kind = FailureKind::application;  ///< failed
    std::string type{};                           ///< failed
    std::string message{};                        ///< failed; empty: not known.
    std::uint32_t attempts = 0;                   ///< Of its activity or sub-flow.
    bool is_map = false;
    bool ends_flow = false;         ///< By its `end_flow`.
    bool condition_false = false;   ///< skipped
    std::vector<PlainEnd> items{};  ///< A map.

    [[nodiscard]] bool is(How wanted) const noexcept { return how == wanted; }
    [[nodiscard]] std::uint64_t count(How wanted) const;
};

[[nodiscard]] std::string_view to_string(PlainEnd::How how) noexcept;

/// What others did: a step depends on it.
class Others {
public:
    virtual ~Others() = default;

    struct Child {
        Status status = Status::completed;
        expr::Value output{};
        Failure failure{};
    };
    /// Returns how a child ended; none if it was never begun, or goes on.
    [[nodiscard]] virtual std::optional<Child> child(const std::string& id) const = 0;
    /// Returns the first event of this name that the run received.
    [[nodiscard]] virtual std::optional<expr::Value> event(const std::string& run,
                                                           const std::string& name) const = 0;
};

/// The facts of a run.
struct PlainRun {
    std::string id;
    expr::Value params{};  ///< As they were given.
    /// Further variables: `failure` or `outcome`.
    std::vector<std::pair<std::string, expr::Value>> more{};
    /// The entries of steps that came before the list, by their names.
    std::map<std::string, expr::Value> before{};
};

/// Evaluates a list of steps.
class PlainList {
public:
    PlainList(const flow::Definition& definition,
              const std::vector<flow::Step>& steps,
              PlainRun run,
              const Scripts& scripts,
              const Others& others);

    [[nodiscard]] const PlainEnd& end_of(std::size_t step);
    /// Returns the end of one item of a map, in a run that has only some items.
    [[nodiscard]] PlainEnd end_of_item(std::size_t step,
                                       std::uint64_t number,
                                       const expr::Value& item);
    /// True if the end of this step ends the list.
    [[nodiscard]] bool ends_list(std::size_t step);
    /// Returns the entry of a step in the variable `steps`.
    [[nodiscard]] expr::Value entry_of(std::size_t step);
    /// Returns the output of a list of which all steps have ended. None if it cannot be evaluated.
    [[nodiscard]] std::optional<expr::Value> output();

private:
    using Variables = std::map<std::string, expr::Value>;

    [[nodiscard]] PlainEnd evaluated(std::size_t step);
    [[nodiscard]] PlainEnd done(std::size_t step);
    [[nodiscard]] PlainEnd mapped(std::size_t step, const Variables& variables);
    [[nodiscard]] PlainEnd acted(const flow::Step& step,
                                 std::optional<std::uint64_t> item,
                                 const Variables& variables);
    [[nodiscard]] PlainEnd called(const flow::Step& step, const Variables& variables) const;
    [[nodiscard]] PlainEnd waited(const flow::Wait& wait) const;
    [[nodiscard]] PlainEnd started(const flow::Step& step,
                                   std::optional<std::uint64_t> item,
                                   const Variables& variables) const;
    [[nodiscard]] Variables variables(std::size_t step, bool with_itself);
    void add_entries_before(std::size_t step, Variables& entries);
    [[nodiscard]] std::string key_of(const flow::Step& step,
                                     std::optional<std::uint64_t> item) const;

    const flow::Definition& definition_;
    const std::vector<flow::Step>& steps_;
    PlainRun run_;
    const Scripts& scripts_;
    const Others& others_;
    std::map<std::size_t, PlainEnd> ends_;
};

/// Makes a map of named values.
[[nodiscard]] expr::Value plain_map(const std::map<std::string, expr::Value>& fields);
/// Returns the variable `failure`.
[[nodiscard]] expr::Value plain_failure(const Failure& failure);

}  // namespace belay::sim
