// Reads.
#include "conformance/answer_to.hpp"
#include "conformance/case.hpp"

namespace belay::conformance {

template <class Request>
typename Request::Answer Case::read_any(Request request, Where where) {
    auto result = answer_to<typename Request::Answer>([&](Done<typename Request::Answer> done) {
        store_->read(std::move(request), std::move(done));
    });
    if (!result) stop("read: " + result.error().describe(), where);
    return std::move(*result);
}

ReadInstance::Answer Case::read(ReadInstance request, Where where) {
    return read_any(std::move(request), where);
}

ReadHistory::Answer Case::read(ReadHistory request, Where where) {
    return read_any(std::move(request), where);
}

ListExecutions::Answer Case::read(ListExecutions request, Where where) {
    return read_any(std::move(request), where);
}

ListChildren::Answer Case::read(ListChildren request, Where where) {
    return read_any(std::move(request), where);
}

ListTree::Answer Case::read(ListTree request, Where where) {
    return read_any(std::move(request), where);
}

SelectInstances::Answer Case::read(SelectInstances request, Where where) {
    return read_any(std::move(request), where);
}

ListOutcomes::Answer Case::read(ListOutcomes request, Where where) {
    return read_any(std::move(request), where);
}

ReadRetention::Answer Case::read(ReadRetention request, Where where) {
    return read_any(std::move(request), where);
}

KeyValues::Answer Case::read(KeyValues request, Where where) {
    return read_any(std::move(request), where);
}

ListDeadLetters::Answer Case::read(ListDeadLetters request, Where where) {
    return read_any(std::move(request), where);
}

ListActivities::Answer Case::read(ListActivities request, Where where) {
    return read_any(std::move(request), where);
}

ListStopping::Answer Case::read(ListStopping request, Where where) {
    return read_any(std::move(request), where);
}

ListHeld::Answer Case::read(ListHeld request, Where where) {
    return read_any(std::move(request), where);
}

CheckLeases::Answer Case::read(CheckLeases request, Where where) {
    return read_any(std::move(request), where);
}

ListInstances::Answer Case::read(ListInstances request, Where where) {
    return read_any(std::move(request), where);
}

CountInstances::Answer Case::read(CountInstances request, Where where) {
    return read_any(std::move(request), where);
}

ListKeys::Answer Case::read(ListKeys request, Where where) {
    return read_any(std::move(request), where);
}

CountQueues::Answer Case::read(CountQueues request, Where where) {
    return read_any(std::move(request), where);
}

ListLeases::Answer Case::read(ListLeases request, Where where) {
    return read_any(std::move(request), where);
}

ReadOpenWork::Answer Case::read(ReadOpenWork request, Where where) {
    return read_any(std::move(request), where);
}

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

std::vector<StoppingInfo> Case::stopping(std::optional<RunRef> run, Where where) {
    return read(ListStopping{run}, where);
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
