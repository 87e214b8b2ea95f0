// Waiting for a run, through the client.
#include "client/waits.hpp"
#include <belay/client.hpp>

#include <string>
#include <utility>

namespace belay {

using client::Sighting;
using client::UntilEnded;
using client::UntilSettled;
using client::UntilStatus;
using client::UntilValue;

namespace {

Result<Outcome> outcome_of(const InstanceInfo& info, std::string_view definition) {
    if (!definition.empty() && info.definition != definition) {
        return Error(Errc::invalid_argument,
                     "instance '" + info.name.id + "' is a run of '" + info.definition +
                         "', not of '" + std::string(definition) + "'");
    }
    if (!info.outcome) {
        return Error(Errc::still_running,
                     "instance '" + info.name.id + "' is " + std::string(to_string(info.status)));
    }
    return *info.outcome;
}

Result<Outcome> outcome_of(const Result<InspectedRun>& run, std::string_view definition) {
    if (!run) return run.error();
    return outcome_of(run->info, definition);
}

Result<InstanceInfo> info_of(const Result<InspectedRun>& run) {
    if (!run) return run.error();
    return run->info;
}

Result<std::optional<Payload>> value_of(const Result<InspectedRun>& run, const std::string& key) {
    if (!run) return run.error();
    const auto found = run->values.find(key);
    if (found == run->values.end()) return std::optional<Payload>();
    return std::optional<Payload>(found->second);
}

client::WaitTable::Told tells_outcome(Done<Outcome> done) {
    return [done = std::move(done)](const Sighting& sighting) {
        done(outcome_of(*sighting, std::string_view()));
    };
}

}  // namespace

Result<Outcome> Client::outcome(const InstanceName& name) { return outcome_as({}, name); }

Result<Outcome> Client::outcome_as(std::string_view definition, const InstanceName& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return outcome_of(*info, definition);
}

Result<Outcome> Client::wait(const InstanceName& name, Millis timeout) {
    return wait_as({}, name, timeout);
}

Result<Outcome> Client::wait_as(std::string_view definition,
                                const InstanceName& name,
                                Millis timeout) {
    return outcome_of(*waits_->wait({name}, UntilEnded(), timeout), definition);
}

Result<Outcome> Client::wait_for_started(std::string_view definition,
                                         const StartResult& started,
                                         Millis timeout) {
    const InstanceBrief& run = started.instance;
    return outcome_of(*waits_->wait({run.name, run.run}, UntilEnded(), timeout), definition);
}

void Client::wait_for_started(const StartResult& started, Done<Outcome> done) {
    const InstanceBrief& run = started.instance;
    waits_->add({run.name, run.run}, UntilEnded(), tells_outcome(std::move(done)));
}

void Client::wait(const InstanceName& name, Done<Outcome> done) {
    waits_->add({name}, UntilEnded(), tells_outcome(std::move(done)));
}

Result<Outcome> Client::wait_until_settled(const InstanceName& name, Millis timeout) {
    return settled_as({}, name, timeout);
}

Result<Outcome> Client::settled_as(std::string_view definition,
                                   const InstanceName& name,
                                   Millis timeout) {
    return outcome_of(*waits_->wait({name}, UntilSettled(), timeout), definition);
}

void Client::wait_until_settled(const InstanceName& name, Done<Outcome> done) {
    waits_->add({name}, UntilSettled(), tells_outcome(std::move(done)));
}

Result<InstanceInfo> Client::wait_for_status(const InstanceName& name,
                                             std::uint64_t seen,
                                             Millis timeout) {
    return info_of(*waits_->wait({name}, UntilStatus{seen}, timeout));
}

void Client::wait_for_status(const InstanceName& name,
                             std::uint64_t seen,
                             Done<InstanceInfo> done) {
    waits_->add({name}, UntilStatus{seen}, [done = std::move(done)](const Sighting& sighting) {
        done(info_of(*sighting));
    });
}

Result<std::optional<Payload>> Client::wait_for_value(const InstanceName& name,
                                                      const std::string& key,
                                                      const std::optional<Payload>& known,
                                                      Millis timeout) {
    return value_of(*waits_->wait({name}, UntilValue{key, known}, timeout), key);
}

void Client::wait_for_value(const InstanceName& name,
                            const std::string& key,
                            const std::optional<Payload>& known,
                            Done<std::optional<Payload>> done) {
    waits_->add(
        {name}, UntilValue{key, known}, [key, done = std::move(done)](const Sighting& seen) {
            done(value_of(*seen, key));
        });
}

bool Client::step() { return waits_->step(); }

bool Client::wait_until_due(Millis timeout) { return waits_->wait_until_due(timeout); }

std::optional<Millis> Client::next_due() const { return waits_->next_due(); }

}  // namespace belay
