// The stored form of payloads and small maps.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/message.hpp>

#include <optional>

namespace belay::sqlite {

/// The most bytes kept in a row that is rewritten often. Longer ones are in `large`, so the row
/// stays within a page.
inline constexpr std::size_t kInlineBytes = 4096;

/// The values of `large.part`.
enum class LargePart : std::uint8_t { input = 1, custom_status = 2, outcome = 3, activity = 4 };

/// The place of long bytes.
struct LargePlace {
    RunKey run;
    LargePart part = LargePart::input;
    ExecutionNo execution = 0;
    CommandNo command = 0;
};

/// Returns the bytes to bind to the row. Returns none if they go to `large`.
[[nodiscard]] inline std::optional<Blob> inline_bytes(const std::string& bytes) {
    if (bytes.size() > kInlineBytes) return std::nullopt;
    return Blob{bytes};
}
void delete_large(Connection& connection, const LargePlace& place);
[[nodiscard]] std::string read_large(Connection& connection, const LargePlace& place);
/// Returns the bytes in `column`, or those at `place` if the column is null. (Uses another
/// statement.)
template <class Row>
[[nodiscard]] std::string read_bytes(Connection& connection,
                                     const Query<Row>& query,
                                     Row column,
                                     const LargePlace& place) {
    return query.null(column) ? read_large(connection, place) : query.text(column);
}

/// Returns none if there are no headers.
[[nodiscard]] std::optional<std::string> encode(const Headers& headers);
[[nodiscard]] Headers decode_headers(std::string_view bytes);

void write_labels(Connection& connection, RunKey run, const Labels& labels);
[[nodiscard]] Labels read_labels(Connection& connection, RunKey run);

}  // namespace belay::sqlite
