// Activities: code with effects, that orchestrations call by a handle (belay/handle.hpp).
#pragma once

#include <belay/call_options.hpp>
#include <belay/detail/heartbeats.hpp>
#include <belay/handle.hpp>
#include <belay/ids.hpp>
#include <belay/log.hpp>
#include <belay/message.hpp>
#include <belay/output.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace belay {

template <class R, class... Params>
WithOptions<Activity<R(Params...)>, CallOptions> Activity<R(Params...)>::with(
    CallOptions options) const {
    return {*this, std::move(options)};
}
template <class R, class... Params>
WithOptions<Definition<R(Params...)>, ChildOptions> Definition<R(Params...)>::with(
    ChildOptions options) const {
    return {*this, std::move(options)};
}

/// The reason why an activity is asked to stop.
enum class StopReason : std::uint8_t {
    none = 0,
    canceled = 1,    ///< Nobody waits for its result any more.
    lease_lost = 2,  ///< Another worker may have taken it over: end without further effects.
    shutdown = 3,    ///< It will be run again, here or elsewhere.
    timeout = 4,     ///< Its timeout has passed: it has failed, whatever it still returns.
};

/// Its name, for people: "canceled".
[[nodiscard]] std::string_view to_string(StopReason reason) noexcept;

/// Thrown when the activity is asked to stop, by anything that a coroutine activity awaits on its
/// context. A plain function may throw it too. Not a `std::exception`, so that `catch (const
/// std::exception&)` does not swallow it: clean up and let it pass.
class Stopped {
public:
    /// From a plain function: `throw belay::Stopped(ctx.stop_reason());`
    explicit Stopped(StopReason reason) noexcept : reason_(reason) {}
    /// The reason why the activity should end.
    [[nodiscard]] StopReason reason() const noexcept { return reason_; }

private:
    StopReason reason_;
};

class Client;
struct ActivityDetails;

namespace detail {
struct ActivityServices;
class OutputBuffer;
}  // namespace detail

/// Receives the lines that activities log. Called on the thread of the activity, by several at
/// once.
using ActivityLogSink =
    std::function<void(LogLevel, std::string_view, const ActivityDetails& details)>;

/// Everything an activity knows about itself. A value; safe to copy into threads that the activity
/// starts.
struct ActivityDetails {
    InstanceName instance;
    ActivityRef activity;
    std::string definition;  ///< The orchestration that called it.
    std::string version;
    std::string name;
    std::string worker;
    std::uint32_t attempt = 1;
    /// The command of the run that made the call first: the same for all attempts of a RetryPolicy.
    CommandNo first_command = 0;
    Headers headers;                               ///< The headers that its run was started with.
    std::shared_ptr<const ActivityLogSink> log{};  ///< Receives its lines; null: nothing does.
    /// Behind ActivityContext::client; null: it has none.
    std::shared_ptr<const detail::ActivityServices> services{};
    /// Receives its output; null: nothing does.
    std::shared_ptr<detail::OutputBuffer> output{};
};

/// `ctx.log()`: the log of an activity, which goes where the engine's own events go
/// (RuntimeOptions::events). Any thread, as long as the activity runs. Never throws because of the
/// sink.
class ActivityLogger {
public:
    /// Made by ActivityContext::log.
    explicit ActivityLogger(const ActivityDetails& details) noexcept : details_(&details) {}

    /// Logs at this level.
    void debug(std::string_view message) const { log(LogLevel::debug, message); }
    /// Logs at this level.
    void info(std::string_view message) const { log(LogLevel::info, message); }
    /// Logs at this level.
    void warning(std::string_view message) const { log(LogLevel::warning, message); }
    /// Logs at this level.
    void error(std::string_view message) const { log(LogLevel::error, message); }
    /// Logs at a level that the code chooses.
    void log(LogLevel level, std::string_view message) const {
        if (details_->log && *details_->log) (*details_->log)(level, message, *details_);
    }

private:
    const ActivityDetails* details_;
};

/// `ctx.output()`: the output of an attempt, for people to read while it runs and afterwards
/// (`Client::output`, `belay logs`). Like the two streams of a program: any bytes, of which lines
/// are shown.
///
/// Writing is cheap and never waits for the store: what was written is kept soon, at least every
/// Policy::output_interval, and with the end of the attempt. Of each attempt the beginning and the
/// end are kept (Limits::output_first_bytes, output_last_bytes). Output that was not kept yet when
/// a worker dies is lost.
///
/// A value. Any thread, also after the activity has ended: then it does nothing.
class ActivityOutput {
public:
    /// Made by ActivityContext::output.
    explicit ActivityOutput(std::shared_ptr<detail::OutputBuffer> buffer) noexcept
        : buffer_(std::move(buffer)) {}

    /// Appends to a stream. Nothing is added: a line ends with the newline in the text.
    void write(OutputStream stream, std::string_view text) const;
    /// Appends to the standard output.
    void out(std::string_view text) const { write(OutputStream::out, text); }
    /// Appends to the standard error.
    void err(std::string_view text) const { write(OutputStream::err, text); }
    /// Sets the name under which it is shown. Default: the name of the activity.
    void name(std::string source) const;

private:
    std::shared_ptr<detail::OutputBuffer> buffer_;
};

// Awaitables of a coroutine activity: see belay/async.hpp and belay/program.hpp.
class SleepFor;
class UntilStopped;
class RunProgram;
class Program;
template <class Function>
class InPool;

/// Lets awaits of a coroutine activity ignore a request to stop while it is in scope. Not copied,
/// not moved; destroyed where it was made.
class [[nodiscard("belay: a shield without a name is gone at once")]] StopShield {
public:
    /// Made by ActivityContext::shield.
    explicit StopShield(std::uint32_t* count) noexcept : count_(count) {
        if (count_ != nullptr) ++*count_;
    }
    StopShield(const StopShield&) = delete;
    StopShield& operator=(const StopShield&) = delete;
    ~StopShield() {
        if (count_ != nullptr) --*count_;
    }

private:
    std::uint32_t* count_;
};

/// The first parameter of an activity that asks for it. Lives as long as the activity runs.
class ActivityContext {
public:
    /// `shields` is the counter of shields; null for activities that await nothing.
    ActivityContext(const ActivityDetails& info,
                    std::stop_token stop,
                    const std::atomic<StopReason>& reason,
                    detail::Heartbeats& heartbeats,
                    std::uint32_t* shields = nullptr)
        : info_(&info),
          stop_(std::move(stop)),
          reason_(&reason),
          heartbeats_(&heartbeats),
          shields_(shields) {}

    /// The id of the run that called it. All answers stay the same while the activity runs. Any
    /// thread.
    [[nodiscard]] const std::string& instance_id() const noexcept { return info_->instance.id; }
    /// The execution of that run that called it.
    [[nodiscard]] ExecutionNo execution() const noexcept { return info_->activity.execution; }
    /// The name of the orchestration that called it.
    [[nodiscard]] const std::string& definition() const noexcept { return info_->definition; }
    /// The version of the orchestration that called it.
    [[nodiscard]] const std::string& version() const noexcept { return info_->version; }
    /// Its own name, for code that is registered under several.
    [[nodiscard]] const std::string& name() const noexcept { return info_->name; }
    /// The worker that runs it: RuntimeOptions::worker.
    [[nodiscard]] const std::string& worker() const noexcept { return info_->worker; }
    /// The number of the attempt, from 1. Attempts of a RetryPolicy count on, and so do attempts
    /// made because a worker was lost, whose lost attempt may have had its effect: see
    /// `idempotency_key`. An attempt given back at a shutdown does not count: the next has its
    /// number. Do not decide by it: it counts beginnings, not effects.
    [[nodiscard]] std::uint32_t attempt() const noexcept { return info_->attempt; }

    /// The headers of the run (StartOptions::header), given at its start or passed on by the run
    /// that called it as a child or started it: trace context, and the like.
    [[nodiscard]] const Headers& headers() const noexcept { return info_->headers; }

    /// A key that is the same for every attempt at this activity, those of a RetryPolicy included,
    /// and different for any other activity. Pass it to services that deduplicate.
    [[nodiscard]] std::string idempotency_key() const;

    /// Returns the log of the activity: `ctx.log().info("fetched 3 of 7")`. Any thread.
    [[nodiscard]] ActivityLogger log() const noexcept { return ActivityLogger(*info_); }

    /// Returns the output of the attempt: `ctx.output().out("3 of 7\n")`. Any thread.
    [[nodiscard]] ActivityOutput output() const noexcept { return ActivityOutput(info_->output); }
    /// Appends to a stream of it.
    void output(OutputStream stream, std::string_view text) const { output().write(stream, text); }

    /// Returns a client of the store that its run is in (belay/client.hpp), with the namespace of
    /// its run as the default. It is no part of the run: a repeat of the activity does its requests
    /// again, so give starts an id or a request id, such as `idempotency_key`. Its calls block: a
    /// coroutine makes them inside `ctx.run`. Any thread, as long as the store lives. Throws
    /// std::logic_error if the executor was given no store.
    ///
    ///     ctx.client().raise("order-7", "packed").or_throw();
    [[nodiscard]] Client client() const;

    /// True if the activity should end; `stop_reason` says why. Any thread.
    [[nodiscard]] bool stop_requested() const noexcept { return stop_reason() != StopReason::none; }
    /// Returns why it should end; `none` as long as it should not. The first reason stays. Any
    /// thread.
    [[nodiscard]] StopReason stop_reason() const noexcept { return reason_->load(); }
    /// A token for callbacks and waits. It is requested right after `stop_requested` turns true, on
    /// a thread of its own, where callbacks may block without keeping other activities from being
    /// stopped.
    [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }

    /// Reports that the activity is alive, and its progress, for people to see (`Client::describe`,
    /// `belay show`) and for the next attempt to go on from. Cheap from any thread, however often:
    /// only the latest value is written. The first value is written at once, later ones at most
    /// every Policy::heartbeat_interval. It does not report whether the value was written. Throws
    /// LimitExceeded for a value of more than Limits::heartbeat_bytes, and std::invalid_argument
    /// for one that has Payload::flags. Such a call still counts as a heartbeat.
    template <Encodable T>
    void heartbeat(const T& value) const {
        heartbeats_->beat(Codec<T>::encode(value));
    }
    /// The same with a text.
    void heartbeat(const char* value) const { heartbeats_->beat(Payload::text(value)); }
    /// Reports only that it is alive, for a call with a heartbeat timeout.
    void heartbeat() const { heartbeats_->beat(); }
    /// Returns the last progress of an earlier attempt at this activity that was lost with its
    /// worker or stopped at a shutdown; none if there is none. (A retry by a RetryPolicy is another
    /// activity.) Throws DecodeError if the value is no T.
    template <Encodable T>
    [[nodiscard]] std::optional<T> last_heartbeat() const {
        const std::optional<Payload>& last = heartbeats_->last();
        return last ? std::optional<T>(Codec<T>::decode(*last)) : std::nullopt;
    }

    // For coroutine activities; each is to be awaited. Once the activity is asked to stop, they end
    // early or do not begin, and throw Stopped, unless a shield is open.

    /// Waits, without a thread. `co_await ctx.sleep(5s);`
    SleepFor sleep(Millis duration) const noexcept;
    /// Waits until the activity is asked to stop, and returns the reason. Never throws Stopped.
    UntilStopped stopped() const noexcept;
    /// Calls `function` on a thread of the pool, where it may block, and returns or throws as it
    /// does. A call that has begun is waited for: let it look at `stop_token` if it takes long. A
    /// named function object is used in place, not copied, and must live until the call was
    /// awaited.
    template <class Function>
        requires std::is_invocable_v<std::remove_reference_t<Function>&>
    InPool<Function> run(Function&& function) const;
    /// Runs a program and returns its output. Throws OperationFailed if it cannot be started or
    /// does not succeed. If the activity is asked to stop, the process group gets its stop signal,
    /// and Stopped is thrown after it has ended, unless it succeeded all the same.
    RunProgram run(Program program) const;

    /// Opens a shield, for cleanup that has to wait for something. In the scope of the result, the
    /// awaitables above behave as if the activity had not been asked to stop. The grace period
    /// bounds it.
    StopShield shield() const noexcept { return StopShield(shields_); }

private:
    const ActivityDetails* info_;
    std::stop_token stop_;
    const std::atomic<StopReason>* reason_;
    detail::Heartbeats* heartbeats_;
    std::uint32_t* shields_;
};

}  // namespace belay
