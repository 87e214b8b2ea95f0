// A small world in which orchestrations are tested: no threads, no waiting, no surprises.
#pragma once

#include <belay/client.hpp>
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

/// How a world is made. Chained setters: `WorldOptions().cold_replay(false)`.
class WorldOptions {
public:
    WorldOptions() = default;

    /// What time it is when it begins.
    WorldOptions& begins_at(Timestamp at) { return set(begins_at_, at); }
    /// Of client, runtime and replay.
    WorldOptions& limits(const Limits& limits) { return set(limits_, limits); }
    /// The deadlines and the grace of a cancel, how often something is tried, and sizes of batches.
    /// Leases and intervals are the world's own: there is nobody to lose a lease to, or to leave a
    /// run to for its patches.
    WorldOptions& policy(const Policy& policy) { return set(policy_, policy); }
    /// On, unless it is said otherwise: between two turns the code is thrown away and made again
    /// from its history, and an execution that has ended is replayed once more. So whatever does
    /// not come out the same is found. It costs time in proportion to the square of the turns.
    WorldOptions& cold_replay(bool on) { return set(cold_replay_, on); }
    /// The names of functions that code may call in turns though they are hidden inputs, because
    /// nothing that it decides depends on them: `allow_in_turns("getenv")`.
    WorldOptions& allow_in_turns(std::string function) {
        allowed_in_turns_.push_back(std::move(function));
        return *this;
    }
    /// Where the random part of ids and ctx.random() come from: the same seed, the same world.
    WorldOptions& seed(std::uint64_t seed) { return set(seed_, seed); }
    /// Where the lines go that orchestrations log; nowhere unless something is said. It may read
    /// clocks and whatever it likes.
    WorldOptions& log(LogSink sink) { return set(log_, std::move(sink)); }
    /// A call that takes more turns than this is given up.
    WorldOptions& most_turns(std::uint64_t turns) { return set(most_turns_, turns); }
    /// How long, by a real clock, an activity may wait for what is not of this world: a program, or
    /// an awaitable of another library.
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
    InstanceName instance;  ///< Who called it.
    std::string activity;
    Payload input;
    std::uint32_t attempt = 1;
};

/// "(\"42\", 7)"; never raw bytes.
[[nodiscard]] std::string describe_input(const Payload& input);
/// "failed (application) no funds, in Charge, attempt 1 <std::runtime_error>", in one line.
[[nodiscard]] std::string describe_outcome(const Outcome& outcome);

/// A store in memory, a worker, and a clock that stands still, all driven by the thread that calls.
/// Where nothing is left to do now, time jumps to the moment when there is: a timer of thirty days
/// takes no time.
///
///     belay::testing::World world(registry);
///     world.replace(Charge, [](OrderId, Money) { return Payment{...}; });
///     const auto ended = world.run(Checkout, order);
///
/// Functions that are activities run where they are begun, to their end, so they are never asked to
/// stop. Coroutine activities sleep in the world's time; what they put into the pool runs at once.
/// Programs really run, and awaitables of other libraries are really waited for, while the world's
/// time stands still (WorldOptions::patience); mostly they are better replaced.
///
/// Whatever is wrong with the test, or would be wrong with the code in production, is thrown as a
/// Problem by the call that finds it. Errors of the client's requests are too.
///
/// One thread at a time. Activities may call it, but not what lets time pass or waits.
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

    /// From now on this is the activity, whether there is one of this name or not. Any code that
    /// can be registered, with what it captures; or a stand-in: `never_answers()`,
    /// `fails_first(2)`, `fails_always()`, `returns(1, 2, 3)`.
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

    /// Starts a run and lets everything go on until it has ended, in whatever way.
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

    /// Asks a run to end. What that does is done when time goes on: see run_until_idle and wait.
    void cancel(const InstanceName& name,
                const std::string& reason = {},
                const std::string& by = {});
    /// Raises an event; enqueues a message. Without a value, that of a `wait<void>`.
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

    /// The world's clock, which stands still while code runs.
    [[nodiscard]] Timestamp now();
    /// Does what there is to do now, and lets no time pass.
    void run_until_idle();
    /// Lets time pass, stopping at each moment at which something is due. A thousand years at
    /// most.
    void advance(Millis time);
    /// Lets everything go on until this is true. Asked after every small step.
    void run_until(const std::function<bool()>& reached);

    // ---- Looking -------------------------------------------------------------------------------

    /// Of the run that has this name now; a Problem if there is none.
    [[nodiscard]] Status status(const InstanceName& name);
    /// What it waits for, a line each; what its children wait for below them.
    [[nodiscard]] std::string waits_for(const InstanceName& name);
    /// What an execution did, event by event; 0: the current one.
    [[nodiscard]] Timeline history(const InstanceName& name, ExecutionNo execution = 0);
    /// What Client::export_instance gives: to be kept and replayed against later releases, see
    /// belay/testing/replay.hpp.
    [[nodiscard]] std::string exported(const InstanceName& name);

    /// The arguments of each call of an activity, in order.
    template <class R, class... Params>
    [[nodiscard]] std::vector<std::tuple<Params...>> calls(
        const Activity<R(Params...)>& activity) const {
        std::vector<std::tuple<Params...>> all;
        for (const ActivityCall& call : calls_of(activity.name())) {
            all.push_back(detail::decode_arguments<Params...>(call.input));
        }
        return all;
    }
    /// Attempts included.
    template <class R, class... Params>
    [[nodiscard]] std::size_t times_called(const Activity<R(Params...)>& activity) const {
        return calls_of(activity.name()).size();
    }
    /// Of the activity of this name; all of them if none is said.
    [[nodiscard]] std::vector<ActivityCall> calls_of(std::string_view activity = {}) const;

    /// For all else that a client can do. Nothing goes on meanwhile: a `wait` of it would hang.
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
