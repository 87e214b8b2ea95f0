// The guards of instances and messages, and code that all guards share.
#include "store/rules/guards/guards.hpp"

#include <string>
#include <variant>

namespace belay::store {

std::optional<Refusal> Guards::check(const Transition& transition) {
    for (const Part& part : transition.parts) {
        const bool goes_alone =
            std::holds_alternative<Sweep>(part) || std::holds_alternative<ReleaseHolder>(part);
        if (goes_alone && transition.parts.size() > 1) {
            return refuse(Errc::invalid_argument,
                          "a sweep, or the release of a holder, is a transition of its own");
        }
        if (auto refusal = std::visit([&](const auto& one) { return check(one); }, part)) {
            return refusal;
        }
    }
    return std::nullopt;
}

auto Guards::address(const RunFacts& run, Effect effect) -> Verdict {
    if (changed_.contains(run.ref) || is_ending(run)) {
        return refuse(Errc::invalid_argument,
                      "an earlier part of the transition changes run " + to_string(run.ref));
    }
    if (effect != Effect::none) changed_.insert(run.ref);
    if (effect == Effect::ends_tree) ending_.insert(run.ref);
    return std::nullopt;
}

/// True if an earlier part may end the run or one above it.
bool Guards::is_ending(const RunFacts& run) {
    if (ending_.empty()) return false;  // Usually so: then there is no need to walk up the tree.
    std::optional<RunFacts> above;
    for (const RunFacts* at = &run;;) {
        if (ending_.contains(at->ref)) return true;
        if (at->parent == nullptr) return false;
        above = rows_.run(at->parent->run);
        if (!above) return false;
        at = &*above;
    }
}

void Guards::may_fail(const RunFacts& run) {
    if (run.on_fail) give_away_for_failure(*run.name, *run.on_fail);
}

void Guards::give_away_for_failure(const InstanceName& failed, RunRef on_fail) {
    new_names_.insert(InstanceName{failed.space, on_fail_id(failed.id)});
    new_names_.insert(InstanceName{failed.space, other_on_fail_id(failed.id, on_fail.key)});
}

auto Guards::check(const Cancel& part) -> Verdict {
    const auto run = rows_.run(part.name);
    if (!run || (part.run && run->ref != *part.run)) return no_such_instance(part.name);
    if (part.definition && rows_.definition(run->ref) != *part.definition) {
        return no_such_instance(part.name);
    }
    return address(*run, Effect::ends_tree);
}

auto Guards::check(const Finish& part) -> Verdict {
    if (!is_terminal(part.outcome.status)) {
        return refuse(Errc::invalid_argument,
                      "a run cannot end as " + std::string(to_string(part.outcome.status)));
    }
    if (const auto* name = std::get_if<InstanceName>(&part.target)) {
        const auto run = rows_.run(*name);
        if (!run || (part.run && run->ref != *part.run)) return no_such_instance(*name);
        if (part.held_only && !run->held) {
            return refuse(Errc::not_held, "instance '" + name->id + "' is not held", run->brief());
        }
        if (part.outcome.status == Status::failed) may_fail(*run);
        return address(*run, Effect::ends_tree);
    }
    const auto& [ref, token] = std::get<std::pair<RunRef, LeaseToken>>(part.target);
    const auto run = rows_.run(ref);
    if (auto refusal = check_lock(ref, run, token)) return refusal;
    if (part.outcome.status == Status::failed) may_fail(*run);
    return address(*run, Effect::ends_tree);
}

auto Guards::check(const Send& part) -> Verdict {
    const auto run = rows_.run(part.name);
    if (!run || (part.run && run->ref != *part.run)) return no_such_instance(part.name);
    if (run->ended()) return already_ended(*run);
    if (auto conflict = address(*run, Effect::none)) return conflict;
    if (auto refusal = check_room(*run)) return refusal;
    if (part.delay <= Millis(0)) messaged_.insert(run->ref);
    return std::nullopt;
}

/// Refuses a sender of too many messages before they harm the run.
auto Guards::check_room(const RunFacts& run) -> Verdict {
    std::uint64_t& sent = sent_[run.ref];
    const std::uint64_t room = run.message_room > sent ? run.message_room - sent : 0;
    if (room > 0 && rows_.waiting_messages(run.ref, room) < room) {
        ++sent;
        return std::nullopt;
    }
    return refuse(Errc::limit_exceeded,
                  "instance '" + run.name->id +
                      "' has too many messages that it has not received yet; it takes no more "
                      "until it has received some",
                  run.brief());
}

auto Guards::check(const Deliver& part) -> Verdict {
    messaged_.insert(part.run);
    return std::nullopt;
}

auto Guards::check(const FreeKey& part) -> Verdict {
    const KeyId id{part.space, part.owner, part.definition, part.key};
    if (rows_.has_key(id)) {
        // A deletion may free the key by itself, or only mark it.
        if (deleted_.empty()) return std::nullopt;
        return refuse(Errc::invalid_argument,
                      "an earlier part of the transition deletes instances, perhaps that of key '" +
                          part.key + "'");
    }
    return refuse(Errc::not_found, "no key '" + part.key + "'");
}

auto Guards::check(const SetRetention& part) -> Verdict {
    Result<void> fine = check_name("the namespace", part.space, Limits().name_bytes);
    if (fine && part.policy) fine = check_retention(*part.policy);
    if (fine) return std::nullopt;
    return refuse(fine.error().code(), fine.error().message());
}

auto Guards::check(const SetQueueLimits& part) -> Verdict {
    Result<void> fine;
    if (!part.queue.empty()) fine = check_name("the queue", part.queue, Limits().name_bytes);
    if (fine && part.limits) fine = check_queue_limits(*part.limits);
    if (fine) return std::nullopt;
    return refuse(fine.error().code(), fine.error().message());
}

auto Guards::check(const SetPause& part) -> Verdict {
    const bool queue = part.kind == PauseKind::queue;
    if (!queue && part.kind != PauseKind::definition) {
        return refuse(Errc::invalid_argument, "only queues and definitions are paused");
    }
    if (queue && part.paused.empty()) return std::nullopt;
    const Result<void> fine =
        check_name(queue ? "the queue" : "the definition", part.paused, Limits().name_bytes);
    if (fine) return std::nullopt;
    return refuse(fine.error().code(), fine.error().message());
}

auto Guards::check(const ReleaseSessions&) -> Verdict { return std::nullopt; }

auto Guards::check(const Sweep&) -> Verdict { return std::nullopt; }

auto Guards::check(const ReleaseHolder&) -> Verdict { return std::nullopt; }

}  // namespace belay::store
