// Compression and encryption of data put into a store, and coders of your own.
//
//     KeyRing keys;                                         // One key writes, all of them read.
//     keys.add(7, bytes);
//     const auto store = make_coded_store(
//         file, CoderChain().then(compression()).then(encryption(keys)));
//     Worker worker(*store, registry);
//
// docs/guides/payloads.md lists the data that is coded, and describes how to rotate keys.
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

/// The bits of Payload::flags that coders set. Stored for ever. User coders have `kFirstUserFlag`
/// and the six above it, up to 0x4000.
struct CoderFlags {
    static constexpr std::uint16_t kKept = 0x0001;  ///< The flags it had before stand in front.
    static constexpr std::uint16_t kCompressed = 0x0002;
    static constexpr std::uint16_t kEncrypted = 0x0004;
    static constexpr std::uint16_t kFirstUserFlag = 0x0100;
    static constexpr std::uint16_t kLastUserFlag = 0x4000;
};

/// The data that the bytes belong to. A coder that authenticates binds them to it.
struct CodedAs {
    /// Stored for ever.
    enum class Kind : std::uint8_t { payload = 1, history = 2, text = 3 };
    Kind kind = Kind::payload;
    PayloadCodec codec = PayloadCodec::none;  ///< For a payload.
    std::uint32_t count = 0;                  ///< For history: the number of events.
    std::uint16_t flags = 0;                  ///< The flags of the coders before this one.
    /// The most bytes that anything encoded here had before. A coder whose output is longer than
    /// its input leaves longer data alone, and refuses to decode to more.
    std::size_t most = 0;
};

/// Turns bytes into others and back. Thread-safe. An exception is an error like any other: from
/// `encode` a retryable one (`unavailable`), from `decode` one that is not `corrupt`.
class PayloadCoder {
public:
    virtual ~PayloadCoder() = default;

    /// The one bit that marks it as applied. Must never change, or old data cannot be read.
    [[nodiscard]] virtual std::uint16_t flag() const noexcept = 0;
    /// Returns none if the bytes are better left as they are. An error refuses the commit; a
    /// retryable one has it retried. An error that is about runs or leases (`not_found`,
    /// `lease_lost`) is passed on as `unreadable`, because callers would take it for the store's
    /// own.
    [[nodiscard]] virtual Result<std::optional<std::string>> encode(std::string_view bytes,
                                                                    const CodedAs& as) const = 0;
    /// Errors: `corrupt` if no process can read these bytes; any other error if another one may.
    [[nodiscard]] virtual Result<std::string> decode(std::string_view bytes,
                                                     const CodedAs& as) const = 0;
};

/// Options of compression.
struct CompressionOptions {
    int level = 3;               ///< The level of zstd: 1 is quick, 19 is small.
    std::size_t at_least = 512;  ///< Bytes; shorter data is left as it is.
};

/// zstd, wherever it makes the bytes fewer. Use it before encryption, because ciphertext does not
/// shrink.
[[nodiscard]] std::shared_ptr<const PayloadCoder> compression(
    const CompressionOptions& options = CompressionOptions());

// ---- Keys --------------------------------------------------------------------------------------

/// The id of a key, stored with the data that the key encrypted. Not secret.
using KeyId = std::uint32_t;

/// The keys of a process: one of them writes, all of them read.
///
/// To rotate: `add` the new key in every process, then let them `write_with` it. `drop` the old key
/// once no stored data was written with it. All of it while work goes on.
///
/// Copies are the same ring. Thread-safe. Key bytes appear in no message, and are overwritten when
/// the key is dropped or the last copy goes.
class KeyRing {
public:
    static constexpr std::size_t kKeyBytes = 32;

    /// Creates a ring without any key: it can neither read nor write.
    KeyRing();

    /// Adds a key; the first one writes until `write_with` is called. `key` is `kKeyBytes` random
    /// bytes (not a password), and the caller's to overwrite. Changes nothing if the ring has the
    /// same key under this id. Errors: `invalid_argument` for another length, or if another key has
    /// the id.
    [[nodiscard]] Result<void> add(KeyId id, std::string_view key);
    /// Makes this key the one that writes. Errors: `not_found`.
    [[nodiscard]] Result<void> write_with(KeyId id);
    /// Forgets a key: data that it wrote cannot be read here any more. Errors: `not_found`;
    /// `invalid_argument` for the key that writes.
    [[nodiscard]] Result<void> drop(KeyId id);

    /// Returns the ids of all keys, ascending.
    [[nodiscard]] std::vector<KeyId> ids() const;
    /// Returns the key that encrypts new payloads; none as long as the ring has no key.
    [[nodiscard]] std::optional<KeyId> writing() const;

    struct Keys;
    /// Returns the keys, for the coder that encrypts with them.
    [[nodiscard]] const std::shared_ptr<Keys>& keys() const noexcept { return keys_; }

private:
    std::shared_ptr<Keys> keys_;
};

/// Reads the keys of a file: lines `7 <64 hexadecimal digits>`, the first of which writes; comments
/// after #. Errors: `unavailable` if the file cannot be read; `invalid_argument`, with the line, if
/// it is invalid, if others than its owner may write it, or if others than its owner and its group
/// may read it.
[[nodiscard]] Result<KeyRing> read_key_file(const std::string& path);

/// XChaCha20-Poly1305 with a random nonce; the key's id stands in front of the ciphertext. Bound to
/// CodedAs, so that a ciphertext moved to another place is `corrupt`. Throws std::invalid_argument
/// for a ring that is empty.
[[nodiscard]] std::shared_ptr<const PayloadCoder> encryption(KeyRing keys);

/// Replaces `encryption` when that is given up. Reads data that it wrote, with any key of the ring,
/// and leaves new data as it is.
[[nodiscard]] std::shared_ptr<const PayloadCoder> decryption(KeyRing keys);

/// Returns the key that encrypted a payload, as far as it says; none if it was not encrypted, or if
/// another coder came after the encryption.
[[nodiscard]] std::optional<KeyId> encrypted_with(const Payload& payload);

// ---- The store ---------------------------------------------------------------------------------

/// The coders for everything that goes into the store, in this order; reads apply them in reverse.
/// Data written without one of them is read all the same. So a coder can be added to a store that
/// is in use, once all processes know it.
class CoderChain {
public:
    CoderChain() = default;

    /// Throws std::invalid_argument for a flag that is not one free bit.
    CoderChain& then(std::shared_ptr<const PayloadCoder> coder);
    /// Sets the limits of the workers and clients, if they are not the default.
    CoderChain& limits(const Limits& limits) {
        limits_ = limits;
        return *this;
    }
    /// Makes reads return data that cannot be decoded here as it is stored, Payload::flags and all,
    /// instead of an error. For tools that show whatever there is.
    CoderChain& keep_unreadable(bool keep = true) {
        keep_unreadable_ = keep;
        return *this;
    }

    /// Returns the coders in the order in which a write applies them.
    [[nodiscard]] const std::vector<std::shared_ptr<const PayloadCoder>>& coders() const noexcept {
        return coders_;
    }
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
    /// Returns the value that keep_unreadable has set.
    [[nodiscard]] bool keeps_unreadable() const noexcept { return keep_unreadable_; }

private:
    std::vector<std::shared_ptr<const PayloadCoder>> coders_;
    Limits limits_;
    bool keep_unreadable_ = false;
};

/// A store that codes payloads and history on their way into `inner`, which must outlive it. To
/// workers and clients it is a store like any other.
///
/// A commit is refused if something in it cannot be encoded. A read of something that cannot be
/// decoded answers `unreadable` (a key or a coder is missing here) or `corrupt`. Lists of dead
/// letters and of activities return it as it is stored instead. A claim marks the run or the
/// activity concerned (ClaimedInstance::unreadable), and a runtime gives that back, with the
/// back-off of unregistered code: another process may be able to decode it.
[[nodiscard]] std::unique_ptr<Store> make_coded_store(Store& inner, CoderChain chain);

}  // namespace belay
