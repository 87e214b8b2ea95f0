// The typed face of a service: deletion, pruning, retention, and limits of queues.
#include <belay/management.hpp>
#include <belay/management_client.hpp>
#include <belay/service.hpp>

#include <utility>

namespace belay {

namespace {

requests::PruneTerms terms_of(const PruneOptions& options) {
    return requests::PruneTerms{
        options.keep_last(), options.completed_before(), options.includes_running()};
}

requests::ApplyRetention apply_of(const RetentionRequest& request) {
    return requests::ApplyRetention{
        request.space(), request.policy(), request.as_of(), request.limit()};
}

requests::PreviewRetention preview_of(const RetentionRequest& request) {
    return requests::PreviewRetention{
        request.space(), request.policy(), request.as_of(), request.examples()};
}

}  // namespace

// ---- Deletion ----------------------------------------------------------------------------------

void ManagementClient::delete_instance(const InstanceAddress& name,
                                       bool force,
                                       const std::string& request_id,
                                       Done<DeleteCounts> done) {
    service_->ask(requests::Delete{name.name(space_), force, request_id, name.run()},
                  std::move(done));
}

Result<DeleteCounts> ManagementClient::delete_instance(const InstanceAddress& name,
                                                       bool force,
                                                       const std::string& request_id) {
    return service_->ask(requests::Delete{name.name(space_), force, request_id, name.run()});
}

void ManagementClient::delete_instances_atomic(const std::string& space,
                                               const std::vector<std::string>& ids,
                                               bool force,
                                               const std::string& request_id,
                                               Done<DeleteCounts> done) {
    service_->ask(requests::DeleteTogether{space, ids, force, request_id}, std::move(done));
}

Result<DeleteCounts> ManagementClient::delete_instances_atomic(const std::string& space,
                                                               const std::vector<std::string>& ids,
                                                               bool force,
                                                               const std::string& request_id) {
    return service_->ask(requests::DeleteTogether{space, ids, force, request_id});
}

void ManagementClient::delete_instance_bulk(const InstanceFilter& filter, Done<DeleteCounts> done) {
    service_->ask(requests::DeleteMany{filter.match(), filter.limit()}, std::move(done));
}

Result<DeleteCounts> ManagementClient::delete_instance_bulk(const InstanceFilter& filter) {
    return service_->ask(requests::DeleteMany{filter.match(), filter.limit()});
}

Result<DeletionPreview> ManagementClient::preview_delete_bulk(const InstanceFilter& filter) {
    return service_->ask(requests::PreviewDelete{filter.match(), filter.limit()});
}

// ---- Pruning -----------------------------------------------------------------------------------

void ManagementClient::prune_executions(const InstanceAddress& name,
                                        const PruneOptions& options,
                                        Done<PruneResult> done) {
    service_->ask(requests::Prune{name.name(space_), terms_of(options), name.run()},
                  std::move(done));
}

Result<PruneResult> ManagementClient::prune_executions(const InstanceAddress& name,
                                                       const PruneOptions& options) {
    return service_->ask(requests::Prune{name.name(space_), terms_of(options), name.run()});
}

void ManagementClient::prune_executions_bulk(const InstanceFilter& filter,
                                             const PruneOptions& options,
                                             Done<PruneResult> done) {
    service_->ask(requests::PruneMany{filter.match(), terms_of(options), filter.limit()},
                  std::move(done));
}

Result<PruneResult> ManagementClient::prune_executions_bulk(const InstanceFilter& filter,
                                                            const PruneOptions& options) {
    return service_->ask(requests::PruneMany{filter.match(), terms_of(options), filter.limit()});
}

Result<PrunePreview> ManagementClient::preview_prune_bulk(const InstanceFilter& filter,
                                                          const PruneOptions& options) {
    return service_->ask(requests::PreviewPrune{filter.match(), terms_of(options), filter.limit()});
}

// ---- Retention ---------------------------------------------------------------------------------

Result<void> ManagementClient::set_retention(const std::string& space,
                                             const RetentionPolicy& policy,
                                             const std::string& by,
                                             const std::string& request_id) {
    return service_->ask(requests::SetRetention{space, policy, by, request_id});
}

Result<void> ManagementClient::clear_retention(const std::string& space,
                                               const std::string& by,
                                               const std::string& request_id) {
    return service_->ask(requests::SetRetention{space, std::nullopt, by, request_id});
}

Result<std::optional<StoredRetention>> ManagementClient::retention(const std::string& space) {
    return service_->ask(requests::ReadRetention{space});
}

void ManagementClient::apply_retention(const RetentionRequest& request,
                                       Done<RetentionResult> done) {
    service_->ask(apply_of(request), std::move(done));
}

Result<RetentionResult> ManagementClient::apply_retention(const RetentionRequest& request) {
    return service_->ask(apply_of(request));
}

void ManagementClient::preview_retention(const RetentionRequest& request,
                                         Done<RetentionPreview> done) {
    service_->ask(preview_of(request), std::move(done));
}

Result<RetentionPreview> ManagementClient::preview_retention(const RetentionRequest& request) {
    return service_->ask(preview_of(request));
}

// ---- Limits of queues --------------------------------------------------------------------------

Result<void> ManagementClient::set_queue_limits(const std::string& queue,
                                                const QueueLimits& limits,
                                                const std::string& by,
                                                const std::string& request_id) {
    return service_->ask(requests::SetQueueLimits{queue, limits, by, request_id});
}

Result<void> ManagementClient::clear_queue_limits(const std::string& queue,
                                                  const std::string& by,
                                                  const std::string& request_id) {
    return service_->ask(requests::SetQueueLimits{queue, std::nullopt, by, request_id});
}

// ---- Pauses ------------------------------------------------------------------------------------

Result<bool> ManagementClient::pause(PauseKind kind,
                                     const std::string& name,
                                     const std::string& reason,
                                     const std::string& by,
                                     const std::string& request_id) {
    return service_->ask(requests::SetPause{kind, name, true, by, reason, request_id});
}

Result<bool> ManagementClient::resume(PauseKind kind,
                                      const std::string& name,
                                      const std::string& by,
                                      const std::string& request_id) {
    return service_->ask(requests::SetPause{kind, name, false, by, {}, request_id});
}

}  // namespace belay
