#include "model/encoding.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace belay::model {

void Writer::number(std::uint64_t value) {
    while (value >= 0x80) {
        bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value | 0x80)));
        value >>= 7;
    }
    bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value)));
}

void Writer::signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number((bits << 1) ^ (value < 0 ? std::numeric_limits<std::uint64_t>::max() : 0));
}

void Writer::text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
}

void Writer::payload(const Payload& value) {
    number(static_cast<std::uint64_t>(value.codec));
    number(value.flags);
    text(value.bytes);
}

void Reader::fail() noexcept {
    ok_ = false;
    rest_ = {};
}

std::uint64_t Reader::number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) break;
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        if (shift == 63 && byte > 1) break;  // More than 64 bits.
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) return value;
    }
    fail();
    return 0;
}

std::int64_t Reader::signed_number() {
    const std::uint64_t bits = number();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::string Reader::text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
        fail();
        return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
}

namespace {

template <class Enum>
Enum as_enum(Reader& in, std::uint64_t value, Enum first, Enum last) {
    if (value < static_cast<std::uint64_t>(first) || value > static_cast<std::uint64_t>(last)) {
        in.fail();
        return first;
    }
    return static_cast<Enum>(value);
}

template <class Enum>
Enum read_enum(Reader& in, Enum first, Enum last) {
    return as_enum(in, in.number(), first, last);
}

}  // namespace

Payload Reader::payload() {
    Payload value;
    value.codec = static_cast<PayloadCodec>(read_integer<std::uint16_t>(*this));
    value.flags = read_integer<std::uint16_t>(*this);
    value.bytes = text();
    return value;
}

ParentClose read_parent_close(Reader& in) {
    return read_enum(in, ParentClose::cancel, ParentClose::abandon);
}

void write(Writer& out, const Labels& labels) {
    out.number(labels.size());
    for (const auto& [name, value] : labels) {
        out.text(name);
        out.number(value.index());
        if (const auto* text = std::get_if<std::string>(&value)) out.text(*text);
        if (const auto* number = std::get_if<std::int64_t>(&value)) out.signed_number(*number);
        if (const auto* real = std::get_if<double>(&value)) {
            out.number(std::bit_cast<std::uint64_t>(*real));
        }
        if (const auto* flag = std::get_if<bool>(&value)) out.flag(*flag);
    }
}

Labels read_labels(Reader& in) {
    Labels labels;
    const std::uint64_t count = in.number();
    for (std::uint64_t i = 0; in.ok() && i < count; ++i) {
        std::string name = in.text();
        LabelValue value;
        switch (in.number()) {
            case 0: value = in.text(); break;
            case 1: value = in.signed_number(); break;
            case 2: value = std::bit_cast<double>(in.number()); break;
            case 3: value = in.flag(); break;
            default: in.fail();
        }
        // A NaN equals nothing, not even itself: a history with one could not be replayed.
        if (value != value) in.fail();
        labels.insert_or_assign(std::move(name), std::move(value));
    }
    return labels;
}

MessageKind read_channel(Reader& in) {
    return read_enum(in, MessageKind::event_raised, MessageKind::queue_message);
}

namespace {

/// Set in the number of a failure's kind if two more members follow: its type, and if it can be
/// retried.
constexpr std::uint64_t kTypedFailure = 0x40;

}  // namespace

void write(Writer& out, const Failure& failure) {
    const bool typed = is_typed(failure);
    out.number(static_cast<std::uint64_t>(failure.kind) | (typed ? kTypedFailure : 0));
    out.text(failure.message);
    out.text(failure.where);
    out.number(failure.attempt);
    out.text(failure.detail);
    if (!typed) return;
    out.text(failure.type);
    out.flag(failure.retryable);
}

bool is_typed(const Failure& failure) noexcept {
    return !failure.type.empty() || !failure.retryable;
}

Failure read_failure(Reader& in) {
    Failure failure;
    const std::uint64_t kind = in.number();
    const bool typed = (kind & kTypedFailure) != 0;
    failure.kind =
        as_enum(in, kind & ~kTypedFailure, FailureKind::application, FailureKind::id_in_use);
    failure.message = in.text();
    failure.where = in.text();
    failure.attempt = read_integer<std::uint32_t>(in);
    failure.detail = in.text();
    if (!typed) return failure;
    failure.type = in.text();
    failure.retryable = in.flag();
    return failure;
}

void write(Writer& out, const CancelRecord& record) {
    out.number(static_cast<std::uint64_t>(record.source));
    out.text(record.by);
    out.text(record.reason);
    out.time(record.requested_at);
    out.number(record.sequence);
}

CancelRecord read_cancel(Reader& in) {
    CancelRecord record;
    record.source = read_enum(in, CancelSource::user, CancelSource::self);
    record.by = in.text();
    record.reason = in.text();
    record.requested_at = in.time();
    record.sequence = in.number();
    return record;
}

namespace {

/// Set in the number of an outcome's status if the reason of a skipped run follows.
constexpr std::uint64_t kReasonFollows = 0x40;

}  // namespace

void write(Writer& out, const Outcome& outcome) {
    const bool reason = outcome.status == Status::skipped && !outcome.skip_reason.empty();
    out.number(static_cast<std::uint64_t>(outcome.status) | (reason ? kReasonFollows : 0));
    if (reason) out.text(outcome.skip_reason);
    switch (outcome.status) {
        case Status::completed: out.payload(outcome.output); break;
        case Status::failed: write(out, outcome.failure); break;
        case Status::canceled:
            write(out, outcome.cancel);
            out.number(static_cast<std::uint64_t>(outcome.cleanup));
            out.text(outcome.cleanup_detail);
            break;
        default: break;
    }
}

Outcome read_outcome(Reader& in) {
    Outcome outcome;
    const std::uint64_t status = in.number();
    outcome.status = as_enum(in, status & ~kReasonFollows, Status::completed, Status::skipped);
    if ((status & kReasonFollows) != 0) {
        if (outcome.status != Status::skipped) in.fail();
        outcome.skip_reason = in.text();
    }
    switch (outcome.status) {
        case Status::completed: outcome.output = in.payload(); break;
        case Status::failed: outcome.failure = read_failure(in); break;
        case Status::canceled:
            outcome.cancel = read_cancel(in);
            outcome.cleanup = read_enum(in, Cleanup::not_needed, Cleanup::skipped);
            outcome.cleanup_detail = in.text();
            break;
        default: break;
    }
    return outcome;
}

Payload to_payload(const Failure& failure) {
    Writer out;
    write(out, failure);
    return Payload(PayloadCodec::failure, out.take());
}

Payload to_payload(const CancelRecord& record) {
    Writer out;
    write(out, record);
    return Payload(PayloadCodec::cancel, out.take());
}

Result<Failure> failure_of(const Payload& payload) {
    Reader in(payload.bytes);
    Failure failure = read_failure(in);
    if (payload.codec != PayloadCodec::failure || !in.ok() || !in.at_end()) {
        return Error(Errc::corrupt, "a payload that should hold a failure does not");
    }
    return failure;
}

Result<CancelRecord> cancel_of(const Payload& payload) {
    Reader in(payload.bytes);
    CancelRecord record = read_cancel(in);
    if (payload.codec != PayloadCodec::cancel || !in.ok() || !in.at_end()) {
        return Error(Errc::corrupt, "a payload that should hold a cancel record does not");
    }
    return record;
}

}  // namespace belay::model
