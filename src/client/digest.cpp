#include "client/digest.hpp"

#include "base/sha256.hpp"
#include "json/canonical.hpp"
#include "model/arguments.hpp"
#include "model/encoding.hpp"
#include <belay/codec.hpp>

#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::client {

namespace {

/// Hashes a sequence of fields. Each is preceded by its length, so that no two sequences collide.
class Hash {
public:
    Hash& add(std::string_view text) {
        add(text.size());
        return add_raw(text);
    }
    /// As eight bytes, the same on every machine.
    Hash& add(std::uint64_t number) {
        std::array<char, 8> bytes{};
        for (char& byte : bytes) {
            byte = static_cast<char>(number & 0xFF);
            number >>= 8;
        }
        return add_raw({bytes.data(), bytes.size()});
    }
    Hash& add(Millis duration) { return add(static_cast<std::uint64_t>(duration.count())); }
    Hash& add(const Digest& digest) {
        return add_raw({reinterpret_cast<const char*>(digest.data()), digest.size()});
    }
    Hash& add_label(const LabelValue& value) {
        add(value.index());
        if (const auto* text = std::get_if<std::string>(&value)) return add(*text);
        if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            return add(static_cast<std::uint64_t>(*whole));
        }
        if (const auto* real = std::get_if<double>(&value)) {
            std::uint64_t bits = 0;
            static_assert(sizeof bits == sizeof *real);
            std::memcpy(&bits, real, sizeof bits);
            return add(bits);
        }
        return add(std::uint64_t{std::get<bool>(value)});
    }
    Hash& add_raw(std::string_view bytes) {
        hash_.add(bytes);
        return *this;
    }

    [[nodiscard]] Digest finish() { return hash_.finish(); }

private:
    base::Sha256 hash_;
};

template <class Enum>
std::uint64_t number_of(Enum value) {
    return static_cast<std::uint64_t>(value);
}

}  // namespace

namespace {

/// Brings JSON into its canonical form, also that inside of several values.
Payload canonical_of(Payload payload) {
    if (payload.codec == PayloadCodec::json) {
        if (auto canonical = json::canonical(payload.bytes)) payload.bytes = std::move(*canonical);
        return payload;
    }
    std::optional<std::vector<Payload>> parts = model::parts_of(payload);
    if (!parts) return payload;
    for (Payload& part : *parts) part = canonical_of(std::move(part));
    return detail::join_payloads(*parts);
}

}  // namespace

Digest digest_of(const Payload& input) {
    const Payload canonical = canonical_of(input);
    const auto codec = static_cast<std::uint16_t>(canonical.codec);
    const std::array<char, 2> prefix{static_cast<char>(codec >> 8),
                                     static_cast<char>(codec & 0xFF)};
    return Hash().add_raw({prefix.data(), prefix.size()}).add_raw(canonical.bytes).finish();
}

std::string id_from_request(const std::string& space, const std::string& request_id) {
    return "run-" + base::short_hex(Hash().add(space).add(request_id).finish());
}

Digest request_digest(const Start& part) {
    const NewInstance& instance = part.instance;
    const IdempotencyKey key = part.key.value_or(IdempotencyKey());
    Hash hash;
    hash.add(instance.definition).add(instance.version).add(instance.owner).add(part.input_digest);
    hash.add(number_of(part.on_conflict)).add(part.delay);
    hash.add(std::uint64_t{part.key.has_value()});
    hash.add(key.key).add(number_of(key.scope)).add(key.window);
    hash.add(instance.labels.size());
    for (const auto& [name, value] : instance.labels) hash.add(name).add_label(value);
    // Requests of earlier releases keep the digest that they had.
    if (instance.document) hash.add(*instance.document);
    if (instance.on_fail) hash.add(std::uint64_t{1});
    if (instance.priority != 0) {
        hash.add("priority").add(static_cast<std::uint64_t>(instance.priority));
    }
    if (part.expires) hash.add("expires").add(*part.expires);
    if (part.deadline) hash.add("deadline").add(*part.deadline);
    if (part.concurrency) {
        hash.add("concurrency").add(part.concurrency->key);
        hash.add(number_of(part.concurrency->when_busy));
    }
    if (part.rate) {
        hash.add("rate").add(std::uint64_t{part.rate->count}).add(part.rate->per);
        hash.add(number_of(part.rate->when_over));
    }
    return hash.finish();
}

Digest request_digest(const Cancel& part) {
    Hash hash;
    hash.add(number_of(part.source)).add(part.by).add(part.reason);
    if (part.definition) hash.add(*part.definition);
    return hash.finish();
}

Digest request_digest(const Finish& part) {
    const CancelRecord& cancel = part.outcome.cancel;
    Hash hash;
    hash.add(number_of(part.outcome.status)).add(number_of(cancel.source));
    hash.add(cancel.by).add(cancel.reason);
    // Requests of earlier releases keep the digest that they had.
    if (part.held_only) hash.add(part.outcome.failure.message);
    return hash.finish();
}

Digest request_digest(const Send& part) {
    const NewMessage& message = part.message;
    Hash hash;
    hash.add(number_of(message.kind)).add(message.name).add(digest_of(message.payload));
    return hash.add(part.delay).finish();
}

Digest request_digest(const Delete& part) { return Hash().add(std::uint64_t{part.force}).finish(); }

Digest request_digest(const DeleteInstances& part) {
    Hash hash;
    hash.add(std::uint64_t{part.force}).add(part.ids.size());
    for (const std::string& id : part.ids) hash.add(id);
    return hash.finish();
}

Digest request_digest(const Prune& part) {
    Hash hash;
    hash.add(std::uint64_t{part.keep_last.has_value()}).add(part.keep_last.value_or(0));
    hash.add(std::uint64_t{part.ended_before.has_value()});
    hash.add(part.ended_before.value_or(Timestamp()).time_since_epoch());
    return hash.finish();
}

Digest request_digest(const SetRetention& part) {
    Hash hash;
    hash.add(part.by).add(std::uint64_t{part.policy.has_value()});
    if (!part.policy) return hash.finish();
    const auto add_rule = [&](const auto& rule) {
        const RetentionBounds& bounds = rule.bounds();
        hash.add(std::uint64_t{rule.definition().has_value()}).add(rule.definition().value_or(""));
        hash.add(std::uint64_t{bounds.max_age.has_value()});
        hash.add(bounds.max_age.value_or(Millis(0)));
        hash.add(std::uint64_t{bounds.max_count.has_value()}).add(bounds.max_count.value_or(0));
    };
    hash.add(part.policy->instances().size());
    for (const RetentionRule& rule : part.policy->instances()) {
        hash.add(rule.outcome() ? number_of(*rule.outcome()) : 0);
        add_rule(rule);
    }
    for (const ExecutionRule& rule : part.policy->executions()) add_rule(rule);
    return hash.finish();
}

Digest request_digest(const Import& part) {
    const NewInstance& instance = part.instance;
    model::Writer out;
    model::write(out, *part.outcome);
    Hash hash;
    hash.add(instance.definition).add(instance.version).add(instance.owner).add(part.input_digest);
    hash.add(digest_of(instance.input)).add(out.take());
    hash.add(part.created_at.time_since_epoch()).add(part.ended_at.time_since_epoch());
    for (const auto& at : {part.started_at, part.cancel_deadline}) {
        hash.add(std::uint64_t{at.has_value()}).add(at.value_or(Timestamp()).time_since_epoch());
    }
    // The cancel itself is that of the outcome.
    hash.add(std::uint64_t{part.cancel.has_value()}).add(instance.started_by);
    hash.add(instance.labels.size());
    for (const auto& [name, value] : instance.labels) hash.add(name).add_label(value);
    hash.add(instance.headers.size());
    for (const auto& [name, value] : instance.headers) hash.add(name).add(value);
    hash.add(part.key_values.size());
    for (const auto& [key, value] : part.key_values) hash.add(key).add(digest_of(value));
    hash.add(part.custom_status_version);
    hash.add(digest_of(part.custom_status.value_or(Payload())));
    for (const ImportedExecution& one : part.executions) {
        hash.add(one.execution).add(one.history.size());
        hash.add(one.started_at.time_since_epoch()).add(one.ended_at.time_since_epoch());
        for (const HistoryRow& row : one.history) hash.add(row.bytes);
    }
    return hash.finish();
}

Digest request_digest(const SetQueueLimits& part) {
    Hash hash;
    hash.add(std::uint64_t{part.limits.has_value()});
    if (!part.limits) return hash.finish();
    for (const auto& most : {part.limits->running, part.limits->running_per_key}) {
        hash.add(std::uint64_t{most.has_value()}).add(std::uint64_t{most.value_or(0)});
    }
    for (const auto& rate : {part.limits->started, part.limits->started_per_key}) {
        hash.add(std::uint64_t{rate.has_value()});
        if (rate) hash.add(std::uint64_t{rate->count}).add(rate->per);
    }
    return hash.finish();
}

Digest request_digest(const SetPause& part) {
    Hash hash;
    hash.add(number_of(part.kind)).add(std::uint64_t{part.on}).add(part.by).add(part.reason);
    return hash.finish();
}

Digest request_digest(const Release&) { return Hash().finish(); }

Digest request_digest(const FreeKey& part) {
    return Hash().add(part.owner).add(part.definition).finish();
}

Digest request_digest(const Redrive& part) {
    Hash hash;
    hash.add(std::uint64_t{part.to.has_value()});
    if (part.to) hash.add(part.to->space).add(part.to->id);
    return hash.finish();
}

Digest request_digest(const Discard&) { return Hash().finish(); }

namespace {

void add_text(Hash& hash, const std::optional<std::string>& text) {
    hash.add(std::uint64_t{text.has_value()}).add(text.value_or(std::string()));
}

void add_range(Hash& hash, const TimeRange& range) {
    for (const auto& end : {range.from, range.before}) {
        hash.add(std::uint64_t{end.has_value()});
        hash.add(end.value_or(Timestamp()).time_since_epoch());
    }
}

}  // namespace

Digest query_digest(const ListInstances& request) {
    Hash hash;
    hash.add(request.space);
    std::set<Status> statuses;
    if (request.statuses) statuses.insert(request.statuses->begin(), request.statuses->end());
    hash.add(statuses.size());
    for (const Status status : statuses) hash.add(number_of(status));
    for (const auto& text : {request.definition, request.version, request.parent, request.owner}) {
        add_text(hash, text);
    }
    // One label counts as it did when there could be no more.
    hash.add(request.labels.size());
    for (const auto& [name, value] : request.labels) hash.add(name).add_label(value);
    add_range(hash, request.created);
    add_range(hash, request.ended);
    hash.add(request.id_prefix);
    hash.add(std::uint64_t{request.roots_only}).add(std::uint64_t{request.held_only});
    hash.add(number_of(request.order)).add(std::uint64_t{request.descending});
    // A filter that lists of earlier releases did not have leaves their cursors as they are.
    if (request.statuses && statuses.empty()) hash.add("no status");
    if (request.ids) {
        const std::set<std::string> ids(request.ids->begin(), request.ids->end());
        hash.add(ids.size());
        for (const std::string& id : ids) hash.add(id);
    }
    if (request.all_parts) hash.add("all parts");
    return hash.finish();
}

Digest query_digest(const ListKeys& request) {
    Hash hash;
    hash.add(request.space).add(request.prefix);
    add_text(hash, request.owner);
    add_text(hash, request.definition);
    return hash.finish();
}

}  // namespace belay::client
