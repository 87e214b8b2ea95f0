// One instance with its history, as it leaves one store and enters another.
#pragma once

#include "model/event.hpp"
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/transfer.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::document {

/// The parent of a child. The parent itself is not exported.
struct DocumentParent {
    std::string id;
    ExecutionNo execution = 0;
    CommandNo command = 0;
    bool operator==(const DocumentParent&) const = default;
};

/// The document by which the instance is interpreted.
struct DocumentText {
    std::string digest;  ///< In hexadecimal.
    Payload text;
    bool operator==(const DocumentText&) const = default;
};

struct DocumentInstance {
    std::string space;
    std::string id;
    std::string definition;
    std::string version;
    Status status = Status::pending;
    std::string owner;
    std::string started_by;
    Labels labels;
    Headers headers;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> ended_at;
    Payload input;  ///< The input of the last execution.
    std::optional<Outcome> outcome;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    std::map<std::string, Payload> key_values;
    std::optional<DocumentParent> parent;
    std::vector<std::string> children;  ///< Their ids. The children themselves are not exported.
    std::optional<DocumentText> document;
    bool operator==(const DocumentInstance&) const = default;
};

struct DocumentExecution {
    ExecutionNo execution = 1;
    Status status = Status::running;
    Timestamp started_at{};
    std::optional<Timestamp> ended_at;
    std::vector<std::vector<model::Event>> turns;
    bool operator==(const DocumentExecution&) const = default;

    [[nodiscard]] EventNo events() const noexcept {
        EventNo count = 0;
        for (const auto& turn : turns) count += turn.size();
        return count;
    }
};

struct Document {
    DocumentInstance instance;
    std::vector<DocumentExecution> executions;  ///< The executions that are left, in order.
    bool operator==(const Document&) const = default;
};

inline constexpr std::string_view kDocumentFormat = "belay-instance";
/// Raised when an earlier program could misread the document.
inline constexpr std::uint32_t kDocumentVersion = 1;

/// Returns the document as JSON, always the same text for the same document. Text that is not UTF-8
/// becomes {"base64": ...}, so nothing is lost. But names of labels, headers and values must be
/// UTF-8 (`unsupported`).
[[nodiscard]] Result<std::string> write_document(const Document& document, ExportLayout layout);

/// Parses a document, and checks that it is complete, without contradictions and without unknown
/// fields. Otherwise returns `invalid_argument` or `limit_exceeded` with the place: a line if it is
/// not JSON, else the path of a value, `executions[0].turns[2][1].command`. Returns `unsupported`
/// for the format of a later release.
[[nodiscard]] Result<Document> read_document(std::string_view text, const Limits& limits);

}  // namespace belay::document
