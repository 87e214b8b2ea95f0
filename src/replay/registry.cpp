#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <algorithm>
#include <stdexcept>

namespace belay {

void Registry::add_orchestration(std::string name, RegisteredOrchestration orchestration) {
    if (orchestrations_.contains(name)) {
        throw std::invalid_argument("belay: orchestration '" + name + "' is registered twice");
    }
    // A store would refuse every turn that starts such a child.
    if (const std::string& version = orchestration.version; !version.empty()) {
        const auto valid = check_name("the version", version, Limits().name_bytes);
        if (!valid) {
            throw std::invalid_argument("belay: orchestration '" + name +
                                        "': " + valid.error().message());
        }
    }
    orchestrations_.emplace(std::move(name), std::move(orchestration));
}

void Registry::add_activity(std::string name, ActivityHandler handler) {
    if (activities_.contains(name)) {
        throw std::invalid_argument("belay: activity '" + name + "' is registered twice");
    }
    activities_.emplace(std::move(name), std::move(handler));
}

const RegisteredOrchestration* Registry::orchestration(std::string_view name) const {
    const auto at = orchestrations_.find(name);
    return at == orchestrations_.end() ? nullptr : &at->second;
}

const ActivityHandler* Registry::activity(std::string_view name) const {
    const auto at = activities_.find(name);
    return at == activities_.end() ? nullptr : &at->second;
}

bool Registry::has(ActivityKind kind) const {
    return std::any_of(activities_.begin(), activities_.end(), [&](const auto& activity) {
        return activity.second.kind() == kind;
    });
}

std::string_view to_string(StopReason reason) noexcept {
    switch (reason) {
        case StopReason::none: return "none";
        case StopReason::canceled: return "canceled";
        case StopReason::lease_lost: return "lease lost";
        case StopReason::shutdown: return "shutdown";
        case StopReason::timeout: return "timeout";
    }
    return "unknown";
}

std::string ActivityContext::idempotency_key() const { return to_string(info_->activity); }

}  // namespace belay
