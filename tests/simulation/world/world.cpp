#include "simulation/world/world.hpp"

#include "simulation/world/small_limits.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

/// Far more than any seed needs: beyond this the world goes round in circles.
constexpr std::uint64_t kMostSteps = 1'000'000;
constexpr std::uint64_t kLimitsSeed = 0x71;
constexpr std::uint64_t kCodersSeed = 0xc0de;
constexpr std::uint64_t kRetentionSeed = 0x4ee9;
constexpr std::uint64_t kEndingsSeed = 0xe4d;
constexpr std::uint64_t kTurnsSeed = 0x7042;
constexpr std::uint64_t kWaitersSeed = 0x3a17;
constexpr std::uint64_t kDeploysSeed = 0xdeb;
constexpr std::uint64_t kSmallSeed = 0x5a11;
constexpr std::uint64_t kDeathsSeed = 0xdead;
constexpr std::uint64_t kTakeoverSeed = 0x7a4e;
constexpr std::uint64_t kFlowsSeed = 0xf10e5;

ProgramStyle style_of(const Setup& setup) {
    ProgramStyle style;
    style.longest_timer_ms = setup.policy.turn_lease.count();
    return style;
}

}  // namespace

Setup::Setup(Rng& rng) {
    processes = 2 + rng.below(3);
    const Millis lease(rng.between(400, 1500));
    policy.activity_lease = lease;
    policy.turn_lease = lease;
    policy.renewal_buffer = lease / 3;
    policy.turn_limit = 3 * lease;
    policy.grace = Millis(rng.between(100, 1000));
    policy.cancel_deadline = rng.between(3, 8) * lease;
    policy.cancel_deadline_max = 2 * policy.cancel_deadline;
    policy.code_patience = Millis(rng.between(0, 200));
    policy.session_idle = Millis(rng.between(0, 400));
    policy.heartbeat_interval = Millis(rng.between(1, 100));
    policy.output_interval = 2 * policy.heartbeat_interval;
    policy.output_batch_bytes = 100;
    policy.unregistered_backoff = Millis(rng.between(20, 200));
    policy.unregistered_backoff_max = 2 * lease;
    policy.patch_patience = 3 * lease;  // Shorter than the fault phase: some are held.
    policy.retry_delay = Millis(rng.between(1, 50));
    policy.poll_interval = Millis(rng.between(150, 600));
    policy.sweep_interval = Millis(rng.between(150, 600));
    policy.max_attempts = rng.percent(20) ? 4 : 10;
    policy.claim_batch = rng.percent(30) ? 1 : 64;
    policy.bulk_batch = rng.percent(50) ? static_cast<std::uint32_t>(1 + rng.below(3)) : 64;
    policy.prune_batch = rng.percent(50) ? static_cast<std::uint32_t>(1 + rng.below(2)) : 1000;
    if (policy.prune_batch == 2) policy.bulk_rows = 5;  // Less than two executions often have.
    policy.message_batch = rng.percent(30) ? static_cast<std::uint32_t>(1 + rng.below(2)) : 1000;
    turn_slots = static_cast<std::uint32_t>(1 + rng.below(4));
    activity_slots = static_cast<std::uint32_t>(1 + rng.below(6));
    residents = rng.percent(25) ? rng.below(3) : 100;
    fault_phase = rng.between(4, 8) * lease;
    fault_steps = 200 + rng.below(200);
    instances = 5 + rng.below(5);
    fault_per_mille = static_cast<unsigned>(rng.between(3, 12));
    operator_per_mille = static_cast<unsigned>(rng.between(4, 20));
    call_trouble_per_mille = static_cast<unsigned>(rng.between(5, 100));
}

World::World(std::uint64_t seed, bool trace, StoreKind store, bool judged, Workload workload)
    : rng_(seed),
      trace_(trace, time_.ms),
      code_watch_(violations_),
      setup_(rng_),
      endings_(seed ^ kEndingsSeed),
      turners_(seed ^ kTurnsSeed),
      slow_when_quiet_(turners_.percent(50)),
      deploys_(Rng(seed ^ kDeploysSeed)),
      limiters_(seed ^ kLimitsSeed),
      store_clock_(time_),
      true_store_(store_clock_, StoreOptions(), trace_),
      deaths_(Rng(seed ^ kDeathsSeed), time_, faults_),
      observer_(violations_, faults_, time_, store_clock_, effects_),
      transport_(time_, trace_) {
    register_code(all_code_, Code{.age = deploys_.last()});
    setup_.policy.on_mismatch = deploys_.on_mismatch();
    setup_.limits = limits_of_world(Rng(seed ^ kSmallSeed));
    if (workload == Workload::flows) prepare_flows(seed);
    observer_.note_terms(setup_.limits, setup_.policy.max_attempts);
    if (store == StoreKind::sqlite) true_store_.keep_in_file(FileSetup(rng_), violations_);
    if (judged) true_store_.judge(violations_);
    Rng takeovers(seed ^ kTakeoverSeed);
    setup_.policy.takeover_interval = Millis(takeovers.between(10, 200));
    setup_.policy.takeover_backoff = Millis(takeovers.between(0, 400));
    observer_.know(deaths_);
    limit_queues();
    if (!flows_) keep_little(Rng(seed ^ kRetentionSeed));
    // Drawn apart from everything else, too.
    if (Rng coders(seed ^ kCodersSeed); coders.percent(12)) coders_ = coders;
    true_store_.watch(&observer_);
    true_store_.store().subscribe(*this);
    transport_.plan_with([this](EndpointNo sender) { return plan_call(sender); });
    for (EndpointNo number = 0; number < setup_.processes; ++number) {
        processes_.push_back(
            std::make_unique<Process>(time_, true_store_, transport_, trace_, effects_, number));
        restart_at_.emplace_back();
        processes_.back()->store().know_dead_by([this] { return deaths_.known(); });
        boot(*processes_.back(), true);
    }
    operators_ = std::make_unique<Operators>(rng_,
                                             violations_,
                                             time_,
                                             true_store_,
                                             transport_,
                                             trace_,
                                             static_cast<EndpointNo>(setup_.processes),
                                             setup_.limits,
                                             setup_.policy,
                                             style_of(setup_));
    operators_->divert_with(
        [this](std::vector<Transition>& batch, Done<std::vector<Answer>>& done) {
            Process& process = *rng_.pick(processes_);
            if (!process.alive() || process.paused() || !rng_.percent(50)) return false;
            process.runtime().store().commit(std::move(batch), std::move(done));
            process.stir();
            return true;
        });
    waiters_ = std::make_unique<Waiters>(seed ^ kWaitersSeed,
                                         time_,
                                         true_store_,
                                         trace_,
                                         violations_,
                                         observer_.records(),
                                         static_cast<EndpointNo>(setup_.processes + 1),
                                         setup_.policy);
}

/// Nothing ends a run of a flow but its definition, its steps, and operators who cancel it. So the
/// plain interpreter knows how it ends.
void World::prepare_flows(std::uint64_t seed) {
    flows_.emplace(seed ^ kFlowsSeed, violations_, true_store_, trace_);
    setup_.limits = Limits();
    setup_.instances = 2 + rng_.below(3);
    setup_.policy.on_mismatch = OnMismatch::hold;
    setup_.policy.max_attempts = 1'000'000;
    setup_.policy.cancel_deadline = Policy().cancel_deadline;
    setup_.policy.cancel_deadline_max = Policy().cancel_deadline_max;
}

/// Drawn apart from everything else: in some worlds every process removes ended instances all the
/// time.
void World::keep_little(Rng rng) {
    if (!rng.percent(10)) return;
    setup_.policy.retention_interval = Millis(rng.between(100, 1'000));
    RetentionRule rule;
    if (rng.percent(50)) rule.max_age(Millis(rng.between(0, 2'000)));
    if (rng.percent(50)) rule.max_count(static_cast<std::uint32_t>(rng.below(4)));
    ExecutionRule executions;
    if (rng.percent(50)) executions.max_age(Millis(rng.between(0, 2'000)));
    if (rng.percent(50)) executions.max_count(static_cast<std::uint32_t>(rng.below(4)));
    SetRetention part;
    part.space = kSpace;
    part.policy = RetentionPolicy().add(rule).add(executions);
    (void)true_store_.commit({op::transition(CommitId{2, 1}, part)});
}

World::~World() {
    for (const auto& process : processes_) {
        if (process->alive()) process->kill();
    }
    true_store_.store().unsubscribe(*this);
}

SeedResult World::run() {
    fault_phase();
    if (!violations_.any()) quiet_phase();
    if (!violations_.any()) check_end();
    if (!violations_.any()) delete_all();
    if (!violations_.any()) waiters_->check_end();
    if (true_store_.judge() != nullptr) true_store_.judge()->compare(true_store_.now());

    count_disk_faults();
    SeedResult result;
    result.violation = violations_.first();
    result.faults = faults_;
    result.features = observer_.features();
    result.features.add(Feature::heartbeat_heard, effects_.times_heard());
    result.features.add(code_watch_.features());
    if (coders_) result.features.add(Feature::sealed_world);
    result.faults.add(waiters_->faults());
    for (const auto& process : processes_) {
        add(result.runtime, process->counts());
        result.features.add(Feature::older_key, process->given_under_old_key());
    }
    result.steps = steps_;
    result.commits = observer_.commits();
    result.instances = started();
    if (flows_) result.flows = flows_->counts();
    result.deleted = observer_.deleted_runs();
    result.pruned = observer_.pruned_executions();
    result.redriven = observer_.letters().redriven();
    result.discarded = observer_.letters().discarded();
    result.held = observer_.held_runs();
    result.waits = waiters_->counts();
    if (true_store_.judge() != nullptr) result.judged = true_store_.judge()->changes();
    result.virtual_ms = time_.ms;
    result.digest = rng_.next() ^ (steps_ << 32U) ^ observer_.commits();
    result.trace = trace_.lines();
    return result;
}

// ---- The scheduler -----------------------------------------------------------------------------

/// Does one of the things that could happen now. Moves time if there is none. Returns false if
/// nothing will ever happen again.
bool World::step() {
    waiters_->act();
    watch_machine();
    collect_steps();
    if (possible_steps_.empty()) return advance();
    violations_.expect(
        ++steps_ <= kMostSteps, "the world comes to rest", "it takes too many steps");
    carry_out(possible_steps_[rng_.below(possible_steps_.size())]);
    sample_checks();
    return true;
}

void World::collect_steps() {
    possible_steps_.clear();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        if (processes_[i]->runnable()) possible_steps_.push_back({Step::Kind::process, i, 0});
    }
    for (std::size_t i = 0; i < transport_.calls().size(); ++i) {
        if (transport_.is_due(*transport_.calls()[i]))
            possible_steps_.push_back({Step::Kind::call, i, 0});
    }
    for (std::size_t i = 0; i < transport_.notices().size(); ++i) {
        if (transport_.notices()[i].deliver_at > time_.now()) continue;
        possible_steps_.push_back({Step::Kind::notice, i, 0});
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        if (!processes_[i]->alive() || processes_[i]->paused()) continue;
        const SimExecutor& executor = processes_[i]->executor();
        for (std::size_t j = 0; j < executor.handlers().size(); ++j) {
            if (!executor.is_due(*executor.handlers()[j])) continue;
            possible_steps_.push_back({Step::Kind::handler, i, j});
        }
    }
}

void World::carry_out(const Step& next) {
    switch (next.kind) {
        case Step::Kind::process: processes_[next.index]->step(violations_); break;
        case Step::Kind::call: carry_on(*transport_.calls()[next.index]); break;
        case Step::Kind::notice:
            processes_[transport_.notices()[next.index].receiver]->stir();
            transport_.deliver(next.index);
            break;
        case Step::Kind::handler: {
            Process& process = *processes_[next.index];
            process.stir();
            process.executor().end(*process.executor().handlers()[next.inner]);
            break;
        }
    }
}

void World::carry_on(StoreCall& call) {
    if (call.applied) {
        if (call.sender < processes_.size()) processes_[call.sender]->stir();
        transport_.answer(call);
        return;
    }
    for (const auto& other : transport_.calls()) {
        if (other->sender != call.sender || other->applied) continue;
        if (other->serial < call.serial) faults_.add(Fault::reordered_call);
        break;
    }
    transport_.apply(call);
    watch_machine();
}

std::optional<Millis> World::next_due() const {
    std::optional<Millis> due = transport_.next_due();
    const auto consider = [&](std::optional<Millis> at) {
        if (at) due = due ? std::min(*due, *at) : *at;
    };
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        Process& process = *processes_[i];
        consider(restart_at_[i]);
        consider(process.paused_until());
        if (!process.alive() || process.paused()) continue;
        consider(process.next_due());
        consider(process.executor().next_due());
    }
    return due;
}

bool World::advance() {
    const std::optional<Millis> due = next_due();
    if (!due) return false;
    // Never to the past, and always on: a thing that is due now and was not done has to wait.
    advance_to(std::max(*due, time_.now() + Millis(1)));
    return true;
}

void World::advance_to(Millis at) {
    waiters_->pass_until(at);
    watch_machine();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        Process& process = *processes_[i];
        if (process.paused_until() && *process.paused_until() <= at) process.resume();
        if (restart_at_[i] && *restart_at_[i] <= at) {
            restart_at_[i].reset();
            boot(process, !quiet_);
        }
    }
    if (quiet_) check_cancel_bounds();
}

/// The expensive checks, now and then: all of them after every step would take most of the time.
void World::sample_checks() {
    if (observer_.commits() < checked_at_ + 60) return;
    checked_at_ = observer_.commits();
    true_store_.check_file();
    check_progress();
    true_store_.with_tables([&](memory::Tables& tables) {
        observer_.check_everything(tables);
        if (tables.runs.empty()) return;
        auto run = tables.runs.begin();
        std::advance(run, static_cast<std::ptrdiff_t>(rng_.below(tables.runs.size())));
        observer_.check_cold_replay(run->second, all_code_);
    });
}

}  // namespace belay::sim
