// Compression and encryption of what is put into a store, and coders of your own.
//
//     KeyRing keys;                                         // One key writes, all of them read.
//     keys.add(7, bytes);
//     const auto store = make_coded_store(
//         file, CoderChain().then(compression()).then(encryption(keys)));
//     Worker worker(*store, registry);
//
// What is coded, what is not, and how keys are rotated: docs/payloads.md.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/payload.hpp>
#include <belay/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

// ---- Coders ------------------------------------------------------------------------------------

/// The bits of Payload::flags that coders set. Stored for ever; those of users are
/// `kFirstUserFlag` and the six above it, up to 0x4000.
struct CoderFlags {
    static constexpr std::uint16_t kKept = 0x0001;  ///< The flags it had before stand in front.
    static constexpr std::uint16_t kCompressed = 0x0002;
    static constexpr std::uint16_t kEncrypted = 0x0004;
    static constexpr std::uint16_t kFirstUserFlag = 0x0100;
    static constexpr std::uint16_t kLastUserFlag = 0x4000;
};

/// What the bytes belong to. A coder that authenticates binds them to it.
struct CodedAs {
    /// Stored for ever.
    enum class Kind : std::uint8_t { payload = 1, history = 2, text = 3 };
    Kind kind = Kind::payload;
    PayloadCodec codec = PayloadCodec::none;  ///< Of a payload.
    std::uint32_t count = 0;                  ///< Of history: how many events.
    std::uint16_t flags = 0;                  ///< Of the coders that came before this one.
    /// Nothing that was encoded here had more bytes than this before; a coder whose output is
    /// longer than its input leaves alone what has more, and refuses to decode to more.
    std::size_t most = 0;
};

/// Turns bytes into others and back. Thread-safe. What is thrown is an error like any other: of
/// `encode` one that is retryable (`unavailable`), of `decode` one that is not `corrupt`.
class PayloadCoder {
public:
    virtual ~PayloadCoder() = default;

    /// The one bit that says it was applied. The same for ever, or what was written cannot be read.
    [[nodiscard]] virtual std::uint16_t flag() const noexcept = 0;
    /// None: it is better left as it is. An error refuses the commit; one that is retryable has it
    /// tried again. A code that says something of runs or leases (`not_found`, `lease_lost`) is
    /// passed on as `unreadable`: callers take it for the store's word.
    [[nodiscard]] virtual Result<std::optional<std::string>> encode(std::string_view bytes,
                                                                    const CodedAs& as) const = 0;
    /// `corrupt`: these bytes can be read nowhere; any other error: not here, perhaps elsewhere.
    [[nodiscard]] virtual Result<std::string> decode(std::string_view bytes,
                                                     const CodedAs& as) const = 0;
};

/// What is compressed, and how hard.
struct CompressionOptions {
    int level = 3;               ///< Of zstd: 1 is quick, 19 is small.
    std::size_t at_least = 512;  ///< Bytes; what is shorter is left as it is.
};

/// zstd, wherever it makes the bytes fewer. Before encryption, since ciphertext does not shrink.
[[nodiscard]] std::shared_ptr<const PayloadCoder> compression(
    const CompressionOptions& options = CompressionOptions());

// ---- Keys --------------------------------------------------------------------------------------

/// Stored with what a key has encrypted. Not secret.
using KeyId = std::uint32_t;

/// The keys of a process: one of them writes, all of them read.
///
/// To rotate: `add` the new key in every process, then let them `write_with` it; once nothing that
/// is kept was written with the old one, `drop` that. All of it while work goes on.
///
/// Copies are the same ring. Thread-safe. What it keeps of a key is in no message, and is
/// overwritten when the key is dropped or the last copy goes.
class KeyRing {
public:
    static constexpr std::size_t kKeyBytes = 32;

    /// Without any key: it can neither read nor write.
    KeyRing();

    /// Another key; the first one writes until told otherwise. `key` is `kKeyBytes` random bytes
    /// (not a password), and the caller's to overwrite. Again with the same key: nothing changes.
    /// `invalid_argument`: another length, or another key has the id.
    [[nodiscard]] Result<void> add(KeyId id, std::string_view key);
    /// From now on this one writes. `not_found`.
    [[nodiscard]] Result<void> write_with(KeyId id);
    /// From now on what this one wrote cannot be read here. `not_found`; `invalid_argument` for the
    /// one that writes.
    [[nodiscard]] Result<void> drop(KeyId id);

    /// Of all its keys, ascending.
    [[nodiscard]] std::vector<KeyId> ids() const;
    /// The one that new payloads are encrypted with; none as long as it has no key.
    [[nodiscard]] std::optional<KeyId> writing() const;

    struct Keys;
    /// For the coder that encrypts with them.
    [[nodiscard]] const std::shared_ptr<Keys>& keys() const noexcept { return keys_; }

private:
    std::shared_ptr<Keys> keys_;
};

/// The keys of a file: lines `7 <64 hexadecimal digits>`, the first of which writes; comments
/// behind #. `unavailable`: it cannot be read; `invalid_argument`, with the line: it makes no
/// sense, or others than its owner may write it, or others than its owner and its group read it.
[[nodiscard]] Result<KeyRing> read_key_file(const std::string& path);

/// XChaCha20-Poly1305 with a random nonce; the key's id stands in front of the ciphertext. Bound to
/// what CodedAs says, so that a ciphertext under another label is `corrupt`. Throws
/// std::invalid_argument for a ring that is empty.
[[nodiscard]] std::shared_ptr<const PayloadCoder> encryption(KeyRing keys);

/// In the place of `encryption` when that is given up: reads what it wrote, with any key of the
/// ring, and leaves what is written from now on as it is.
[[nodiscard]] std::shared_ptr<const PayloadCoder> decryption(KeyRing keys);

/// By which key a payload was encrypted, as far as it says: none if it was not, or if another coder
/// came after the encryption.
[[nodiscard]] std::optional<KeyId> encrypted_with(const Payload& payload);

// ---- The store ---------------------------------------------------------------------------------

/// The coders that everything goes through on its way into the store, in this order, and on its
/// way out in the other. What was written without one of them is read all the same; so a coder can
/// be added to a store that is in use, once all processes know it.
class CoderChain {
public:
    CoderChain() = default;

    /// Throws std::invalid_argument for a flag that is not one free bit.
    CoderChain& then(std::shared_ptr<const PayloadCoder> coder);
    /// Those of the workers and clients, if they are not the default.
    CoderChain& limits(const Limits& limits) {
        limits_ = limits;
        return *this;
    }
    /// Reads leave what cannot be decoded here as it is stored, Payload::flags and all, instead of
    /// answering an error: for tools that show what there is.
    CoderChain& keep_unreadable(bool keep = true) {
        keep_unreadable_ = keep;
        return *this;
    }

    /// In the order in which they are applied when something is written.
    [[nodiscard]] const std::vector<std::shared_ptr<const PayloadCoder>>& coders() const noexcept {
        return coders_;
    }
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
    /// As keep_unreadable has set it.
    [[nodiscard]] bool keeps_unreadable() const noexcept { return keep_unreadable_; }

private:
    std::vector<std::shared_ptr<const PayloadCoder>> coders_;
    Limits limits_;
    bool keep_unreadable_ = false;
};

/// A store that codes payloads and history on their way into `inner`, which must outlive it. To
/// workers and clients it is a store like any other.
///
/// A commit with something that cannot be encoded is refused. A read of something that cannot be
/// decoded answers `unreadable` (a key or a coder is missing here) or `corrupt`, except of lists
/// (of dead letters and of activities), which have it as it is. A claim says so of the run or the
/// activity concerned (ClaimedInstance::unreadable), and a runtime gives that back, with the
/// back-off of unregistered code: another process may be able to.
[[nodiscard]] std::unique_ptr<Store> make_coded_store(Store& inner, CoderChain chain);

}  // namespace belay
