// Handles of started runs, and reads of one run by a client.
#include "model/event.hpp"
#include <belay/client.hpp>
#include <belay/run.hpp>
#include <belay/service.hpp>
#include <belay/shown_status.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace belay {

// ---- Reads of one run --------------------------------------------------------------------------

Result<Status> Client::status(const InstanceAddress& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return shown_status(*info);
}

Result<std::optional<Payload>> Client::custom_status_payload(const InstanceAddress& name) {
    Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return std::move(info->custom_status);
}

Result<std::map<std::string, Payload>> Client::values(const InstanceAddress& name) {
    if (!name.run()) return service_->ask(requests::ReadValues{name.name(space_)});
    requests::InspectMany request;
    request.instances.push_back({name.name(space_), name.run(), true});
    Result<requests::InspectMany::Answer> found = service_->ask(std::move(request));
    if (!found) return found.error();
    std::optional<InspectedRun>& run = found->at(0);
    if (!run) return Error(Errc::not_found, "there is no instance '" + name.id() + "'");
    return std::move(run->values);
}

Result<std::vector<ExecutionInfo>> Client::executions(const InstanceAddress& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return service_->ask(requests::ListExecutions{info->run});
}

namespace {

/// Returns the input that an execution began with; none if it has no history yet.
Result<std::optional<Payload>> recorded_input(Service& service, RunRef run, ExecutionNo execution) {
    const Result<std::vector<RecordedRow>> rows =
        service.ask(requests::ReadHistory{run, execution, 0, 1});
    if (!rows) return rows.error();
    if (rows->empty()) return std::optional<Payload>();
    Result<std::vector<model::Event>> events = model::decode_events(rows->front().row);
    if (!events) return events.error();
    for (model::Event& event : *events) {
        if (auto* started = std::get_if<model::ExecutionStarted>(&event)) {
            return std::optional<Payload>(std::move(started->input));
        }
    }
    return Error(Errc::corrupt, "a history does not begin with the start of its execution");
}

}  // namespace

Result<std::vector<std::pair<ExecutionInfo, Payload>>> Client::executions_with_input(
    std::string_view definition, const InstanceAddress& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    if (info->definition != definition) {
        return Error(Errc::invalid_argument,
                     "instance '" + info->name.id + "' is a run of '" + info->definition +
                         "', not of '" + std::string(definition) + "'");
    }
    const Result<std::vector<ExecutionInfo>> executions =
        service_->ask(requests::ListExecutions{info->run});
    if (!executions) return executions.error();
    std::vector<std::pair<ExecutionInfo, Payload>> found;
    for (const ExecutionInfo& one : *executions) {
        Result<std::optional<Payload>> input = recorded_input(*service_, info->run, one.execution);
        if (!input) return input.error();
        if (*input) {
            found.emplace_back(one, std::move(**input));
        } else if (one.execution == info->execution) {
            found.emplace_back(one, info->input);  // Its first turn has not come.
        }
    }
    return found;
}

// ---- Handles -----------------------------------------------------------------------------------

AnyRun::AnyRun(const Client& client, std::string definition, Result<StartResult> started)
    : Result<StartResult>(std::move(started)),
      service_(client.service_),
      waits_(client.waits_),
      definition_(std::move(definition)) {}

Client AnyRun::client() const { return Client(service_, waits_); }

Result<CancelResult> AnyRun::cancel(std::string reason) const {
    return cancel(CancelOptions().reason(std::move(reason)));
}

Result<CancelResult> AnyRun::cancel(const CancelOptions& options) const {
    if (!ok()) return error();
    return client().cancel(address(), options);
}

Result<CancelResult> AnyRun::terminate(std::string reason) const {
    if (!ok()) return error();
    return client().terminate(address(), CancelOptions().reason(std::move(reason)));
}

Result<void> AnyRun::raise(std::string event) const { return raise(std::move(event), Payload()); }

Result<void> AnyRun::raise(std::string event, Payload payload) const {
    if (!ok()) return error();
    return client().raise(address(), std::move(event), std::move(payload));
}

Result<void> AnyRun::enqueue(std::string queue, Payload payload) const {
    if (!ok()) return error();
    return client().enqueue(address(), std::move(queue), std::move(payload));
}

Result<Status> AnyRun::status() const {
    if (!ok()) return error();
    return client().status(address());
}

Result<InstanceInfo> AnyRun::inspect() const {
    if (!ok()) return error();
    return client().inspect(address());
}

Result<std::optional<Payload>> AnyRun::custom_status_payload() const {
    if (!ok()) return error();
    return client().custom_status_payload(address());
}

Result<Outcome> AnyRun::wait_for_end(Millis timeout) const {
    if (!ok()) return error();
    return client().wait_as(definition_, address(), timeout);
}

Result<Outcome> AnyRun::wait_until_all_settled(Millis timeout) const {
    if (!ok()) return error();
    return client().settled_as(definition_, address(), timeout);
}

}  // namespace belay
