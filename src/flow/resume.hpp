// Resumes a run that has ended: a new run that takes over the results of some steps.
#pragma once

#include "flow/definition/bundle.hpp"
#include <belay/client.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::flow {

struct ResumeWish {
    InstanceAddress name;
    /// The steps to run again, and with them those behind: "dump", "dump[3]" for an item,
    /// "sub/inner" for a step of a flow that `sub` starts. Steps that have not completed run again
    /// in any case.
    std::vector<std::string> steps{};
    /// The definitions of the new run. Not set: those of the old one.
    std::optional<Bundle> corrected{};
};

/// A new run that resumes an old one.
struct ResumePlan {
    InstanceInfo from{};  ///< The old run.
    Bundle bundle{};      ///< The definitions of the new one.
    Payload document{};   ///< With the results that are kept.
    Payload input{};
    std::vector<std::string> kept{};   ///< Steps whose results are kept, as ResumeWish names them.
    std::vector<std::string> again{};  ///< Steps that run again, or for the first time.
    std::uint64_t kept_items = 0;      ///< Items of maps that run again otherwise.
};

/// Decides what is kept, and writes nothing. Errors: `not_found`; `still_running` if the run has
/// not settled, because its programs may still be at work; `has_parent`: resume its root;
/// `invalid_argument` for a run of no flow, an unknown step, a run without anything to resume, and
/// a corrected definition that a finished step does not fit: the message names the step.
[[nodiscard]] Result<ResumePlan> plan_resume(Client& client, const ResumeWish& wish);

/// Starts the new run. Of several at a time that resume the same run one is created, and each is
/// told of it. `options`: its id, its starter and so on.
[[nodiscard]] Result<StartResult> resume(Client& client,
                                         const ResumePlan& plan,
                                         RerunOptions options = RerunOptions());

/// Returns the input of a run of a flow as for a run from the beginning: Client::rerun of a resumed
/// run would keep the same results again. Returns `corrupt` if it cannot be read.
[[nodiscard]] Result<Payload> input_from_start(const InstanceInfo& info);

}  // namespace belay::flow
