// Waiting for the end of a run, or for another custom status, through the client.
#include "client/waits.hpp"
#include <belay/client.hpp>

#include <string>
#include <utility>

namespace belay {

namespace {

Result<Outcome> outcome_of(const Result<InstanceInfo>& info, std::string_view definition) {
    if (!info) return info.error();
    if (!definition.empty() && info->definition != definition) {
        return Error(Errc::invalid_argument,
                     "instance '" + info->name.id + "' is a run of '" + info->definition +
                         "', not of '" + std::string(definition) + "'");
    }
    if (!info->outcome) {
        return Error(Errc::still_running,
                     "instance '" + info->name.id + "' is " + std::string(to_string(info->status)));
    }
    return *info->outcome;
}

}  // namespace

Result<Outcome> Client::outcome(const InstanceName& name) { return outcome_as({}, name); }

Result<Outcome> Client::outcome_as(std::string_view definition, const InstanceName& name) {
    return outcome_of(inspect(name), definition);
}

Result<Outcome> Client::wait(const InstanceName& name, Millis timeout) {
    return wait_as({}, name, timeout);
}

Result<Outcome> Client::wait_as(std::string_view definition,
                                const InstanceName& name,
                                Millis timeout) {
    return outcome_of(waits_->wait(name, std::nullopt, timeout), definition);
}

void Client::wait(const InstanceName& name, Done<Outcome> done) {
    (void)waits_->add(
        name, std::nullopt, [done = std::move(done)](const Result<InstanceInfo>& info) {
            done(outcome_of(info, {}));
        });
}

Result<InstanceInfo> Client::wait_for_status(const InstanceName& name,
                                             std::uint64_t seen,
                                             Millis timeout) {
    return waits_->wait(name, seen, timeout);
}

void Client::wait_for_status(const InstanceName& name,
                             std::uint64_t seen,
                             Done<InstanceInfo> done) {
    (void)waits_->add(name, seen, std::move(done));
}

bool Client::step() { return waits_->step(); }

std::optional<Millis> Client::next_due() const { return waits_->next_due(); }

}  // namespace belay
