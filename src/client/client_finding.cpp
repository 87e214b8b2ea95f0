// The typed face of a service: lists, one instance, its tree, depths of queues, and stuck runs.
#include "client/answers.hpp"
#include "client/service_context.hpp"
#include <belay/finding.hpp>
#include <belay/management_client.hpp>
#include <belay/service.hpp>
#include <belay/transfer.hpp>

#include <utility>

namespace belay {

// ---- Lists -------------------------------------------------------------------------------------

requests::List ListOptions::request() const {
    return requests::List{match(), order_, descending_, page_size_, cursor_};
}

requests::ListKeys KeyOptions::request() const {
    return requests::ListKeys{space_, owner_, definition_, prefix_, page_size_, cursor_};
}

Result<InstancePage> ManagementClient::list(const ListOptions& options) {
    return service_->ask(options.request());
}

Result<std::vector<InstanceCount>> ManagementClient::count(const std::string& space) {
    requests::Count request;
    request.match.space = space;
    return service_->ask(std::move(request));
}

Result<std::vector<InstanceCount>> ManagementClient::count(const ListOptions& options) {
    return service_->ask(requests::Count{options.match()});
}

Result<KeyPage> ManagementClient::keys() { return keys(KeyOptions()); }

Result<KeyPage> ManagementClient::keys(const KeyOptions& options) {
    return service_->ask(options.request());
}

Result<std::vector<DocumentInfo>> ManagementClient::documents(
    const requests::ListDocuments& request) {
    return service_->ask(request);
}

Result<Payload> ManagementClient::document(const Digest& digest, const std::string& space) {
    Result<ReadDocument::Kept> kept = service_->ask(requests::ReadDocument{space, digest});
    if (!kept) return kept.error();
    return std::move(kept->text);
}

Result<QueueDepths> ManagementClient::queue_depths() {
    return service_->ask(requests::CountQueues());
}

Result<LeaseList> ManagementClient::leases(std::uint32_t max) {
    return service_->ask(requests::ListLeases{max});
}

Result<std::vector<DeadLetter>> ManagementClient::dead_letters(std::uint64_t after,
                                                               std::uint32_t max) {
    return service_->ask(requests::ListDeadLetters{after, max});
}

// ---- One instance ------------------------------------------------------------------------------

Result<InstanceInfo> ManagementClient::inspect(const InstanceAddress& name) {
    return service_->ask(requests::Inspect{name.name(space_), name.run()});
}

Result<InstanceDescription> ManagementClient::describe(const InstanceAddress& name) {
    Result<InstanceName> current = current_name(name);
    if (!current) return current.error();
    return service_->ask(requests::Describe{std::move(*current)});
}

Result<Timeline> ManagementClient::timeline(const InstanceAddress& name, ExecutionNo execution) {
    Result<InstanceName> current = current_name(name);
    if (!current) return current.error();
    return service_->ask(requests::ReadTimeline{std::move(*current), execution});
}

requests::ReadOutput OutputOptions::request(RunRef run) const {
    return requests::ReadOutput{run, execution_, command_, attempt_, after_, max_bytes_};
}

Result<OutputPage> ManagementClient::output(const InstanceAddress& name,
                                            const OutputOptions& options) {
    const Result<InstanceInfo> found = inspect(name);
    if (!found) return found.error();
    return service_->ask(options.request(found->run));
}

Result<OutputPage> ManagementClient::output(const InstanceAddress& name) {
    return output(name, OutputOptions());
}

Result<std::string> ManagementClient::export_instance(const InstanceAddress& name,
                                                      ExportLayout layout) {
    Result<InstanceName> current = current_name(name);
    if (!current) return current.error();
    return service_->ask(requests::Export{std::move(*current), layout});
}

Result<std::string> ManagementClient::export_instance(const InstanceAddress& name) {
    return export_instance(name, ExportLayout::indented);
}

Result<InstanceBrief> ManagementClient::import_instance(std::string_view document,
                                                        const ImportOptions& options) {
    return service_->ask(
        requests::Import{std::string(document), options.id_, options.space_, options.request_id_});
}

Result<InstanceBrief> ManagementClient::import_instance(std::string_view document) {
    return import_instance(document, ImportOptions());
}

// ---- Its tree ----------------------------------------------------------------------------------

Result<InstanceTree> ManagementClient::get_instance_tree(const InstanceAddress& name) {
    const Result<InstanceName> current = current_name(name);
    if (!current) return current.error();
    const Result<std::vector<InstanceBrief>> found = service_->ask(requests::ListTree{*current});
    if (!found) return found.error();
    InstanceTree tree;
    tree.root_id = current->id;
    for (const InstanceBrief& one : *found) tree.all_ids.push_back(one.name.id);
    return tree;
}

Result<std::vector<std::string>> ManagementClient::list_children(const InstanceAddress& name) {
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

Result<std::optional<std::string>> ManagementClient::get_parent_id(const InstanceAddress& name) {
    const Result<InstanceInfo> child = inspect(name);
    if (!child) return child.error();
    if (!child->parent) return std::optional<std::string>();
    // A tree goes as a whole: without the parent the child is gone by now, too.
    const Result<InstanceInfo> parent =
        service_->ask(requests::Inspect{child->name, child->parent->run});
    if (!parent) return parent.error();
    return std::optional<std::string>(parent->name.id);
}

// ---- The run of an address ---------------------------------------------------------------------

Result<InstanceName> ManagementClient::current_name(const InstanceAddress& address) {
    InstanceName name = address.name(space_);
    if (!address.run()) return name;
    const Result<InstanceInfo> current = service_->ask(requests::Inspect{name});
    if (!current) return current.error();
    if (current->run != *address.run()) return client::no_such_instance(name);
    return name;
}

// ---- Held runs, keys and dead letters ----------------------------------------------------------

Result<void> ManagementClient::release(const InstanceAddress& name, const std::string& request_id) {
    Result<InstanceName> held = current_name(name);
    if (!held) return held.error();
    return client::without_value(service_->ask(requests::Release{std::move(*held), request_id}));
}

Result<void> ManagementClient::fail_held(const InstanceAddress& name,
                                         const std::string& by,
                                         const std::string& reason,
                                         const std::string& request_id) {
    Result<InstanceName> held = current_name(name);
    if (!held) return held.error();
    return client::without_value(
        service_->ask(requests::FailHeld{std::move(*held), by, reason, request_id}));
}

Result<void> ManagementClient::free_key(std::string space,
                                        std::string owner,
                                        std::string definition,
                                        std::string key,
                                        std::string request_id) {
    return service_->ask(requests::FreeKey{std::move(space),
                                           std::move(owner),
                                           std::move(definition),
                                           std::move(key),
                                           std::move(request_id)});
}

Result<InstanceBrief> ManagementClient::redrive(std::uint64_t letter,
                                                const std::optional<InstanceName>& to,
                                                const std::string& request_id) {
    return service_->ask(requests::Redrive{letter, to, request_id});
}

Result<void> ManagementClient::discard(std::uint64_t letter, const std::string& request_id) {
    return service_->ask(requests::Discard{letter, request_id});
}

}  // namespace belay
