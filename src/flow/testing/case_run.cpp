#include "flow/testing/case_run.hpp"

#include "base/policy.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/picture.hpp"
#include "flow/interpreter/waits.hpp"
#include "flow/testing/expectations.hpp"
#include "flow/testing/scripted.hpp"
#include <belay/client.hpp>
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace belay::flow {

namespace {

/// Leases and intervals of a case are ten years, and renewed within less. Anything that is due
/// within one year has a reason of its own. Beyond that, only timers count.
constexpr Millis kFar = std::chrono::days(365);
/// Nothing is due later, and a case takes no longer.
constexpr Millis kLongestCase = std::chrono::days(365 * 1'000);
constexpr std::uint64_t kMostSteps = 20'000'000;
/// 2026-01-01, so that a case sees the same time on each day.
constexpr Timestamp kBegin = Timestamp(Millis(1'767'225'600'000));

class CaseClock final : public Clock {
public:
    Timestamp wall() override { return kBegin + Millis(passed_.load()); }
    Millis monotonic() override { return Millis(passed_.load()); }
    void advance(Millis by) { passed_ += by.count(); }

private:
    std::atomic<std::int64_t> passed_{0};
};

/// SplitMix64, the same for each case.
class CaseRandom final : public Random {
public:
    std::uint64_t next() override {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

private:
    std::atomic<std::uint64_t> state_{1};
};

/// Nobody else works here, so nothing expires.
Policy case_policy() {
    Policy policy;
    for (Millis Policy::* const interval : {&Policy::activity_lease,
                                            &Policy::turn_lease,
                                            &Policy::turn_limit,
                                            &Policy::poll_interval,
                                            &Policy::sweep_interval,
                                            &Policy::retention_interval}) {
        policy.*interval = base::kLongest;
    }
    policy.patch_patience = Millis(0);
    return policy;
}

Registry registry_of(const ScriptedFlows& flows, const GivenResults& results) {
    Registry registry;
    register_scripted(registry, flows, results);
    return registry;
}

/// A value that is raised once its run is there.
struct Letter {
    std::string name;  ///< As the case names it.
    std::string run;
    std::string event;
    Payload value;
};

class CaseWorld {
public:
    CaseWorld(const Bundle& bundle, const FlowCase& one)
        : bundle_(bundle),
          case_(one),
          results_(one, bundle),
          flows_(scripted(bundle)),
          registry_(registry_of(flows_, results_)),
          executor_(results_, clock_),
          store_(make_memory_store(clock_)),
          runtime_(*store_, registry_, executor_, options()),
          client_(*store_, clock_, random_, Limits(), case_policy()) {}

    CaseResult run() {
        add_letters();
        start();
        go_on_to_the_end();
        return judged();
    }

private:
    RuntimeOptions options() {
        RuntimeOptions options;
        options.worker("flow test").any_queue(true).policy(case_policy());
        return options.clock(clock_).random(random_);
    }
    void add_letters();
    void start();
    void post_letters();
    void go_on_to_the_end();
    [[nodiscard]] bool has_ended();
    [[nodiscard]] bool let_time_pass();
    [[nodiscard]] CaseResult judged();
    [[nodiscard]] static InstanceName name_of(const std::string& below) {
        return {"default", kCaseRun + below};
    }

    const Bundle& bundle_;
    const FlowCase& case_;
    CaseClock clock_;
    CaseRandom random_;
    GivenResults results_;
    ScriptedFlows flows_;
    Registry registry_;
    ScriptedExecutor executor_;
    std::unique_ptr<Store> store_;
    Runtime runtime_;
    Client client_;
    std::vector<Letter> letters_;
    bool is_to_be_canceled_ = false;
    std::string problem_;
};

void CaseWorld::add_letters() {
    for (const GivenEvent& event : case_.events) {
        letters_.push_back({event.name, "", event.name, json_payload(event.value)});
    }
    for (const GivenEvent& approval : case_.approvals) {
        const auto found = results_.paths().find(approval.name);
        if (!found) continue;
        letters_.push_back({approval.name,
                            found->run,
                            approval_event(found->step->id, found->item),
                            approval_payload(approval.value)});
    }
}

void CaseWorld::start() {
    Result<FlowStart> start = flow_start(bundle_, case_.params, "belay flow test");
    if (!start) {
        problem_ = "the run cannot be started: " + start.error().message();
        return;
    }
    StartOptions options;
    options.id(kCaseRun).header(kStartedByHeader, "belay flow test");
    options.on_fail(!bundle_.main_flow().on_fail.empty());
    const Result<StartResult> started = client_.start(start->flow, start->input, options);
    if (!started) problem_ = "the run cannot be started: " + started.error().message();
    is_to_be_canceled_ = case_.cancel_after.has_value();
}

void CaseWorld::post_letters() {
    std::erase_if(letters_, [&](const Letter& letter) {
        const auto sent = client_.raise(name_of(letter.run), letter.event, letter.value);
        return sent || sent.error().code() != Errc::not_found;
    });
}

bool CaseWorld::has_ended() {
    const auto info = client_.inspect(name_of(""));
    if (!info || !is_terminal(info->status) || !info->settled) return false;
    if (info->status != Status::failed || !info->on_fail) return true;
    const auto handler = client_.inspect(name_of("/~on-fail"));
    return !handler || (is_terminal(handler->status) && handler->settled);
}

bool CaseWorld::let_time_pass() {
    const Millis now = clock_.monotonic();
    Millis due = runtime_.next_due();
    if (const auto activity = executor_.next_due()) due = std::min(due, *activity);
    if (is_to_be_canceled_) due = std::min(due, *case_.cancel_after);
    if (now > kLongestCase) return false;
    if (due - now > kFar && !executor_.next_due()) {
        const auto depths = client_.queue_depths();
        if (!depths || depths->timers == 0) return false;
    }
    clock_.advance(std::max(due - now, Millis(1)));
    return true;
}

void CaseWorld::go_on_to_the_end() {
    std::uint64_t steps = 0;
    while (problem_.empty()) {
        while (runtime_.step() || executor_.step()) {
            if (++steps > kMostSteps) {
                problem_ = "there is no end to it";
                return;
            }
        }
        post_letters();
        if (is_to_be_canceled_ && *case_.cancel_after <= clock_.monotonic()) {
            is_to_be_canceled_ = false;
            (void)client_.cancel(name_of(""), CancelOptions().by("belay flow test").reason("test"));
            continue;
        }
        if (runtime_.step()) continue;
        if (has_ended()) return;
        if (!let_time_pass()) return;  // What it waits for never comes: it is judged as it is.
    }
}

CaseResult CaseWorld::judged() {
    CaseResult result;
    result.took = clock_.monotonic();
    if (!problem_.empty()) {
        result.differences.push_back({case_.place, problem_});
        return result;
    }
    for (const std::string& path : executor_.missing()) {
        result.differences.push_back(
            {case_.place, "the step '" + path + "' ran, and the case has no result for it"});
    }
    for (const Letter& letter : letters_) {
        result.differences.push_back(
            {case_.place, "'" + letter.name + "' was not asked for: its flow was not started"});
    }
    const auto info = client_.inspect(name_of(""));
    if (!info) {
        result.differences.push_back({case_.place, info.error().message()});
        return result;
    }
    result.status = info->status;
    // What follows from a missing result tells nothing more.
    if (!result.differences.empty()) return result;
    Expectations expectations(case_.expected, results_.paths(), flows_, client_);
    result.differences = expectations.differences(*info);
    return result;
}

}  // namespace

CaseResult run_case(const Bundle& bundle, const FlowCase& one) {
    return CaseWorld(bundle, one).run();
}

}  // namespace belay::flow
