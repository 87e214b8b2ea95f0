#include "store/coded/chain.hpp"

#include "model/thrown.hpp"
#include "store/coded/key_ring.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ranges>
#include <stdexcept>

namespace belay {

CoderChain& CoderChain::then(std::shared_ptr<const PayloadCoder> coder) {
    const std::uint16_t flag = coder->flag();
    const bool ours = flag == CoderFlags::kCompressed || flag == CoderFlags::kEncrypted;
    const bool users = flag >= CoderFlags::kFirstUserFlag && flag <= CoderFlags::kLastUserFlag;
    if (!std::has_single_bit(flag) || (!ours && !users)) {
        throw std::invalid_argument(
            "belay: the flag of a PayloadCoder must be a single bit from 0x0100 to 0x4000");
    }
    for (const auto& other : coders_) {
        if (other->flag() == flag) {
            throw std::invalid_argument("belay: two coders of a chain have the same flag");
        }
    }
    coders_.push_back(std::move(coder));
    return *this;
}

}  // namespace belay

namespace belay::coded {

namespace {

constexpr std::size_t kKeptBytes = 2;

void append_number(std::string& to, std::uint16_t number) {
    to += static_cast<char>(number & 0xffU);
    to += static_cast<char>(number >> 8U);
}

std::optional<std::uint16_t> take_number(std::string& from) {
    if (from.size() < kKeptBytes) return std::nullopt;
    const auto low = static_cast<std::uint8_t>(from[0]);
    const auto high = static_cast<std::uint8_t>(from[1]);
    from.erase(0, kKeptBytes);
    return static_cast<std::uint16_t>(low | (high << 8U));
}

std::string hexadecimal(std::uint16_t flags) {
    char text[8];
    std::snprintf(text, sizeof text, "0x%04x", static_cast<unsigned>(flags));
    return text;
}

/// Returns the reason why nothing here can read it, and who could.
Error no_coder_for(std::uint16_t flags, const std::string& bytes) {
    std::string how = "coded in a way that this process does not know";
    if ((flags & CoderFlags::kEncrypted) != 0) {
        const auto key = key_of(bytes);
        how = "encrypted" + (key ? " with key " + std::to_string(*key) : std::string());
    } else if ((flags & CoderFlags::kCompressed) != 0) {
        how = "compressed";
    }
    return Error(Errc::unreadable,
                 "it is " + how + " (flags " + hexadecimal(flags) +
                     ") and no coder here is for that: open the store with the coders that wrote "
                     "it");
}

Error failed(const PayloadCoder& coder, Errc code, const std::string& why) {
    return Error(code, "the coder with flag " + hexadecimal(coder.flag()) + " has failed: " + why);
}

/// Returns the failure that a coder threw. A coder is somebody else's code, and may run on a thread
/// that must go on. Called only while the exception is being handled.
Error thrown_by(const PayloadCoder& coder, Errc code) {
    return failed(coder, code, model::failure_of_current_exception().message);
}

/// True if a coder may return this error for bytes that it does not encode. All other codes are the
/// store's. A commit whose coder has not found its key must not be taken for one whose run is gone.
bool is_of_coders(Errc code) {
    switch (code) {
        case Errc::invalid_argument:
        case Errc::limit_exceeded:
        case Errc::busy:
        case Errc::unavailable:
        case Errc::corrupt:
        case Errc::unsupported:
        case Errc::unreadable: return true;
        default: return false;
    }
}

Result<std::optional<std::string>> encode_with(const PayloadCoder& coder,
                                               const std::string& bytes,
                                               const CodedAs& as) {
    try {
        Result<std::optional<std::string>> encoded = coder.encode(bytes, as);
        if (encoded || is_of_coders(encoded.error().code())) return encoded;
        return failed(coder, Errc::unreadable, encoded.error().describe());
    } catch (...) {
        return thrown_by(coder, Errc::unavailable);
    }
}

Result<std::string> decode_with(const PayloadCoder& coder,
                                const std::string& bytes,
                                const CodedAs& as) {
    try {
        return coder.decode(bytes, as);
    } catch (...) {
        return thrown_by(coder, Errc::unreadable);
    }
}

std::string to_base64(const std::string& bytes) {
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
    std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    sodium_bin2base64(text.data(),
                      text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(),
                      kVariant);
    text.pop_back();  // It ends with a zero.
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    std::string bytes(text.size(), '\0');
    std::size_t length = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()),
                          bytes.size(),
                          text.data(),
                          text.size(),
                          nullptr,
                          &length,
                          nullptr,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        return std::nullopt;
    }
    bytes.resize(length);
    return bytes;
}

}  // namespace

// ---- Bytes -------------------------------------------------------------------------------------

Result<Chain::Sealed> Chain::seal(CodedAs as,
                                  std::optional<std::uint16_t> kept,
                                  const std::string& bytes) const {
    Sealed sealed;
    if (kept) {
        sealed.flags = CoderFlags::kKept;
        append_number(sealed.bytes, *kept);
    }
    sealed.bytes += bytes;
    for (const auto& coder : chain_.coders()) {
        as.flags = sealed.flags;
        Result<std::optional<std::string>> encoded = encode_with(*coder, sealed.bytes, as);
        if (!encoded) return encoded.error();
        if (!*encoded) continue;
        sealed.bytes = std::move(**encoded);
        sealed.flags = static_cast<std::uint16_t>(sealed.flags | coder->flag());
    }
    return sealed;
}

Result<Chain::Opened> Chain::open(CodedAs as, std::uint16_t flags, const std::string& bytes) const {
    auto unknown = static_cast<std::uint16_t>(flags & ~CoderFlags::kKept);
    for (const auto& coder : chain_.coders()) {
        unknown = static_cast<std::uint16_t>(unknown & ~coder->flag());
    }
    if (unknown != 0) return no_coder_for(unknown, bytes);
    Opened opened;
    opened.bytes = bytes;
    for (const auto& coder : std::views::reverse(chain_.coders())) {
        if ((flags & coder->flag()) == 0) continue;
        flags = static_cast<std::uint16_t>(flags & ~coder->flag());
        as.flags = flags;
        Result<std::string> decoded = decode_with(*coder, opened.bytes, as);
        if (!decoded) {
            const Error& why = decoded.error();
            const bool nowhere = why.code() == Errc::corrupt;
            return Error(nowhere ? Errc::corrupt : Errc::unreadable, why.message(), why.where());
        }
        opened.bytes = std::move(*decoded);
    }
    if ((flags & CoderFlags::kKept) != 0) {
        opened.kept = take_number(opened.bytes);
        if (!opened.kept) return Error(Errc::corrupt, "it is shorter than what it begins with");
    }
    return opened;
}

CodedAs Chain::as_payload(PayloadCodec codec) const {
    const Limits& limits = chain_.limits();
    const bool carried = codec == PayloadCodec::continued;
    // The document of a run is JSON, too.
    const std::size_t most = codec == PayloadCodec::json
                                 ? std::max(limits.payload_bytes, limits.run_document_bytes)
                                 : limits.payload_bytes;
    return {.kind = CodedAs::Kind::payload,
            .codec = codec,
            .most = (carried ? limits.carried_bytes : most) + kKeptBytes};
}

CodedAs Chain::as_history(std::uint32_t count) const {
    return {.kind = CodedAs::Kind::history,
            .count = count,
            .most = chain_.limits().compressed_row_bytes + kKeptBytes};
}

CodedAs Chain::as_text() const {
    return {.kind = CodedAs::Kind::text, .most = chain_.limits().payload_bytes + kKeptBytes};
}

// ---- Payloads ----------------------------------------------------------------------------------

Result<void> Chain::encode(Payload& payload) const {
    const bool has_flags = payload.flags != 0;
    if (payload.bytes.empty() && !has_flags) return {};
    Result<Sealed> sealed = seal(as_payload(payload.codec),
                                 has_flags ? std::optional(payload.flags) : std::nullopt,
                                 payload.bytes);
    if (!sealed) return sealed.error();
    payload.flags = sealed->flags;
    payload.bytes = std::move(sealed->bytes);
    return {};
}

Result<void> Chain::decode(Payload& payload) const {
    if (payload.flags == 0) return {};
    Result<Opened> opened = open(as_payload(payload.codec), payload.flags, payload.bytes);
    if (!opened) return opened.error();
    payload.flags = opened->kept.value_or(0);
    payload.bytes = std::move(opened->bytes);
    return {};
}

// ---- History -----------------------------------------------------------------------------------

Result<void> Chain::encode(HistoryRow& row) const {
    if (row.bytes.empty()) return {};
    Result<Sealed> sealed = seal(as_history(row.count), row.format, row.bytes);
    if (!sealed) return sealed.error();
    // No coder changed the bytes, and they cannot be mistaken for coded ones.
    if (sealed->flags == CoderFlags::kKept && (row.format & kCodedRow) == 0) return {};
    row.format = static_cast<std::uint16_t>(kCodedRow | sealed->flags);
    row.bytes = std::move(sealed->bytes);
    return {};
}

Result<void> Chain::decode(HistoryRow& row) const {
    if ((row.format & kCodedRow) == 0 || row.bytes.empty()) return {};
    const auto flags = static_cast<std::uint16_t>(row.format & ~kCodedRow);
    Result<Opened> opened = open(as_history(row.count), flags, row.bytes);
    if (!opened) return opened.error();
    if (!opened->kept) return Error(Errc::corrupt, "a coded history row does not say its format");
    row.format = *opened->kept;
    row.bytes = std::move(opened->bytes);
    return {};
}

// ---- Texts -------------------------------------------------------------------------------------

Result<void> Chain::encode(std::string& text) const {
    if (text.empty()) return {};
    Result<Sealed> sealed = seal(as_text(), std::uint16_t{0}, text);
    if (!sealed) return sealed.error();
    if (sealed->flags == CoderFlags::kKept && !text.starts_with(kCodedText)) return {};
    std::string all;
    append_number(all, sealed->flags);
    all += sealed->bytes;
    text = std::string(kCodedText) + to_base64(all);
    return {};
}

Result<void> Chain::decode(std::string& text) const {
    if (!text.starts_with(kCodedText)) return {};
    std::optional<std::string> all = from_base64(std::string_view(text).substr(kCodedText.size()));
    const std::optional<std::uint16_t> flags = all ? take_number(*all) : std::nullopt;
    if (!flags) return Error(Errc::corrupt, "a coded text was cut");
    Result<Opened> opened = open(as_text(), *flags, *all);
    if (!opened) return opened.error();
    text = std::move(opened->bytes);
    return {};
}

}  // namespace belay::coded
