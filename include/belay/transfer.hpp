// How an instance leaves a store, and comes into another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay {

/// What an exported instance looks like: for people, with a line for each event, or on one line.
enum class ExportLayout : std::uint8_t { indented = 1, one_line };

/// How an instance is imported. Chained setters: `ImportOptions().id("order-7-copy")`.
class ImportOptions {
public:
    ImportOptions() = default;

    /// Under this id, else under the one it had.
    ImportOptions& id(std::string id) {
        id_ = std::move(id);
        return *this;
    }
    /// Into this namespace, else into the one of the same name as it was in.
    ImportOptions& space(std::string space) {
        space_ = std::move(space);
        return *this;
    }
    /// A repeat of the request under this id is answered as the first one was.
    ImportOptions& request_id(std::string id) {
        request_id_ = std::move(id);
        return *this;
    }

private:
    friend class Client;

    std::optional<std::string> id_;
    std::optional<std::string> space_;
    std::string request_id_;
};

}  // namespace belay
