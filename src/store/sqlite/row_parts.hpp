// Parts that rows of several statements share, wherever their columns stand. A part is read by the
// names of its columns. A statement without one of them does not compile.
#pragma once

#include "store/sqlite/query.hpp"
#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/parts/digest.hpp>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace belay::sqlite {

/// Returns the runs of all rows.
template <class Row>
[[nodiscard]] std::vector<RunKey> read_keys(Query<Row>& query) {
    std::vector<RunKey> keys;
    while (query.step()) keys.push_back(query.run_key(Row::key));
    return keys;
}

template <class Row>
[[nodiscard]] ActivityRef read_ref(const Query<Row>& query) {
    return ActivityRef{query.run_ref(Row::run, Row::shard),
                       query.small(Row::execution),
                       query.small(Row::command)};
}

template <class Row>
[[nodiscard]] LeaseToken read_token(const Query<Row>& query) {
    return LeaseToken{query.number(Row::holder), query.number(Row::serial)};
}

template <class Row>
[[nodiscard]] NewMessage read_message(const Query<Row>& query) {
    NewMessage message;
    message.kind = query.template as<MessageKind>(Row::kind);
    message.execution = query.small(Row::execution);
    message.command = query.small(Row::command);
    message.name = query.text(Row::name);
    message.payload = query.payload(Row::codec, Row::flags, Row::bytes);
    return message;
}

template <class Row>
[[nodiscard]] std::optional<CancelRecord> read_cancel(const Query<Row>& query) {
    if (query.null(Row::cancel_source)) return std::nullopt;
    CancelRecord record;
    record.source = query.template as<CancelSource>(Row::cancel_source);
    record.requested_at = query.time(Row::cancel_at);
    record.sequence = query.number(Row::cancel_sequence);
    record.by = query.text(Row::cancel_by);
    record.reason = query.text(Row::cancel_reason);
    return record;
}

template <class Row>
[[nodiscard]] DeleteCounts read_delete_counts(const Query<Row>& query) {
    return DeleteCounts{query.number(Row::instances),
                        query.number(Row::executions),
                        query.number(Row::events),
                        query.number(Row::messages)};
}

[[nodiscard]] inline std::string_view view_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Returns zeros if the row has no digest.
template <class Row>
[[nodiscard]] Digest read_digest(const Query<Row>& query) {
    Digest digest{};
    const std::string_view bytes = query.view(Row::digest);
    if (bytes.size() == digest.size()) std::memcpy(digest.data(), bytes.data(), bytes.size());
    return digest;
}

}  // namespace belay::sqlite
