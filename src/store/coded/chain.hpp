// The coders of a chain, applied to the data that a store keeps.
#pragma once

#include "model/event.hpp"
#include <belay/store/coded.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay::coded {

/// A coded history row has this bit in its format. The other bits are the flags of its coders. Its
/// original format stands in front of the bytes.
using model::kCodedRow;

/// The beginning of a coded text. Flags and bytes follow in base64.
inline constexpr std::string_view kCodedText = "belay:coded:";

/// Thread-safe. A failure leaves the argument as it was. Decoding returns `corrupt`, or
/// `unreadable` for data that another process may be able to read.
class Chain {
public:
    explicit Chain(CoderChain chain) : chain_(std::move(chain)) {}

    [[nodiscard]] bool keeps_unreadable() const noexcept { return chain_.keeps_unreadable(); }

    /// Leaves an empty payload as it is: there is nothing to hide.
    [[nodiscard]] Result<void> encode(Payload& payload) const;
    [[nodiscard]] Result<void> encode(HistoryRow& row) const;
    /// The result is text again.
    [[nodiscard]] Result<void> encode(std::string& text) const;

    [[nodiscard]] Result<void> decode(Payload& payload) const;
    [[nodiscard]] Result<void> decode(HistoryRow& row) const;
    [[nodiscard]] Result<void> decode(std::string& text) const;

private:
    struct Sealed {
        std::uint16_t flags = 0;
        std::string bytes;
    };
    struct Opened {
        std::optional<std::uint16_t> kept;
        std::string bytes;
    };
    /// `kept`: a number that goes in front of the bytes.
    [[nodiscard]] Result<Sealed> seal(CodedAs as,
                                      std::optional<std::uint16_t> kept,
                                      const std::string& bytes) const;
    [[nodiscard]] Result<Opened> open(CodedAs as,
                                      std::uint16_t flags,
                                      const std::string& bytes) const;
    [[nodiscard]] CodedAs as_payload(PayloadCodec codec) const;
    [[nodiscard]] CodedAs as_history(std::uint32_t count) const;
    [[nodiscard]] CodedAs as_text() const;

    CoderChain chain_;
};

}  // namespace belay::coded
