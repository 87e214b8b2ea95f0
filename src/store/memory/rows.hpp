// The rows of the memory store: plain data.
#pragma once

#include "store/rules/records.hpp"
#include <belay/store/read.hpp>
#include <belay/store/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::memory {

/// A command of one execution of some run.
using CommandRef = std::pair<ExecutionNo, CommandNo>;
/// Orders a run's messages and timers as they are received.
using InboxKey = std::pair<Timestamp, MessageNo>;

/// A message, or a timer that will be one when it is due.
struct Waiting {
    NewMessage content;
    std::optional<CommandRef> timer{};  ///< Set for timers: the command that asked for it.
    bool timed = false;      ///< Not visible before it is due: timers and delayed messages.
    Timestamp ready_from{};  ///< Makes its run claimable from then on.
};

struct Execution {
    ExecutionInfo info;  ///< `status` counts only after the end. Before it, the run's own status
                         ///< counts.
    std::vector<RecordedRow> history;
};

/// A chunk of output.
struct Chunk {
    store::AttemptKey attempt;
    OutputChunk content;
};

/// The output of an attempt.
struct Attempt {
    store::AttemptRow row;
    std::set<std::uint64_t> chunks{};  ///< Their numbers.
};

/// The output of a run.
struct Output {
    store::RunOutput all;
    std::map<store::AttemptKey, Attempt> attempts{};
    std::map<std::uint64_t, store::AttemptKey> by_id{};
    std::map<std::uint64_t, Chunk> chunks{};  ///< By number.
};

/// The place of a run in the indexes, kept so that an index entry can always be found again.
struct RunIndexed {
    std::optional<Timestamp> ready_at;
    std::optional<Timestamp> deadline;
    bool held = false;
    std::optional<Timestamp> ended_at;  ///< For roots.
    bool chain = false;
    std::optional<store::CodeKey> put_off;
    bool open = false;  ///< For children: among the open ones of its parent.
    std::optional<RunKey> waits_for;
};

using store::KeyId;
using store::KeyRow;
using store::Lock;
using store::QueueUse;
using store::RequestKey;
using store::SessionKey;
using store::StoppingKey;

/// The part that the rules change, and the rest.
struct Run : store::Run {
    NewInstance about;  ///< `version` and `input` are those of the current execution.
    Digest input_digest{};
    std::optional<KeyId> key;

    std::vector<Execution> executions;  ///< In order; the last is the current one. Any of those
                                        ///< before it may have been pruned.
    std::optional<Outcome> outcome;
    std::optional<Payload> custom_status;
    std::map<std::string, Payload> key_values;

    std::map<InboxKey, Waiting> inbox;
    std::unordered_map<MessageNo, Timestamp> inbox_times;  ///< Finds an inbox entry by its number.
    std::set<InboxKey> inbox_ready;                        ///< By (ready_from, number).
    std::map<CommandRef, InboxKey> timers;

    std::string held_detail;
    std::optional<FailureKind> held_kind;
    Timestamp held_since{};
    bool put_off = false;  ///< By a claim, because nobody seemed to have its code.

    std::vector<RunRef> children;  ///< In the order they were started.
    std::set<std::pair<CommandRef, RunRef>> open_children;

    RunIndexed indexed;

    /// Returns null if there never was such an execution or it was pruned.
    [[nodiscard]] const Execution* find_execution(ExecutionNo number) const {
        const auto found = std::lower_bound(
            executions.begin(), executions.end(), number, [](const auto& one, ExecutionNo wanted) {
                return one.info.execution < wanted;
            });
        if (found == executions.end() || found->info.execution != number) return nullptr;
        return &*found;
    }
};

/// A kept document.
struct Document {
    DocumentHead head;
    Payload text;
};

/// The order in which one queue is claimed.
using ClaimKey = store::PlaceInLine;

/// The part that the rules change, and the rest.
struct Activity : store::Activity {
    NewActivity about;
    std::uint64_t sequence = 0;       ///< Order of arrival.
    std::optional<Payload> progress;  ///< With `progress_at`.
    std::string lane;                 ///< Its fairness key, while those of its queue have limits.

    /// Set if it does not wait: its place in line.
    std::optional<ClaimKey> claimable;

    [[nodiscard]] bool too_late(Timestamp now) const noexcept {
        return must_start() && *schedule_to_start <= now;
    }
};

/// An attempt at an activity of a session.
struct SessionUse {
    SessionKey session;
    Timestamp until{};  ///< It runs until then, unless it ends earlier.
};

struct Stopping {
    std::string worker;
    Timestamp until{};
    Timestamp since{};
    std::string queue;
    std::string fairness_key;
};

struct Request : store::Request {
    Timestamp until{};
};

struct DeletedRun : store::DeletedRun {
    Timestamp until{};
};

}  // namespace belay::memory
