#include "client/until.hpp"

#include <belay/shown_status.hpp>

namespace belay::client {

namespace {

struct IsOver {
    const InstanceInfo& info;
    const RunValues& values;

    bool operator()(const UntilEnded& /*until*/) const { return info.outcome && has_ended(info); }
    bool operator()(const UntilSettled& /*until*/) const { return info.outcome && info.settled; }
    bool operator()(const UntilStatus& until) const {
        return info.outcome || info.custom_status_version != until.seen;
    }
    bool operator()(const UntilValue& until) const {
        if (info.outcome) return true;
        const auto found = values.find(until.key);
        if (found == values.end()) return until.known.has_value();
        return until.known != found->second;
    }
};

struct WhatIsMissing {
    std::string operator()(const UntilEnded& /*until*/) const { return "has not ended"; }
    std::string operator()(const UntilSettled& /*until*/) const { return "has not settled"; }
    std::string operator()(const UntilStatus& /*until*/) const {
        return "has not ended nor set another custom status";
    }
    std::string operator()(const UntilValue& until) const {
        return "has not ended nor set another value of '" + until.key + "'";
    }
};

}  // namespace

bool is_over(const Until& until, const InstanceInfo& info, const RunValues& values) {
    return std::visit(IsOver{info, values}, until);
}

std::string what_is_missing(const Until& until) { return std::visit(WhatIsMissing{}, until); }

}  // namespace belay::client
