// Tells if a claimed activity or run can be read here.
#pragma once

#include <belay/store/claim.hpp>

#include <optional>
#include <string>

namespace belay::runtime {

inline std::optional<Error> undecoded(const Payload& payload, const char* what) {
    if (payload.flags == 0) return std::nullopt;
    return Error(Errc::unreadable,
                 std::string(what) +
                     " is compressed or encrypted, and this process reads the store without the "
                     "coders for it (make_coded_store)");
}

/// Returns the reason why not; none if it can. Bytes that nobody has decoded must not reach code
/// that takes them for values, also in a process that knows nothing of coders.
[[nodiscard]] inline std::optional<Error> unreadable(const ClaimedActivity& claim) {
    if (claim.unreadable) return claim.unreadable;
    if (auto why = undecoded(claim.input, "its input")) return why;
    if (!claim.progress) return std::nullopt;
    return undecoded(*claim.progress, "the progress of an earlier attempt");
}

[[nodiscard]] inline std::optional<Error> unreadable(const ClaimedInstance& claim) {
    if (claim.unreadable) return claim.unreadable;
    if (auto why = undecoded(claim.input, "its input")) return why;
    for (const Message& message : claim.messages) {
        if (auto why = undecoded(message.content.payload, "a message to it")) return why;
    }
    return std::nullopt;
}

}  // namespace belay::runtime
