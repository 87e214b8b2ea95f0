#include "store/memory/guards.hpp"

#include "store/memory/deletion.hpp"
#include "store/memory/keys.hpp"
#include "store/names.hpp"

namespace belay::memory {

namespace {

Refusal already_ended(const Run& run) {
    Refusal refusal =
        refuse(Errc::already_ended,
               "instance '" + run.about.name.id + "' is " + std::string(to_string(run.status)));
    refusal.instance = brief_of(run);
    return refusal;
}

Refusal in_the_way(Errc code, const std::string& message, InstanceBrief instance, bool differs) {
    return Refusal{Error(code, message), std::move(instance), differs};
}

}  // namespace

Refusal refuse(Errc code, std::string message) {
    return Refusal{Error(code, std::move(message)), std::nullopt, false};
}

Refusal no_such_instance(const InstanceName& name) {
    return refuse(Errc::not_found, "no instance '" + name.id + "'");
}

Refusal no_such_run(RunRef run) { return refuse(Errc::not_found, "no run " + to_string(run)); }

std::optional<Refusal> Guards::check(const Transition& transition) {
    for (const Part& part : transition.parts) {
        if (std::holds_alternative<Sweep>(part) && transition.parts.size() > 1) {
            return refuse(Errc::invalid_argument, "a sweep is a transition of its own");
        }
        if (auto refusal = std::visit([&](const auto& one) { return check(one); }, part)) {
            return refusal;
        }
    }
    return std::nullopt;
}

auto Guards::address(const Run& run, Effect effect) -> Verdict {
    bool free = !changed_.contains(run.ref());
    // Most transitions end nothing; then there is no need to walk up the tree.
    for (const Run* at = ending_.empty() ? nullptr : &run; at != nullptr;) {
        if (ending_.contains(at->ref())) free = false;
        at = at->about.parent ? find_run(tables_, at->about.parent->run) : nullptr;
    }
    if (!free) {
        return refuse(Errc::invalid_argument,
                      "an earlier part of the transition changes run " + to_string(run.ref()));
    }
    if (effect != Effect::none) changed_.insert(run.ref());
    if (effect == Effect::ends_tree) ending_.insert(run.ref());
    return std::nullopt;
}

// ---- Starts ------------------------------------------------------------------------------------

auto Guards::check(const Start& part) -> Verdict {
    const NewInstance& instance = part.instance;
    if (const auto valid = check_names(instance); !valid) {
        return Refusal{valid.error(), std::nullopt, false};
    }
    if (part.key) {
        const KeyId id = key_id(instance, *part.key);
        if (new_keys_.contains(id)) {
            return refuse(Errc::duplicate_key, "key '" + part.key->key + "' is used twice");
        }
        if (const KeyRow* row = taken_key(tables_, id, now_)) {
            return in_the_way(
                Errc::duplicate_key,
                "key '" + part.key->key + "' is taken by instance '" + row->name.id + "'",
                brief_of(tables_, *row),
                row->input_digest != part.input_digest);
        }
        new_keys_.insert(id);
    }
    if (auto refusal = check_name_free(part)) return refusal;
    if (auto refusal = check_parent(instance)) return refusal;
    if (auto refusal = check_run_key(instance.run)) return refusal;

    const Run* old = find_run(tables_, instance.name);
    bool must_wait = old != nullptr && !old->settled;
    if (const auto formers = tables_.formers.find(instance.name);
        formers != tables_.formers.end()) {
        for (const RunRef former : formers->second) {
            must_wait = must_wait || !find_run(tables_, former)->settled;
        }
    }
    started_.emplace(instance.run, must_wait);
    new_names_.insert(instance.name);
    return std::nullopt;
}

auto Guards::check_name_free(const Start& part) -> Verdict {
    const InstanceName& name = part.instance.name;
    if (new_names_.contains(name)) {
        return refuse(Errc::id_in_use, "id '" + name.id + "' is used twice");
    }
    const Run* old = find_run(tables_, name);
    if (old == nullptr) return std::nullopt;
    if (part.on_conflict != IdConflict::replace) {
        return in_the_way(Errc::id_in_use,
                          "id '" + name.id + "' is in use",
                          brief_of(*old),
                          old->input_digest != part.input_digest);
    }
    return address(*old, Effect::ends_tree);
}

auto Guards::check_parent(const NewInstance& instance) const -> Verdict {
    if (!instance.parent) return std::nullopt;
    const Run* parent = find_run(tables_, instance.parent->run);
    if (parent == nullptr) return no_such_run(instance.parent->run);
    if (parent->ended()) return already_ended(*parent);
    return check_key_order(instance);
}

auto Guards::check_key_order(const NewInstance& child) -> Verdict {
    if (child.run.key > child.parent->run.key) return std::nullopt;
    return refuse(Errc::invalid_argument,
                  "the key of a child must be greater than its parent's: " + to_string(child.run) +
                      " is not after " + to_string(child.parent->run));
}

auto Guards::check_run_key(RunRef run) -> Verdict {
    const bool free = find_run(tables_, run) == nullptr && !tables_.gone.contains(run) &&
                      !started_.contains(run) && child_runs_.insert(run).second;
    if (free) return std::nullopt;
    return refuse(Errc::run_key_taken, "run key " + to_string(run) + " is in use");
}

// ---- Activities --------------------------------------------------------------------------------

auto Guards::check_lease(const ActivityRef& ref, LeaseToken token) const -> Verdict {
    const Activity* activity = find_activity(tables_, ref);
    if (activity != nullptr && activity->token == token && !acked_.contains(ref) &&
        !abandoned_.contains(ref)) {
        return std::nullopt;
    }
    if (tables_.stopping.contains(StoppingKey{ref, token})) {
        return refuse(Errc::canceled, "activity " + to_string(ref) + " was canceled");
    }
    return refuse(Errc::lease_lost, "activity " + to_string(ref) + " is not held by this token");
}

auto Guards::check(const AckActivity& part) -> Verdict {
    const StoppingKey stopping{part.activity, part.token};
    if (auto refusal = check_lease(part.activity, part.token)) {
        // The handler of a canceled activity has ended, and says so.
        const bool ended = refusal->error.code() == Errc::canceled && !part.completion;
        return ended && stopped_.insert(stopping).second ? std::nullopt : std::move(refusal);
    }
    const Run* run = find_run(tables_, part.activity.run);
    BELAY_ASSERT(run != nullptr);
    if (auto conflict = address(*run, Effect::none)) return conflict;
    acked_.insert(part.activity);
    if (part.completion) messaged_.insert(part.activity.run);
    return std::nullopt;
}

auto Guards::check(const AbandonActivity& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) return refusal;
    const Run* run = find_run(tables_, part.activity.run);
    if (auto conflict = address(*run, Effect::none)) return conflict;
    abandoned_.insert(part.activity);
    return std::nullopt;
}

auto Guards::check(const RenewActivity& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) return refusal;
    if (find_activity(tables_, part.activity)->leased_until <= now_) {
        return refuse(Errc::lease_lost,
                      "the lease of " + to_string(part.activity) + " has expired");
    }
    return address(*find_run(tables_, part.activity.run), Effect::none);
}

// ---- Locks -------------------------------------------------------------------------------------

auto Guards::check_lock(RunRef ref, LeaseToken token) -> Verdict {
    const Run* run = find_run(tables_, ref);
    if (run == nullptr) return no_such_run(ref);
    if (run->ended()) return already_ended(*run);
    if (!run->lock || run->lock->token != token) {
        return refuse(Errc::lease_lost, "run " + to_string(ref) + " is not locked by this token");
    }
    return std::nullopt;
}

auto Guards::check(const AbandonTurn& part) -> Verdict {
    if (auto refusal = check_lock(part.run, part.token)) return refusal;
    return address(*find_run(tables_, part.run), Effect::exclusive);
}

auto Guards::check(const RenewTurn& part) -> Verdict {
    const Run* run = find_run(tables_, part.run);
    if (run == nullptr || !run->lock || run->lock->token != part.token || !run->locked(now_)) {
        return refuse(Errc::lease_lost,
                      "run " + to_string(part.run) + " is not locked by this token");
    }
    return address(*run, Effect::exclusive);
}

auto Guards::check(const Hold& part) -> Verdict {
    if (auto refusal = check_lock(part.run, part.token)) return refusal;
    return address(*find_run(tables_, part.run), Effect::exclusive);
}

auto Guards::check(const Release& part) -> Verdict {
    const Run* run = find_run(tables_, part.name);
    if (run == nullptr) return no_such_instance(part.name);
    if (!run->held) {
        return refuse(Errc::not_held, "instance '" + part.name.id + "' is not held");
    }
    return address(*run, Effect::exclusive);
}

// ---- Instances ---------------------------------------------------------------------------------

auto Guards::check(const Cancel& part) -> Verdict {
    const Run* run = find_run(tables_, part.name);
    if (run == nullptr) return no_such_instance(part.name);
    return address(*run, Effect::ends_tree);
}

auto Guards::check(const Finish& part) -> Verdict {
    if (!is_terminal(part.outcome.status)) {
        return refuse(Errc::invalid_argument,
                      "a run cannot end as " + std::string(to_string(part.outcome.status)));
    }
    const Run* run = nullptr;
    if (const auto* name = std::get_if<InstanceName>(&part.target)) {
        run = find_run(tables_, *name);
        if (run == nullptr) return no_such_instance(*name);
    } else {
        const auto& [ref, token] = std::get<std::pair<RunRef, LeaseToken>>(part.target);
        if (auto refusal = check_lock(ref, token)) return refusal;
        run = find_run(tables_, ref);
    }
    return address(*run, Effect::ends_tree);
}

auto Guards::check(const Send& part) -> Verdict {
    const Run* run = find_run(tables_, part.name);
    if (run == nullptr) return no_such_instance(part.name);
    if (run->ended()) return already_ended(*run);
    if (auto conflict = address(*run, Effect::none)) return conflict;
    if (part.delay <= Millis(0)) messaged_.insert(run->ref());
    return std::nullopt;
}

auto Guards::check(const Deliver& part) -> Verdict {
    messaged_.insert(part.run);
    return std::nullopt;
}

auto Guards::check(const Delete& part) -> Verdict {
    const Run* root = find_run(tables_, part.name);
    if (root == nullptr) return no_such_instance(part.name);
    if (root->about.parent) {
        return refuse(Errc::has_parent, "instance '" + part.name.id + "' goes with its root");
    }
    const std::vector<RunRef> tree = tree_of(tables_, *root);
    for (const RunRef ref : tree) {
        const Run& run = *find_run(tables_, ref);
        if (!part.force && !run.ended()) {
            Refusal refusal =
                refuse(Errc::still_running, "instance '" + run.about.name.id + "' has not ended");
            refusal.instance = brief_of(run);
            return refusal;
        }
        if (auto conflict = address(run, Effect::none)) return conflict;
    }
    changed_.insert(tree.begin(), tree.end());
    ending_.insert(tree.begin(), tree.end());
    return std::nullopt;
}

auto Guards::check(const FreeKey& part) -> Verdict {
    if (tables_.keys.contains(KeyId{part.space, part.owner, part.definition, part.key})) {
        return std::nullopt;
    }
    return refuse(Errc::not_found, "no key '" + part.key + "'");
}

auto Guards::check(const Sweep&) -> Verdict { return std::nullopt; }

}  // namespace belay::memory
