// Deleting, pruning, and what belongs to whom.
#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/many.hpp"

#include <utility>

namespace belay {

using client::ask;

namespace {

Error not_there(const InstanceName& name) {
    return Error(Errc::not_found, "there is no instance '" + name.id + "'");
}

std::function<void(Result<Answer>)> tell_deleted(Done<DeleteInstanceResult> done) {
    return client::tell<DeleteInstanceResult>(std::move(done),
                                              [](const Answer& answer) { return answer.deleted; });
}

}  // namespace

// ---- Deletion ----------------------------------------------------------------------------------

void Client::delete_instance(const InstanceName& name,
                             bool force,
                             const std::string& request_id,
                             Done<DeleteInstanceResult> done) {
    const Result<void> fine = client::first_problem(
        {core_->check(name), core_->check_optional("the request id", request_id)});
    if (!fine) {
        done(fine.error());
        return;
    }
    Delete part;
    part.name = name;
    part.force = force;
    part.request_id = request_id;
    core_->commit(std::move(part), tell_deleted(std::move(done)));
}

Result<DeleteInstanceResult> Client::delete_instance(const InstanceName& name,
                                                     bool force,
                                                     const std::string& request_id) {
    return client::wait_for_answer<DeleteInstanceResult>([&](Done<DeleteInstanceResult> done) {
        delete_instance(name, force, request_id, std::move(done));
    });
}

void Client::delete_instances_atomic(const std::string& space,
                                     const std::vector<std::string>& ids,
                                     bool force,
                                     const std::string& request_id,
                                     Done<DeleteInstanceResult> done) {
    const Result<void> fine = client::first_problem(
        {core_->check(space, ids), core_->check_optional("the request id", request_id)});
    if (!fine) {
        done(fine.error());
        return;
    }
    DeleteInstances part = op::delete_instances_atomic(space, ids, force);
    part.request_id = request_id;
    core_->commit(std::move(part), tell_deleted(std::move(done)));
}

Result<DeleteInstanceResult> Client::delete_instances_atomic(const std::string& space,
                                                             const std::vector<std::string>& ids,
                                                             bool force,
                                                             const std::string& request_id) {
    return client::wait_for_answer<DeleteInstanceResult>([&](Done<DeleteInstanceResult> done) {
        delete_instances_atomic(space, ids, force, request_id, std::move(done));
    });
}

void Client::delete_instance_bulk(const InstanceFilter& filter, Done<DeleteInstanceResult> done) {
    if (const Result<void> fine = core_->check(filter); !fine) {
        done(fine.error());
        return;
    }
    client::delete_many(core_->sender, filter, std::move(done));
}

Result<DeleteInstanceResult> Client::delete_instance_bulk(const InstanceFilter& filter) {
    return client::wait_for_answer<DeleteInstanceResult>(
        [&](Done<DeleteInstanceResult> done) { delete_instance_bulk(filter, std::move(done)); });
}

// ---- Pruning -----------------------------------------------------------------------------------

void Client::prune_executions(const InstanceName& name,
                              const PruneOptions& options,
                              Done<PruneResult> done) {
    if (const Result<void> fine = core_->check(name); !fine) {
        done(fine.error());
        return;
    }
    client::prune_one(core_->sender, name, options, std::move(done));
}

Result<PruneResult> Client::prune_executions(const InstanceName& name,
                                             const PruneOptions& options) {
    return client::wait_for_answer<PruneResult>(
        [&](Done<PruneResult> done) { prune_executions(name, options, std::move(done)); });
}

void Client::prune_executions_bulk(const InstanceFilter& filter,
                                   const PruneOptions& options,
                                   Done<PruneResult> done) {
    if (const Result<void> fine = core_->check(filter); !fine) {
        done(fine.error());
        return;
    }
    client::prune_many(core_->sender, filter, options, std::move(done));
}

Result<PruneResult> Client::prune_executions_bulk(const InstanceFilter& filter,
                                                  const PruneOptions& options) {
    return client::wait_for_answer<PruneResult>(
        [&](Done<PruneResult> done) { prune_executions_bulk(filter, options, std::move(done)); });
}

// ---- Trees -------------------------------------------------------------------------------------

Result<InstanceTree> Client::get_instance_tree(const InstanceName& name) {
    if (const Result<void> fine = core_->check(name); !fine) return fine.error();
    const Result<ListTree::Answer> found = ask(core_->store, ListTree{name});
    if (!found) return found.error();
    if (found->empty()) return not_there(name);
    InstanceTree tree;
    tree.root_id = name.id;
    for (const InstanceBrief& one : *found) tree.all_ids.push_back(one.name.id);
    return tree;
}

Result<std::vector<std::string>> Client::list_children(const InstanceName& name) {
    if (const Result<void> fine = core_->check(name); !fine) return fine.error();
    const Result<ReadInstance::Answer> parent = ask(core_->store, ReadInstance{name, std::nullopt});
    if (!parent) return parent.error();
    std::vector<std::string> ids;
    if (!*parent) return ids;
    const Result<ListChildren::Answer> children = ask(core_->store, ListChildren{(*parent)->run});
    if (!children) return children.error();
    for (const InstanceBrief& child : *children) ids.push_back(child.name.id);
    return ids;
}

Result<std::optional<std::string>> Client::get_parent_id(const InstanceName& name) {
    if (const Result<void> fine = core_->check(name); !fine) return fine.error();
    const Result<ReadInstance::Answer> child = ask(core_->store, ReadInstance{name, std::nullopt});
    if (!child) return child.error();
    if (!*child) return not_there(name);
    if (!(*child)->parent) return std::optional<std::string>();
    const Result<ReadInstance::Answer> parent =
        ask(core_->store, ReadInstance{name, (*child)->parent->run});
    if (!parent) return parent.error();
    // A tree goes as a whole: without the parent the child is gone by now, too.
    if (!*parent) return not_there(name);
    return std::optional<std::string>((*parent)->name.id);
}

Result<void> Client::release(const InstanceName& name, const std::string& request_id) {
    Result<void> fine = client::first_problem(
        {core_->check(name), core_->check_optional("the request id", request_id)});
    if (!fine) return fine;
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core_->commit(Release{name, request_id, {}}, client::tell_brief(std::move(done)));
        }));
}

Result<void> Client::free_key(std::string space,
                              std::string owner,
                              std::string definition,
                              std::string key,
                              std::string request_id) {
    if (const Result<void> fine = core_->check_optional("the request id", request_id); !fine) {
        return fine;
    }
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core_->commit(FreeKey{std::move(space),
                                  std::move(owner),
                                  std::move(definition),
                                  std::move(key),
                                  std::move(request_id),
                                  {}},
                          client::tell_brief(std::move(done)));
        }));
}

}  // namespace belay
