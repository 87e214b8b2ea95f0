// Waiting for a run, through the client.
#include "client/waits.hpp"
#include <belay/client.hpp>
#include <belay/shown_status.hpp>

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
    if (!info.outcome || !has_ended(info)) {
        return Error(
            Errc::still_running,
            "instance '" + info.name.id + "' is " + std::string(to_string(shown_status(info))));
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

client::Waits::Aim aim_of(const InstanceAddress& address, const std::string& space) {
    return {address.name(space), address.run()};
}

client::WaitTable::Callback tells_outcome(Done<Outcome> done) {
    return [done = std::move(done)](const Sighting& sighting) {
        done(outcome_of(*sighting, std::string_view()));
    };
}

}  // namespace

Result<Outcome> Client::outcome(const InstanceAddress& name) { return outcome_as({}, name); }

Result<Outcome> Client::outcome_as(std::string_view definition, const InstanceAddress& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return outcome_of(*info, definition);
}

Result<Outcome> Client::wait(const InstanceAddress& name, Millis timeout) {
    return wait_as({}, name, timeout);
}

Result<Outcome> Client::wait_as(std::string_view definition,
                                const InstanceAddress& name,
                                Millis timeout) {
    return outcome_of(*waits_->wait(aim_of(name, space_), UntilEnded(), timeout), definition);
}

void Client::wait(const InstanceAddress& name, Done<Outcome> done) {
    waits_->add(aim_of(name, space_), UntilEnded(), tells_outcome(std::move(done)));
}

ClientWait<Outcome> Client::async_wait(const InstanceAddress& name) {
    return ClientWait<Outcome>([this, name](Done<Outcome> done) { wait(name, std::move(done)); });
}

Result<Outcome> Client::wait_until_settled(const InstanceAddress& name, Millis timeout) {
    return settled_as({}, name, timeout);
}

Result<Outcome> Client::settled_as(std::string_view definition,
                                   const InstanceAddress& name,
                                   Millis timeout) {
    return outcome_of(*waits_->wait(aim_of(name, space_), UntilSettled(), timeout), definition);
}

void Client::wait_until_settled(const InstanceAddress& name, Done<Outcome> done) {
    waits_->add(aim_of(name, space_), UntilSettled(), tells_outcome(std::move(done)));
}

ClientWait<Outcome> Client::async_wait_until_settled(const InstanceAddress& name) {
    return ClientWait<Outcome>(
        [this, name](Done<Outcome> done) { wait_until_settled(name, std::move(done)); });
}

Result<InstanceInfo> Client::wait_for_status(const InstanceAddress& name,
                                             std::uint64_t seen,
                                             Millis timeout) {
    return info_of(*waits_->wait(aim_of(name, space_), UntilStatus{seen}, timeout));
}

void Client::wait_for_status(const InstanceAddress& name,
                             std::uint64_t seen,
                             Done<InstanceInfo> done) {
    waits_->add(aim_of(name, space_),
                UntilStatus{seen},
                [done = std::move(done)](const Sighting& sighting) { done(info_of(*sighting)); });
}

ClientWait<InstanceInfo> Client::async_wait_for_status(const InstanceAddress& name,
                                                       std::uint64_t seen) {
    return ClientWait<InstanceInfo>([this, name, seen](Done<InstanceInfo> done) {
        wait_for_status(name, seen, std::move(done));
    });
}

Result<std::optional<Payload>> Client::wait_for_value(const InstanceAddress& name,
                                                      const std::string& key,
                                                      const std::optional<Payload>& known,
                                                      Millis timeout) {
    return value_of(*waits_->wait(aim_of(name, space_), UntilValue{key, known}, timeout), key);
}

void Client::wait_for_value(const InstanceAddress& name,
                            const std::string& key,
                            const std::optional<Payload>& known,
                            Done<std::optional<Payload>> done) {
    waits_->add(
        aim_of(name, space_),
        UntilValue{key, known},
        [key, done = std::move(done)](const Sighting& seen) { done(value_of(*seen, key)); });
}

ClientWait<std::optional<Payload>> Client::async_wait_for_value(
    const InstanceAddress& name, const std::string& key, const std::optional<Payload>& known) {
    return ClientWait<std::optional<Payload>>(
        [this, name, key, known](Done<std::optional<Payload>> done) {
            wait_for_value(name, key, known, std::move(done));
        });
}

bool Client::step() { return waits_->step(); }

bool Client::wait_until_due(Millis timeout) { return waits_->wait_until_due(timeout); }

std::optional<Millis> Client::next_due() const { return waits_->next_due(); }

}  // namespace belay
