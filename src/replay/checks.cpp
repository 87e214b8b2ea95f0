#include "replay/checks.hpp"

#include "model/annotations.hpp"
#include "model/payload_check.hpp"
#include <belay/exceptions.hpp>

#include <stdexcept>

namespace belay::replay {

using detail::OperationKind;
using detail::OperationSpec;

namespace {

std::string_view name_of(OperationKind kind, MessageKind channel) {
    switch (kind) {
        case OperationKind::activity: return "an activity's name";
        case OperationKind::child: return "a definition's name";
        case OperationKind::timer: return "a timer's name";
        case OperationKind::wait: break;
    }
    return channel == MessageKind::queue_message ? "a queue's name" : "an event's name";
}

}  // namespace

void require(const Result<void>& checked) {
    if (checked) return;
    if (checked.error().code() == Errc::limit_exceeded) {
        throw LimitExceeded(checked.error().message());
    }
    throw std::invalid_argument(checked.error().message());
}

void require_name(std::string_view what, const std::string& name, std::size_t most) {
    require(check_name(what, name, most));
}

void require_payload(const std::string& what, const Payload& payload, const Limits& limits) {
    require(model::check_plain(what, payload));
    if (payload.bytes.size() > limits.payload_bytes) {
        throw LimitExceeded(what + " is " + std::to_string(payload.bytes.size()) +
                            " bytes; at most " + std::to_string(limits.payload_bytes) +
                            " are allowed (Limits::payload_bytes): keep it elsewhere, and pass on "
                            "where it is");
    }
}

void require_names(const OperationSpec& spec, const Limits& limits) {
    if (spec.kind != OperationKind::timer) {
        require_name(name_of(spec.kind, spec.channel), spec.name, limits.name_bytes);
    }
    if (!spec.queue.empty()) require_name("a queue's name", spec.queue, limits.name_bytes);
    if (!spec.terms) return;
    if (const std::string& key = spec.terms->fairness_key; !key.empty()) {
        require_name("a fairness key", key, limits.name_bytes);
    }
    if (const std::string& session = spec.terms->session; !session.empty()) {
        require_name("a session's name", session, limits.name_bytes);
    }
    if (const std::string& version = spec.terms->version; !version.empty()) {
        require_name("a version", version, limits.name_bytes);
    }
    require(model::check_labels(spec.terms->labels, limits));
}

void require_custom_status(const Payload& status, const Limits& limits) {
    if (status.bytes.size() <= limits.custom_status_bytes) return;
    throw LimitExceeded("a custom status of " + std::to_string(status.bytes.size()) +
                        " bytes; at most " + std::to_string(limits.custom_status_bytes) +
                        " are allowed (Limits::custom_status_bytes): say less, and keep the rest "
                        "elsewhere");
}

}  // namespace belay::replay
