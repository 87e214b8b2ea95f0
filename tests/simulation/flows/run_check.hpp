// Compares runs of flows with what the plain interpreter says of them.
#pragma once

#include "flow/definition/bundle.hpp"
#include "model/event.hpp"
#include "simulation/flows/list_check.hpp"
#include "store/memory/tables.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

/// Checks one run that has ended: one that an operator started, a sub-flow, the items of a large
/// map, or a run for a failure. Each is checked with the ends that its own children really had.
class RunCheck final : private Others {
public:
    RunCheck(Violations& violations,
             FlowCounts& counts,
             const Scripts& scripts,
             const memory::Tables& tables,
             const flow::Bundle& bundle,
             const memory::Run& run);

    void check();

private:
    // What others did, as the store has it.
    [[nodiscard]] std::optional<Child> child(const std::string& id) const override;
    [[nodiscard]] std::optional<expr::Value> event(const std::string& run,
                                                   const std::string& name) const override;

    /// The end of the steps, before `finally` has run.
    struct Conclusion {
        Status status = Status::completed;
        std::optional<expr::Value> output{};
        std::string where{};
        std::string message{};
    };

    [[nodiscard]] std::vector<model::Event> recorded_events() const;
    [[nodiscard]] bool draw();
    void check_steps();
    void check_items(const expr::Value& entry);
    void check_on_fail();
    [[nodiscard]] Conclusion conclude(const ListSummary& summary, PlainList& plain);
    [[nodiscard]] ListSummary check_handler(flow::ListName list,
                                            const Conclusion& conclusion,
                                            PlainList& plain,
                                            bool must_run);
    void check_outcome(Conclusion conclusion, const ListSummary& finally);
    void check_failure_run();
    void check_calls();
    void add_calls(const flow::ListPicture& list);
    void add_calls(const flow::Step& step,
                   const flow::Progress& progress,
                   const std::string& place);
    void count_run(const Conclusion& conclusion, bool finally_ran);
    void count_events();

    [[nodiscard]] const flow::ListPicture& picture_of_list(flow::ListName list) const;
    [[nodiscard]] const std::vector<flow::Step>& steps_of(flow::ListName list) const;
    [[nodiscard]] PlainRun plain_run() const;
    [[nodiscard]] PlainList plain_list(flow::ListName list, PlainRun run) const;
    [[nodiscard]] const std::string& id() const noexcept { return run_.about.name.id; }
    /// True if the interpreter brought the run to its end.
    [[nodiscard]] bool ended_by_code() const;
    void expect(bool holds, const char* invariant, const std::string& detail) {
        violations_.expect(holds, invariant, id() + ": " + detail);
    }

    Violations& violations_;
    FlowCounts& counts_;
    const Scripts& scripts_;
    const memory::Tables& tables_;
    const memory::Run& run_;
    const flow::Definition& definition_;
    std::vector<model::Event> events_;
    flow::FlowPicture picture_;
    expr::Value params_;
    /// The attempts that must have been scheduled, by activity and key.
    std::map<std::pair<std::string, std::string>, std::uint32_t> calls_;
    /// Those that may have been: the run ended in the middle of its cleanup.
    std::set<std::pair<std::string, std::string>> optional_calls_;
};

}  // namespace belay::sim
