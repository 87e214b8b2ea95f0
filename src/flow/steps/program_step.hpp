// Runs the program of an `exec` or a `script` step.
#pragma once

#include "flow/steps/output_files.hpp"
#include "flow/steps/requests.hpp"
#include "flow/steps/step_options.hpp"
#include <belay/async.hpp>

#include <memory>

namespace belay::flow {

/// The things that the programs of a process share.
class Programs {
public:
    explicit Programs(StepOptions options)
        : options_(std::move(options)),
          folder_(std::make_shared<OutputFolder>(options_.temporary_directory())) {}
    [[nodiscard]] const StepOptions& options() const noexcept { return options_; }
    [[nodiscard]] const std::shared_ptr<OutputFolder>& folder() const noexcept { return folder_; }

private:
    StepOptions options_;
    std::shared_ptr<OutputFolder> folder_;
};

/// Runs it, and returns its result as JSON. Throws OperationFailed, with secrets masked.
[[nodiscard]] Async<Payload> run_program_step(ActivityContext& context,
                                              std::shared_ptr<const Programs> programs,
                                              ProgramRequest request);

}  // namespace belay::flow
