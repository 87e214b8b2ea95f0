// Requests that start runs, end them, send them messages, or decide about stuck ones.
//
// Each request is a plain struct: values only, no callback, and every list in it has a bound. It
// names the type of its answer, and itself for a sender over a wire.
#pragma once

#include <belay/client_options.hpp>
#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/brief.hpp>
#include <belay/store/match.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::requests {

/// Starts a run: Client::start.
struct Start {
    using Answer = StartResult;
    static constexpr std::string_view kName = "start";

    std::string definition;
    Payload input{};
    std::string space = "default";
    std::string id{};  ///< Empty: a fresh one, made from the request id if there is one.
    IdConflict on_conflict = IdConflict::fail;
    std::optional<IdempotencyKey> key{};
    std::string owner = "default";
    std::string started_by{};
    std::string version{};
    Millis delay{0};
    Headers headers{};
    Labels labels{};
    std::string request_id{};
    std::optional<Payload> document{};  ///< The document by which it is interpreted.
    bool on_fail = false;               ///< Starts another run if it fails.
    std::int32_t priority = 0;
    std::optional<Millis> expires{};
    std::optional<Millis> deadline{};
    std::optional<Concurrency> concurrency{};
    std::optional<RateOfStarts> rate{};
};

/// Starts a run like one that has ended: Client::rerun.
struct Rerun {
    using Answer = StartResult;
    static constexpr std::string_view kName = "rerun";

    InstanceName name;
    std::optional<RunRef> run{};     ///< Exactly this run, whichever has the name by now.
    std::optional<Payload> input{};  ///< Not set: the same.
    std::string id{};                ///< As Start::id.
    std::string started_by{};
    std::string version{};
    Millis delay{0};
    Headers headers{};  ///< In addition to those that it has.
    Labels labels{};    ///< Likewise.
    WhenBusy when_busy = WhenBusy::queue;
    std::string request_id{};
    std::optional<IdempotencyKey> key{};
    std::optional<Payload> document{};             ///< Not set: the same.
    std::optional<bool> on_fail{};                 ///< Not set: as before.
    std::string link = kRerunLabel;                ///< The label that names the run that has ended.
    std::optional<std::string> concurrency_key{};  ///< Not set: the same. Empty: none.
    std::optional<RateOfStarts> rate{};
};

/// Starts a run that goes on from a place in the history of one that has ended: Client::resume.
struct Resume {
    using Answer = StartResult;
    static constexpr std::string_view kName = "resume";

    /// The run and the terms of the new one. The input, the document, the code and the delay are
    /// those of the run.
    Rerun like;
    EventNo from = 0;           ///< The turn of this event, and all after it, are left out.
    ExecutionNo execution = 0;  ///< That of the event; 0: the last.
};

/// Cancels a run: Client::cancel.
struct Cancel {
    using Answer = CancelResult;
    static constexpr std::string_view kName = "cancel";

    InstanceName name;
    std::string reason{};
    std::string by{};
    CancelSource source = CancelSource::user;
    std::optional<Millis> deadline{};  ///< Not set: Policy::cancel_deadline of the answering
                                       ///< service.
    std::string request_id{};
    std::optional<RunRef> run{};              ///< Only if this run has the name, else `not_found`.
    std::optional<std::string> definition{};  ///< Only if it is a run of this definition, likewise.
};

/// Cancels many runs: Client::cancel_bulk.
struct CancelMany {
    using Answer = CancelManyResult;
    static constexpr std::string_view kName = "cancel_many";

    InstanceMatch match;
    std::optional<std::string> tree{};  ///< Only this instance and all below it.
    std::optional<KeyMatch> key{};      ///< Only the run that was started with this key.
    /// Only these runs: CancelTargets::runs. At most Limits::bulk_ids.
    std::optional<std::vector<ChosenRun>> runs{};
    std::string reason{};
    std::string by{};
    CancelSource source = CancelSource::user;
    std::optional<Millis> deadline{};      ///< As Cancel::deadline.
    std::optional<std::uint32_t> limit{};  ///< Not set: Policy::bulk_limit of the answering
                                           ///< service.
    bool preview = false;  ///< Writes nothing, and returns the result it would have.
};

/// Ends a run at once, without its code: Client::terminate.
struct Terminate {
    using Answer = CancelResult;
    static constexpr std::string_view kName = "terminate";

    InstanceName name;
    std::string reason{};
    std::string by{};
    CancelSource source = CancelSource::user;
    std::string request_id{};
    std::optional<RunRef> run{};  ///< As Cancel::run.
};

/// Raises an event, or puts a message into a queue: Client::raise, Client::enqueue.
struct SendMessage {
    using Answer = InstanceBrief;
    static constexpr std::string_view kName = "send_message";

    InstanceName name;
    MessageKind kind = MessageKind::event_raised;  ///< Or `queue_message`.
    std::string channel;                           ///< The event, or the queue.
    Payload payload{};
    std::string request_id{};
    std::optional<RunRef> run{};  ///< As Cancel::run.
};

/// Lets a held run go on: Client::release.
struct Release {
    using Answer = InstanceBrief;
    static constexpr std::string_view kName = "release";

    InstanceName name;
    std::string request_id{};
};

/// Ends a held run as failed: Client::fail_held.
struct FailHeld {
    using Answer = InstanceBrief;
    static constexpr std::string_view kName = "fail_held";

    InstanceName name;
    std::string by{};
    std::string reason{};
    std::string request_id{};
};

/// Makes an idempotency key free: Client::free_key.
struct FreeKey {
    using Answer = void;
    static constexpr std::string_view kName = "free_key";

    std::string space;
    std::string owner;
    std::string definition;
    std::string key;
    std::string request_id{};
};

/// Sends a dead letter again: Client::redrive.
struct Redrive {
    using Answer = InstanceBrief;
    static constexpr std::string_view kName = "redrive";

    std::uint64_t letter = 0;
    std::optional<InstanceName> to{};  ///< Not set: the run it was meant for.
    std::string request_id{};
};

/// Deletes a dead letter: Client::discard.
struct Discard {
    using Answer = void;
    static constexpr std::string_view kName = "discard";

    std::uint64_t letter = 0;
    std::string request_id{};
};

}  // namespace belay::requests
