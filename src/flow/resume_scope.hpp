// Decides which results of a run a resumed one keeps.
#pragma once

#include "flow/interpreter/kept.hpp"
#include "flow/resume_choice.hpp"
#include "flow/run_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace belay::flow {

/// A step is run again if it was chosen, has not completed, or begins behind one that is run again.
/// Of the first ones of these, the items and the steps of sub-flows that have completed are kept,
/// too: those behind them may get other values.
class ResumeScope {
public:
    /// `old`, `now`: the definitions of the old and of the new run. `root`: the id of the old run.
    ResumeScope(Client& client, const Bundle& old, const Bundle& now, std::string root)
        : client_(client), old_(old), now_(now), root_(std::move(root)) {}

    [[nodiscard]] Result<void> add_root(const DrawnRun& run, const ResumeChoice& choice) {
        return add_run(run, "", choice);
    }

    [[nodiscard]] const std::vector<std::string>& kept() const noexcept { return kept_; }
    [[nodiscard]] const std::vector<std::string>& again() const noexcept { return again_; }
    [[nodiscard]] std::uint64_t kept_items() const noexcept { return kept_items_; }
    [[nodiscard]] std::string kept_json() const { return writer_.json(); }

private:
    /// One run of the tree while it is looked at.
    struct Level;

    [[nodiscard]] Result<void> add_run(const DrawnRun& run,
                                       const std::string& path,
                                       const ResumeChoice& choice);
    [[nodiscard]] Result<void> check_choice(const Level& level) const;
    [[nodiscard]] Result<void> check_item(const Level& level,
                                          const std::string& step,
                                          std::uint64_t item) const;
    [[nodiscard]] Result<void> check_below(const Level& level,
                                           const std::string& place,
                                           const ResumeChoice& choice) const;
    [[nodiscard]] Result<void> check_names(const std::string& path,
                                           const std::string& flow,
                                           const ResumeChoice& choice) const;
    [[nodiscard]] Result<void> check_fit(const Level& level, std::size_t step) const;
    [[nodiscard]] Result<void> check_removed(const Level& level) const;
    void keep_step(const Level& level, std::size_t step);
    [[nodiscard]] Result<void> keep_parts(const Level& level, std::size_t step);
    [[nodiscard]] Result<void> keep_items(const Level& level, std::size_t step);
    [[nodiscard]] Result<void> add_child(const Level& level,
                                         std::size_t step,
                                         const std::string& place,
                                         const std::string& child);
    [[nodiscard]] KeptEnd kept_end(const Progress& progress) const;

    Client& client_;
    const Bundle& old_;
    const Bundle& now_;
    const std::string root_;
    KeptWriter writer_;
    std::vector<std::string> kept_;
    std::vector<std::string> again_;
    std::uint64_t kept_items_ = 0;
};

}  // namespace belay::flow
