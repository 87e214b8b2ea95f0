#include "flow/interpreter/picture.hpp"

#include "document/document.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/interpreter/attempt_log.hpp"
#include "flow/interpreter/interpreter.hpp"
#include "flow/interpreter/recorder.hpp"
#include "model/annotations.hpp"
#include "replay/execution.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace belay::flow {

std::string_view to_string(StepStatus status) noexcept {
    static constexpr std::array<std::string_view, 9> kNames{"pending",
                                                            "queued",
                                                            "started",
                                                            "waiting",
                                                            "canceling",
                                                            "completed",
                                                            "failed",
                                                            "skipped",
                                                            "canceled"};
    return kNames[static_cast<std::size_t>(status)];
}

namespace {

/// Adds the attempts of a call that has not ended.
void add_attempts(Progress& progress, const AttemptLog& attempts) {
    const CallAttempts* const call = attempts.find(progress.command);
    if (call == nullptr) return;
    progress.attempts = call->attempts;
    progress.child = call->child;
    const bool was_canceled = progress.status == StepStatus::canceled;
    // While it waits for its next attempt, this is a timer, and no handler has its number.
    progress.command = !has_ended(progress.status) || was_canceled ? call->current : 0;
    if (has_ended(progress.status)) return;
    if (call->next_at) {
        progress.status = StepStatus::waiting;
        progress.waits = StepWait{.what = StepWait::What::retry, .until = call->next_at};
        progress.failure = call->last;
    } else {
        progress.status = call->is_activity ? StepStatus::queued : StepStatus::started;
    }
}

std::string why_canceled(const RecordedRun& run) {
    switch (run.status) {
        case Status::canceled: return "the run was canceled";
        case Status::failed: return "the run failed";
        default: return "the run ended";
    }
}

void skip_list(ListPicture& list, const char* why) {
    for (StepPicture& step : list.steps) {
        if (has_ended(step.status)) continue;
        step.status = StepStatus::skipped;
        step.reason = why;
    }
}

/// In a run for a failure no other list begins.
void skip_others(FlowPicture& picture) {
    const bool handles_failure = std::ranges::any_of(picture.lists, [](const ListPicture& list) {
        return list.name == ListName::on_fail && list.began_at;
    });
    if (!handles_failure) return;
    for (ListPicture& list : picture.lists) {
        if (list.name != ListName::on_fail) skip_list(list, "this run handles a failure");
    }
}

/// Gives every step of a run that has ended a last state.
void close_all(FlowPicture& picture, const RecordedRun& run) {
    for (ListPicture& list : picture.lists) {
        if (run.status == Status::skipped) skip_list(list, "the run was skipped");
        const bool is_due = list.began_at || list.name == ListName::steps ||
                            list.name == ListName::finally ||
                            (list.name == ListName::on_cancel && run.status == Status::canceled);
        if (is_due) {
            close_list(list, run.ended_at, why_canceled(run));
        } else {
            skip_list(list, "the run did not need it");
        }
    }
}

/// Returns the `end_flow` of a step, as it was written.
std::string why_ended(const Definition& definition, const std::string& step) {
    const auto found = std::ranges::find(definition.steps, step, &Step::id);
    return found == definition.steps.end() ? std::string() : found->end_flow_text;
}

void finish(FlowPicture& picture, const RecordedRun& run) {
    skip_others(picture);
    if (is_terminal(run.status)) close_all(picture, run);
    const AttemptLog attempts(run.events);
    for (ListPicture& list : picture.lists) {
        for (StepPicture& step : list.steps) {
            add_attempts(step, attempts);
            for (ItemPicture& item : step.items) add_attempts(item, attempts);
            for (ChunkPicture& chunk : step.chunks) {
                chunk.child = run.name.id + "/" + chunk.child;
            }
        }
    }
}

}  // namespace

Result<FlowPicture> picture_of(std::shared_ptr<const Definition> definition,
                               const RecordedRun& run,
                               const Limits& limits) {
    const auto plan = std::make_shared<const Plan>(std::move(definition));
    const auto recorder = std::make_shared<Recorder>(plan);
    replay::Execution replayed(
        handler_of(plan, recorder),
        replay::Identity{
            run.name, run.execution, plan->definition().name, run.version, {}, run.headers},
        limits);
    const Result<void> same = replayed.replay(run.events);
    if (!same) return same.error();
    FlowPicture picture = recorder->take();
    picture.run = run.name.id;
    picture.status = run.status;
    picture.ended_why = why_ended(plan->definition(), picture.ended_by);
    finish(picture, run);
    return picture;
}

namespace {

RecordedRun recorded(document::Document document) {
    document::DocumentInstance& instance = document.instance;
    RecordedRun run;
    run.name = InstanceName{instance.space, instance.id};
    run.version = instance.version;
    run.headers = model::given_headers(instance.headers);
    run.status = instance.status;
    run.outcome = std::move(instance.outcome);
    run.ended_at = instance.ended_at;
    if (document.executions.empty()) return run;
    document::DocumentExecution& last = document.executions.back();
    run.execution = last.execution;
    for (auto& turn : last.turns) {
        run.events.insert(run.events.end(), turn.begin(), turn.end());
    }
    return run;
}

}  // namespace

Result<FlowPicture> picture_of(std::shared_ptr<const Definition> definition,
                               std::string_view exported,
                               const Limits& limits) {
    Result<document::Document> read = document::read_document(exported, limits);
    if (!read) return read.error();
    return picture_of(std::move(definition), recorded(*std::move(read)), limits);
}

Result<FlowPicture> picture_of(std::string_view exported, const Limits& limits) {
    Result<document::Document> read = document::read_document(exported, limits);
    if (!read) return read.error();
    const document::DocumentInstance& instance = read->instance;
    if (!instance.document) {
        return Error(Errc::not_found, "'" + instance.id + "' is no run of a flow");
    }
    auto definition = definition_in(instance.document->text, instance.definition);
    if (!definition) return definition.error();
    return picture_of(*std::move(definition), recorded(*std::move(read)), limits);
}

Result<std::shared_ptr<const Definition>> definition_in(const Payload& document,
                                                        const std::string& name) {
    Result<Bundle> bundle = open_bundle(document.bytes);
    if (!bundle) return bundle.error();
    const auto found = bundle->flows.find(name);
    if (found == bundle->flows.end()) {
        return Error(Errc::not_found, "the document has no definition '" + name + "'");
    }
    return std::make_shared<const Definition>(std::move(found->second));
}

// ---- Additions ---------------------------------------------------------------------------------

namespace {

bool is_begun(const Awaited& awaited) {
    return awaited.state == AwaitedState::running || awaited.state == AwaitedState::lease_expired ||
           awaited.state == AwaitedState::answered || awaited.state == AwaitedState::retrying;
}

void add_await(Progress& progress, const Awaited& awaited) {
    if (has_ended(progress.status) || progress.command != awaited.command) return;
    if (awaited.kind != AwaitedKind::activity) return;
    progress.status = is_begun(awaited) ? StepStatus::started : StepStatus::queued;
    progress.worker = awaited.worker;
}

}  // namespace

void add_awaits(FlowPicture& picture, const std::vector<Awaited>& awaits) {
    std::map<CommandNo, const Awaited*> by_command;
    for (const Awaited& awaited : awaits) by_command.emplace(awaited.command, &awaited);
    const auto add = [&](Progress& progress) {
        const auto found = by_command.find(progress.command);
        if (progress.command != 0 && found != by_command.end()) add_await(progress, *found->second);
    };
    for (ListPicture& list : picture.lists) {
        for (StepPicture& step : list.steps) {
            add(step);
            for (ItemPicture& item : step.items) add(item);
        }
    }
}

namespace {

/// Marks what was canceled and still stops.
class Stopping {
public:
    Stopping(const std::vector<StoppingInfo>& stopping,
             const std::function<bool(const std::string&)>& child_stops)
        : child_stops_(child_stops) {
        for (const StoppingInfo& one : stopping) {
            workers_.emplace(one.activity.command, one.worker);
        }
    }

    void mark(StepPicture& step) const {
        mark_one(step);
        for (ItemPicture& item : step.items) {
            mark_one(item);
            if (item.status == StepStatus::canceling) make_canceling(step);
        }
        for (const ChunkPicture& chunk : step.chunks) {
            if (step.status == StepStatus::canceled && child_stops_(chunk.child)) {
                make_canceling(step);
            }
        }
    }

private:
    void mark_one(Progress& progress) const {
        if (progress.status != StepStatus::canceled) return;
        const auto worker = workers_.find(progress.command);
        if (progress.command != 0 && worker != workers_.end()) {
            make_canceling(progress);
            progress.worker = worker->second;
        } else if (!progress.child.empty() && child_stops_(progress.child)) {
            make_canceling(progress);
        }
    }

    static void make_canceling(Progress& progress) {
        if (progress.status != StepStatus::canceled) return;
        progress.status = StepStatus::canceling;
        progress.ended_at.reset();
    }

    const std::function<bool(const std::string&)>& child_stops_;
    std::map<CommandNo, std::string> workers_;
};

}  // namespace

void add_stopping(FlowPicture& picture,
                  const std::vector<StoppingInfo>& stopping,
                  const std::function<bool(const std::string&)>& child_stops) {
    const Stopping marks(stopping, child_stops);
    for (ListPicture& list : picture.lists) {
        for (StepPicture& step : list.steps) marks.mark(step);
    }
}

void add_chunk(FlowPicture& picture, const FlowPicture& child) {
    for (ListPicture& list : picture.lists) {
        for (StepPicture& step : list.steps) {
            const auto chunk = std::ranges::find(step.chunks, child.run, &ChunkPicture::child);
            const StepPicture* const items = find_step(child, step.id);
            if (chunk == step.chunks.end() || items == nullptr) continue;
            std::ranges::copy_if(
                items->items, std::back_inserter(step.items), [&](const ItemPicture& item) {
                    return item.item >= chunk->from && item.item < chunk->from + chunk->count;
                });
            std::ranges::sort(step.items, {}, &ItemPicture::item);
        }
    }
}

const StepPicture* find_step(const FlowPicture& picture, std::string_view id) noexcept {
    for (const ListPicture& list : picture.lists) {
        const auto found = std::ranges::find(list.steps, id, &StepPicture::id);
        if (found != list.steps.end()) return &*found;
    }
    return nullptr;
}

}  // namespace belay::flow
