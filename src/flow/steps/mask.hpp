// Secrets in texts that leave a step: replaced by ***.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// A secret of fewer bytes is not masked: its bytes stand in too many other texts. The step logs a
/// warning that names it.
inline constexpr std::size_t kShortestMasked = 4;
/// A line of a secret with several lines is masked by itself if it has as many bytes.
inline constexpr std::size_t kShortestMaskedLine = 8;

/// Returns the form of a text between the quotes of a JSON string.
[[nodiscard]] std::string inside_json_string(std::string_view text);

/// The texts to be masked: each secret, its form inside a JSON string, and its lines. Other forms,
/// such as base64, are not recognised. A value; safe from any thread.
class Masker {
public:
    Masker() = default;
    explicit Masker(const std::vector<std::string>& secrets);

    /// Returns the text with "***" for each secret. Secrets that touch or overlap have one mark.
    [[nodiscard]] std::string mask(std::string_view text) const;
    /// The same for the beginning of a longer text: a part of a secret at its end is left out.
    [[nodiscard]] std::string mask_beginning(std::string_view text) const;

private:
    friend class StreamMasker;
    void add(std::string_view text);

    std::vector<std::string> needles_;
};

/// Masks a text that comes in pieces, also where a secret begins in one and ends in another. It
/// holds back only an end that may be the beginning of a secret.
class StreamMasker {
public:
    /// `masker` must outlive it.
    explicit StreamMasker(const Masker& masker) noexcept : masker_(&masker) {}

    /// Returns the next part of the masked text.
    [[nodiscard]] std::string push(std::string_view bytes);
    /// Returns the rest, at the end of the text.
    [[nodiscard]] std::string finish();

private:
    void find(std::size_t old_size);
    [[nodiscard]] std::size_t held_bytes() const;
    [[nodiscard]] std::string take(std::size_t count);

    const Masker* masker_;
    std::string held_;
    std::vector<bool> masked_;  ///< For each byte of `held_`: it belongs to a secret.
    bool in_mark_ = false;      ///< The last byte that was taken belongs to a secret.
};

}  // namespace belay::flow
