// The byte format of everything that Belay writes: varints, and length-prefixed strings.
#pragma once

#include <belay/call_options.hpp>
#include <belay/error.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace belay::model {

/// Appends values to a string. Cannot fail.
class Writer {
public:
    void number(std::uint64_t value);        ///< LEB128.
    void signed_number(std::int64_t value);  ///< Zigzag, then LEB128.
    void text(std::string_view value);
    void flag(bool value) { number(value ? 1U : 0U); }
    void time(Timestamp at) { signed_number(to_unix_ms(at)); }
    void payload(const Payload& value);

    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads the output of a Writer. Bytes from a store are not trusted: after the first value that is
/// cut off or out of range, `ok()` is false and every further read returns an empty value.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] std::uint64_t number();
    [[nodiscard]] std::int64_t signed_number();
    [[nodiscard]] std::string text();
    [[nodiscard]] bool flag() { return number() != 0; }
    [[nodiscard]] Timestamp time() { return from_unix_ms(signed_number()); }
    [[nodiscard]] Payload payload();

    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    void fail() noexcept;

private:
    std::string_view rest_;
    bool ok_ = true;
};

/// Reads a number that fits the type. Otherwise the reader fails and this returns 0.
template <class Integer>
[[nodiscard]] Integer read_integer(Reader& in) {
    const std::uint64_t value = in.number();
    if (value > std::numeric_limits<Integer>::max()) {
        in.fail();
        return 0;
    }
    return static_cast<Integer>(value);
}

void write(Writer& out, const Failure& failure);
void write(Writer& out, const CancelRecord& record);
void write(Writer& out, const Outcome& outcome);
void write(Writer& out, const Labels& labels);
/// True if the first release could not store all of it.
[[nodiscard]] bool is_typed(const Failure& failure) noexcept;
[[nodiscard]] Labels read_labels(Reader& in);
[[nodiscard]] ParentClose read_parent_close(Reader& in);
[[nodiscard]] MessageKind read_channel(Reader& in);  ///< An event or a queue.
[[nodiscard]] Failure read_failure(Reader& in);
[[nodiscard]] CancelRecord read_cancel(Reader& in);
[[nodiscard]] Outcome read_outcome(Reader& in);

/// A failure or a cancel record as a payload of its own, for messages.
[[nodiscard]] Payload to_payload(const Failure& failure);
[[nodiscard]] Payload to_payload(const CancelRecord& record);
[[nodiscard]] Result<Failure> failure_of(const Payload& payload);
[[nodiscard]] Result<CancelRecord> cancel_of(const Payload& payload);

}  // namespace belay::model
