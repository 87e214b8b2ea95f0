#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <algorithm>
#include <stdexcept>

namespace belay {

namespace {

/// The part before the first dot, which goes with it.
std::string_view take_part(std::string_view& version) {
    const std::size_t dot = version.find('.');
    const std::string_view part = version.substr(0, dot);
    version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
    return part;
}

bool is_number(std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Of any length: without its leading zeros the longer number is the larger one.
std::string_view significant(std::string_view number) {
    const std::size_t first = number.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : number.substr(first);
}

std::strong_ordering compare_parts(std::string_view one, std::string_view other) {
    if (!is_number(one) || !is_number(other)) {
        if (is_number(one) != is_number(other)) {
            return is_number(one) ? std::strong_ordering::greater : std::strong_ordering::less;
        }
        return one.compare(other) <=> 0;
    }
    one = significant(one);
    other = significant(other);
    if (one.size() != other.size()) return one.size() <=> other.size();
    return one.compare(other) <=> 0;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view one, std::string_view other) {
    while (!one.empty() || !other.empty()) {
        const std::string_view part = take_part(one);
        const auto order = compare_parts(part, take_part(other));
        if (order != 0) return order;
    }
    return std::strong_ordering::equal;
}

void Registry::add_orchestration(std::string name, RegisteredOrchestration orchestration) {
    // A store would refuse every turn that starts such a child.
    if (const std::string& version = orchestration.version; !version.empty()) {
        const auto valid = check_name("the version", version, Limits().name_bytes);
        if (!valid) {
            throw std::invalid_argument("belay: orchestration '" + name +
                                        "': " + valid.error().message());
        }
    }
    const auto entry = orchestrations_.try_emplace(std::move(name)).first;
    std::vector<RegisteredOrchestration>& versions = entry->second;
    const auto place = std::find_if(versions.begin(), versions.end(), [&](const auto& one) {
        return compare_versions(one.version, orchestration.version) >= 0;
    });
    if (place != versions.end() && compare_versions(place->version, orchestration.version) == 0) {
        throw std::invalid_argument("belay: orchestration '" + entry->first +
                                    "' is registered twice with version '" + orchestration.version +
                                    "'");
    }
    versions.insert(place, std::move(orchestration));
}

void Registry::add_activity(std::string name, ActivityHandler handler) {
    if (activities_.contains(name)) {
        throw std::invalid_argument("belay: activity '" + name + "' is registered twice");
    }
    activities_.emplace(std::move(name), std::move(handler));
}

const RegisteredOrchestration* Registry::orchestration(std::string_view name) const {
    const auto at = orchestrations_.find(name);
    return at == orchestrations_.end() ? nullptr : &at->second.back();
}

const RegisteredOrchestration* Registry::orchestration(std::string_view name,
                                                       std::string_view version) const {
    if (version.empty()) return orchestration(name);
    const auto at = orchestrations_.find(name);
    if (at == orchestrations_.end()) return nullptr;
    for (const RegisteredOrchestration& one : at->second) {
        if (compare_versions(one.version, version) == 0) return &one;
    }
    return nullptr;
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

std::string ActivityContext::idempotency_key() const {
    ActivityRef first = info_->activity;
    if (info_->first_command != 0) first.command = info_->first_command;
    return to_string(first);
}

}  // namespace belay
