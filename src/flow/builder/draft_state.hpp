// The definition of a flow as it grows.
#pragma once

#include "flow/definition/bundle.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/flow/draft.hpp>
#include <belay/payload.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::detail {

/// Fields with their values as JSON, in the order in which they were set.
class JsonFields {
public:
    /// Replaces a value that was set before.
    void set(std::string name, std::string json);
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const noexcept {
        return fields_;
    }
    [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
    /// Returns them as an object.
    [[nodiscard]] std::string object() const;

private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

/// A step as it grows.
struct DraftStep {
    FlowPart part = FlowPart::steps;
    std::string id;
    std::string kind;
    std::string value;       ///< Of the kind, as JSON.
    JsonFields inside{};     ///< Fields of that value.
    JsonFields questions{};  ///< The fields of the answer to an approval.
    JsonFields variables{};  ///< The environment of a program.
    JsonFields fields{};     ///< All other fields.
    std::vector<std::string> needs{};
    std::vector<std::string> after{};
};

/// A flow, read and checked: what every start of it has in common.
struct PreparedFlow {
    flow::Bundle bundle;
    Payload document;
};

struct FlowDraft::State {
    std::string name;
    std::vector<FlowParam> params;
    std::vector<DraftStep> steps{};
    JsonFields fields{};
    JsonFields labels{};
    std::string output{};  ///< An expression; empty: none was set.
    std::string output_type{};
    std::vector<std::string> mistakes{};
    /// The flows that its steps run, by name. It is not one of them.
    std::map<std::string, std::shared_ptr<const FlowDraft>> flows{};

    Mutex mutex{};
    /// Made by the first start or check after a change.
    std::shared_ptr<const PreparedFlow> prepared BELAY_GUARDED_BY(mutex){};
};

}  // namespace belay::detail
