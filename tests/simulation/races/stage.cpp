#include "simulation/races/stage.hpp"

#include <belay/store/operations.hpp>

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

Policy stage_policy() {
    Policy policy;
    policy.activity_lease = Stage::kLease;
    policy.turn_lease = Stage::kLease;
    policy.renewal_buffer = Stage::kLease / 3;
    policy.turn_limit = 3 * Stage::kLease;
    policy.grace = Stage::kGrace;
    policy.cancel_deadline = Stage::kDeadline;
    policy.cancel_deadline_max = 2 * Stage::kDeadline;
    policy.code_patience = Millis(0);
    policy.session_idle = Millis(0);
    policy.unregistered_backoff = Millis(100);
    policy.unregistered_backoff_max = Millis(400);
    policy.patch_patience = Millis(2'000);
    policy.retry_delay = Millis(10);
    policy.poll_interval = Millis(200);
    policy.sweep_interval = Millis(200);
    return policy;
}

bool matches(const std::vector<std::string>& texts, const std::string& what) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return what.find(text) != std::string::npos;
    });
}

}  // namespace

HandlerPlan hangs() {
    HandlerPlan plan;
    plan.stops_after = Millis(0);
    return plan;
}

HandlerPlan takes(Millis time) {
    HandlerPlan plan = hangs();
    plan.takes = time;
    return plan;
}

Stage::Stage(std::size_t processes)
    : trace_(true, time_.ms),
      code_watch_(violations_),
      policy_(stage_policy()),
      store_clock_(time_),
      true_store_(store_clock_, StoreOptions(), trace_),
      deaths_(Rng(7), time_, faults_),
      observer_(violations_, faults_, time_, store_clock_, effects_),
      transport_(time_, trace_),
      random_(99) {
    handlers_.takes = Millis(0);
    handlers_.stops_after = Millis(0);
    register_code(all_code_, Code());
    true_store_.watch(&observer_);
    observer_.know(deaths_);
    true_store_.store().subscribe(*this);
    for (EndpointNo number = 0; number < processes; ++number) {
        processes_.push_back(
            std::make_unique<Process>(time_, true_store_, transport_, trace_, effects_, number));
        processes_.back()->store().know_dead_by([this] { return deaths_.known(); });
    }
    client_store_ = std::make_unique<SimStore>(
        true_store_, transport_, trace_, static_cast<EndpointNo>(processes));
    client_clock_ = std::make_unique<SimClock>(time_, Millis(0), Millis(0));
    client_ = std::make_unique<Client>(*client_store_, *client_clock_, random_, Limits(), policy_);
}

Stage::~Stage() {
    for (const auto& process : processes_) {
        if (process->alive()) process->kill();
    }
    true_store_.store().unsubscribe(*this);
}

void Stage::boot(EndpointNo number, const Code& code) {
    Boot boot;
    // A process draws other numbers than those that were there before it.
    boot.seed = 1000 + number + 100 * boots_++;
    boot.code = code;
    boot.options.policy(policy_).any_queue(true).turn_slots(8).activity_slots(8).share_commits(
        share_commits_);
    boot.handlers = [this](const ActivityTask& task) {
        observer_.check_begins(task);
        return handlers_;
    };
    boot.turns = [this](const TurnTask& /*task*/) { return turns_; };
    boot.logged = [this](const std::string& worker, const LogRecord& line) {
        true_store_.with_tables(
            [&](memory::Tables& tables) { observer_.check_logged(tables, worker, line); });
    };
    observer_.note_code(processes_[number]->name(), code.age);
    if (code.age != CodeAge::broken) {
        all_code_ = Registry();
        register_code(all_code_, Code{.age = code.age});
    }
    processes_[number]->boot(boot);
}

void Stage::kill(EndpointNo number, bool packets_arrive) {
    processes_[number]->kill();
    if (noticed_after_) {
        deaths_.note_at(processes_[number]->holder(), time_.now() + *noticed_after_);
    }
    transport_.cut_off(number, [&](const StoreCall&) { return packets_arrive; });
}

// ---- Stepping ----------------------------------------------------------------------------------

bool Stage::is_held(const StoreCall& call) const {
    return matches(call.applied ? not_answered_ : not_applied_, call.what);
}

bool Stage::step() {
    for (const auto& process : processes_) {
        if (!process->runnable()) continue;
        process->step(violations_);
        return true;
    }
    for (const auto& call : transport_.calls()) {
        if (is_held(*call)) continue;
        if (call->applied) {
            if (call->sender < processes_.size()) processes_[call->sender]->stir();
            transport_.answer(*call);
        } else {
            transport_.apply(*call);
        }
        return true;
    }
    if (!transport_.notices().empty()) {
        processes_[transport_.notices().front().receiver]->stir();
        transport_.deliver(0);
        return true;
    }
    for (const auto& process : processes_) {
        if (!process->alive() || process->paused()) continue;
        for (const auto& handler : process->executor().handlers()) {
            if (!process->executor().is_due(*handler)) continue;
            process->stir();
            process->executor().end(*handler);
            return true;
        }
    }
    return false;
}

void Stage::run() {
    for (int steps = 0; step(); ++steps) BELAY_ASSERT(steps < 100'000);
}

void Stage::pass(Millis time) {
    const Millis until = time_.now() + time;
    while (time_.now() < until) {
        time_.ms += 5;
        for (const auto& process : processes_) {
            if (process->paused_until() && *process->paused_until() <= time_.now()) {
                process->resume();
            }
        }
        run();
    }
}

void Stage::release() {
    not_applied_.clear();
    not_answered_.clear();
}

std::vector<StoreCall*> Stage::calls(const std::string& text) const {
    std::vector<StoreCall*> found;
    for (const auto& call : transport_.calls()) {
        if (call->what.find(text) != std::string::npos) found.push_back(call.get());
    }
    return found;
}

// ---- Asking for things -------------------------------------------------------------------------

void Stage::start(const std::string& id, const std::string& program, const StartOptions& options) {
    StartOptions with_id = options;
    with_id.id(id);
    client_->start(std::string(kDefinitions[0].name()),
                   program_input(program, 3),
                   with_id,
                   [](const Result<StartResult>&) {});
}

void Stage::cancel(const std::string& id) {
    client_->cancel(InstanceName{kSpace, id},
                    CancelOptions().by("test").reason("enough"),
                    [](const Result<CancelResult>&) {});
}

Answer Stage::commit(Part part) {
    const CommitId id{7, ++last_commit_};
    return true_store_.commit({op::transition(id, std::move(part))})->front();
}

// ---- Looking -----------------------------------------------------------------------------------

const memory::Run* Stage::instance(const std::string& id) {
    const memory::Run* run = nullptr;
    true_store_.with_tables([&](memory::Tables& tables) {
        run = memory::find_run(std::as_const(tables), InstanceName{kSpace, id});
    });
    return run;
}

Status Stage::status(const std::string& id) {
    const memory::Run* const run = instance(id);
    BELAY_ASSERT(run != nullptr);
    return run->status;
}

std::vector<model::Event> Stage::history(const std::string& id) {
    std::vector<model::Event> events;
    const memory::Run* const run = instance(id);
    if (run == nullptr) return events;
    for (const RecordedRow& recorded : run->executions.back().history) {
        const Result<std::vector<model::Event>> some = model::decode_events(recorded.row);
        events.insert(events.end(), some->begin(), some->end());
    }
    return events;
}

std::string Stage::history_text(const std::string& id) {
    std::string text;
    for (const model::Event& event : history(id)) text += model::describe(event) + "\n";
    return text;
}

std::size_t Stage::times_begun(const std::string& id, CommandNo command) {
    const memory::Run* const run = instance(id);
    return run == nullptr ? 0
                          : effects_.times_begun(ActivityRef{run->ref, run->execution, command});
}

std::string Stage::problems() {
    true_store_.with_tables([&](memory::Tables& tables) {
        observer_.check_everything(tables);
        for (const auto& [ref, run] : tables.runs) observer_.check_cold_replay(run, all_code_);
    });
    if (!violations_.any()) return {};
    std::string text = violations_.first()->invariant + ": " + violations_.first()->detail + "\n";
    for (const std::string& line : trace_.lines()) text += "  " + line + "\n";
    return text;
}

// ---- Notifications -----------------------------------------------------------------------------

void Stage::notify(const std::function<void(StoreListener&)>& tell) {
    for (const auto& process : processes_) {
        if (!process->alive()) continue;
        Notice notice;
        notice.receiver = process->number();
        notice.what = "a change";
        notice.deliver = [receiver = process.get(), tell] { receiver->store().notify(tell); };
        transport_.send(std::move(notice));
    }
}

void Stage::instances_ready() {
    notify([](StoreListener& listener) { listener.instances_ready(); });
}
void Stage::activities_ready() {
    notify([](StoreListener& listener) { listener.activities_ready(); });
}
void Stage::leases_stopped(const std::vector<LeaseToken>& tokens) {
    notify([tokens](StoreListener& listener) { listener.leases_stopped(tokens); });
}
void Stage::instance_ended(RunRef run) {
    notify([run](StoreListener& listener) { listener.instance_ended(run); });
}

}  // namespace belay::sim
