// Every limit of the engine, in one place. Exceeding one is a clear error, or leaves a mark where
// it says so; never a silent loss.
#pragma once

#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>

namespace belay {

/// Sizes and counts. The defaults admit histories of 50,000 events and fan-outs of 10,000.
///
/// Limits that the code of an orchestration can run into are inputs of its replay: what was refused
/// in one process must be refused in every other, now and after the next deploy. All but `headers`,
/// `header_bytes`, `heartbeat_bytes`, `bulk_ids`, `retention_rules`, `document_bytes`,
/// `compressed_row_bytes` and `clock_tolerance` (which no orchestration can run into) must
/// therefore be equal in all processes that run the same orchestrations. Where they are not, and it
/// matters, code and history disagree: the run is held (Policy::on_mismatch), with the difference
/// shown, and nothing is written; with the limits as they were it can be released and goes on.
/// Raise one only when no run under way has been refused by it.
struct Limits {
    /// Ids, definitions, activities, queues, owners. The id of a child that would be longer is
    /// shortened: see ChildOptions::id.
    std::size_t name_bytes = 255;
    /// Cancel reasons, request ids. Code that cancels its own run with a longer reason has failed.
    std::size_t reason_bytes = 4 * 1024;
    /// The message, the detail and the type of a failure, and where it was, each. Longer ones are
    /// cut, with a mark that says so: that something failed must be recorded, whatever it has to
    /// say.
    std::size_t failure_bytes = 16 * 1024;
    /// Inputs, results, messages.
    std::size_t payload_bytes = 2 * 1024 * 1024;
    /// What an execution takes along when it continues as new: the input of the next one, messages
    /// that it has not received, and key-values. One that would take more along fails.
    std::size_t carried_bytes = 16 * 1024 * 1024;
    std::size_t key_values = 256;                ///< Of one run.
    std::size_t key_value_bytes = 64 * 1024;     ///< Of one value.
    std::size_t key_values_bytes = 1024 * 1024;  ///< Of all values of a run, with their keys.
    std::size_t custom_status_bytes = 256 * 1024;
    /// Of what an activity says of its progress: it is written again and again.
    std::size_t heartbeat_bytes = 16 * 1024;
    /// Of the events of one turn: longer ones are not compressed (see store/coded.hpp), and nothing
    /// that is read decompresses to more.
    std::size_t compressed_row_bytes = 64 * 1024 * 1024;
    /// What is kept of a program's standard output: its beginning, and of its standard error: its
    /// end. Of a longer output no activity makes a result, except one that looks at the mark.
    std::size_t program_output_bytes = 1024 * 1024;
    std::size_t program_error_bytes = 16 * 1024;
    std::size_t labels = 64;
    std::size_t headers = 64;
    std::size_t label_bytes = 1024;       ///< Of one label, name and value together.
    std::size_t header_bytes = 8 * 1024;  ///< Of one header likewise: baggage of a trace fits.
    /// Instances that one request names: to be deleted together, or a filter's. A tree that is
    /// larger goes by the name of its root.
    std::size_t bulk_ids = 100'000;

    std::size_t retention_rules = 1'000;  ///< Of one policy.
    /// Of an exported instance that is imported. What is read of it takes a few times as much.
    std::size_t document_bytes = 256 * 1024 * 1024;
    /// By how much the clocks of two stores may differ, or one may have been set back: what is
    /// imported may have ended so long after now, and so long before it began.
    Millis clock_tolerance{24 * 3'600'000};

    std::uint64_t history_events = 60'000;  ///< Of one execution.
    std::uint32_t open_commands = 20'000;   ///< Scheduled and not yet finished, in one execution.
    std::uint32_t helper_depth = 500;       ///< Helper coroutines awaiting one another.
    /// Levels of children below a root. A run at the last level cannot call children.
    std::uint32_t tree_depth = 1'000;
    /// Raised or enqueued, and not yet received by the code. Whoever sends more is refused; a run
    /// that is full takes nothing until its code receives something, or it is canceled.
    std::uint32_t buffered_messages = 10'000;
    std::uint32_t rollbacks = 10'000;
    /// Code that is refused what it asks for this often, and catches it and goes on, is ended.
    /// Every refusal counts: `Canceled`, but also a limit that was reached and an invalid argument.
    std::uint32_t cancel_throws = 10'000;
};

/// What to do with a run whose code and history disagree.
enum class OnMismatch : std::uint8_t {
    hold = 1,  ///< Set it aside for a person, with the difference.
    fail = 2,
};

/// How long things may take, and how often they may be tried.
struct Policy {
    Millis activity_lease{30'000};
    Millis turn_lease{30'000};
    /// A lease is renewed when less than this is left of it (or half of it, for short leases).
    Millis renewal_buffer{5'000};
    /// What an activity says of its progress is written at most so often, and the first at once.
    Millis heartbeat_interval{1'000};
    /// A turn may run so long, with the replay before it. One that takes longer is given up; after
    /// the second the run is held.
    Millis turn_limit{60'000};
    Millis grace{10'000};  ///< From asking an activity to stop until it is abandoned.
    /// From a cancel until the run ends whatever its code does. It is recorded with the cancel, so
    /// who cancels decides: the policy of the client, or what CancelOptions::deadline says; for
    /// children that of whoever's commit cancels them, which is mostly the worker. The policy of a
    /// worker changes nothing about what clients cancel.
    Millis cancel_deadline{10 * 60'000};
    Millis cancel_deadline_max{60 * 60'000};  ///< As far as a shield can extend it.
    Millis unregistered_backoff{1'000};       ///< Doubles with each try ...
    Millis unregistered_backoff_max{60'000};  ///< ... up to this.
    /// How long a run or an activity waits for a worker that has its code before it is shown as one
    /// whose code is missing; such a run is also put off.
    Millis code_patience{10'000};
    Millis session_idle{60'000};  ///< How long a session is kept when nothing of it runs.
    Millis retry_delay{50};       ///< After a retryable error of the store.
    /// Behind the notifications and the times that claims tell: only what was missed, or left by a
    /// process that died, waits for it.
    Millis poll_interval{10'000};
    Millis sweep_interval{1'000};
    /// How often a worker looks whether another process of its machine has died, while there are
    /// others. What a dead one held is taken over at once.
    Millis takeover_interval{200};
    /// Work whose attempt was lost before, and whose worker dies again, waits for so long, doubled
    /// with each further time; never longer than its lease would have lasted.
    Millis takeover_backoff{1'000};
    std::uint32_t max_attempts = 10;  ///< A message or activity beyond this is poison.
    OnMismatch on_mismatch = OnMismatch::hold;
    /// For how long a run that does not fit the code it meets, because of a patch, is left to
    /// processes from before or after its deploy, with the back-off above. Longer than a deploy
    /// takes: as long as it goes on, few may fit. Counted from the first that could not take it
    /// since its last turn.
    Millis patch_patience{30 * 60'000};
    std::uint32_t claim_batch = 1'000;
    std::uint32_t message_batch = 1'000;  ///< Messages handed to one turn.
    std::uint32_t sweep_batch = 1'000;
    /// Operations on many instances: how many they reach unless told otherwise ...
    std::uint32_t bulk_limit = 1'000;
    /// ... and how many of them share a commit, so that other work goes on in between.
    std::uint32_t bulk_batch = 64;
    /// About how many rows they have together, or what is pruned of one chain.
    std::uint32_t bulk_rows = 10'000;
    std::uint32_t prune_batch = 1'000;  ///< Executions of a chain that are deleted in one commit.
    /// How often a worker looks for what is past its time. What it then finds goes in small
    /// commits, with a rest after each.
    Millis retention_interval{60'000};
};

}  // namespace belay
