// Checks of code while it runs: handlers, and the lines that orchestrations log.
#include "runtime/retry_header.hpp"
#include "simulation/checks/observer.hpp"

namespace belay::sim {

// ---- Progress ----------------------------------------------------------------------------------

void Observer::check_progress(const InstanceDescription& described) {
    for (const Awaited& one : described.awaits) {
        if (one.kind != AwaitedKind::activity) continue;
        // Its row is gone, or is as good as gone.
        if (one.state == AwaitedState::answered || one.state == AwaitedState::stopped) continue;
        const ActivityRef activity{described.info.run, described.info.execution, one.command};
        const auto written = progress_.find(activity);
        expect(written == progress_.end() ? !one.progress : one.progress == written->second,
               "a client reads what was said of the progress last",
               [&] { return to_string(activity); });
        expect(one.progress.has_value() == one.progress_at.has_value(), "progress has a time", [&] {
            return to_string(activity);
        });
        if (!one.progress) continue;
        features_.add(Feature::progress_read);
        expect(effects_.has_said(activity, one.progress->bytes),
               "what a client reads of an activity, one of its handlers has said",
               [&] { return to_string(activity) + ": " + one.progress->bytes; });
    }
}

// ---- The log -----------------------------------------------------------------------------------

/// A worker that lost the run may take a turn that will be refused, and logs what another has
/// logged by then. The holder of the run has all of its history, and may only replay what that
/// contains. The time tells such a line from one of a turn that the worker took before it got the
/// run again.
void Observer::check_logged(const memory::Tables& tables,
                            const std::string& worker,
                            const LogRecord& line) {
    const std::size_t number = std::stoul(std::string(line.message));
    logged_.emplace(line.instance, line.execution, number, line.at);
    const memory::Run* const run = memory::find_run(tables, line.instance);
    if (run == nullptr || !run->lock || run->lock->worker != worker) return;
    const RunShadow* const shadow = find(run->ref);
    if (shadow == nullptr || line.execution > shadow->models.size()) return;
    const std::vector<Timestamp>& recorded = shadow->models[line.execution - 1].lines();
    expect(
        number > recorded.size() || recorded[number - 1] != line.at, "a replay logs nothing", [&] {
            return worker + " logs line " + std::to_string(number) + " of " + line.instance.id +
                   " again";
        });
}

void Observer::check_lines(const RunShadow& shadow, std::size_t before) {
    const std::vector<Timestamp>& lines = shadow.models[shadow.execution - 1].lines();
    for (std::size_t number = before + 1; number <= lines.size(); ++number) {
        features_.add(Feature::line_logged);
        expect(logged_.contains({shadow.name, shadow.execution, number, lines[number - 1]}),
               "a turn that is committed has logged its lines",
               [&] { return shadow.name.id + " line " + std::to_string(number); });
    }
}

// ---- Handlers ----------------------------------------------------------------------------------

void Observer::check_begins(const ActivityTask& handler) {
    const ActivityDetails& about = handler.details();
    const ActivityRef& ref = about.activity;
    const auto leases = leases_.find(ref);
    expect(leases != leases_.end() && effects_.times_begun(ref) < leases->second,
           "no handler begins without a lease of its own",
           [&] { return to_string(ref) + " attempt " + std::to_string(about.attempt); });
    const RunShadow* const shadow = find(ref.run);
    if (shadow == nullptr || ref.execution > shadow->models.size()) return;
    const std::vector<CommandState>& commands = shadow->models[ref.execution - 1].commands();
    const bool known = ref.command <= commands.size();
    expect(known && commands[ref.command - 1].input == handler.input(),
           "a handler gets the input that history has",
           [&] { return to_string(ref); });
    if (known) check_queue(about, commands[ref.command - 1].queue);
}

void Observer::check_queue(const ActivityDetails& handler, const std::string& queue) {
    const auto served = queues_.find(handler.worker);
    if (served == queues_.end() || !served->second) return;
    expect(queue == *served->second, "a handler begins where its queue is served", [&] {
        return to_string(handler.activity) + " of queue '" + queue + "' at " + handler.worker;
    });
    features_.add(Feature::routed);
}

/// Each claim of an activity has a higher attempt than those before it whose handlers began, so the
/// attempt tells whether it is this handler's lease that stands.
void Observer::check_told_to_stop(const memory::Tables& tables,
                                  const ActivityDetails& handler,
                                  StopReason reason) {
    if (reason != StopReason::canceled) return;
    const memory::Activity* const row = memory::find_activity(tables, handler.activity);
    // As the handler counts: with the attempts of its retry policy.
    const auto attempt_of = [](const memory::Activity& one) {
        return one.attempt + runtime::attempt_of(one.about.headers).number - 1;
    };
    expect(row == nullptr || !row->token || attempt_of(*row) != handler.attempt,
           "a handler is told that it was canceled only when it was",
           to_string(handler.activity) + " attempt " + std::to_string(handler.attempt));
}

}  // namespace belay::sim
