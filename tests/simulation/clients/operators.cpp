#include "simulation/clients/operators.hpp"

#include "simulation/program/interpreter.hpp"
#include "simulation/world/labels.hpp"
#include <belay/retention.hpp>

#include <utility>

namespace belay::sim {

namespace {

InstanceName named(const std::string& id) { return InstanceName{kSpace, id}; }

}  // namespace

Operators::Operators(Rng& rng,
                     Violations& violations,
                     const VirtualTime& time,
                     TrueStore& true_store,
                     Transport& transport,
                     Trace& trace,
                     EndpointNo endpoint,
                     const Limits& limits,
                     const Policy& policy,
                     ProgramStyle style)
    : rng_(rng),
      violations_(violations),
      true_store_(true_store),
      trace_(trace),
      store_(true_store, transport, trace, endpoint),
      clock_(time, Millis(0), Millis(0)),
      random_(rng.next()),
      client_(store_, clock_, random_, limits, policy),
      sender_(std::make_shared<client::Sender>(store_, clock_, random_, policy)),
      style_(style) {}

void Operators::act() {
    note_runs();
    const std::size_t kind = rng_.below(140);
    if (kind < 25) {
        start_fresh();
    } else if (kind < 35) {
        start(some_id());
    } else if (kind < 55) {
        cancel(some_id(), "an operator wants it");
    } else if (kind < 59) {
        terminate(some_id());
    } else if (kind < 72) {
        send(MessageKind::event_raised, some_id(), kEvents[rng_.below(kEvents.size())]);
    } else if (kind < 85) {
        send(MessageKind::queue_message, some_id(), kMailQueues[rng_.below(kMailQueues.size())]);
    } else if (kind < 92) {
        const std::string id = some_id();
        remove(id, rng_.percent(80));
        if (rng_.percent(50)) start(id);
    } else if (kind >= 115) {
        care_for_letters_and_holds();
    } else if (kind >= 100) {
        manage();
    } else if (!repeatable_.empty()) {
        const Request again = rng_.pick(repeatable_);
        say("repeats request " + again.request_id);
        again.send();
    }
}

std::string Operators::some_id() {
    std::vector<std::string> ids;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [name, run] : tables.names) ids.push_back(name.id);
    });
    if (ids.empty() || rng_.percent(5)) return "nobody";
    return rng_.pick(ids);
}

std::string Operators::request_id() {
    return rng_.percent(40) ? "q" + std::to_string(++last_request_) : std::string();
}

void Operators::remember(const std::string& request_id, std::function<void()> again) {
    if (!request_id.empty()) repeatable_.push_back(Request{request_id, std::move(again)});
}

void Operators::check_repeat(const std::string& request_id, const std::string& answer) {
    if (request_id.empty()) return;
    const auto [first, fresh] = answers_.try_emplace(request_id, answer);
    violations_.expect(first->second == answer,
                       "a repeated request is answered as the first was",
                       request_id + ": first " + first->second + ", then " + answer);
}

void Operators::start_fresh() { start("i" + std::to_string(++started_)); }

void Operators::start(const std::string& id) {
    if (id.find('/') != std::string::npos) return;
    StartOptions options;
    options.id(id)
        .version(wanted_version(id))
        .on_conflict(static_cast<IdConflict>(1 + rng_.below(3)));
    if (rng_.percent(30)) {
        options.key("key" + std::to_string(rng_.below(3)),
                    static_cast<KeyScope>(1 + rng_.below(4)),
                    Millis(rng_.between(1, 3000)));
    }
    if (const auto group = group_of(id)) options.label(kGroup, *group);
    if (rng_.percent(10)) options.delay(Millis(rng_.between(1, 500)));
    const std::string request = request_id();
    options.request_id(request);
    const std::string definition(kDefinitions[rng_.below(kDefinitions.size())].name());
    const Payload input = program_input(to_text(*random_program(rng_, style_)), rng_.between(0, 3));
    say("starts " + id + " as " + definition + " " + input.bytes);
    start(definition, input, options, request);
    remember(request, [this, definition, input, options, request] {
        start(definition, input, options, request);
    });
}

void Operators::start(const std::string& definition,
                      const Payload& input,
                      const StartOptions& options,
                      const std::string& request_id) {
    client_.start(
        definition, input, options, [this, request_id](const Result<StartResult>& result) {
            // A start that found something else in its place used up nothing.
            if (result && result->created)
                check_repeat(request_id, to_string(result->instance.run));
        });
}

void Operators::start_run(const std::string& definition,
                          const Payload& input,
                          const StartOptions& options) {
    say("starts " + definition + " " + input.bytes);
    start(definition, input, options, std::string());
}

void Operators::terminate(const std::string& id) {
    CancelOptions options;
    options.by("operator").reason("at once");
    client_.terminate(named(id), options, [](const Result<CancelResult>&) {});
}

void Operators::cancel(const std::string& id, const std::string& reason) {
    const std::string request = request_id();
    CancelOptions options;
    options.by("operator").reason(reason).request_id(request);
    const auto ask = [this, id, options, request] {
        client_.cancel(named(id), options, [this, request](const Result<CancelResult>& result) {
            if (!result) return;
            check_repeat(request,
                         to_string(result->instance.run) + (result->changed ? " changed" : ""));
        });
    };
    ask();
    remember(request, ask);
}

void Operators::send(MessageKind channel, const std::string& id, const std::string& name) {
    const std::string request = request_id();
    const Payload payload = Payload::text("m" + std::to_string(++last_message_));
    const auto ask = [this, channel, id, name, payload, request] {
        const auto done = [this, request](const Result<InstanceBrief>& result) {
            if (result) check_repeat(request, to_string(result->run));
        };
        if (channel == MessageKind::event_raised) {
            client_.raise(named(id), name, payload, request, done);
        } else {
            client_.enqueue(named(id), name, payload, request, done);
        }
    };
    ask();
    remember(request, ask);
}

void Operators::remove(const std::string& id, bool force) {
    client_.delete_instance(named(id), force, {}, [](const Result<DeleteCounts>&) {});
}

// ---- Deletion and pruning of many --------------------------------------------------------------

void Operators::manage() {
    const std::size_t kind = rng_.below(12);
    if (kind < 3) {
        prune(some_chain());
    } else if (kind < 6) {
        prune_many();
    } else if (kind < 8) {
        std::vector<std::string> ids = tree_of(some_id());
        // A list may be wrong from the beginning, and not only by the time it is looked at.
        if (!ids.empty() && rng_.percent(10)) ids.erase(ids.begin());
        remove_listed(ids, rng_.percent(60));
    } else if (kind < 10) {
        remove_many(some_filter());
    } else {
        keep_some();
    }
}

std::string Operators::some_chain() {
    std::vector<std::string> ids;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (run.executions.size() > 1) ids.push_back(run.about.name.id);
        }
    });
    return ids.empty() ? some_id() : rng_.pick(ids);
}

std::vector<std::string> Operators::tree_of(const std::string& id) {
    std::vector<std::string> ids;
    if (const auto tree = true_store_.read(ListTree{named(id)})) {
        for (const InstanceBrief& one : *tree) ids.push_back(one.name.id);
    }
    return ids;
}

void Operators::remove_listed(const std::string& id, bool force) {
    remove_listed(tree_of(id), force);
}

void Operators::remove_listed(const std::vector<std::string>& ids, bool force) {
    client_.delete_instances_atomic(
        kSpace, ids, force, {}, [this, ids](const Result<DeleteInstanceResult>& result) {
            if (!result) return;
            // Earlier runs of the same names may go along.
            violations_.expect(result->instances >= ids.size(),
                               "what is deleted as a list is deleted whole",
                               ids.back());
        });
}

void Operators::remove_many(const InstanceFilter& filter) {
    say("deletes many");
    client_.delete_instance_bulk(filter, [](const Result<DeleteInstanceResult>&) {});
}

void Operators::prune(const std::string& id) {
    client_.prune_executions(named(id), some_age(), [](const Result<PruneResult>&) {});
}

void Operators::prune_many() {
    say("prunes many");
    client_.prune_executions_bulk(
        some_filter(), some_age().include_running(rng_.percent(70)), [](const auto&) {});
}

void Operators::keep_some() {
    say("applies a retention");
    RetentionRule rule;
    if (rng_.percent(50)) rule.max_age(Millis(rng_.between(0, 2000)));
    if (rng_.percent(50)) rule.max_count(static_cast<std::uint32_t>(rng_.below(4)));
    ExecutionRule executions;
    if (rng_.percent(50)) executions.max_age(Millis(rng_.between(0, 2000)));
    if (rng_.percent(50)) executions.max_count(static_cast<std::uint32_t>(rng_.below(4)));
    client_.apply_retention(RetentionRequest()
                                .space(kSpace)
                                .policy(RetentionPolicy().add(rule).add(executions))
                                .limit(static_cast<std::uint32_t>(1 + rng_.below(4))),
                            [](const Result<RetentionResult>&) {});
}

InstanceFilter Operators::some_filter() {
    InstanceFilter filter;
    filter.space(kSpace);
    if (rng_.percent(40)) filter.ids({some_id(), some_id(), some_id()});
    if (rng_.percent(40)) filter.completed_before(some_time_ago());
    filter.limit(static_cast<std::uint32_t>(1 + rng_.below(4)));
    return filter;
}

PruneOptions Operators::some_age() {
    PruneOptions options;
    if (rng_.percent(70)) options.keep_last(static_cast<std::uint32_t>(rng_.below(4)));
    if (rng_.percent(30)) options.completed_before(some_time_ago());
    return options;
}

Timestamp Operators::some_time_ago() { return true_store_.now() - Millis(rng_.between(0, 2000)); }

void Operators::say(const std::string& text) {
    trace_.line("operator", [&] { return text; });
}

}  // namespace belay::sim
