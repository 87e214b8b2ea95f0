#include "base/id_source.hpp"
#include "base/policy.hpp"
#include "runtime/activity_dispatcher.hpp"
#include "runtime/commits.hpp"
#include "runtime/event_log.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/local_store.hpp"
#include "runtime/retention_runner.hpp"
#include "runtime/services.hpp"
#include "runtime/sweeper.hpp"
#include "runtime/takeover.hpp"
#include "runtime/turn_dispatcher.hpp"
#include <belay/runtime.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace belay {

namespace {

void check(bool fine, const char* what) {
    if (!fine) throw std::invalid_argument(std::string("belay: RuntimeOptions::") + what);
}

}  // namespace

struct Runtime::Impl final : StoreListener {
    Impl(Store& store,
         const Registry& registry,
         ActivityExecutor& executor,
         const RuntimeOptions& options)
        : ids(*options.clock_, *options.random_),
          events(*options.clock_,
                 options.worker_,
                 options.events_.value_or(EngineEventSink()),
                 counters),
          lines(events),
          services{
              runtime::EngineStore(store),
              *options.clock_,
              ids,
              registry,
              options.limits_,
              options.policy_,
              options.worker_,
              counters,
              events,
              lines,
              std::make_shared<const detail::ActivityServices>(detail::ActivityServices{
                  store, *options.clock_, *options.random_, options.limits_, options.policy_})},
          keeper(services),
          commits(services),
          activities(
              services,
              keeper,
              commits,
              executor,
              runtime::ActivityOptions{
                  options.activity_slots_, options.queues_, options.any_queue_, options.sessions_}),
          turns(services,
                keeper,
                commits,
                activities,
                options.turn_executor_ == nullptr ? inline_turns : *options.turn_executor_,
                runtime::TurnOptions{
                    options.turn_slots_, options.residents_, options.share_commits_}),
          sweeper(services),
          takeover(services),
          retention(services,
                    retention::ProcessPolicies(
                        options.retention_, options.retention_source_, options.limits_),
                    *options.random_),
          local_store(store, turns) {
        if (options.share_commits_) activities.share_commits_with(turns);
        services.store.subscribe(*this);
    }
    ~Impl() override { services.store.unsubscribe(*this); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void instances_ready() override { turns.wake(); }
    void activities_ready() override { activities.wake(); }
    void leases_stopped(const std::vector<LeaseToken>& tokens) override {
        activities.check_leases(tokens);
    }

    void instance_ended(RunRef run) override { turns.forget_ended(run); }

    IdSource ids;
    RuntimeCounts counters;
    runtime::EventLog events;
    runtime::UserLines lines;
    runtime::Services services;
    runtime::LeaseKeeper keeper;
    runtime::Commits commits;
    runtime::ActivityDispatcher activities;
    InlineTurns inline_turns;
    runtime::TurnDispatcher turns;
    runtime::Sweeper sweeper;
    runtime::Takeover takeover;
    runtime::RetentionRunner retention;
    runtime::LocalStore local_store;
};

Runtime::Runtime(Store& store,
                 const Registry& registry,
                 ActivityExecutor& executor,
                 const RuntimeOptions& options) {
    base::check_policy(options.policy_);
    check(options.turn_slots_ > 0, "turn_slots must be at least 1");
    check(!options.worker_.empty(), "worker must not be empty");
    impl_ = std::make_unique<Impl>(store, registry, executor, options);
}

Runtime::~Runtime() = default;

bool Runtime::step() {
    Impl& impl = *impl_;
    // Leases first: they must not be late. Then activities that the store has told of: as long as
    // any waits there, none is handed over. Decisions are committed together once nothing more can
    // be decided now, and only then is more work asked for. Turns that were just handed out are
    // nearly decided.
    return impl.keeper.step() || impl.activities.claim_told() ||
           (impl.commits.full() && impl.commits.flush()) || impl.commits.handle_answer() ||
           impl.activities.step() || impl.turns.step() ||
           (!impl.turns.expects_more() && impl.commits.flush()) || impl.activities.claim() ||
           impl.turns.claim() || impl.takeover.step() || impl.sweeper.step() ||
           impl.retention.step();
}

void Runtime::run_until_idle() {
    while (step()) {
    }
}

Millis Runtime::next_due() const {
    Millis due = impl_->sweeper.next_due().value_or(Millis::max());
    due = std::min(due, impl_->takeover.next_due().value_or(due));
    due = std::min(due, impl_->retention.next_due().value_or(due));
    due = std::min(due, impl_->activities.next_due().value_or(due));
    due = std::min(due, impl_->turns.next_due().value_or(due));
    due = std::min(due, impl_->commits.next_due().value_or(due));
    return std::min(due, impl_->keeper.next_due().value_or(due));
}

void Runtime::shut_down() {
    impl_->retention.shut_down();
    impl_->turns.shut_down();
    impl_->activities.shut_down();
}

Store& Runtime::store() noexcept { return impl_->local_store; }

bool Runtime::idle() const noexcept {
    return impl_->turns.idle() && impl_->activities.idle() && impl_->commits.idle();
}

bool Runtime::evict_one() { return impl_->turns.evict_one(); }

RuntimeCounts Runtime::counts() const { return impl_->counters; }

}  // namespace belay
