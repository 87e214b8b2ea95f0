// The guards of changes under a lease or a lock. The token decides, and not the clock. Only
// renewing asks the clock too.
#include "store/rules/guards/guards.hpp"

#include <utility>

namespace belay::store {

// ---- Activities --------------------------------------------------------------------------------

auto Guards::check_lease(const ActivityRef& ref, LeaseToken token) -> Verdict {
    const auto activity = rows_.activity(ref);
    if (activity && activity->token == token && !acked_.contains(ref) &&
        !abandoned_.contains(ref)) {
        return std::nullopt;
    }
    if (rows_.is_stopping(ref, token)) {
        return refuse(Errc::canceled, "activity " + to_string(ref) + " was canceled");
    }
    return refuse(Errc::lease_lost, "activity " + to_string(ref) + " is not held by this token");
}

auto Guards::check(const AckActivity& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) {
        // The handler of a canceled activity reports its end.
        const bool ended = refusal->error.code() == Errc::canceled && !part.completion &&
                           stopped_.emplace(part.activity, part.token).second;
        return ended ? check_not_deleted(part.activity.run) : std::move(refusal);
    }
    const auto run = rows_.run(part.activity.run);
    BELAY_ASSERT(run.has_value());
    if (auto conflict = address(*run, Effect::none)) return conflict;
    acked_.insert(part.activity);
    if (part.completion) messaged_.insert(part.activity.run);
    return std::nullopt;
}

auto Guards::check(const AbandonActivity& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) return refusal;
    const auto run = rows_.run(part.activity.run);
    BELAY_ASSERT(run.has_value());
    if (auto conflict = address(*run, Effect::none)) return conflict;
    abandoned_.insert(part.activity);
    return std::nullopt;
}

auto Guards::check(const RenewActivity& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) return refusal;
    if (rows_.activity(part.activity)->expired) {
        return refuse(Errc::lease_lost,
                      "the lease of " + to_string(part.activity) + " has expired");
    }
    const auto run = rows_.run(part.activity.run);
    BELAY_ASSERT(run.has_value());
    return address(*run, Effect::none);
}

auto Guards::check(const AppendOutput& part) -> Verdict {
    if (auto refusal = check_lease(part.activity, part.token)) {
        // The handler may still write after it was told to stop, until its end is recorded.
        if (refusal->error.code() != Errc::canceled) return refusal;
        if (!stopped_.contains({part.activity, part.token})) {
            return check_not_deleted(part.activity.run);
        }
        return refuse(Errc::lease_lost,
                      "an earlier part of the transition ends " + to_string(part.activity));
    }
    const auto run = rows_.run(part.activity.run);
    BELAY_ASSERT(run.has_value());
    return address(*run, Effect::none);
}

// ---- Locks -------------------------------------------------------------------------------------

auto Guards::check_lock(RunRef ref, const std::optional<RunFacts>& run, LeaseToken token)
    -> Verdict {
    if (!run) return no_such_run(ref);
    if (run->ended()) return already_ended(*run);
    if (run->lock == token) return std::nullopt;
    return refuse(Errc::lease_lost, "run " + to_string(ref) + " is not locked by this token");
}

auto Guards::check(const AbandonTurn& part) -> Verdict {
    const auto run = rows_.run(part.run);
    if (auto refusal = check_lock(part.run, run, part.token)) return refusal;
    return address(*run, Effect::exclusive);
}

auto Guards::check(const RenewTurn& part) -> Verdict {
    const auto run = rows_.run(part.run);
    if (auto refusal = check_lock(part.run, run, part.token)) return refusal;
    if (!run->locked) {
        return refuse(Errc::lease_lost, "the lock of run " + to_string(part.run) + " has expired");
    }
    return address(*run, Effect::exclusive);
}

auto Guards::check(const Hold& part) -> Verdict {
    const auto run = rows_.run(part.run);
    if (auto refusal = check_lock(part.run, run, part.token)) return refusal;
    return address(*run, Effect::exclusive);
}

auto Guards::check(const Release& part) -> Verdict {
    const auto run = rows_.run(part.name);
    if (!run) return no_such_instance(part.name);
    if (!run->held) {
        return refuse(Errc::not_held, "instance '" + part.name.id + "' is not held", run->brief());
    }
    return address(*run, Effect::exclusive);
}

}  // namespace belay::store
