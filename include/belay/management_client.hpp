// The operations of a client for operators: deletion, retention, lists, what waits, and stuck runs.
#pragma once

#include <belay/error.hpp>
#include <belay/ids.hpp>
#include <belay/instance_address.hpp>
#include <belay/payload.hpp>
#include <belay/store/brief.hpp>
#include <belay/store/parts/digest.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

namespace requests {
struct ListDocuments;
}  // namespace requests

class ImportOptions;
class InstanceFilter;
class KeyOptions;
class ListOptions;
class OutputOptions;
class PruneOptions;
class RetentionPolicy;
class RetentionRequest;
class Service;
enum class ExportLayout : std::uint8_t;
enum class PauseKind : std::uint8_t;
struct DeadLetter;
struct DeletionPreview;
struct DocumentInfo;
struct InstanceCount;
struct InstanceDescription;
struct InstanceInfo;
struct InstancePage;
struct InstanceTree;
struct KeyPage;
struct LeaseList;
struct OutputPage;
struct PrunePreview;
struct PruneResult;
struct QueueDepths;
struct QueueLimits;
struct RetentionPreview;
struct RetentionResult;
struct StoredRetention;
struct Timeline;

/// The part of a Client that operators use. Callers include the headers of what they pass and get:
///
/// - belay/finding.hpp: lists, descriptions and timelines
/// - belay/management.hpp: deletion, pruning and trees
/// - belay/retention.hpp, belay/queue_limits.hpp, belay/transfer.hpp: policies, limits, documents
/// - belay/pause.hpp: pauses of queues and definitions
/// - belay/store/listing.hpp: depths of queues, leases and dead letters
///
/// Errors and threads: see Client.
class ManagementClient {
public:
    /// The service that it asks. Every operation is one of its requests, or a few.
    [[nodiscard]] Service& service() noexcept { return *service_; }

    /// Sets the namespace of addresses and starts that name none. Default: "default". Call it
    /// before other threads use the client. Lists, counts and operations on many do not follow it:
    /// their options name a namespace.
    void default_namespace(std::string space) { space_ = std::move(space); }
    /// Returns that namespace.
    [[nodiscard]] const std::string& default_namespace() const noexcept { return space_; }

    /// Returns everything known of an instance (belay/store/instance_info.hpp). Errors:
    /// `not_found`.
    [[nodiscard]] Result<InstanceInfo> inspect(const InstanceAddress& name);

    /// Deletes an instance with its whole tree and everything that belongs to it, in one commit.
    /// Activities that run are stopped. Errors: `not_found`; `has_parent` for a child, even if
    /// forced; `still_running` if it or anything below it has not ended, unless forced.
    [[nodiscard]] Result<DeleteCounts> delete_instance(const InstanceAddress& name,
                                                       bool force = false,
                                                       const std::string& request_id = {});
    /// Deleted: a text is not `force`. For a namespace: `delete_instance({"shop", "order-7"})`.
    void delete_instance(const InstanceAddress&, const char*, const std::string& = {}) = delete;
    void delete_instance(const InstanceAddress& name,
                         bool force,
                         const std::string& request_id,
                         Done<DeleteCounts> done);
    /// Deletes exactly these instances, children before their parents, or none of them. For callers
    /// that have looked at a tree and mean that tree. Errors: `has_children` if the tree has grown
    /// since, `has_parent` if a root is missing; else see DeleteInstances (store contract).
    [[nodiscard]] Result<DeleteCounts> delete_instances_atomic(const std::string& space,
                                                               const std::vector<std::string>& ids,
                                                               bool force = false,
                                                               const std::string& request_id = {});
    void delete_instances_atomic(const std::string& space,
                                 const std::vector<std::string>& ids,
                                 bool force,
                                 const std::string& request_id,
                                 Done<DeleteCounts> done);
    /// Deletes instances that match and have ended, with all below them, the longest ended first.
    /// Each tree is one commit. Instances that run, have something running below them, are
    /// children, or are not there are skipped without an error. After an error the deletions made
    /// stay, and the same call goes on with the rest.
    [[nodiscard]] Result<DeleteCounts> delete_instance_bulk(const InstanceFilter& filter);
    void delete_instance_bulk(const InstanceFilter& filter, Done<DeleteCounts> done);
    /// Returns what `delete_instance_bulk` would delete now, limit included. Writes nothing. Later
    /// changes also change what is deleted.
    [[nodiscard]] Result<DeletionPreview> preview_delete_bulk(const InstanceFilter& filter);

    /// Deletes old executions of a continue-as-new chain. The current one stays, as does the
    /// instance, which may be running. Finding nothing old is no error. Errors: `not_found`.
    [[nodiscard]] Result<PruneResult> prune_executions(const InstanceAddress& name,
                                                       const PruneOptions& options);
    void prune_executions(const InstanceAddress& name,
                          const PruneOptions& options,
                          Done<PruneResult> done);
    /// The same for instances that match and have old executions, children included. Instances that
    /// have not ended are skipped unless the options include them.
    [[nodiscard]] Result<PruneResult> prune_executions_bulk(const InstanceFilter& filter,
                                                            const PruneOptions& options);
    void prune_executions_bulk(const InstanceFilter& filter,
                               const PruneOptions& options,
                               Done<PruneResult> done);
    /// Returns what `prune_executions_bulk` would prune now, limit included. Writes nothing.
    [[nodiscard]] Result<PrunePreview> preview_prune_bulk(const InstanceFilter& filter,
                                                          const PruneOptions& options);

    /// Sets the instances and executions of a namespace that are kept, from now on and also for
    /// those that ended before. All workers on the store follow it in their own time
    /// (Policy::retention_interval); it replaces the policy they have in code. An empty policy
    /// keeps everything. Errors: `invalid_argument`, `limit_exceeded`: see check_retention.
    [[nodiscard]] Result<void> set_retention(const std::string& space,
                                             const RetentionPolicy& policy,
                                             const std::string& by = {},
                                             const std::string& request_id = {});
    /// Forgets the policy that was set: workers use their policy in code, if any. No error without
    /// one.
    [[nodiscard]] Result<void> clear_retention(const std::string& space,
                                               const std::string& by = {},
                                               const std::string& request_id = {});
    /// Returns the policy that was set for a namespace; none if none was.
    [[nodiscard]] Result<std::optional<StoredRetention>> retention(const std::string& space);

    /// Limits how many activities of a queue run at once and begin within a time, over all workers
    /// on the store, until other limits are set. The empty name is the default queue. Activities
    /// that already run are not stopped. QueueDepths::limits shows the limits. Errors:
    /// `invalid_argument`, `limit_exceeded`: see check_queue_limits, check_name.
    [[nodiscard]] Result<void> set_queue_limits(const std::string& queue,
                                                const QueueLimits& limits,
                                                const std::string& by = "",
                                                const std::string& request_id = "");
    /// Removes the limits of a queue; no error if it has none.
    [[nodiscard]] Result<void> clear_queue_limits(const std::string& queue,
                                                  const std::string& by = "",
                                                  const std::string& request_id = "");
    /// Pauses a queue of activities (the empty name is the default queue) or a definition, over all
    /// namespaces and workers, until it is resumed. No activity of a paused queue begins; those
    /// that run go on. Runs of a paused definition take no turns, unless they are canceled. They
    /// can be started, and keep their messages. QueueDepths::pauses shows what is paused. Returns
    /// false if it was paused before: the first pause stays as it is. Errors: `invalid_argument`,
    /// `limit_exceeded` for an invalid name.
    [[nodiscard]] Result<bool> pause(PauseKind kind,
                                     const std::string& name,
                                     const std::string& reason = "",
                                     const std::string& by = "",
                                     const std::string& request_id = "");
    /// Ends a pause. Returns false if there was none.
    [[nodiscard]] Result<bool> resume(PauseKind kind,
                                      const std::string& name,
                                      const std::string& by = "",
                                      const std::string& request_id = "");
    /// Deletes and prunes everything that is past its time, now or at the time in the request.
    /// Removes at most the limit of the request, in small commits beside other work. Instances with
    /// something running below them are skipped without an error. After an error the removals made
    /// stay, and the same call goes on with the rest.
    [[nodiscard]] Result<RetentionResult> apply_retention(const RetentionRequest& request);
    void apply_retention(const RetentionRequest& request, Done<RetentionResult> done);
    /// Returns everything that `apply_retention` would remove. Writes nothing.
    [[nodiscard]] Result<RetentionPreview> preview_retention(const RetentionRequest& request);
    void preview_retention(const RetentionRequest& request, Done<RetentionPreview> done);

    /// Returns an instance and all below it, as of one moment. Errors: `not_found`.
    [[nodiscard]] Result<InstanceTree> get_instance_tree(const InstanceAddress& name);
    /// Returns the ids of direct children in start order; none for an unknown instance.
    [[nodiscard]] Result<std::vector<std::string>> list_children(const InstanceAddress& name);
    /// Returns the id of the parent; none for a root. Errors: `not_found`.
    [[nodiscard]] Result<std::optional<std::string>> get_parent_id(const InstanceAddress& name);

    /// Returns a page of instances. Errors: `invalid_argument` for a cursor of another query, a
    /// page size out of range, or a status that no instance can have.
    [[nodiscard]] Result<InstancePage> list(const ListOptions& options);
    /// Counts the instances of a namespace, by definition and status.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const std::string& space = "default");
    /// Counts the instances that match. Ignores order, page size and cursor. Reads all that match.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const ListOptions& options);
    /// Returns a page of idempotency keys, with their runs. `invalid_argument` as `list`.
    [[nodiscard]] Result<KeyPage> keys(const KeyOptions& options);
    /// The same of the namespace "default".
    [[nodiscard]] Result<KeyPage> keys();
    /// Returns a page of the documents by which runs are interpreted, by name and number. Declared
    /// in belay/requests/finding.hpp.
    [[nodiscard]] Result<std::vector<DocumentInfo>> documents(
        const requests::ListDocuments& request);
    /// Returns the text of a document. Errors: `not_found`.
    [[nodiscard]] Result<Payload> document(const Digest& digest,
                                           const std::string& space = "default");
    /// Returns everything about an instance, and what it is waiting for now. Errors: `not_found`.
    [[nodiscard]] Result<InstanceDescription> describe(const InstanceAddress& name);
    /// Returns the events of one execution; 0: the current one. Errors: `not_found`, also if
    /// pruned.
    [[nodiscard]] Result<Timeline> timeline(const InstanceAddress& name, ExecutionNo execution = 0);

    /// Returns output of the activities of an instance (ActivityContext::output), in the order in
    /// which it was kept, and where to go on: while activities run there is more later. Errors:
    /// `not_found`; `limit_exceeded` for a page of more than 16 MiB.
    [[nodiscard]] Result<OutputPage> output(const InstanceAddress& name,
                                            const OutputOptions& options);
    /// The same from the beginning.
    [[nodiscard]] Result<OutputPage> output(const InstanceAddress& name);

    /// Returns an instance with all that is left of its history, but without the output of its
    /// activities, as a self-contained JSON document
    /// for people and for `import_instance`. The same instance always gives the same text. Children
    /// are named and not contained. Errors: `not_found`; `busy` if the instance changes faster than
    /// it can be read; `corrupt` and `unsupported` if its history cannot be read.
    [[nodiscard]] Result<std::string> export_instance(const InstanceAddress& name,
                                                      ExportLayout layout);
    /// The same in ExportLayout::indented.
    [[nodiscard]] Result<std::string> export_instance(const InstanceAddress& name);
    /// Imports an exported instance that has ended into this store, in one commit. It keeps its
    /// history and its times, and gets a run key of its own. It becomes a root, without children
    /// and without its idempotency key. Retention counts from when it ended. Errors:
    /// `still_running` if it had not ended when it was exported (such a document is for reading);
    /// `id_in_use`; and `invalid_argument`, `limit_exceeded` and `unsupported`, naming the place.
    [[nodiscard]] Result<InstanceBrief> import_instance(std::string_view document,
                                                        const ImportOptions& options);
    /// The same without options.
    [[nodiscard]] Result<InstanceBrief> import_instance(std::string_view document);

    /// Returns what waits, and since when, in all namespaces.
    [[nodiscard]] Result<QueueDepths> queue_depths();
    /// Returns the holders of activities and turns, in all namespaces: at most `max` of each, those
    /// that end first. `max`: at most 10,000.
    [[nodiscard]] Result<LeaseList> leases(std::uint32_t max = 1000);

    /// Lets a held run go on. Errors: `not_found`; `not_held`.
    [[nodiscard]] Result<void> release(const InstanceAddress& name,
                                       const std::string& request_id = {});
    /// Ends a held run as failed, without running its code: its parent is told, its children are
    /// canceled. The failure contains `by` and `reason`. It leaves out the detail of the hold,
    /// because that may quote payloads and failures are not encrypted: read
    /// InstanceInfo::held_detail before. Errors: `not_found`; `not_held`.
    [[nodiscard]] Result<void> fail_held(const InstanceAddress& name,
                                         const std::string& by,
                                         const std::string& reason,
                                         const std::string& request_id = {});
    /// Makes an idempotency key free. Errors: `not_found`.
    [[nodiscard]] Result<void> free_key(std::string space,
                                        std::string owner,
                                        std::string definition,
                                        std::string key,
                                        std::string request_id = {});

    /// Returns messages that could not be delivered, in the order they came, starting after the one
    /// numbered `after`. `max`: 1 to 1000.
    [[nodiscard]] Result<std::vector<DeadLetter>> dead_letters(std::uint64_t after = 0,
                                                               std::uint32_t max = 1000);
    /// Sends a dead letter again, as a new message, to the run it was meant for or to `to` instead.
    /// (A letter that answers a command can only go to its own run.) Errors: `not_found` if there
    /// is no such letter or run; `already_ended` and `limit_exceeded` as `raise`.
    [[nodiscard]] Result<InstanceBrief> redrive(
        std::uint64_t letter,
        const std::optional<InstanceName>& to = std::nullopt,
        const std::string& request_id = {});
    /// Deletes a dead letter. Errors: `not_found`.
    [[nodiscard]] Result<void> discard(std::uint64_t letter, const std::string& request_id = {});

protected:
    ManagementClient(std::shared_ptr<Service> service, std::string space)
        : service_(std::move(service)), space_(std::move(space)) {}
    ~ManagementClient() = default;
    ManagementClient(ManagementClient&&) noexcept = default;

    /// Returns the name of an address. If the address means one run, reads if it still has the
    /// name, for requests that go by name: `not_found` if not.
    [[nodiscard]] Result<InstanceName> current_name(const InstanceAddress& address);

    std::shared_ptr<Service> service_;
    std::string space_;
};

}  // namespace belay
