// The guards of all stores: they decide if a transition may be applied, before anything of it is
// written.
#pragma once

#include "store/rules/guards/refusal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::store {

/// Judges the parts of one transition in order. A part is judged as if the earlier ones had been
/// applied. If that cannot be known without applying them, the combination is refused as invalid.
/// Each object judges one transition.
class Guards {
public:
    explicit Guards(Lookup& rows) : rows_(rows) {}

    /// Returns null if everything holds.
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
    Verdict check(const DeleteInstances& part);
    Verdict check(const Prune& part);
    Verdict check(const Redrive& part);
    Verdict check(const Discard& part);
    static Verdict check(const SetRetention& part);
    Verdict check(const Import& part);
    static Verdict check(const SetQueueLimits& part);
    static Verdict check(const SetPause& part);
    static Verdict check(const ReleaseSessions& part);
    static Verdict check(const ReleaseHolder& part);
    Verdict check(const AppendOutput& part);

    // Guards of a start, and partly of an import: start_guards.cpp.
    static Verdict check_start_lock(const Start& part);
    Verdict check_key(const Start& part);
    Verdict check_conflict(const Start& part, const std::optional<RunFacts>& old);
    Verdict check_concurrency(const Start& part, const std::optional<RunFacts>& old, bool& waits);
    Verdict check_rate(const Start& part, bool& waits, bool& dropped);
    Verdict check_name_free(const InstanceName& name,
                            const Digest& input_digest,
                            const std::optional<RunFacts>& old);
    Verdict check_parent(const NewInstance& instance);
    static Verdict check_key_order(const NewInstance& child);
    Verdict check_run_key(RunRef run);
    /// `text`: the text that the part has of it.
    Verdict check_document(const NewInstance& instance, const std::optional<Payload>& text);
    Verdict check_on_fail(const NewInstance& instance);

    // Guards of a turn: turn_guards.cpp.
    Verdict check_state(const Turn& turn, const RunFacts& run) const;
    Verdict check_fused(const Turn& turn, bool must_wait) const;
    Verdict check_input(const Turn& turn, const std::optional<RunFacts>& run);
    Verdict check_activities(const Turn& turn, bool is_new);
    Verdict check_timers(const Turn& turn, bool is_new);
    Verdict check_children(const Turn& turn, const std::optional<RunFacts>& run);
    Verdict check_child_document(const NewChild& child, const std::optional<RunFacts>& starter);
    static Verdict check_after(const Turn& turn, bool canceled);

    // Guards of deletion: deletion_guards.cpp.
    using Places = std::map<std::string_view, std::size_t>;  ///< Indexes in the list, by id.
    /// Returns the run that has the name. If a run is given, returns that one, even if it has lost
    /// the name.
    std::optional<RunFacts> find_meant(const InstanceName& name, const std::optional<RunRef>& run);
    static Verdict check_list(const DeleteInstances& part, Places& places);
    Verdict check_whole(const DeleteInstances& part,
                        const std::set<RunRef>& listed,
                        const std::vector<RunRef>& going);
    Verdict check_order(const DeleteInstances& part, const Places& places);
    Verdict check_going(const std::vector<RunRef>& going, bool force);
    Verdict check_not_deleted(RunRef run);

    // Guards of dead letters: letter_guards.cpp.
    /// Returns none if there is no such letter or an earlier part has taken it.
    std::optional<LetterFacts> take_letter(std::uint64_t id);

    // Guards of leases and locks: lease_guards.cpp.
    Verdict check_lease(const ActivityRef& activity, LeaseToken token);
    static Verdict check_lock(RunRef ref, const std::optional<RunFacts>& run, LeaseToken token);

    // The effects of earlier parts of the same transition.
    enum class Effect : std::uint8_t {
        none,       ///< Decides nothing about other parts.
        exclusive,  ///< Changes the run itself: no other part may do that.
        ends_tree,  ///< May end it and everything below it.
    };
    /// Checks that `run` can still be addressed. Records the effect on it.
    Verdict address(const RunFacts& run, Effect effect);
    [[nodiscard]] bool is_ending(const RunFacts& run);
    Verdict check_room(const RunFacts& run);
    /// Records that the run may fail, and another one be created for that.
    void may_fail(const RunFacts& run);
    /// Records the names of which the run for this failure gets one.
    void give_away_for_failure(const InstanceName& failed, RunRef on_fail);

    Lookup& rows_;

    std::map<RunRef, bool> started_;  ///< The value: it must wait for the run it replaces, in line,
                                      ///< or for the end of a pause.
    std::set<RunRef> new_runs_;
    std::set<InstanceName> new_names_;
    std::set<KeyId> new_keys_;
    std::set<DocumentKey> documents_;  ///< Kept after the earlier parts, whatever they delete.
    std::map<RunRef, const NewInstance*> on_fail_;  ///< New runs that name one for their failure.
    std::set<ConcurrencyId> new_concurrent_;
    std::set<RateId> new_places_;
    std::set<ActivityRef> acked_;
    std::set<ActivityRef> abandoned_;
    std::set<std::pair<ActivityRef, LeaseToken>> stopped_;
    std::set<std::uint64_t> letters_;
    std::set<RunRef> messaged_;
    std::map<RunRef, std::uint64_t> sent_;  ///< The number of messages sent to each.
    std::set<RunRef> changed_;
    std::set<RunRef> ending_;
    std::set<RunRef> deleted_;
};

}  // namespace belay::store
