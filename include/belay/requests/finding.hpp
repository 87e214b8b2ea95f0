// Requests that read: lists, one instance, its history, and waiting work. Only the import changes
// anything.
#pragma once

#include <belay/finding.hpp>
#include <belay/ids.hpp>
#include <belay/payload.hpp>
#include <belay/store/listing.hpp>
#include <belay/store/match.hpp>
#include <belay/store/query.hpp>
#include <belay/time.hpp>
#include <belay/transfer.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

/// The key-values of a run.
using RunValues = std::map<std::string, Payload>;

/// An instance, with its key-values if they were asked for.
struct InspectedRun {
    InstanceInfo info;
    RunValues values{};
};

}  // namespace belay

namespace belay::requests {

/// The store's time.
struct Now {
    using Answer = Timestamp;
    static constexpr std::string_view kName = "now";
};

/// A page of instances: Client::list. At most InstanceMatch::kMostIds ids.
struct List {
    using Answer = InstancePage;
    static constexpr std::string_view kName = "list";

    InstanceMatch match;
    std::optional<InstanceOrder> order{};  ///< Not set: one that has an index.
    bool descending = false;
    std::uint32_t page_size = 50;  ///< 1 to 1000.
    std::string after{};           ///< `next` of the page before.
};

/// The number that match, by definition and status: Client::count.
struct Count {
    using Answer = std::vector<InstanceCount>;
    static constexpr std::string_view kName = "count";

    InstanceMatch match;
};

/// A page of idempotency keys: Client::keys.
struct ListKeys {
    using Answer = KeyPage;
    static constexpr std::string_view kName = "list_keys";

    std::string space = "default";
    std::optional<std::string> owner{};
    std::optional<std::string> definition{};
    std::string prefix{};
    std::uint32_t page_size = 50;  ///< 1 to 1000.
    std::string after{};           ///< `next` of the page before.
};

/// A page of the documents of a namespace, by name and number: Client::documents.
struct ListDocuments {
    using Answer = std::vector<DocumentInfo>;
    static constexpr std::string_view kName = "list_documents";

    std::string space = "default";
    std::optional<std::string> name{};
    std::optional<DocumentPlace> after{};  ///< The place of the last one of the page before.
    std::uint32_t page_size = 50;          ///< 1 to 1000.
};

/// A document with its text: Client::document. `not_found`.
struct ReadDocument {
    using Answer = belay::ReadDocument::Kept;
    static constexpr std::string_view kName = "read_document";

    std::string space = "default";
    Digest digest{};
};

/// Everything known of an instance: Client::inspect. `not_found`.
struct Inspect {
    using Answer = InstanceInfo;
    static constexpr std::string_view kName = "inspect";

    InstanceName name;
    std::optional<RunRef> run{};  ///< Set: this run, even if another one has the name by now.
};

/// Several instances, in the order of the request; none for those that do not exist. All waits of
/// Client ask this: one request for many runs.
struct InspectMany {
    /// One of them.
    struct One {
        InstanceName name;
        std::optional<RunRef> run{};  ///< Set: this run, even if another one has the name by now.
        bool values = false;          ///< Also its key-values, as of then or later.
    };
    using Answer = std::vector<std::optional<InspectedRun>>;
    static constexpr std::string_view kName = "inspect_many";

    static constexpr std::size_t kMost = 1'000;
    std::vector<One> instances{};  ///< At most kMost.
};

/// An instance and what it waits for: Client::describe. `not_found`.
struct Describe {
    using Answer = InstanceDescription;
    static constexpr std::string_view kName = "describe";

    InstanceName name;
};

/// All events of one execution: Client::timeline. `not_found`.
struct ReadTimeline {
    using Answer = Timeline;
    static constexpr std::string_view kName = "read_timeline";

    InstanceName name;
    ExecutionNo execution = 0;  ///< 0: the current one.
};

/// A page of an execution's history, as it was recorded. Empty for an unknown one.
struct ReadHistory {
    using Answer = std::vector<RecordedRow>;
    static constexpr std::string_view kName = "read_history";

    RunRef run;
    ExecutionNo execution = 1;
    EventNo after = 0;                 ///< Only rows that hold events after this one.
    std::uint32_t max_events = 1'000;  ///< The approximate number, 1 to 10000.
};

/// A page of the output of a run's activities: Client::output. Empty for an unknown run.
struct ReadOutput {
    using Answer = OutputPage;
    static constexpr std::string_view kName = "read_output";

    static constexpr std::uint64_t kMostBytes = 16 * 1024 * 1024;
    RunRef run;
    std::optional<ExecutionNo> execution{};  ///< Not set: all that are left.
    std::optional<CommandNo> command{};
    std::optional<std::uint32_t> attempt{};
    std::uint64_t after = 0;                ///< OutputPage::next of the page before.
    std::uint64_t max_bytes = 1024 * 1024;  ///< At most kMostBytes.
};

/// The executions of a run that are left, in order.
struct ListExecutions {
    using Answer = std::vector<ExecutionInfo>;
    static constexpr std::string_view kName = "list_executions";

    RunRef run;
};

/// Direct children of a run, in the order they were started.
struct ListChildren {
    using Answer = std::vector<InstanceBrief>;
    static constexpr std::string_view kName = "list_children";

    RunRef run;
};

/// An instance and all below it, children before their parents. `not_found`.
struct ListTree {
    using Answer = std::vector<InstanceBrief>;
    static constexpr std::string_view kName = "list_tree";

    InstanceName name;
};

/// The key-values of a run: Client::values. `not_found`.
struct ReadValues {
    using Answer = RunValues;
    static constexpr std::string_view kName = "read_values";

    InstanceName name;
};

/// The work that waits, in all namespaces: Client::queue_depths.
struct CountQueues {
    using Answer = QueueDepths;
    static constexpr std::string_view kName = "count_queues";
};

/// All leases and their holders: Client::leases.
struct ListLeases {
    using Answer = belay::ListLeases::Answer;
    static constexpr std::string_view kName = "list_leases";

    static constexpr std::uint32_t kMost = 10'000;
    std::uint32_t max = 1'000;  ///< For each kind; at most kMost.
};

/// Messages that could not be delivered: Client::dead_letters.
struct ListDeadLetters {
    using Answer = std::vector<DeadLetter>;
    static constexpr std::string_view kName = "list_dead_letters";

    std::uint64_t after = 0;
    std::uint32_t max = 1'000;  ///< 1 to 1000.
};

/// An instance as a document: Client::export_instance.
struct Export {
    using Answer = std::string;
    static constexpr std::string_view kName = "export";

    InstanceName name;
    ExportLayout layout = ExportLayout::indented;
};

/// Puts an exported instance into the store: Client::import_instance. At most
/// Limits::document_bytes.
struct Import {
    using Answer = InstanceBrief;
    static constexpr std::string_view kName = "import";

    std::string document;
    std::optional<std::string> id{};     ///< Not set: the one it had.
    std::optional<std::string> space{};  ///< Not set: the one it was in.
    std::string request_id{};
};

}  // namespace belay::requests
