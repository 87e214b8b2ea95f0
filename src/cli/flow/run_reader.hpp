// Reads a run of a flow again and again: its state, its history and its children.
#pragma once

#include "cli/context.hpp"
#include "cli/flow/run_view.hpp"
#include "cli/flow/view_of.hpp"
#include "cli/reads.hpp"
#include "flow/definition/bundle.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace belay::cli {

/// The definitions that a run has pinned. Throws a Problem if it is no run of a flow.
[[nodiscard]] flow::Bundle bundle_of(Context& context, const InstanceInfo& info);

/// One run, and its picture as of the last read.
class PictureReader {
public:
    PictureReader(Context& context,
                  InstanceName name,
                  RunRef run,
                  std::shared_ptr<const flow::Definition> definition);

    /// Reads it. Throws a Problem with not_found if it is gone.
    void read();

    [[nodiscard]] const InstanceDescription& description() const noexcept { return description_; }
    [[nodiscard]] const InstanceInfo& info() const noexcept { return description_.info; }
    [[nodiscard]] const flow::FlowPicture& picture() const noexcept { return picture_; }
    [[nodiscard]] const flow::Definition& definition() const noexcept { return *definition_; }

private:
    Context* context_;
    InstanceName name_;
    RunRef run_;
    std::shared_ptr<const flow::Definition> definition_;
    flow::RecordedRun recorded_;
    std::optional<HistoryReader> history_;
    InstanceDescription description_;
    flow::FlowPicture picture_;
};

/// A run of a flow, with the children that run items of its maps, and the run for its failure.
class RunReader {
public:
    RunReader(Context& context, const InstanceInfo& info, const flow::Bundle& bundle);

    /// Reads all of it. Throws a Problem.
    [[nodiscard]] RunView read();

    /// As of the last read.
    [[nodiscard]] const InstanceInfo& info() const noexcept { return main_.info(); }
    /// The run for the failure, if there is one.
    [[nodiscard]] const InstanceInfo* on_fail() const noexcept {
        return on_fail_ ? &on_fail_->info() : nullptr;
    }
    /// True if nothing of it runs any more, or will.
    [[nodiscard]] bool settled() const noexcept;

private:
    [[nodiscard]] std::unique_ptr<PictureReader> find_on_fail() const;
    void read_on_fail();
    void add_chunks(std::vector<ListView>& lists);
    [[nodiscard]] ChunkCount read_chunk(const flow::ChunkPicture& chunk, const std::string& step);
    void add_answers(RunView& view) const;

    Context* context_;
    std::shared_ptr<const flow::Definition> definition_;
    PictureReader main_;
    std::unique_ptr<PictureReader> on_fail_;
    bool has_no_on_fail_ = false;
    std::map<std::string, std::unique_ptr<PictureReader>> open_chunks_;
    std::map<std::string, ChunkCount> ended_chunks_;
};

}  // namespace belay::cli
