// The definitions that a store keeps.
#pragma once

#include "cli/context.hpp"
#include "flow/definition/bundle.hpp"
#include <belay/store/listing.hpp>

#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

/// Returns the kept definitions in the order of their names and versions; of one flow if it is
/// named. The number of a document is the version.
[[nodiscard]] std::vector<DocumentInfo> kept_flows(Context& context,
                                                   const std::optional<std::string>& flow = {});

/// A definition from a file or from the store.
struct FlowSource {
    std::string title;  ///< "backup.yaml", or "backup@3".
    flow::Bundle bundle;
    std::optional<DocumentInfo> kept{};  ///< Not set: it is a file.
};

/// Finds the path of a file, a NAME (the newest version) or a NAME@VERSION. A file is preferred.
/// Throws a Problem.
[[nodiscard]] FlowSource find_flow_source(Context& context, const std::string& word);

}  // namespace belay::cli
