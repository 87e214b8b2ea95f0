// The typed face of a service: deletion, pruning, retention, and limits of queues.
#include <belay/client.hpp>

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

void Client::delete_instance(const InstanceName& name,
                             bool force,
                             const std::string& request_id,
                             Done<DeleteInstanceResult> done) {
    service_->ask(requests::Delete{name, force, request_id}, std::move(done));
}

Result<DeleteInstanceResult> Client::delete_instance(const InstanceName& name,
                                                     bool force,
                                                     const std::string& request_id) {
    return service_->ask(requests::Delete{name, force, request_id});
}

void Client::delete_instances_atomic(const std::string& space,
                                     const std::vector<std::string>& ids,
                                     bool force,
                                     const std::string& request_id,
                                     Done<DeleteInstanceResult> done) {
    service_->ask(requests::DeleteTogether{space, ids, force, request_id}, std::move(done));
}

Result<DeleteInstanceResult> Client::delete_instances_atomic(const std::string& space,
                                                             const std::vector<std::string>& ids,
                                                             bool force,
                                                             const std::string& request_id) {
    return service_->ask(requests::DeleteTogether{space, ids, force, request_id});
}

void Client::delete_instance_bulk(const InstanceFilter& filter, Done<DeleteInstanceResult> done) {
    service_->ask(requests::DeleteMany{filter.match(), filter.limit()}, std::move(done));
}

Result<DeleteInstanceResult> Client::delete_instance_bulk(const InstanceFilter& filter) {
    return service_->ask(requests::DeleteMany{filter.match(), filter.limit()});
}

Result<DeletionPreview> Client::preview_delete_bulk(const InstanceFilter& filter) {
    return service_->ask(requests::PreviewDelete{filter.match(), filter.limit()});
}

// ---- Pruning -----------------------------------------------------------------------------------

void Client::prune_executions(const InstanceName& name,
                              const PruneOptions& options,
                              Done<PruneResult> done) {
    service_->ask(requests::Prune{name, terms_of(options)}, std::move(done));
}

Result<PruneResult> Client::prune_executions(const InstanceName& name,
                                             const PruneOptions& options) {
    return service_->ask(requests::Prune{name, terms_of(options)});
}

void Client::prune_executions_bulk(const InstanceFilter& filter,
                                   const PruneOptions& options,
                                   Done<PruneResult> done) {
    service_->ask(requests::PruneMany{filter.match(), terms_of(options), filter.limit()},
                  std::move(done));
}

Result<PruneResult> Client::prune_executions_bulk(const InstanceFilter& filter,
                                                  const PruneOptions& options) {
    return service_->ask(requests::PruneMany{filter.match(), terms_of(options), filter.limit()});
}

Result<PrunePreview> Client::preview_prune_bulk(const InstanceFilter& filter,
                                                const PruneOptions& options) {
    return service_->ask(requests::PreviewPrune{filter.match(), terms_of(options), filter.limit()});
}

// ---- Retention ---------------------------------------------------------------------------------

Result<void> Client::set_retention(const std::string& space,
                                   const RetentionPolicy& policy,
                                   const std::string& by,
                                   const std::string& request_id) {
    return service_->ask(requests::SetRetention{space, policy, by, request_id});
}

Result<void> Client::clear_retention(const std::string& space,
                                     const std::string& by,
                                     const std::string& request_id) {
    return service_->ask(requests::SetRetention{space, std::nullopt, by, request_id});
}

Result<std::optional<StoredRetention>> Client::retention(const std::string& space) {
    return service_->ask(requests::ReadRetention{space});
}

void Client::apply_retention(const RetentionRequest& request, Done<RetentionResult> done) {
    service_->ask(apply_of(request), std::move(done));
}

Result<RetentionResult> Client::apply_retention(const RetentionRequest& request) {
    return service_->ask(apply_of(request));
}

void Client::preview_retention(const RetentionRequest& request, Done<RetentionPreview> done) {
    service_->ask(preview_of(request), std::move(done));
}

Result<RetentionPreview> Client::preview_retention(const RetentionRequest& request) {
    return service_->ask(preview_of(request));
}

// ---- Limits of queues --------------------------------------------------------------------------

Result<void> Client::set_queue_limits(const std::string& queue,
                                      const QueueLimits& limits,
                                      const std::string& by,
                                      const std::string& request_id) {
    return service_->ask(requests::SetQueueLimits{queue, limits, by, request_id});
}

Result<void> Client::clear_queue_limits(const std::string& queue,
                                        const std::string& by,
                                        const std::string& request_id) {
    return service_->ask(requests::SetQueueLimits{queue, std::nullopt, by, request_id});
}

}  // namespace belay
