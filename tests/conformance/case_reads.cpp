// Reads.
#include "conformance/case.hpp"

namespace belay::conformance {

std::optional<InstanceInfo> Case::find(std::string id, Where where) {
    ReadInstance request;
    request.name = named(std::move(id));
    return read(std::move(request), where);
}

std::optional<InstanceInfo> Case::find(RunRef run, Where where) {
    ReadInstance request;
    request.run = run;
    return read(std::move(request), where);
}

InstanceInfo Case::info(RunRef run, Where where) {
    auto found = find(run, where);
    if (!found) stop("there is no such run", where);
    return std::move(*found);
}

InstanceInfo Case::found(std::string id, Where where) {
    auto instance_found = find(std::move(id), where);
    if (!instance_found) stop("there is no such instance", where);
    return std::move(*instance_found);
}

Outcome Case::outcome_of(RunRef run, Where where) {
    auto known = info(run, where);
    if (!known.outcome) stop("the run has not ended", where);
    return std::move(*known.outcome);
}

CancelRecord Case::cancel_record(RunRef run, Where where) {
    auto known = info(run, where);
    if (!known.cancel) stop("the run was not canceled", where);
    return std::move(*known.cancel);
}

Status Case::status(RunRef run, Where where) { return info(run, where).status; }

std::vector<ActivityInfo> Case::activities(std::optional<RunRef> run, Where where) {
    return read(ListActivities{run}, where);
}

std::vector<StoppingInfo> Case::stopping(RunRef run, Where where) {
    ReadOpenWork request;
    request.run = run;
    ReadOpenWork::Answer work = read(std::move(request), where);
    return work ? std::move(work->stopping) : std::vector<StoppingInfo>();
}

std::uint64_t Case::count_stopping(Where where) { return read(CountQueues(), where).stopping; }

std::vector<ListedInstance> Case::held(Where where) {
    ListInstances request;
    request.space = named("any").space;
    request.held_only = true;
    return read(std::move(request), where);
}

std::vector<DeadLetter> Case::dead_letters(Where where) { return read(ListDeadLetters(), where); }

std::map<std::string, Payload> Case::key_values(RunRef run, Where where) {
    return read(KeyValues{run}, where);
}

std::vector<RecordedRow> Case::history(RunRef run, ExecutionNo execution, Where where) {
    ReadHistory request;
    request.run = run;
    request.execution = execution;
    return read(std::move(request), where);
}

}  // namespace belay::conformance
