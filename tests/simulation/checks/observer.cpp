// Notes and checks of every commit.
#include "simulation/checks/observer.hpp"

#include "simulation/program/calls.hpp"
#include "simulation/program/interpreter.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

/// True if anything of a run goes on. Children that were left to themselves do not count.
bool is_running_below(const memory::Tables& tables, const memory::Run& run) {
    if (!run.ended() || run.stopping > 0) return true;
    return std::any_of(run.children.begin(), run.children.end(), [&](RunRef ref) {
        const memory::Run* const child = memory::find_run(tables, ref);
        return child != nullptr && child->about.parent_close != ParentClose::abandon &&
               is_running_below(tables, *child);
    });
}

}  // namespace

Observer::Observer(Violations& violations,
                   FaultCounts& faults,
                   const VirtualTime& time,
                   StoreClock& clock,
                   const Effects& effects)
    : violations_(violations), faults_(faults), time_(time), clock_(clock), effects_(effects) {}

const RunShadow* Observer::find(RunRef run) const {
    const auto found = runs_.find(run);
    return found == runs_.end() ? nullptr : &found->second;
}

// ---- Commits -----------------------------------------------------------------------------------

void Observer::before_commit(const memory::Tables& tables, const Transition& transition) {
    fences_.before_commit(tables, transition, clock_.wall());
    keys_.note_time(clock_.wall());
    letters_.before_commit(tables, transition);
}

void Observer::after_commit(const memory::Tables& tables,
                            const Transition& transition,
                            const Answer& answer) {
    ++commits_;
    check_parts(tables, transition, answer);
    if (answer.verdict != Verdict::applied) return;
    look(tables, &transition);
}

void Observer::check_parts(const memory::Tables& tables,
                           const Transition& transition,
                           const Answer& answer) {
    for (const Part& part : transition.parts) {
        check_refusal(part, answer);
        if (answer.verdict != Verdict::applied) continue;
        fences_.check(violations_, part);
        count_large(part);
        std::visit([&](const auto& one) { check_applied(tables, one, answer); }, part);
    }
}

void Observer::check_refusal(const Part& part, const Answer& answer) {
    const auto* const start = std::get_if<Start>(&part);
    if (answer.verdict == Verdict::refused && start != nullptr) {
        keys_.refused(violations_, *start, answer);
    }
    if (std::holds_alternative<Turn>(part)) {
        expect(!answer.refused_with(Errc::invalid_argument), "a turn makes sense", [&] {
            return answer.error->message();
        });
    }
}

void Observer::check_applied(const memory::Tables& tables, const Turn& turn, const Answer& answer) {
    check_answers_before_cancel(turn);
    forget_tries(turn.run);
    check_hand_overs(tables, turn, answer);
}

void Observer::check_applied(const memory::Tables& tables, const Start& start, const Answer&) {
    wanted_versions_[start.instance.run] = start.instance.version;
    keys_.started(violations_, start, clock_.wall(), [&](RunRef run) {
        const auto gone = deleted_.find(run);
        if (gone != deleted_.end()) return KeyLedger::Standing{gone->second, true};
        const memory::Run* const row = memory::find_run(tables, run);
        return KeyLedger::Standing{row == nullptr ? Status::pending : row->status, false};
    });
}

void Observer::check_applied(const memory::Tables&, const RenewActivity& renew, const Answer&) {
    if (renew.progress) progress_[renew.activity] = *renew.progress;
}

void Observer::check_applied(const memory::Tables&, const AbandonActivity& back, const Answer&) {
    if (back.progress) progress_[back.activity] = *back.progress;
    if (back.count == CountAttempt::no && back.reason != AbandonReason::interrupted) {
        starts_.taken_back(back.token);
    }
}

void Observer::check_applied(const memory::Tables& tables, const Send& send, const Answer&) {
    const auto run = tables.names.find(send.name);
    expect(run != tables.names.end(), "a message has a receiver", send.name.id);
    if (run != tables.names.end()) messages_.accepted(violations_, send.message, run->second);
}

void Observer::check_applied(const memory::Tables&, const Prune& prune, const Answer& answer) {
    chains_.pruned(violations_, prune, answer);
    pruned_ += answer.deleted.executions;
}

void Observer::check_applied(const memory::Tables& tables, const Deliver& deliver, const Answer&) {
    letters_.delivered(tables, violations_, messages_, deliver);
}

void Observer::check_applied(const memory::Tables&, const Redrive& redrive, const Answer& answer) {
    letters_.redriven(violations_, messages_, redrive, answer);
}

void Observer::check_applied(const memory::Tables&, const Discard& discard, const Answer&) {
    letters_.discarded(violations_, discard);
}

void Observer::check_applied(const memory::Tables& tables,
                             const SetQueueLimits& set,
                             const Answer&) {
    note_limits(tables, set);
}

void Observer::check_applied(const memory::Tables&, const Hold& hold, const Answer&) {
    check_hold(hold);
}

void Observer::check_applied(const memory::Tables&, const Finish& finish, const Answer&) {
    check_finish(finish);
}

void Observer::check_applied(const memory::Tables&, const AbandonTurn& back, const Answer&) {
    take_back_claim(back);
    check_overrun(back);
}

void Observer::check_applied(const memory::Tables& tables, const Release& release, const Answer&) {
    const memory::Run* const run = memory::find_run(tables, release.name);
    if (run != nullptr) forget_tries(run->ref);
}

/// A process that only seems dead keeps its leases.
void Observer::check_applied(const memory::Tables&,
                             const ReleaseHolder& release,
                             const Answer& answer) {
    expect(deaths_ != nullptr && deaths_->is_known(release.holder),
           "only what the dead held is taken over",
           std::to_string(release.holder));
    if (deaths_ == nullptr) return;
    deaths_->note_released(release.holder, answer.swept, answer.swept < release.limit);
}

/// Its turns are counted anew.
void Observer::forget_tries(RunRef run) {
    const auto of = runs_.find(run);
    if (of == runs_.end()) return;
    of->second.claims = 0;
    of->second.overran = false;
}

/// Answers that were accepted before the cancel are applied before it, so that a charge that
/// happened can be refunded.
void Observer::check_answers_before_cancel(const Turn& turn) {
    const RunShadow* const shadow = find(turn.run);
    if (shadow == nullptr || fences_.answered_before_cancel().empty()) return;
    const Result<std::vector<model::Event>> events = model::decode_events(turn.history);
    if (!events) return;
    std::set<CommandNo> closed;
    for (const model::Event& event : *events) {
        if (const auto* one = std::get_if<model::CommandCompleted>(&event)) {
            closed.insert(one->command);
        } else if (const auto* failed = std::get_if<model::CommandFailed>(&event)) {
            closed.insert(failed->command);
        } else if (const auto* canceled = std::get_if<model::CommandCanceled>(&event)) {
            closed.insert(canceled->command);
        } else if (std::holds_alternative<model::CancelRequested>(event)) {
            for (const CommandNo command : fences_.answered_before_cancel()) {
                expect(closed.contains(command) || !shadow->current().is_open(command),
                       "what came before the cancel is applied before it",
                       [&] { return shadow->name.id + " command " + std::to_string(command); });
            }
            return;
        }
    }
}

void Observer::after_loss(const memory::Tables& tables) {
    starts_.forget();
    progress_.clear();
    for (const auto& [activity, row] : tables.activities) {
        if (row.progress) progress_[activity] = *row.progress;
    }
    look(tables, nullptr);
}

void Observer::look(const memory::Tables& tables, const Transition* by) {
    for (const auto& [ref, run] : tables.runs) {
        const auto [at, fresh] = runs_.try_emplace(ref);
        RunShadow& shadow = at->second;
        if (fresh) {
            expect(!deleted_.contains(ref),
                   "nothing brings back what was deleted",
                   run.about.name.id + " (" + to_string(ref) + ")");
            shadow.name = run.about.name;
        }
        notice(tables, shadow, run);
        chains_.follow(violations_, run);
        records_.follow(violations_, run, time_.now());
    }
    for (const auto& [ref, output] : tables.output) {
        expect(tables.runs.contains(ref), "output goes with its run", to_string(ref));
    }
    if (runs_.size() == tables.runs.size()) return;
    std::vector<Vanished> vanished;
    for (auto at = runs_.begin(); at != runs_.end();) {
        if (tables.runs.contains(at->first)) {
            ++at;
            continue;
        }
        vanished.push_back(Vanished{at->first, at->second.status});
        chains_.forget(at->first);
        records_.note_gone(at->first, time_.now());
        deleted_[at->first] = at->second.status;
        at = runs_.erase(at);
    }
    check_vanished(violations_, tables, by, vanished);
}

void Observer::notice(const memory::Tables& tables, RunShadow& shadow, const memory::Run& run) {
    if (run.lock) {
        shadow.lock = RunShadow::Held{run.lock->token, run.lock->until};
    } else {
        shadow.lock.reset();
    }
    if (is_terminal(shadow.status)) {
        expect(run.status == shadow.status && run.position == shadow.position &&
                   run.execution == shadow.execution && run.outcome.has_value(),
               "a terminal state never changes",
               [&] {
                   return shadow.name.id + " was " + std::string(to_string(shadow.status)) +
                          " and is " + std::string(to_string(run.status));
               });
        return;
    }
    notice_held(shadow, run);
    const Status before = shadow.status;
    const bool moved = run.status != before || run.position != shadow.position ||
                       run.execution != shadow.execution || shadow.models.empty();
    notice_cancel(shadow, run);
    if (moved) notice_history(tables, shadow, run);
    shadow.status = run.status;
    expect(before != Status::canceling || run.status == Status::canceling ||
               run.status == Status::canceled,
           "an accepted cancel ends in canceled",
           [&] { return shadow.name.id + " is " + std::string(to_string(run.status)); });
    expect(before != Status::running || run.status != Status::pending,
           "a run does not go back",
           shadow.name.id);
    if (before == Status::pending && run.started_at) {
        const auto formers = tables.formers.find(run.about.name);
        if (formers != tables.formers.end()) {
            for (const RunRef former : formers->second) {
                const memory::Run* const old = memory::find_run(tables, former);
                expect(
                    old == nullptr || former.key > run.ref.key || !is_running_below(tables, *old),
                    "a run that replaces another waits until that is at rest",
                    run.about.name.id);
            }
        }
    }
    if (run.ended()) notice_end(shadow, run);
    if (moved && !run.ended()) check_rows(tables, shadow, run);
}

void Observer::notice_cancel(RunShadow& shadow, const memory::Run& run) {
    if (shadow.cancel) {
        expect(run.cancel == shadow.cancel, "the first cancel stays", shadow.name.id);
        return;
    }
    if (!run.cancel) return;
    shadow.cancel = run.cancel;
    shadow.canceled_at = time_.now();
}

void Observer::notice_history(const memory::Tables& tables,
                              RunShadow& shadow,
                              const memory::Run& run) {
    EventNo read = shadow.models.empty() ? 0 : shadow.position;
    for (const memory::Execution& execution : run.executions) {
        const std::size_t i = execution.info.execution - 1;
        if (i + 1 < shadow.models.size()) continue;
        if (i == shadow.models.size()) {
            shadow.models.emplace_back(violations_,
                                       run.about.name.id + " execution " + std::to_string(i + 1));
            if (i > 0) shadow.models[i].continue_from(shadow.models[i - 1]);
            read = 0;
        }
        shadow.execution = static_cast<ExecutionNo>(i + 1);
        for (const RecordedRow& recorded : execution.history) {
            if (recorded.first_event <= read) continue;
            const Result<std::vector<model::Event>> events = model::decode_events(recorded.row);
            expect(events.ok(), "history can be read", run.about.name.id);
            if (!events) return;
            expect(!events->empty() && std::holds_alternative<model::TurnStarted>(events->front()),
                   "a turn begins with its time",
                   run.about.name.id);
            const std::size_t lines = shadow.models[i].lines().size();
            for (const model::Event& event : *events) {
                check_event(tables, shadow, run, event);
                count_event(shadow.models[i], event);
                shadow.models[i].read(event, clock_.highest());
                check_within_limits(shadow.models[i], event, run.about.name.id);
            }
            check_lines(shadow, lines);
        }
        expect(code_.explains(shadow.models[i]),
               "nobody goes on with a history that its code does not make",
               run.about.name.id);
        const bool last = &execution == &run.executions.back();
        expect(last || shadow.models[i].continued(),
               "an execution that is over continued as new",
               run.about.name.id);
    }
    shadow.position = run.position;
}

void Observer::notice_end(RunShadow& shadow, const memory::Run& run) {
    expect(run.outcome.has_value(), "a run that ended has an outcome", run.about.name.id);
    if (!run.outcome) return;
    shadow.outcome = run.outcome;
    if (run.status == Status::failed) count_failure(run.outcome->failure.kind);
    expect(!shadow.cancel || run.status == Status::canceled,
           "an accepted cancel ends in canceled",
           run.about.name.id);
    const std::optional<Outcome>& recorded = shadow.current().outcome();
    if (recorded) {
        Outcome in_row = *run.outcome;
        Outcome in_history = *recorded;
        in_row.cancel = in_history.cancel = CancelRecord();  // Only the store's own counts.
        expect(in_row == in_history, "status and history agree", run.about.name.id);
    } else {
        const FailureKind kind = run.outcome->failure.kind;
        const bool by_hand = run.outcome->failure.message == kHeldByHand;
        expect(run.status == Status::canceled ||
                   (run.status == Status::failed &&
                    (kind == FailureKind::poison || kind == FailureKind::nondeterminism ||
                     kind == FailureKind::infrastructure || by_hand)),
               "status and history agree",
               run.about.name.id + " ended as " + std::string(to_string(run.status)) +
                   " without its code");
    }
    if (run.status == Status::completed && run.outcome->output.codec == PayloadCodec::text) {
        messages_.check_output(violations_, run.ref, run.outcome->output.bytes);
    }
}

// ---- Events ------------------------------------------------------------------------------------

void Observer::check_event(const memory::Tables& tables,
                           const RunShadow& shadow,
                           const memory::Run& run,
                           const model::Event& event) {
    const auto kind_of = [&](CommandNo command) -> std::optional<CommandKind> {
        const std::vector<CommandState>& commands = shadow.models[shadow.execution - 1].commands();
        if (command == 0 || command > commands.size()) return std::nullopt;
        return commands[command - 1].kind;
    };
    const auto activity = [&](CommandNo command) {
        return ActivityRef{run.ref, shadow.execution, command};
    };
    if (const auto* completed = std::get_if<model::CommandCompleted>(&event)) {
        if (kind_of(completed->command) == CommandKind::activity) {
            expect(effects_.gave(activity(completed->command), completed->result),
                   "a completion belongs to a handler that ended with that result",
                   to_string(activity(completed->command)));
        } else if (kind_of(completed->command) == CommandKind::child) {
            check_child_event(tables, run, completed->command, &completed->result, nullptr);
        }
    }
    if (const auto* failed = std::get_if<model::CommandFailed>(&event)) {
        if (kind_of(failed->command) == CommandKind::activity) {
            const CommandState& command =
                shadow.models[shadow.execution - 1].commands()[failed->command - 1];
            const bool timed_out = failed->failure.kind == FailureKind::timeout && command.bounded;
            // Only calls with a retry policy are bounded.
            if (command.bounded && is_final(command.name, failed->failure)) {
                features_.add(Feature::final_failure);
            }
            const bool too_large =
                failed->failure.kind == FailureKind::limit &&
                effects_.gave_more_than(activity(failed->command), limits_.payload_bytes);
            expect(failed->failure.kind == FailureKind::poison || timed_out || too_large ||
                       effects_.failed_with(activity(failed->command), failed->failure),
                   "a failure belongs to a handler that failed so",
                   to_string(activity(failed->command)) + ": " + failed->failure.message);
        } else if (kind_of(failed->command) == CommandKind::child) {
            check_child_event(tables, run, failed->command, nullptr, &failed->failure);
        }
    }
    const auto* const message = std::get_if<model::MessageReceived>(&event);
    // The failure that a run was started for comes from the store itself.
    if (message != nullptr && message->name != kRunFailedEvent) {
        messages_.received(violations_, run.ref, message->payload.bytes);
    }
    const auto* const started = std::get_if<model::ExecutionStarted>(&event);
    if (started != nullptr && shadow.execution == run.execution) {
        expect(started->version == run.about.version,
               "a run stays on its version",
               run.about.name.id + " is of version " + run.about.version + " and runs " +
                   started->version);
    }
    if (started != nullptr && shadow.execution == 1) check_wanted_version(run, started->version);
    if (const auto* child = std::get_if<model::ChildScheduled>(&event)) {
        const memory::Run* const one =
            memory::find_run(tables, InstanceName{run.about.name.space, child->id});
        if (one != nullptr && one->about.parent && one->about.parent->run == run.ref &&
            one->about.parent->command == child->command) {
            wanted_versions_[one->ref] = child->terms.version;
        }
    }
    if (const auto* start = std::get_if<model::DetachedStarted>(&event)) {
        expect(tables.names.contains(InstanceName{run.about.name.space, start->id}),
               "a run on its own is started with the turn that asks for it",
               start->id);
    }
    if (const auto* cancel = std::get_if<model::CancelRequested>(&event)) {
        expect(run.cancel && cancel->record == *run.cancel,
               "history has the cancel that was recorded",
               run.about.name.id);
    }
}

void Observer::check_wanted_version(const memory::Run& run, const std::string& version) {
    const auto wanted = wanted_versions_.find(run.ref);
    if (wanted == wanted_versions_.end() || wanted->second.empty()) return;
    features_.add(Feature::version_wanted);
    expect(version == wanted->second, "a run begins with the version that was asked for", [&] {
        return run.about.name.id + " wants " + wanted->second + " and runs " + version;
    });
}

void Observer::check_child_event(const memory::Tables& tables,
                                 const memory::Run& run,
                                 CommandNo command,
                                 const Payload* result,
                                 const Failure* failure) {
    const memory::Run* child = nullptr;
    for (const RunRef ref : run.children) {
        const memory::Run* const one = memory::find_run(tables, ref);
        if (one != nullptr && one->about.parent->execution == runs_.at(run.ref).execution &&
            one->about.parent->command == command) {
            child = one;
        }
    }
    const std::string subject = run.about.name.id + " command " + std::to_string(command);
    if (child == nullptr) {
        expect(failure != nullptr && failure->kind == FailureKind::id_in_use,
               "a child's end is told as it was",
               subject + ": there is no child");
        return;
    }
    const bool same =
        child->outcome &&
        (result != nullptr ? child->status == Status::completed && child->outcome->output == *result
         : child->status == Status::failed ? child->outcome->failure == *failure
                                           : failure->kind == FailureKind::canceled);
    expect(same, "a child's end is told as it was", subject + " of " + child->about.name.id);
}

}  // namespace belay::sim
