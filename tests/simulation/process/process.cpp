#include "simulation/process/process.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

Process::Process(const VirtualTime& time,
                 TrueStore& true_store,
                 Transport& transport,
                 Trace& trace,
                 Effects& effects,
                 EndpointNo number)
    : time_(time),
      trace_(trace),
      number_(number),
      name_("e" + std::to_string(number)),
      store_(true_store, transport, trace, number),
      executor_(time, trace, effects, name_),
      turns_(time, trace, name_) {}

void Process::boot(const Boot& boot) {
    code_ = boot.code;
    clock_ = std::make_unique<SimClock>(time_, boot.skew, boot.monotonic_offset);
    random_ = std::make_unique<SimRandom>(boot.seed);
    // The first number that a runtime draws.
    holder_ = SimRandom(boot.seed).next();
    registry_ = std::make_unique<Registry>();
    register_code(*registry_, code_);
    if (boot.more_code) boot.more_code(*registry_);
    executor_.plan_with(boot.handlers);
    executor_.watch_stops(boot.told_to_stop);
    turns_.plan_with(boot.turns);
    RuntimeOptions options = boot.options;
    options.worker(name_).clock(*clock_).random(*random_).turn_executor(turns_);
    options.events([this, logged = boot.logged](const EngineEvent& event) {
        if (event.code != EngineCode::orchestration_log) {
            trace_.line(name_, [&] { return event.what; });
            return;
        }
        trace_.line(name_, [&] { return "logs for " + event.instance->id + ": " + event.what; });
        if (!logged) return;
        logged(name_,
               LogRecord{event.level,
                         event.what,
                         *event.instance,
                         event.execution,
                         event.definition,
                         event.version,
                         event.at});
    });
    Store* store = &store_;
    if (boot.keys != Keys::none) {
        if (sealed_ == nullptr) sealed_ = std::make_unique<SealedStore>(store_);
        sealed_->read_with(boot.keys);
        coded_ = make_coded_store(*sealed_, coders(boot.keys));
        store = coded_.get();
    }
    runtime_ = std::make_unique<Runtime>(*store, *registry_, executor_, options);
    shutting_down_ = false;
    paused_until_.reset();
    stirred_ = true;
    trace_.line(name_, [&] {
        return "is up" + describe(code_) +
               (boot.keys == Keys::old_one ? ", without the new key" : "");
    });
}

void Process::kill() {
    trace_.line(name_, [] { return std::string("dies"); });
    add(earlier_, runtime_->counts());
    runtime_.reset();
    executor_.kill_all();
    turns_.kill_all();
    paused_until_.reset();
    shutting_down_ = false;
}

void Process::shut_down() {
    trace_.line(name_, [] { return std::string("is asked to shut down"); });
    shutting_down_ = true;
    stirred_ = true;
    runtime_->shut_down();
}

void Process::pause(Millis until, bool clock_too) {
    trace_.line(name_, [&] {
        return std::string(clock_too ? "is suspended" : "pauses") + " until " +
               std::to_string(until.count()) + " ms";
    });
    paused_until_ = until;
    if (clock_too) clock_->stop();
}

void Process::resume() {
    trace_.line(name_, [] { return std::string("goes on"); });
    paused_until_.reset();
    clock_->resume();
    stirred_ = true;
}

bool Process::runnable() const {
    return alive() && !paused() && (stirred_ || next_due() <= time_.now());
}

Millis Process::next_due() const {
    const Millis due = runtime_->next_due();
    const Millis at = due == Millis::max() ? due : clock_->when(due);
    return std::min(at, turns_.next_due().value_or(at));
}

void Process::step(Violations& violations) {
    if (turns_.end_one()) {
        stirred_ = true;
        return;
    }
    if (runtime_->step()) return;
    stirred_ = false;
    violations.expect(
        next_due() > time_.now(), "a runtime with nothing to do says until when", [&] {
            return name_ + " was due " + std::to_string((time_.now() - next_due()).count()) +
                   " ms ago";
        });
}

RuntimeCounts Process::counts() const {
    RuntimeCounts sum = earlier_;
    if (runtime_) add(sum, runtime_->counts());
    return sum;
}

void add(RuntimeCounts& sum, const RuntimeCounts& more) {
    sum.turns_committed += more.turns_committed;
    sum.turns_refused += more.turns_refused;
    sum.cold_replays += more.cold_replays;
    sum.resident_turns += more.resident_turns;
    sum.fused_turns += more.fused_turns;
    sum.handed_over += more.handed_over;
    sum.overruns += more.overruns;
    sum.held += more.held;
    sum.poisoned += more.poisoned;
    sum.unregistered += more.unregistered;
    sum.unreadable += more.unreadable;
    sum.activities_begun += more.activities_begun;
    sum.activities_completed += more.activities_completed;
    sum.completions_refused += more.completions_refused;
    sum.stops_requested += more.stops_requested;
    sum.timeouts += more.timeouts;
    sum.abandoned += more.abandoned;
    sum.renewals += more.renewals;
    sum.leases_lost += more.leases_lost;
    sum.taken_over += more.taken_over;
    for (std::size_t i = 0; i < kEngineCodes; ++i) sum.events[i] += more.events[i];
    static_assert(sizeof(RuntimeCounts) == (20 + kEngineCodes) * sizeof(Count),
                  "a new count must be added up here");
}

}  // namespace belay::sim
