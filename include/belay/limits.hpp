// Every limit of the engine, in one place. Exceeding one is a clear error, or leaves a mark
// where its comment says so; never a silent loss.
#pragma once

#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>

namespace belay {

/// Sizes and counts. The defaults admit histories of 50,000 events and fan-outs of 10,000.
///
/// Limits that orchestration code can run into are inputs of its replay. A refusal in one process
/// must be a refusal in every other, now and after the next deploy. So all processes that run the
/// same orchestrations must have equal limits, except these, which no orchestration can run into:
/// `headers`, `header_bytes`, `heartbeat_bytes`, `bulk_ids`, `retention_rules`, `rate_starts`,
/// `document_bytes`, `run_document_bytes`, `compressed_row_bytes`, `clock_tolerance` and those of
/// output. If limits differ and it matters, code and history disagree: the run is held
/// (Policy::on_mismatch), the difference is shown, and nothing is written. Restore the old limits
/// and release the run to let it go on. Raise a limit only if it has refused no run under way.
struct Limits {
    /// Ids, definitions, activities, queues, owners. A longer id of a child is shortened: see
    /// ChildOptions::id.
    std::size_t name_bytes = 255;
    /// Cancel reasons, request ids. A run fails if its code cancels it with a longer reason.
    std::size_t reason_bytes = 4 * 1024;
    /// The message, the detail, the type and the place of a failure, each. Longer ones are cut and
    /// marked as cut, because a failure must always be recorded.
    std::size_t failure_bytes = 16 * 1024;
    /// Inputs, results, messages.
    std::size_t payload_bytes = 2 * 1024 * 1024;
    /// The data that an execution carries over when it continues as new: the input of the next one,
    /// messages not yet received, and key-values. The execution fails if they are larger.
    std::size_t carried_bytes = 16 * 1024 * 1024;
    std::size_t key_values = 256;                ///< Number of key-values of one run.
    std::size_t key_value_bytes = 64 * 1024;     ///< One value.
    std::size_t key_values_bytes = 1024 * 1024;  ///< All values of a run, with their keys.
    std::size_t custom_status_bytes = 256 * 1024;
    /// One heartbeat value of an activity. It is written again and again.
    std::size_t heartbeat_bytes = 16 * 1024;
    /// The events of one turn. Larger ones are not compressed (see store/coded.hpp), and no row
    /// that is read decompresses to more.
    std::size_t compressed_row_bytes = 64 * 1024 * 1024;
    /// The kept part of a program's standard output (its beginning) and standard error (its end).
    /// An activity makes no result of a longer output, unless its code checks the mark.
    std::size_t program_output_bytes = 1024 * 1024;
    std::size_t program_error_bytes = 16 * 1024;
    /// The output of one attempt (ActivityContext::output): its beginning and its end are kept, and
    /// the number of bytes and lines between them.
    std::size_t output_first_bytes = 64 * 1024;
    std::size_t output_last_bytes = 64 * 1024;
    /// The last attempts at one activity whose output is kept; those of a RetryPolicy count.
    std::uint32_t output_attempts = 10;
    /// The output of one run. Beyond this, that of the attempts that began to write first goes.
    std::size_t output_run_bytes = 64 * 1024 * 1024;
    std::size_t labels = 64;
    std::size_t headers = 64;
    std::size_t label_bytes = 1024;       ///< One label, name and value together.
    std::size_t header_bytes = 8 * 1024;  ///< One header, name and value together: baggage of a
                                          ///< trace fits.
    /// Instances that one request names, to delete together or in a filter. Name a larger tree by
    /// its root.
    std::size_t bulk_ids = 100'000;

    std::size_t retention_rules = 1'000;  ///< Rules of one policy.
    /// Starts that one rate lets begin within its time (RateOfStarts). Each has a row.
    std::uint32_t rate_starts = 100'000;
    /// The document by which a run is interpreted, with the results that a resumed run keeps.
    std::size_t run_document_bytes = 32 * 1024 * 1024;
    /// An exported instance that is imported. Reading it takes a few times as much memory.
    std::size_t document_bytes = 256 * 1024 * 1024;
    /// The tolerated difference between the clocks of two stores, or after one was set back. An
    /// imported instance may have ended this long after now, and this long before it began.
    Millis clock_tolerance{24 * 3'600'000};

    std::uint64_t history_events = 60'000;  ///< Events of one execution.
    std::uint32_t open_commands = 20'000;   ///< Scheduled and not yet finished, in one execution.
    std::uint32_t helper_depth = 500;       ///< Helper coroutines awaiting one another.
    /// Levels of children below a root. A run at the last level cannot call children.
    std::uint32_t tree_depth = 1'000;
    /// Messages raised or enqueued, and not yet received by the code. More are refused; a run that
    /// is full takes nothing until its code receives something, or it is canceled.
    std::uint32_t buffered_messages = 10'000;
    std::uint32_t rollbacks = 10'000;
    /// Refusals that the code catches and goes on from, before the run is ended. Every refusal
    /// counts: `Canceled`, but also a limit that was reached and an invalid argument.
    std::uint32_t cancel_throws = 10'000;
};

/// The treatment of a run whose code and history disagree.
enum class OnMismatch : std::uint8_t {
    hold = 1,  ///< Set it aside for a person, with the difference.
    fail = 2,
};

/// Times, retries and batch sizes.
struct Policy {
    Millis activity_lease{30'000};
    Millis turn_lease{30'000};
    /// A lease is renewed when less than this is left of it (or half of it, for short leases).
    Millis renewal_buffer{5'000};
    /// The minimum time between two writes of an activity's heartbeat value; the first is written
    /// at once.
    Millis heartbeat_interval{1'000};
    /// The minimum time between two writes of the output of activities, unless `output_batch_bytes`
    /// are waiting.
    Millis output_interval{250};
    std::size_t output_batch_bytes = 16 * 1024;
    /// The time that a turn may take, with the replay before it. A longer turn is given up; the run
    /// is held after the second.
    Millis turn_limit{60'000};
    Millis grace{10'000};  ///< From asking an activity to stop until it is abandoned.
    /// The time from a cancel until the run ends, whatever its code does. It is recorded with the
    /// cancel, so the canceler's value counts: the policy of the client, or
    /// CancelOptions::deadline. For children it is the policy of the process whose commit cancels
    /// them, mostly the worker. The policy of a worker does not affect cancels by clients.
    Millis cancel_deadline{10 * 60'000};
    Millis cancel_deadline_max{60 * 60'000};  ///< The most that a shield can extend it to.
    Millis unregistered_backoff{1'000};       ///< Doubles with each retry ...
    Millis unregistered_backoff_max{60'000};  ///< ... up to this.
    /// The time that a run or an activity waits for a worker that has its code before its code is
    /// shown as missing; such a run is also postponed.
    Millis code_patience{10'000};
    Millis session_idle{60'000};  ///< The time that a session is kept while nothing of it runs.
    Millis retry_delay{50};       ///< After a retryable error of the store.
    /// A fallback behind notifications and the times that claims return. Only work whose
    /// notification was lost, or that a dead process left, waits for it.
    Millis poll_interval{10'000};
    Millis sweep_interval{1'000};
    /// The interval at which a worker checks whether another process of its machine has died. A
    /// worker that has not seen another one yet checks every `sweep_interval`. Leases of a dead
    /// process are taken over at once.
    Millis takeover_interval{200};
    /// The delay of work that lost an attempt before and whose worker dies again. It doubles with
    /// each further time, but ends no later than the lease would have.
    Millis takeover_backoff{1'000};
    std::uint32_t max_attempts = 10;  ///< A message or activity with more attempts is poison.
    OnMismatch on_mismatch = OnMismatch::hold;
    /// The time for which a run that does not fit the code, because of a patch, is left to
    /// processes from before or after the deploy, with the back-off above. Set this longer than a
    /// deploy takes: during a deploy only some workers can run it. Counted from the first worker
    /// that could not take it since its last turn.
    Millis patch_patience{30 * 60'000};
    std::uint32_t claim_batch = 1'000;
    std::uint32_t message_batch = 1'000;  ///< Messages handed to one turn.
    std::uint32_t sweep_batch = 1'000;
    /// Operations on many instances: the default for how many they reach ...
    std::uint32_t bulk_limit = 1'000;
    /// ... and how many of them share a commit, so that other work goes on in between.
    std::uint32_t bulk_batch = 64;
    /// About how many rows the instances of one commit have together, or are pruned of one chain.
    std::uint32_t bulk_rows = 10'000;
    std::uint32_t prune_batch = 1'000;  ///< Executions of a chain that are deleted in one commit.
    /// The interval at which a worker looks for instances and executions past their time. It
    /// removes them in small commits, with a rest after each.
    Millis retention_interval{60'000};
};

}  // namespace belay
