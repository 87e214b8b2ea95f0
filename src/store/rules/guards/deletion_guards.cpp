// The guards of deletion and pruning. They look at the trees as they are in this very commit, so
// nobody can slip a child in between.
#include "store/rules/guards/guards.hpp"

#include <string>

namespace belay::store {

std::optional<RunFacts> Guards::find_meant(const InstanceName& name,
                                           const std::optional<RunRef>& run) {
    if (!run) return rows_.run(name);
    std::optional<RunFacts> found = rows_.run(*run);
    if (found && *found->name != name) return std::nullopt;
    return found;
}

auto Guards::check(const Delete& part) -> Verdict {
    const auto root = find_meant(part.name, part.run);
    if (!root) return no_such_instance(part.name);
    if (root->parent != nullptr) {
        return refuse(
            Errc::has_parent, "instance '" + part.name.id + "' goes with its root", root->brief());
    }
    return check_going(rows_.tree(root->ref), part.force);
}

/// Checks that these runs may be deleted, and that no other part is about one of them.
auto Guards::check_going(const std::vector<RunRef>& going, bool force) -> Verdict {
    for (const RunRef ref : going) {
        const auto run = rows_.run(ref);
        BELAY_ASSERT(run.has_value());
        if (!force && !run->ended()) {
            return refuse(Errc::still_running,
                          "instance '" + run->name->id + "' has not ended",
                          run->brief());
        }
        if (auto conflict = address(*run, Effect::none)) return conflict;
    }
    changed_.insert(going.begin(), going.end());
    ending_.insert(going.begin(), going.end());
    deleted_.insert(going.begin(), going.end());
    return std::nullopt;
}

/// A deletion in an earlier part removes everything: nothing is left to act on.
auto Guards::check_not_deleted(RunRef run) -> Verdict {
    if (!deleted_.contains(run)) return std::nullopt;
    return refuse(Errc::invalid_argument,
                  "an earlier part of the transition deletes run " + to_string(run));
}

auto Guards::check(const DeleteInstances& part) -> Verdict {
    Places places;
    if (auto refusal = check_list(part, places)) return refusal;
    std::set<RunRef> listed;
    std::vector<RunRef> going;
    for (const std::string& id : part.ids) {
        const InstanceName name{part.space, id};
        const auto run = rows_.run(name);
        if (!run) return no_such_instance(name);
        listed.insert(run->ref);
        if (run->parent != nullptr) continue;
        const std::vector<RunRef> tree = rows_.tree(run->ref);
        going.insert(going.end(), tree.begin(), tree.end());
    }
    if (auto refusal = check_whole(part, listed, going)) return refusal;
    if (auto refusal = check_order(part, places)) return refusal;
    return check_going(going, part.force);
}

auto Guards::check_list(const DeleteInstances& part, Places& places) -> Verdict {
    if (part.ids.empty()) {
        return refuse(Errc::invalid_argument, "no instance is named that is to be deleted");
    }
    if (part.ids.size() > Limits().bulk_ids) {
        return refuse(Errc::limit_exceeded,
                      std::to_string(part.ids.size()) + " instances are to be deleted; at most " +
                          std::to_string(Limits().bulk_ids) + " are allowed");
    }
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        if (places.emplace(part.ids[i], i).second) continue;
        return refuse(Errc::invalid_argument, "instance '" + part.ids[i] + "' is listed twice");
    }
    return std::nullopt;
}

/// `going`: the trees of the listed roots.
auto Guards::check_whole(const DeleteInstances& part,
                         const std::set<RunRef>& listed,
                         const std::vector<RunRef>& going) -> Verdict {
    for (const RunRef ref : going) {
        if (listed.contains(ref)) continue;
        const auto run = rows_.run(ref);
        BELAY_ASSERT(run.has_value());
        // An earlier run of some name cannot be listed: it is deleted with the tree it belongs to.
        if (const auto holder = rows_.run(*run->name); !holder || holder->ref != ref) continue;
        return refuse(
            Errc::has_children,
            "instance '" + run->name->id + "' is not listed, but is part of a tree that is",
            run->brief());
    }
    const std::set<RunRef> whole(going.begin(), going.end());
    for (const std::string& id : part.ids) {
        const auto run = rows_.run(InstanceName{part.space, id});
        if (whole.contains(run->ref)) continue;
        return refuse(Errc::has_parent,
                      "instance '" + id + "' goes with its root, which is not listed",
                      run->brief());
    }
    return std::nullopt;
}

auto Guards::check_order(const DeleteInstances& part, const Places& places) -> Verdict {
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const auto run = rows_.run(InstanceName{part.space, part.ids[i]});
        if (run->parent == nullptr) continue;
        const auto parent = rows_.run(run->parent->run);
        BELAY_ASSERT(parent.has_value());
        const auto place = places.find(parent->name->id);
        if (place == places.end() || place->second > i) continue;
        return refuse(
            Errc::invalid_argument,
            "instance '" + part.ids[i] + "' is listed behind its parent '" + parent->name->id + "'",
            run->brief());
    }
    return std::nullopt;
}

auto Guards::check(const Prune& part) -> Verdict {
    if (part.max == 0 || part.max_events == 0) {
        return refuse(Errc::invalid_argument, "nothing at all is to be pruned");
    }
    const auto run = find_meant(part.name, part.run);
    if (!run) return no_such_instance(part.name);
    return address(*run, Effect::exclusive);
}

}  // namespace belay::store
