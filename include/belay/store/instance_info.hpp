// Everything known of one instance.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay {

/// Everything known of an instance, except its history.
struct InstanceInfo {
    RunRef run;
    InstanceName name;
    std::string definition;
    std::string version;
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    Payload input;
    std::optional<Outcome> outcome;  ///< Once ended.
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    std::optional<ParentLink> parent;
    std::string owner;
    std::string started_by;
    Headers headers;
    Labels labels;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;  ///< First turn.
    std::optional<Timestamp> ended_at;
    std::uint64_t event_count = 0;  ///< Over all executions that were not pruned.
    std::uint64_t history_bytes = 0;
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    bool held = false;
    std::string held_detail;
    std::optional<FailureKind> held_kind;  ///< While it is held: the kind given by its Hold.
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;
    /// Since then, no worker that claimed had its code.
    std::optional<Timestamp> code_missing_since;
    std::uint32_t overruns = 0;  ///< As ClaimedInstance::overruns.
    bool locked = false;         ///< Under a live lock.
    std::uint64_t ready_messages = 0;
    bool settled = false;  ///< Ended, and no handler of it or of its children is still running.
    std::optional<Digest> document{};            ///< The document by which it is interpreted ...
    std::uint64_t document_number = 0;           ///< ... and its number; 0: it has none.
    std::optional<RunRef> on_fail{};             ///< As NewInstance::on_fail.
    std::optional<RunRef> on_fail_of{};          ///< As NewInstance::on_fail_of.
    std::optional<std::string> key;              ///< The idempotency key of its start.
    std::int32_t priority = 0;                   ///< Its own, and that of the runs above it: a sum.
    std::optional<Timestamp> expires_at;         ///< As Start::expires; kept when it has begun.
    std::optional<Timestamp> deadline;           ///< As Start::deadline.
    std::optional<std::string> concurrency_key;  ///< Of its start.
    bool in_line = false;              ///< It waits for the others of its concurrency key.
    bool nothing_to_clean_up = false;  ///< As its last turn said.
};

}  // namespace belay
