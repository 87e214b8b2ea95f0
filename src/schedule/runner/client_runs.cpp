#include "schedule/runner/client_runs.hpp"

#include "base/utc.hpp"
#include "schedule/runner/names.hpp"
#include <belay/client_options.hpp>
#include <belay/exceptions.hpp>
#include <belay/requests/finding.hpp>
#include <belay/service.hpp>

#include <algorithm>

namespace belay::schedule {

namespace {

/// The time for which a tick starts no second run, should its start not have been recorded. Longer
/// than any time without workers, and bounded so that old keys go.
constexpr Millis kKeyWindow{400LL * 86'400'000};

/// The same as that of flows.
constexpr const char* kStartedByHeader = "started-by";

/// "20261119T031500Z", with milliseconds only if there are any.
std::string compact_stamp(Timestamp at) {
    std::string text = base::utc(at);
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    if (text.ends_with(".000Z")) text.erase(text.size() - 5, 4);
    return text;
}

std::string run_id(const std::string& name, const RunRequest& request) {
    const std::string serial = std::to_string(request.serial);
    if (request.cause == ScheduleCause::run_now) return name + "-now-" + serial;
    const std::string extra =
        request.cause == ScheduleCause::backfill ? "backfill-" + serial + "-" : "";
    return name + "-" + extra + compact_stamp(request.tick);
}

/// The same for a tick on time and for one that is caught up with.
std::string run_key(RunKey owner, const RunRequest& request) {
    return std::string(kDefinition) + "/" + std::to_string(owner.value) + "/" +
           std::to_string(request.serial) + "/" + std::to_string(to_unix_ms(request.tick));
}

/// True if a repeat of the same request cannot succeed either.
bool is_final(Errc code) {
    return code == Errc::invalid_argument || code == Errc::limit_exceeded ||
           code == Errc::not_found || code == Errc::unsupported ||
           code == Errc::request_id_reused || code == Errc::concurrency_busy ||
           code == Errc::rate_exceeded;
}

}  // namespace

void throw_unanswered(const Error& error) {
    throw ApplicationError("belay.schedule.unanswered", error.describe());
}

BegunRun ClientRuns::start(const ScheduleSpec& spec, const RunRequest& request) {
    StartOptions options;
    options.id(run_id(name_, request)).owner(spec.owner).started_by("schedule " + name_);
    options.key(run_key(owner_, request), KeyScope::window, kKeyWindow);
    options.version(spec.version).priority(spec.priority).on_fail(spec.on_fail);
    // Documents see who started them only by this header.
    if (spec.document) options.header(kStartedByHeader, "schedule " + name_);
    for (const auto& [header, value] : spec.headers) options.header(header, value);
    for (const auto& [label, value] : spec.labels) options.label(label, value);
    options.label(kLabel, name_);
    if (spec.expires) options.expires(*spec.expires);
    if (spec.deadline) options.deadline(*spec.deadline);
    if (spec.concurrency) {
        options.concurrency(spec.concurrency->key, spec.concurrency->when_busy);
    }
    if (spec.rate) options.rate(spec.rate->count, spec.rate->per, spec.rate->when_over);
    if (spec.document) options.document(*spec.document);
    Result<StartResult> started = client_.start(spec.definition, spec.input, options);
    if (!started && started.error().code() == Errc::id_in_use) {
        // Somebody else has a run of this id. The key is looked at first, so it is not this one.
        started = client_.start(spec.definition, spec.input, options.id(""));
    }
    if (started) {
        const InstanceBrief& instance = started->instance;
        return {.id = instance.name.id, .key = instance.run.key, .status = instance.status};
    }
    if (!is_final(started.error().code())) throw_unanswered(started.error());
    return {.refused = started.error().describe()};
}

std::vector<std::optional<SeenRun>> ClientRuns::look(const std::vector<const StartedRun*>& runs) {
    requests::InspectMany request;
    for (const StartedRun* const run : runs) {
        const std::string& id = run->shown.id;
        request.instances.push_back(
            {.name = {client_.default_namespace(), id}, .run = RunRef{shard_of(id), run->key}});
    }
    const auto answer = client_.service().ask(std::move(request));
    if (!answer) throw_unanswered(answer.error());
    std::vector<std::optional<SeenRun>> seen;
    for (const std::optional<InspectedRun>& one : *answer) {
        seen.push_back(one ? std::optional(SeenRun{one->info.status, one->info.settled})
                           : std::nullopt);
    }
    return seen;
}

void ClientRuns::cancel(const StartedRun& run) {
    const std::string& id = run.shown.id;
    const InstanceAddress address(InstanceName{client_.default_namespace(), id},
                                  RunRef{shard_of(id), run.key});
    const auto canceled = client_.cancel(address,
                                         CancelOptions()
                                             .by("schedule " + name_)
                                             .reason("the next run of the schedule is due")
                                             .source(CancelSource::policy));
    if (!canceled && canceled.error().code() != Errc::not_found) {
        throw_unanswered(canceled.error());
    }
}

Timestamp ClientRuns::now() {
    const auto answer = client_.service().ask(requests::Now{});
    if (!answer) throw_unanswered(answer.error());
    return *answer;
}

}  // namespace belay::schedule
