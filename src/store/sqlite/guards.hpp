// The guards: whether a transition may be applied, decided before anything of it is written.
#pragma once

#include "store/sqlite/tables.hpp"

#include <map>
#include <set>

namespace belay::sqlite {

/// Why a transition is refused, and what its caller is told about it.
struct Refusal {
    Error error;
    std::optional<InstanceBrief> instance;
    bool input_differs = false;
};

/// Judges the parts of one transition in order. A part is judged as if those before it had been
/// applied; where that cannot be known without applying them, the combination is refused as
/// invalid.
class Guards {
public:
    explicit Guards(Tables& tables) : tables_(tables), now_(tables.now()) {}

    /// Null when everything holds.
    [[nodiscard]] std::optional<Refusal> check(const Transition& transition);

private:
    using Verdict = std::optional<Refusal>;

    Verdict check(const Start& part);
    Verdict check(const Turn& part);
    Verdict check(const AckActivity& part);
    Verdict check(const AbandonActivity& part);
    Verdict check(const RenewActivity& part);
    Verdict check(const AbandonTurn& part);
    Verdict check(const RenewTurn& part);
    Verdict check(const Cancel& part);
    Verdict check(const Finish& part);
    Verdict check(const Send& part);
    Verdict check(const Deliver& part);
    Verdict check(const Hold& part);
    Verdict check(const Release& part);
    Verdict check(const Delete& part);
    Verdict check(const FreeKey& part);
    Verdict check(const Sweep& part);

    // Of a start.
    Verdict check_name_free(const Start& part, Run* old);
    Verdict check_parent(const NewInstance& instance);
    static Verdict check_key_order(const NewInstance& child);
    Verdict check_run_key(RunRef run);

    // Of a turn.
    Verdict check_state(const Turn& turn, const Run& run) const;
    Verdict check_fused(const Turn& turn, bool must_wait) const;
    Verdict check_input(const Turn& turn, const Run* run);
    Verdict check_activities(const Turn& turn, const Run* run);
    Verdict check_timers(const Turn& turn, const Run* run);
    Verdict check_children(const Turn& turn);
    Verdict check_after(const Turn& turn, const Run* run) const;

    // Shared.
    Verdict check_lease(const ActivityRef& activity, LeaseToken token);
    Verdict check_lock(RunRef run, LeaseToken token);

    // What earlier parts of the same transition do.
    enum class Effect : std::uint8_t {
        none,       ///< Does not decide about anything else.
        exclusive,  ///< Changes the run itself: no other part may.
        ends_tree,  ///< May end it and everything below it.
    };
    /// Whether `run` can still be addressed, and from now on with which effect.
    Verdict address(const Run& run, Effect effect);

    Tables& tables_;
    Timestamp now_;

    std::map<RunRef, bool> started_;  ///< And whether it must wait for the one it replaces.
    std::set<RunRef> child_runs_;
    std::set<InstanceName> new_names_;
    std::set<KeyId> new_keys_;
    std::set<ActivityRef> acked_;
    std::set<ActivityRef> abandoned_;
    std::set<StoppingKey> stopped_;
    std::set<RunRef> messaged_;
    std::set<RunRef> changed_;
    std::set<RunRef> ending_;
};

[[nodiscard]] Refusal refuse(Errc code, std::string message);
/// "no instance 'order-7'".
[[nodiscard]] Refusal no_such_instance(const InstanceName& name);
[[nodiscard]] Refusal no_such_run(RunRef run);

}  // namespace belay::sqlite
