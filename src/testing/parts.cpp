#include "testing/parts.hpp"

#include "base/policy.hpp"
#include "replay/turn_scope.hpp"
#include "store/blocking.hpp"
#include "store/history.hpp"
#include "testing/hidden_inputs.hpp"
#include "testing/replay_execution.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace belay::testing {

namespace {

/// Leases and intervals of a world are ten years. So anything that is due within one year has a
/// reason of its own. Beyond that, a world looks for another reason.
constexpr Millis kFar = std::chrono::days(365);

Policy world_policy(Policy policy) {
    for (Millis Policy::* const interval : {&Policy::activity_lease,
                                            &Policy::turn_lease,
                                            &Policy::turn_limit,
                                            &Policy::poll_interval,
                                            &Policy::sweep_interval,
                                            &Policy::retention_interval}) {
        policy.*interval = base::kLongest;
    }
    // There is no other process whose patches a run might fit: a difference is one, and is shown.
    policy.patch_patience = Millis(0);
    return policy;
}

/// A read by a log is no input of the code that logs.
EngineEventSink outside_of_turns(LogSink sink) {
    if (!sink) return nullptr;
    return [sink = std::move(sink)](const EngineEvent& event) {
        if (event.code != EngineCode::orchestration_log) return;
        const replay::TurnScope outside;
        sink(LogRecord{event.level,
                       event.what,
                       *event.instance,
                       event.execution,
                       event.definition,
                       event.version,
                       event.at});
    };
}

}  // namespace

std::uint64_t SeededRandom::next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

World::Parts::Parts(Registry code, const WorldOptions& options)
    : limits(options.limits_),
      policy(world_policy(options.policy_)),
      cold_replay(options.cold_replay_),
      most_turns(options.most_turns_),
      patience(options.patience_),
      allowed_in_turns(options.allowed_in_turns_.begin(), options.allowed_in_turns_.end()),
      clock(options.begins_at_),
      random(options.seed_),
      ids(clock, random),
      memory(make_memory_store(clock)),
      store(*memory),
      client(store, clock, random, limits, policy),
      registry(std::move(code)),
      executor(
          clock,
          [this](const std::string& activity) -> const ActivityHandler* {
              const auto at = replacements.find(activity);
              return at == replacements.end() ? nullptr : &at->second;
          },
          [this](const ActivityTask& task) {
              const ActivityDetails& about = task.details();
              calls.push_back(
                  ActivityCall{about.instance, about.name, task.input(), about.attempt});
          }),
      // Without residents, every turn begins with a replay of all that came before it.
      runtime(store,
              registry,
              executor,
              RuntimeOptions()
                  .worker("world")
                  .any_queue(true)
                  .residents(cold_replay ? 0 : std::numeric_limits<std::size_t>::max())
                  .events(outside_of_turns(options.log_))
                  .limits(limits)
                  .policy(policy)
                  .clock(clock)
                  .random(random)) {}

void World::Parts::complain(const std::string& what) {
    if (driving && problem.empty()) problem = what;
    throw Problem(what);
}

// ---- Driving -----------------------------------------------------------------------------------

World::Parts::Driving::Driving(Parts& parts) : parts_(parts) {
    if (parts.driving) {
        parts.complain(
            "an activity, or the condition of run_until, asks the world to go on, which waits for "
            "it to come back: only the test itself can let time pass or wait for a run");
    }
    parts.driving = true;
    parts.problem.clear();
    (void)take_hidden_inputs();  // Those of another world, or of a replay.
    parts.turns_before = parts.runtime.counts().turns_committed;
}

bool World::Parts::step() {
    const bool busy = runtime.step() || executor.step();
    if (busy) check_step();
    return busy;
}

void World::Parts::settle() {
    do {
        while (step()) {
        }
    } while (sweep() > 0);
}

/// Sweeps whenever there is nothing else to do. A runtime does so from time to time.
std::uint64_t World::Parts::sweep() {
    Transition transition;
    transition.commit = ids.commit_id();
    transition.parts.emplace_back(Sweep{policy.sweep_batch, "world"});
    transition.stop = StopTerms{policy.grace, policy.cancel_deadline};
    std::vector<Transition> batch;
    batch.push_back(std::move(transition));
    const Result<std::vector<Answer>> answers = detail::wait_for_answer<std::vector<Answer>>(
        [&](Done<std::vector<Answer>> done) { store.commit(std::move(batch), std::move(done)); });
    return answers ? answers->front().swept : 0;
}

bool World::Parts::advance_time(std::optional<Millis> until) {
    if (const std::vector<std::string> outside = executor.outside(); !outside.empty()) {
        if (executor.wait_outside(patience)) return true;
        throw Problem("activity " + outside.front() +
                      ", has not come back for as long as WorldOptions::patience allows: replace "
                      "it, or see to it that what it waits for happens");
    }
    const Millis now = clock.monotonic();
    Millis due = runtime.next_due();
    if (const std::optional<Millis> sleeper = executor.next_due()) due = std::min(due, *sleeper);
    if (const std::optional<Millis> deadline = first_cancel_deadline()) {
        due = std::min(due, *deadline);
    }
    due = std::max(due, now + Millis(1));
    if (until && *until <= due) {
        clock.advance(*until - now);
        return *until > now;
    }
    if (due - now > kFar && !anything_timed()) {
        if (until) clock.advance(*until - now);
        return until && *until > now;
    }
    clock.advance(due - now);
    return true;
}

// ---- Problems ----------------------------------------------------------------------------------

void World::Parts::check_step() {
    if (!problem.empty()) throw Problem(std::exchange(problem, {}));
    check_hidden_inputs();  // Before the difference that they may have led to.
    const RuntimeCounts counts = runtime.counts();
    if (const std::string difference = store.take_difference(); !difference.empty()) {
        throw Problem(not_the_same(difference));
    }
    if (counts.unregistered > unregistered_before) {
        unregistered_before = counts.unregistered;
        complain_of_missing_code();
    }
    check_finished();
    check_turns();
}

void World::Parts::check_hidden_inputs() const {
    std::string text;
    for (const HiddenInput& input : take_hidden_inputs()) {
        if (!allowed_in_turns.contains(input.function)) text += testing::describe(input) + "\n";
    }
    if (text.empty()) return;
    throw Problem(text +
                  "Nobody records what it got there, so a replay may get something else. Where "
                  "nothing depends on it, say so: WorldOptions().allow_in_turns(function)");
}

void World::Parts::check_turns() const {
    const std::uint64_t turns = runtime.counts().turns_committed - turns_before;
    if (turns <= most_turns) return;
    throw Problem("more than " + std::to_string(most_turns) +
                  " turns were taken, and there is no end to it. Code that goes on for ever is "
                  "tested with advance() or run_until(); for more turns see "
                  "WorldOptions::most_turns");
}

/// The last turn of an execution is followed by no other that would replay it.
void World::Parts::check_finished() {
    for (const FinishedExecution& finished : store.take_finished()) {
        if (!cold_replay) continue;
        ReadInstance request;
        request.run = finished.run;
        const Result<ReadInstance::Answer> info = store::ask<ReadInstance>(store, request);
        if (!info || !*info) continue;  // Deleted meanwhile.
        const Result<std::vector<model::Event>> events = store::read_events(
            store, finished.run, finished.execution, std::numeric_limits<EventNo>::max());
        if (!events) continue;
        std::optional<Payload> document;
        if ((*info)->document) {
            const auto kept =
                store::ask(store, ReadDocument{(*info)->name.space, *(*info)->document});
            if (!kept || !*kept) continue;
            document = (*kept)->text;
        }
        const Result<void> same = replay_execution(registry,
                                                   (*info)->name,
                                                   (*info)->headers,
                                                   document,
                                                   finished.execution,
                                                   *events,
                                                   limits);
        if (!same) throw Problem(not_the_same(same.error().message()));
    }
}

std::string World::Parts::not_the_same(const std::string& difference) {
    return difference +
           "\nRun again from its history, the code did something else. Look for what it depends on "
           "besides its input and what it awaits: a clock, a random number, an environment "
           "variable, the order of an unordered container, anything shared or global";
}

void World::Parts::complain_of_missing_code() {
    const Result<ListActivities::Answer> activities = store::ask(store, ListActivities{});
    if (activities) {
        for (const ActivityInfo& activity : *activities) {
            if (registry.activity(activity.name) != nullptr) continue;
            throw Problem("activity '" + activity.name +
                          "' is called, and is neither registered nor replaced: add it to the "
                          "registry, or give the world a stand-in: world.replace(activity, code)");
        }
    }
    for (const InstanceName& name : unended()) {
        const Result<InstanceInfo> info = client.inspect(name);
        if (!info) continue;
        if (info->document) {
            if (registry.interprets()) continue;
            throw Problem("'" + name.id +
                          "' has a document, and nothing interprets it: give the registry an "
                          "interpreter (Registry::set_interpreter)");
        }
        if (registry.orchestration(info->definition) != nullptr) continue;
        throw Problem("'" + name.id + "' is a run of '" + info->definition +
                      "', and no such orchestration is registered: add it to the registry, or to "
                      "the world: world.add(definition, code)");
    }
    throw Problem("something was called that is not registered, and is gone");
}

}  // namespace belay::testing
