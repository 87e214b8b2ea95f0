// Keys and chains for tests of coders.
#pragma once

#include <belay/store/coded.hpp>

#include <string>
#include <vector>

namespace belay::coded_tests {

/// A key that is easily told from others.
inline std::string key_of(char letter) { return std::string(KeyRing::kKeyBytes, letter); }

/// Keys 1 to n of these letters; the first one writes.
inline KeyRing ring_of(const std::string& letters) {
    KeyRing ring;
    KeyId id = 0;
    for (const char letter : letters) (void)ring.add(++id, key_of(letter));
    return ring;
}

inline CoderChain encrypting(const KeyRing& keys) { return CoderChain().then(encryption(keys)); }

inline CoderChain packing(const KeyRing& keys) {
    return CoderChain().then(compression()).then(encryption(keys));
}

/// Adds one to every byte, which is neither short nor secret.
class Shifting final : public PayloadCoder {
public:
    explicit Shifting(std::uint16_t flag = CoderFlags::kFirstUserFlag) : flag_(flag) {}

    [[nodiscard]] std::uint16_t flag() const noexcept override { return flag_; }
    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view bytes,
                                                            const CodedAs& /*as*/) const override {
        return std::optional(shifted(bytes, 1));
    }
    [[nodiscard]] Result<std::string> decode(std::string_view bytes,
                                             const CodedAs& /*as*/) const override {
        return shifted(bytes, -1);
    }

private:
    static std::string shifted(std::string_view bytes, int by) {
        std::string text(bytes);
        for (char& c : text) c = static_cast<char>(c + by);
        return text;
    }

    std::uint16_t flag_;
};

}  // namespace belay::coded_tests
