// The typed face of a service: lists, one instance, its tree, and depths of queues.
#include <belay/client.hpp>

#include <utility>

namespace belay {

// ---- Lists -------------------------------------------------------------------------------------

requests::List ListOptions::request() const {
    return requests::List{match(), order_, descending_, page_size_, cursor_};
}

requests::ListKeys KeyOptions::request() const {
    return requests::ListKeys{space_, owner_, definition_, prefix_, page_size_, cursor_};
}

Result<InstancePage> Client::list(const ListOptions& options) {
    return service_->ask(options.request());
}

Result<std::vector<InstanceCount>> Client::count(const std::string& space) {
    requests::Count request;
    request.match.space = space;
    return service_->ask(std::move(request));
}

Result<std::vector<InstanceCount>> Client::count(const ListOptions& options) {
    return service_->ask(requests::Count{options.match()});
}

Result<KeyPage> Client::keys(const KeyOptions& options) { return service_->ask(options.request()); }

Result<QueueDepths> Client::queue_depths() { return service_->ask(requests::CountQueues()); }

Result<ListLeases::Answer> Client::leases(std::uint32_t max) {
    return service_->ask(requests::ListLeases{max});
}

Result<std::vector<DeadLetter>> Client::dead_letters(std::uint64_t after, std::uint32_t max) {
    return service_->ask(requests::ListDeadLetters{after, max});
}

// ---- One instance ------------------------------------------------------------------------------

Result<InstanceInfo> Client::inspect(const InstanceName& name) {
    return service_->ask(requests::Inspect{name});
}

Result<InstanceDescription> Client::describe(const InstanceName& name) {
    return service_->ask(requests::Describe{name});
}

Result<Timeline> Client::timeline(const InstanceName& name, ExecutionNo execution) {
    return service_->ask(requests::ReadTimeline{name, execution});
}

Result<std::map<std::string, Payload>> Client::values(const InstanceName& name) {
    return service_->ask(requests::ReadValues{name});
}

Result<std::string> Client::export_instance(const InstanceName& name, ExportLayout layout) {
    return service_->ask(requests::Export{name, layout});
}

Result<InstanceBrief> Client::import_instance(std::string_view document,
                                              const ImportOptions& options) {
    return service_->ask(
        requests::Import{std::string(document), options.id_, options.space_, options.request_id_});
}

// ---- Its tree ----------------------------------------------------------------------------------

Result<InstanceTree> Client::get_instance_tree(const InstanceName& name) {
    const Result<std::vector<InstanceBrief>> found = service_->ask(requests::ListTree{name});
    if (!found) return found.error();
    InstanceTree tree;
    tree.root_id = name.id;
    for (const InstanceBrief& one : *found) tree.all_ids.push_back(one.name.id);
    return tree;
}

Result<std::vector<std::string>> Client::list_children(const InstanceName& name) {
    std::vector<std::string> ids;
    const Result<InstanceInfo> parent = inspect(name);
    if (!parent && parent.error().code() == Errc::not_found) return ids;
    if (!parent) return parent.error();
    const Result<std::vector<InstanceBrief>> children =
        service_->ask(requests::ListChildren{parent->run});
    if (!children) return children.error();
    for (const InstanceBrief& child : *children) ids.push_back(child.name.id);
    return ids;
}

Result<std::optional<std::string>> Client::get_parent_id(const InstanceName& name) {
    const Result<InstanceInfo> child = inspect(name);
    if (!child) return child.error();
    if (!child->parent) return std::optional<std::string>();
    // A tree goes as a whole: without the parent the child is gone by now, too.
    const Result<InstanceInfo> parent = service_->ask(requests::Inspect{name, child->parent->run});
    if (!parent) return parent.error();
    return std::optional<std::string>(parent->name.id);
}

}  // namespace belay
