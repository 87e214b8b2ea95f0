// The coders of a chain, applied to what a store keeps.
#pragma once

#include "model/event.hpp"
#include <belay/store/coded.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay::coded {

/// A coded history row has this bit in its format; the others are the flags of its coders, and the
/// format it had stands in front of the bytes.
using model::kCodedRow;

/// How a coded text begins; flags and bytes follow in base64.
inline constexpr std::string_view kCodedText = "belay:coded:";

/// Thread-safe. Whatever fails leaves its argument as it was. Decoding answers `corrupt`, or
/// `unreadable` for whatever another process may be able to read.
class Chain {
public:
    explicit Chain(CoderChain chain) : chain_(std::move(chain)) {}

    [[nodiscard]] bool keeps_unreadable() const noexcept { return chain_.keeps_unreadable(); }

    /// What is empty stays as it is: nothing would be hidden.
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
