// A small world in which orchestrations are tested: no threads, no waiting, no surprises.
#pragma once

#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/log.hpp>
#include <belay/registry.hpp>
#include <belay/testing/manual_clock.hpp>
#include <belay/testing/problem.hpp>
#include <belay/testing/stand_ins.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace belay::testing {

/// Options of a world. Chained setters: `WorldOptions().cold_replay(false)`.
class WorldOptions {
public:
    WorldOptions() = default;

    /// The time at which it begins.
    WorldOptions& begins_at(Timestamp at) { return set(begins_at_, at); }
    /// Limits of client, runtime and replay.
    WorldOptions& limits(const Limits& limits) { return set(limits_, limits); }
    /// Deadlines and the grace of a cancel, numbers of attempts, and sizes of batches. Leases and
    /// intervals are the world's own: no other worker can take over a lease, or a run for its
    /// patches.
    WorldOptions& policy(const Policy& policy) { return set(policy_, policy); }
    /// Between two turns, throws the code away and makes it again from its history, and replays an
    /// ended execution once more. So code that does not replay equally is found. The cost grows
    /// with the square of the turns. Default: on.
    WorldOptions& cold_replay(bool on) { return set(cold_replay_, on); }
    /// Allows code to call a function in turns that is a hidden input, because no decision depends
    /// on it: `allow_in_turns("getenv")`.
    WorldOptions& allow_in_turns(std::string function) {
        allowed_in_turns_.push_back(std::move(function));
        return *this;
    }
    /// The source of the random part of ids and of ctx.random(): the same seed, the same world.
    WorldOptions& seed(std::uint64_t seed) { return set(seed_, seed); }
    /// Receives the lines that orchestrations log. Default: they are dropped. It may read clocks
    /// and anything else.
    WorldOptions& log(LogSink sink) { return set(log_, std::move(sink)); }
    /// The most turns of one call; a call with more is given up.
    WorldOptions& most_turns(std::uint64_t turns) { return set(most_turns_, turns); }
    /// The real time that an activity may wait for things outside this world: a program, or an
    /// awaitable of another library.
    WorldOptions& patience(std::chrono::milliseconds real) { return set(patience_, real); }

private:
    friend class World;
    template <class T, class U>
    WorldOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    Timestamp begins_at_ = ManualClock::kStart;
    Limits limits_;
    Policy policy_;
    bool cold_replay_ = true;
    std::vector<std::string> allowed_in_turns_;
    std::uint64_t seed_ = 1;
    LogSink log_;
    std::uint64_t most_turns_ = 100'000;
    std::chrono::milliseconds patience_{10'000};
};

/// One call of an activity: an attempt that was begun.
struct ActivityCall {
    InstanceName instance;  ///< The run that called it.
    std::string activity;
    Payload input;
    std::uint32_t attempt = 1;
};

/// "(\"42\", 7)"; never raw bytes.
[[nodiscard]] std::string describe_input(const Payload& input);
/// "failed (application) no funds, in Charge, attempt 1 <std::runtime_error>", in one line.
[[nodiscard]] std::string describe_outcome(const Outcome& outcome);

/// A store in memory, a worker, and a clock that stands still, all driven by the calling thread. If
/// nothing is left to do now, time jumps to the moment when there is: a timer of thirty days takes
/// no time.
///
///     belay::testing::World world(registry);
///     world.replace(Charge, [](OrderId, Money) { return Payment{...}; });
///     const auto ended = world.run(Checkout, order);
///
/// Activities that are functions run where they are begun, to their end, so they are never asked to
/// stop. Coroutine activities sleep in the world's time; their calls in the pool run at once.
/// Programs really run, and awaitables of other libraries are really waited for, while the world's
/// time stands still (WorldOptions::patience); mostly they are better replaced.
///
/// A problem of the test, or of the code in production, is thrown as a Problem by the call that
/// finds it. So are errors of the client's requests.
///
/// One thread at a time. Activities may call it, except functions that let time pass or wait.
class World {
public:
    /// The code of the program under test; more can be added below.
    explicit World(Registry registry = Registry(), const WorldOptions& options = WorldOptions());
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    // ---- Code ----------------------------------------------------------------------------------

    /// Registers an orchestration, perhaps of a version, or an activity, as Registry::add.
    template <class Handle, class Function, class... Version>
    void add(const Handle& handle, Function code, Version&&... version) {
        registry().add(handle, std::move(code), std::forward<Version>(version)...);
    }

    /// Replaces the activity of this name from now on, or adds it. Takes any code that can be
    /// registered, with its captures; or a stand-in: `never_answers()`, `fails_first(2)`,
    /// `fails_always()`, `returns(1, 2, 3)`.
    template <class R, class... Params, class Function>
    void replace(const Activity<R(Params...)>& activity, Function code) {
        Registry checked;
        checked.add(activity, std::move(code));
        replace_handler(activity.name(), *checked.activity(activity.name()));
    }
    template <class R, class... Params>
    void replace(const Activity<R(Params...)>& activity, NeverAnswers /*stand_in*/) {
        replace_with_nothing(activity.name());
    }
    template <class R, class... Params>
    void replace(const Activity<R(Params...)>& activity, const FailsFirst& stand_in) {
        replace_at_first(activity.name(), stand_in);
    }
    template <class R, class... Params, class... Values>
    void replace(const Activity<R(Params...)>& activity, const InOrder<Values...>& stand_in) {
        static_assert((detail::fits<Values, R>() && ...),
                      "belay: a value given to returns() does not fit what the activity returns");
        std::vector<Payload> results;
        std::apply(
            [&](const Values&... values) {
                (results.push_back(detail::encode_result<R>(detail::as_parameter<R>(values))), ...);
            },
            stand_in.values());
        replace_in_order(activity.name(), std::move(results));
    }

    // ---- Runs ----------------------------------------------------------------------------------

    /// Starts a run and lets everything go on until it has ended, in any way.
    template <class R, class... Params, class... Args>
    Ended<R> run(const Definition<R(Params...)>& definition, const Args&... args) {
        const InstanceName name = start(definition, args...);
        return wait(definition, name);
    }
    /// Starts a run under an id of its own, "Checkout-1". Nothing of it has run yet.
    template <class R, class... Params, class... Args>
    InstanceName start(const Definition<R(Params...)>& definition, const Args&... args) {
        return start_with(definition, StartOptions().id(next_id(definition.name())), args...);
    }
    /// Starts a run with an id, a key, labels or a delay of the caller's.
    template <class R, class... Params, class... Args>
    InstanceName start_with(const Definition<R(Params...)>& definition,
                            const StartOptions& options,
                            const Args&... args) {
        return started(client().start(definition, options, args...));
    }
    /// Lets everything go on until this run has ended.
    template <class R, class... Params>
    Ended<R> wait(const Definition<R(Params...)>& definition, const InstanceName& name) {
        return Ended<R>(wait_for(std::string(definition.name()), name));
    }

    /// Cancels a run. The effects come when time goes on: see run_until_idle and wait.
    void cancel(const InstanceName& name,
                const std::string& reason = {},
                const std::string& by = {});
    /// Raises an event; without a value, that of a `wait<void>`.
    void raise(const InstanceName& name, const std::string& event) {
        send(MessageKind::event_raised, name, event, Payload());
    }
    template <class T>
    void raise(const InstanceName& name, const std::string& event, const T& value) {
        send(MessageKind::event_raised, name, event, detail::encode_message(value));
    }
    /// Enqueues a message; without a value, that of a `receive<void>`.
    void enqueue(const InstanceName& name, const std::string& queue) {
        send(MessageKind::queue_message, name, queue, Payload());
    }
    template <class T>
    void enqueue(const InstanceName& name, const std::string& queue, const T& value) {
        send(MessageKind::queue_message, name, queue, detail::encode_message(value));
    }

    // ---- Time ----------------------------------------------------------------------------------

    /// Returns the world's clock, which stands still while code runs.
    [[nodiscard]] Timestamp now();
    /// Does everything that is due now, and lets no time pass.
    void run_until_idle();
    /// Lets time pass, stopping at each moment at which something is due. A thousand years at most.
    void advance(Millis time);
    /// Lets everything go on until this is true. Checked after every small step.
    void run_until(const std::function<bool()>& reached);

    // ---- Looking -------------------------------------------------------------------------------

    /// Returns the status of the run that has this name now; throws a Problem if there is none.
    [[nodiscard]] Status status(const InstanceName& name);
    /// Returns what it waits for, a line each; the waits of its children below them.
    [[nodiscard]] std::string waits_for(const InstanceName& name);
    /// Returns the events of an execution; 0: the current one.
    [[nodiscard]] Timeline history(const InstanceName& name, ExecutionNo execution = 0);
    /// Returns all that is kept of the output of its activities (ActivityContext::output), both
    /// streams in the order in which they wrote. What a running activity has written is there once
    /// Policy::output_interval has passed.
    [[nodiscard]] std::string output(const InstanceName& name);
    /// Returns the document of Client::export_instance: to be kept and replayed against later
    /// releases, see belay/testing/replay.hpp.
    [[nodiscard]] std::string exported(const InstanceName& name);

    /// Returns the arguments of each call of an activity, in order.
    template <class R, class... Params>
    [[nodiscard]] std::vector<std::tuple<Params...>> calls(
        const Activity<R(Params...)>& activity) const {
        std::vector<std::tuple<Params...>> all;
        for (const ActivityCall& call : calls_of(activity.name())) {
            all.push_back(detail::decode_arguments<Params...>(call.input));
        }
        return all;
    }
    /// Returns the number of calls of an activity, attempts included.
    template <class R, class... Params>
    [[nodiscard]] std::size_t times_called(const Activity<R(Params...)>& activity) const {
        return calls_of(activity.name()).size();
    }
    /// Returns the calls of the activity of this name; of all activities by default.
    [[nodiscard]] std::vector<ActivityCall> calls_of(std::string_view activity = {}) const;

    /// The client, for everything else. Nothing goes on meanwhile: a `wait` of it would hang.
    [[nodiscard]] Client& client() noexcept;

private:
    struct Parts;

    [[nodiscard]] Registry& registry() noexcept;
    void replace_handler(std::string_view activity, const ActivityHandler& handler);
    void replace_with_nothing(std::string_view activity);
    void replace_at_first(std::string_view activity, const FailsFirst& stand_in);
    void replace_in_order(std::string_view activity, std::vector<Payload> results);
    [[nodiscard]] std::string next_id(std::string_view definition);
    [[nodiscard]] static InstanceName started(const Result<StartResult>& result);
    [[nodiscard]] Outcome wait_for(const std::string& definition, const InstanceName& name);
    void send(MessageKind kind,
              const InstanceName& name,
              const std::string& channel,
              Payload payload);

    std::unique_ptr<Parts> parts_;
};

}  // namespace belay::testing
