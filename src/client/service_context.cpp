#include "client/service_context.hpp"

#include "model/annotations.hpp"

#include <cstdio>

namespace belay::client {

Result<void> ServiceContext::check(std::string_view what, const std::string& name) const {
    return check_name(what, name, limits.name_bytes);
}

Result<void> ServiceContext::check(std::string_view what,
                                   const std::optional<std::string>& name) const {
    return name ? check(what, *name) : Result<void>();
}

Result<void> ServiceContext::check(const InstanceName& name) const {
    if (Result<void> space = check("the namespace", name.space); !space) return space;
    return check_id("the instance id", name.id);
}

Result<void> ServiceContext::check_id(std::string_view what, const std::string& id) const {
    return check_instance_id(what, id, limits.name_bytes);
}

Result<void> ServiceContext::check(const std::string& space,
                                   const std::vector<std::string>& ids) const {
    if (Result<void> fine = check("the namespace", space); !fine) return fine;
    if (ids.size() > limits.bulk_ids) {
        return Error(Errc::limit_exceeded,
                     std::to_string(ids.size()) + " instances are named; at most " +
                         std::to_string(limits.bulk_ids) + " are allowed");
    }
    for (const std::string& id : ids) {
        if (Result<void> fine = check_id("the instance id", id); !fine) return fine;
    }
    return {};
}

Result<void> ServiceContext::check(const InstanceMatch& match) const {
    if (match.labels.size() > limits.labels) {
        return Error(Errc::limit_exceeded,
                     std::to_string(match.labels.size()) + " labels are asked for; at most " +
                         std::to_string(limits.labels) + " are allowed");
    }
    for (const auto& [name, value] : match.labels) {
        const Result<void> fine = model::check_labels(Labels{{name, value}}, limits);
        if (!fine) return fine;
    }
    return first_problem(
        {match.ids ? check(match.space, *match.ids) : check("the namespace", match.space),
         match.statuses ? check_statuses(*match.statuses) : Result<void>(),
         check("the definition", match.definition),
         check("the version", match.version),
         match.parent ? check_id("the parent's id", *match.parent) : Result<void>(),
         check("the owner", match.owner),
         check_prefix("ids", match.id_prefix, limits.name_bytes + kShortPathBytes)});
}

Result<void> ServiceContext::check(const Payload& payload) const {
    if (Result<void> plain = model::check_plain("the payload", payload); !plain) return plain;
    if (payload.bytes.size() <= limits.payload_bytes) return {};
    return Error(Errc::limit_exceeded,
                 "the payload is " + std::to_string(payload.bytes.size()) + " bytes; at most " +
                     std::to_string(limits.payload_bytes) + " are allowed");
}

Result<void> ServiceContext::check_optional(std::string_view what, const std::string& name) const {
    return name.empty() ? Result<void>() : check_name(what, name, limits.reason_bytes);
}

Result<void> ServiceContext::check_key(const std::string& key) const {
    return check_name("the idempotency key", key, limits.reason_bytes);
}

Result<void> ServiceContext::check_reason(const std::string& reason) const {
    return check_text("the reason", reason, limits.reason_bytes);
}

std::string ServiceContext::fresh_id() {
    // In the order of ASCII, so that ids sort by time. Without letters that look like digits.
    constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
    constexpr int kDigitBits = 5;
    const std::uint64_t time = sender->ids().run_key().value;
    // The low bits of the key are random, too few to tell apart all that start in a millisecond.
    const std::uint64_t rest = (time << 16U) | (random.next() & 0xFFFFU);
    std::string text = "run-";
    const auto append = [&](std::uint64_t bits, int digits) {
        for (int shift = (digits - 1) * kDigitBits; shift >= 0; shift -= kDigitBits) {
            text += kDigits[(bits >> static_cast<unsigned>(shift)) & 0x1FU];
        }
    };
    append(time >> 4U, 12);
    append(rest, 4);
    return text;
}

}  // namespace belay::client
