// Schedules: runs that start by the clock. Link belay::schedules.
#pragma once

#include <belay/codec.hpp>
#include <belay/error.hpp>
#include <belay/handle.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

class Client;
class Registry;
template <class Signature>
class Flow;

/// The treatment of a tick while a run of the same schedule is under way.
enum class Overlap : std::uint8_t {
    skip = 1,   ///< The tick starts nothing.
    queue,      ///< One tick waits for the end; further ones are skipped.
    queue_all,  ///< All ticks wait, and start one after the other.
    cancel,     ///< Runs of other ticks are canceled. The new one starts when they have settled.
    allow,      ///< Both run.
};

/// The treatment of ticks that were missed because no worker ran.
enum class CatchUp : std::uint8_t {
    none = 1,  ///< They start nothing.
    one,       ///< The last one starts a run.
    all,       ///< Each one starts a run, one after the other; with Overlap::allow at once.
};

/// The times and the target of a schedule. Exactly one of `cron`, `every` and `at` is set.
struct ScheduleSpec {
    ScheduleSpec() = default;

    std::string cron;                    ///< Five fields, or an `@` form: "15 3 * * *".
    std::optional<Millis> every;         ///< At `starts`, or 1970, and each interval after it.
    std::optional<Timestamp> at;         ///< Once.
    std::string zone = "UTC";            ///< For `cron`: "Europe/Brussels".
    std::optional<Timestamp> starts;     ///< No tick is before it.
    std::optional<Timestamp> ends;       ///< No tick is at or after it.
    Millis jitter{0};                    ///< Each tick is delayed by up to this.
    Overlap overlap = Overlap::skip;     ///< While a run is under way.
    CatchUp catch_up = CatchUp::one;     ///< After a time without workers.
    Millis catch_up_within{86'400'000};  ///< Older ticks are not caught up with.
    bool pause_on_failure = false;       ///< A failed run, or start, pauses the schedule.
    std::string description;             ///< For people.

    std::string definition;           ///< The orchestration that it starts.
    Payload input;                    ///< The input of each run.
    std::optional<Payload> document;  ///< The document of each run: see StartOptions::document.
    std::string owner = "default";    ///< The owner of each run.
    // The terms of each start: see the functions of StartOptions with these names.
    std::string version;
    Headers headers;
    Labels labels;
    std::int32_t priority = 0;
    std::optional<Millis> expires;
    std::optional<Millis> deadline;
    std::optional<Concurrency> concurrency;
    std::optional<RateOfStarts> rate;
    bool on_fail = false;

    /// Sets `definition` and `input`. Throws what a Codec throws.
    template <class R, class... Params, class... Args>
    ScheduleSpec& target(const Definition<R(Params...)>& what, const Args&... args) {
        detail::Arguments<Params...>::template check<const Args&...>();
        definition = std::string(what.name());
        input = detail::encode_arguments<Params...>(detail::as_parameter<Params>(args)...);
        return *this;
    }

    /// The same for a flow or a task (belay/flow.hpp, belay/task.hpp), as it is now. Its document,
    /// its labels, its expiry and its concurrency key are added; what was set here stays. Throws
    /// what a Codec throws, and std::invalid_argument for a flow with mistakes, which lists them.
    ///
    ///     spec.target(nightly_import, "eu", 7);
    template <class R, class... Params, class... Args>
    ScheduleSpec& target(const Flow<R(Params...)>& flow, const Args&... args) {
        flow.set_target(*this, args...);
        return *this;
    }

    /// Reads the JSON form: see docs/guides/schedules.md. Returns `invalid_argument`, with all
    /// problems, for anything else, for a bad cron expression and for an unknown time zone.
    [[nodiscard]] static Result<ScheduleSpec> parse(std::string_view json);
    /// Returns the JSON form.
    [[nodiscard]] std::string json() const;
    /// Returns `invalid_argument` with all problems.
    [[nodiscard]] Result<void> check() const;
    /// Returns the first `count` ticks after `after`, without jitter. Errors as `check`.
    [[nodiscard]] Result<std::vector<Timestamp>> next_times(Timestamp after,
                                                            std::size_t count) const;

    bool operator==(const ScheduleSpec&) const = default;
};

/// The reason why a schedule started a run.
enum class ScheduleCause : std::uint8_t {
    tick = 1,  ///< The tick was due.
    catch_up,  ///< The tick was missed.
    backfill,  ///< A person asked for the past.
    run_now,   ///< A person asked for it.
};

/// A run that a schedule has started, or could not start.
struct ScheduledRun {
    std::string id;  ///< Empty: it could not be started.
    Timestamp tick{};
    ScheduleCause cause = ScheduleCause::tick;
    Timestamp started_at{};
    std::optional<Status> status;  ///< None: it could not be started, or is deleted.
    std::string problem;           ///< The reason why it could not be started.
};

/// A schedule as it is now.
struct ScheduleView {
    std::string name;
    bool ended = false;  ///< It has no tick left.
    bool paused = false;
    std::string paused_by;
    std::string paused_why;
    std::optional<Timestamp> paused_at;
    std::optional<Timestamp> next;   ///< The next start, with its jitter.
    std::string problem;             ///< The reason why a worker cannot compute its times.
    std::uint64_t fired = 0;         ///< Runs that it has started.
    std::uint64_t skipped = 0;       ///< Ticks without a run because of `overlap`.
    std::uint64_t missed = 0;        ///< Ticks without a run because no worker ran.
    std::uint64_t refused = 0;       ///< Runs that could not be started.
    std::uint64_t waiting = 0;       ///< Ticks that wait for the end of a run.
    std::uint64_t changes = 0;       ///< Changes that no worker has taken. Only from `show`.
    std::vector<ScheduledRun> runs;  ///< The last ones, the oldest first.
    ScheduleSpec spec;               ///< Only from `show`.
};

/// Options of a change of a schedule: `ScheduleNote().by("ann").why("too slow")`.
class ScheduleNote {
public:
    ScheduleNote() = default;
    /// The person or program that asks.
    ScheduleNote& by(std::string who) {
        by_ = std::move(who);
        return *this;
    }
    /// The reason.
    ScheduleNote& why(std::string reason) {
        why_ = std::move(reason);
        return *this;
    }
    /// A repeat of the request under this id does nothing new.
    ScheduleNote& request_id(std::string id) {
        request_id_ = std::move(id);
        return *this;
    }

private:
    friend class Schedules;
    std::string by_;
    std::string why_;
    std::string request_id_;
};

/// Lets the workers of this registry keep schedules. Without it they leave schedules to others.
void add_schedules(Registry& registry);

/// Schedules in the default namespace of a client, which must outlive it. A schedule is a run of
/// the orchestration `belay.schedule` with the id `belay.schedule.<name>`. Errors: `not_found` if
/// there is no schedule of this name; those of Client.
class Schedules {
public:
    /// Asks the service of this client.
    explicit Schedules(Client& client) : client_(&client) {}

    /// Creates a schedule. Its first tick is after now. Errors: `id_in_use` if there is one that
    /// has not ended; `invalid_argument` as ScheduleSpec::check, and if it has no tick left.
    [[nodiscard]] Result<void> create(const std::string& name,
                                      const ScheduleSpec& spec,
                                      const ScheduleNote& note = ScheduleNote());
    /// Replaces its times and its target. Runs under way go on. Errors as with `create`.
    [[nodiscard]] Result<void> update(const std::string& name,
                                      const ScheduleSpec& spec,
                                      const ScheduleNote& note = ScheduleNote());
    /// Stops its ticks. Runs under way go on.
    [[nodiscard]] Result<void> pause(const std::string& name,
                                     const ScheduleNote& note = ScheduleNote());
    /// Lets it go on with the next tick. Ticks of the time between are not caught up with.
    [[nodiscard]] Result<void> resume(const std::string& name,
                                      const ScheduleNote& note = ScheduleNote());
    /// Starts a run at once, also while others are under way, or while it is paused.
    [[nodiscard]] Result<void> run_now(const std::string& name,
                                       const ScheduleNote& note = ScheduleNote());
    /// Starts a run for each tick from `from` to before `to`, ticks that had one included. They run
    /// one after the other; with Overlap::allow at once. Errors: `invalid_argument` for an empty
    /// time.
    [[nodiscard]] Result<void> backfill(const std::string& name,
                                        Timestamp from,
                                        Timestamp to,
                                        const ScheduleNote& note = ScheduleNote());
    /// Removes it at once. Runs under way go on.
    [[nodiscard]] Result<void> remove(const std::string& name,
                                      const ScheduleNote& note = ScheduleNote());

    /// Returns all schedules, by name.
    [[nodiscard]] Result<std::vector<ScheduleView>> list();
    /// Returns one, with its times and its target, and the present states of its last runs.
    [[nodiscard]] Result<ScheduleView> show(const std::string& name);

private:
    Client* client_;
};

}  // namespace belay
