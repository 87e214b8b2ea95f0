// Watches the true store and checks that every change is allowed.
#pragma once

#include "simulation/checks/history_model.hpp"
#include "simulation/checks/ledgers.hpp"
#include "simulation/checks/removals.hpp"
#include "simulation/checks/run_records.hpp"
#include "simulation/process/deaths.hpp"
#include "simulation/process/deploys.hpp"
#include "simulation/process/effects.hpp"
#include "simulation/store/true_store.hpp"
#include "simulation/world/clocks.hpp"
#include "simulation/world/faults.hpp"
#include "simulation/world/features.hpp"
#include <belay/executor.hpp>
#include <belay/finding.hpp>
#include <belay/limits.hpp>
#include <belay/log.hpp>
#include <belay/registry.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace belay::sim {

/// The observer's memory of a run, so that it sees changes.
struct RunShadow {
    struct Held {
        LeaseToken token;
        Timestamp until{};
    };

    InstanceName name;
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    std::optional<Outcome> outcome;
    std::optional<CancelRecord> cancel;
    Millis canceled_at{0};  ///< Virtual time.
    std::optional<Held> lock;
    bool held = false;                 ///< Set aside for a person.
    bool disagreed = false;            ///< Held by a process that has not made a turn since.
    std::uint32_t claims = 0;          ///< Since a turn was committed, or it was released.
    bool overran = false;              ///< Since then a turn ran past its limit, and was counted.
    std::vector<HistoryModel> models;  ///< One per execution.

    [[nodiscard]] const HistoryModel& current() const { return models.back(); }
};

/// A line that the code of an execution logged: the instance, the execution, its number, its time.
using LoggedLine = std::tuple<InstanceName, ExecutionNo, std::size_t, Timestamp>;

/// Makes the cheap checks after every commit and claim; `check_everything` does the rest. README.md
/// lists the invariants.
class Observer final : public Watcher {
public:
    Observer(Violations& violations,
             FaultCounts& faults,
             const VirtualTime& time,
             StoreClock& clock,
             const Effects& effects);

    void before_commit(const memory::Tables& tables, const Transition& transition) override;
    void after_commit(const memory::Tables& tables,
                      const Transition& transition,
                      const Answer& answer) override;
    void before_claim(const memory::Tables& tables) override;
    void after_claim(const memory::Tables& tables,
                     const ClaimInstances& request,
                     const ClaimInstances::Answer& answer) override;
    void after_claim(const memory::Tables& tables,
                     const ClaimActivities& request,
                     const ClaimActivities::Answer& answer) override;

    void after_loss(const memory::Tables& tables) override;

    /// Rows against rows, rows against history, messages against the accepted ones.
    void check_everything(const memory::Tables& tables);
    /// A handler is about to begin.
    void check_begins(const ActivityTask& handler);
    /// A handler is told to stop.
    void check_told_to_stop(const memory::Tables& tables,
                            const ActivityDetails& handler,
                            StopReason reason);
    /// Code that runs at `worker` has logged a line.
    void check_logged(const memory::Tables& tables,
                      const std::string& worker,
                      const LogRecord& line);
    /// The worker comes up with code of that time.
    void note_code(const std::string& worker, CodeAge age) { code_.note(worker, age); }
    /// The worker serves that queue alone; none: all of them.
    void note_queue(const std::string& worker, const std::optional<std::string>& queue) {
        queues_[worker] = queue;
    }
    /// Sets the limits of everyone, and the attempts of a turn before its run is poison.
    void note_terms(const Limits& limits, std::uint32_t max_attempts) {
        limits_ = limits;
        max_attempts_ = max_attempts;
    }
    /// Tells the processes that are known to be dead.
    void know(Deaths& deaths) { deaths_ = &deaths; }
    /// There are no faults any more: a lease that lasts until then belongs to a living worker.
    void note_quiet_phase(Timestamp from) { quiet_from_ = from; }
    /// A client was told this of a run. The progress of its activities must come from handlers.
    void check_progress(const InstanceDescription& described);
    /// Makes a run anew from its history, with the code in `registry`, and compares.
    void check_cold_replay(const memory::Run& run, const Registry& registry);

    [[nodiscard]] const std::map<RunRef, RunShadow>& runs() const noexcept { return runs_; }
    [[nodiscard]] const RunShadow* find(RunRef run) const;
    [[nodiscard]] std::uint64_t commits() const noexcept { return commits_; }
    [[nodiscard]] std::size_t deleted_runs() const noexcept { return deleted_.size(); }
    [[nodiscard]] std::uint64_t pruned_executions() const noexcept { return pruned_; }
    [[nodiscard]] const LetterLedger& letters() const noexcept { return letters_; }
    /// The features seen so far; others who see one add it.
    [[nodiscard]] FeatureCounts& features() noexcept { return features_; }
    [[nodiscard]] const RunRecords& records() const noexcept { return records_; }
    /// The number of runs that operators held.
    [[nodiscard]] std::uint64_t held_runs() const noexcept { return held_; }

private:
    /// `by`: the transition that was just committed, if there is one.
    void look(const memory::Tables& tables, const Transition* by);
    void notice(const memory::Tables& tables, RunShadow& shadow, const memory::Run& run);
    void notice_cancel(RunShadow& shadow, const memory::Run& run);
    void notice_history(const memory::Tables& tables, RunShadow& shadow, const memory::Run& run);
    void notice_end(RunShadow& shadow, const memory::Run& run);
    void check_event(const memory::Tables& tables,
                     const RunShadow& shadow,
                     const memory::Run& run,
                     const model::Event& event);
    void check_queue(const ActivityDetails& handler, const std::string& queue);
    void check_wanted_version(const memory::Run& run, const std::string& version);
    void check_child_event(const memory::Tables& tables,
                           const memory::Run& run,
                           CommandNo command,
                           const Payload* result,
                           const Failure* failure);
    void check_parts(const memory::Tables& tables,
                     const Transition& transition,
                     const Answer& answer);
    void check_refusal(const Part& part, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Turn& turn, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Start& start, const Answer& answer);
    void check_applied(const memory::Tables& tables, const RenewActivity& renew, const Answer&);
    void check_applied(const memory::Tables& tables, const AbandonActivity& back, const Answer&);
    void check_applied(const memory::Tables& tables, const Send& send, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Prune& prune, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Deliver& deliver, const Answer&);
    void check_applied(const memory::Tables& tables, const Redrive& redrive, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Discard& discard, const Answer&);
    void check_applied(const memory::Tables& tables, const SetQueueLimits& set, const Answer&);
    void check_applied(const memory::Tables& tables, const Hold& hold, const Answer& answer);
    void check_applied(const memory::Tables& tables, const Finish& finish, const Answer& answer);
    void check_applied(const memory::Tables& tables, const AbandonTurn& back, const Answer&);
    void check_applied(const memory::Tables& tables, const Release& release, const Answer&);
    void check_applied(const memory::Tables&, const ReleaseHolder& release, const Answer& answer);
    void check_applied(const memory::Tables& tables, const AppendOutput& part, const Answer&);
    void check_applied(const memory::Tables&, const AckActivity& part, const Answer&);
    /// Notes nothing of other parts.
    template <class Other>
    void check_applied(const memory::Tables&, const Other&, const Answer&) {}
    void forget_tries(RunRef run);
    void check_within_limits(const HistoryModel& history,
                             const model::Event& event,
                             const std::string& id);
    void check_disagreement(RunRef run, const std::string& detail);
    void check_hold(const Hold& hold);
    void check_overrun(const AbandonTurn& part);
    void check_finish(const Finish& finish);
    void notice_held(RunShadow& shadow, const memory::Run& run);
    void take_back_claim(const AbandonTurn& part);
    void count_large(const Part& part);
    void count_failure(FailureKind kind);
    void count_timeout(const std::string& why);
    void count_event(const HistoryModel& before, const model::Event& event);
    void check_answers_before_cancel(const Turn& turn);
    /// History has got longer; before, it had so many lines.
    void check_lines(const RunShadow& shadow, std::size_t before);
    [[nodiscard]] bool is_over(const memory::Activity& leased) const;
    void check_limits(const memory::Tables& tables,
                      const memory::Activity& claimed,
                      const std::string& subject);
    void note_limits(const memory::Tables& tables, const SetQueueLimits& part);
    /// Notes the activities that only a rate keeps from beginning.
    void note_kept_by_rates(const memory::Tables& tables);
    void check_hand_overs(const memory::Tables& tables, const Turn& turn, const Answer& answer);
    void check_priorities(const memory::Tables& tables,
                          const ClaimActivities& request,
                          const ClaimActivities::Answer& answer);
    void check_session(const memory::Tables& tables,
                       const memory::Activity& claimed,
                       const std::string& subject);
    void check_takeover(const std::string& subject, Timestamp until);
    void check_due(const RunShadow& shadow, const ClaimedInstance& claim);
    void check_rows(const memory::Tables& tables, const RunShadow& shadow, const memory::Run& run);
    void check_messages(const memory::Tables& tables);
    template <class Detail>
    void expect(bool holds, const char* invariant, Detail&& detail) {
        violations_.expect(holds, invariant, std::forward<Detail>(detail));
    }

    Violations& violations_;
    FaultCounts& faults_;
    const VirtualTime& time_;
    StoreClock& clock_;
    const Effects& effects_;

    std::map<RunRef, RunShadow> runs_;
    std::map<RunRef, Status> deleted_;           ///< And its last status.
    std::map<ActivityRef, std::size_t> leases_;  ///< The number of leases of each.
    std::map<RunRef, std::string> wanted_versions_;
    StartLedger starts_;
    std::set<ActivityRef> kept_by_rates_;
    std::map<memory::SessionKey, std::uint64_t> sessions_;  ///< The last holder of each.
    std::map<ActivityRef, Payload> progress_;               ///< The last that was written.
    std::set<LoggedLine> logged_;
    MessageLedger messages_;
    LetterLedger letters_;
    FeatureCounts features_;
    std::uint64_t held_ = 0;
    CodeBook code_;
    std::map<std::string, std::optional<std::string>> queues_;  // By worker.
    Deaths* deaths_ = nullptr;  ///< Null: nobody is ever known to be dead.
    Limits limits_;
    std::uint32_t max_attempts_ = 0;
    std::optional<Timestamp> quiet_from_;
    KeyLedger keys_;
    ChainLedger chains_;
    RunRecords records_;
    /// The last line of the output that the transition appends, by the token of its writer.
    std::optional<std::pair<LeaseToken, std::string>> said_last_;
    std::uint64_t commits_ = 0;
    std::uint64_t pruned_ = 0;

    // Just before the change under way.
    Fences fences_;
};

}  // namespace belay::sim
