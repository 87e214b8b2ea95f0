// Checks of runs that are set aside: because code and history disagree, or by operators.
#include "simulation/checks/observer.hpp"
#include "simulation/program/interpreter.hpp"

#include <utility>

namespace belay::sim {

namespace {

/// The reason of a hold for this begins so.
constexpr const char* kOverran = "its turn ran past the limit";

}  // namespace

/// A worker that says that code and history disagree has code that does not make this history.
void Observer::check_disagreement(RunRef run, const std::string& detail) {
    const RunShadow* const shadow = find(run);
    const std::string worker = fences_.worker_of(run);
    expect(shadow != nullptr && !shadow->models.empty() &&
               code_.may_disagree(worker, shadow->current()),
           "code and history agree",
           [&] { return worker + ": " + detail; });
}

void Observer::check_hold(const Hold& hold) {
    if (hold.detail == kHeldByHand) {
        ++held_;
        return;
    }
    const bool overran = hold.detail.starts_with(kOverran);
    expect(hold.kind == (overran ? FailureKind::timeout : FailureKind::nondeterminism),
           "a hold says how its run fails",
           hold.detail);
    if (overran) {
        features_.add(Feature::held_for_overruns);
        return;
    }
    check_disagreement(hold.run, hold.detail);
    const auto shadow = runs_.find(hold.run);
    if (shadow == runs_.end() || shadow->second.cancel) return;
    features_.add(Feature::held);
    shadow->second.disagreed = true;
}

/// The second one holds the run, so that an endless loop costs no more than that.
void Observer::check_overrun(const AbandonTurn& part) {
    if (part.reason != AbandonReason::overran) return;
    const auto shadow = runs_.find(part.run);
    if (shadow == runs_.end()) return;
    expect(!std::exchange(shadow->second.overran, true),
           "a run whose turn passed its limit twice is held",
           shadow->second.name.id);
}

void Observer::take_back_claim(const AbandonTurn& part) {
    const auto shadow = runs_.find(part.run);
    if (shadow == runs_.end() || part.count != CountAttempt::no) return;
    if (shadow->second.claims > 0) --shadow->second.claims;
}

/// The holder of the lock of the run ends it without running its code.
void Observer::check_finish(const Finish& finish) {
    const auto* const by_lock = std::get_if<std::pair<RunRef, LeaseToken>>(&finish.target);
    if (by_lock == nullptr) return;
    const RunShadow* const shadow = find(by_lock->first);
    if (shadow == nullptr) return;
    const Failure& failure = finish.outcome.failure;
    if (failure.kind == FailureKind::nondeterminism) {
        check_disagreement(by_lock->first, failure.message);
        if (!shadow->cancel) features_.add(Feature::failed_by_policy);
    }
    if (failure.kind == FailureKind::poison) {
        expect(
            shadow->claims > max_attempts_, "only what was tried too often in vain is poison", [&] {
                return shadow->name.id + " was claimed " + std::to_string(shadow->claims) +
                       " times";
            });
    }
}

/// Before anything else of a change is noticed.
void Observer::notice_held(RunShadow& shadow, const memory::Run& run) {
    const bool moved = run.position != shadow.position || run.execution != shadow.execution;
    if (shadow.held) {
        expect(!moved, "what is held makes no progress", shadow.name.id);
        if (run.cancel && !shadow.cancel) {
            features_.add(Feature::held_canceled);
            const bool at_once = run.outcome && run.outcome->cleanup != Cleanup::done &&
                                 run.outcome->cleanup != Cleanup::failed &&
                                 run.outcome->cleanup != Cleanup::timed_out;
            expect(at_once, "what is held is canceled at once, without its code", shadow.name.id);
        }
        if (shadow.disagreed && run.status == Status::failed) {
            features_.add(Feature::failed_as_held);
        }
    } else if (shadow.disagreed && moved) {
        features_.add(Feature::released);
        shadow.disagreed = false;
    }
    shadow.held = run.held;
}

}  // namespace belay::sim
