// The secrets of a step: read where it runs, and put in the place of their marks.
#pragma once

#include "flow/steps/mask.hpp"
#include "flow/steps/requests.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// A secret of more bytes is refused.
inline constexpr std::size_t kLongestSecret = 64 * 1024;

/// The secrets that a request names. One that cannot be read is a failure only if the request has
/// its mark. All that can be read are masked: a program may find them by itself.
class Secrets {
public:
    /// Reads them from the environment and from files, without a final newline.
    explicit Secrets(const SecretSources& sources);

    /// Returns the text with the secrets in the place of their marks. Throws OperationFailed, which
    /// names the secret and its source, if a secret cannot be read or is not known. So no mark
    /// stays.
    [[nodiscard]] std::string fill(std::string_view text) const;
    /// The same. If the text is a JSON object or list, its marks stand in strings, and the secrets
    /// are escaped.
    [[nodiscard]] std::string fill_document(std::string_view text) const;
    [[nodiscard]] bool has_mark(std::string_view text) const;

    /// Masks these secrets, and the texts of `more`.
    [[nodiscard]] Masker masker(const std::vector<std::string>& more) const;
    /// The names of those that are too short to be masked.
    [[nodiscard]] std::vector<std::string> too_short() const;

private:
    struct Held {
        std::optional<std::string> value;
        std::string source;   ///< "environment variable TOKEN"
        std::string problem;  ///< The reason why there is no value.
    };
    enum class As : bool { text, json };

    [[nodiscard]] static Held held(const Secret& secret);
    [[nodiscard]] std::string fill(std::string_view text, As as) const;
    [[nodiscard]] const std::string& value(std::string_view name) const;

    std::string mark_;  ///< The beginning of each mark; empty: there are none.
    std::map<std::string, Held, std::less<>> secrets_;
};

}  // namespace belay::flow
