// Options of exporting and importing an instance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay {

/// The layout of an exported instance: for people, with a line for each event, or on one line.
enum class ExportLayout : std::uint8_t { indented = 1, one_line };

/// Options of an import. Chained setters: `ImportOptions().id("order-7-copy")`.
class ImportOptions {
public:
    ImportOptions() = default;

    /// The id. Default: the one it had.
    ImportOptions& id(std::string id) {
        id_ = std::move(id);
        return *this;
    }
    /// The namespace. Default: the one it was in.
    ImportOptions& space(std::string space) {
        space_ = std::move(space);
        return *this;
    }
    /// A repeat of the request under this id gets the first answer.
    ImportOptions& request_id(std::string id) {
        request_id_ = std::move(id);
        return *this;
    }

private:
    friend class ManagementClient;

    std::optional<std::string> id_;
    std::optional<std::string> space_;
    std::string request_id_;
};

}  // namespace belay
