// The check of payloads that users pass in.
#pragma once

#include <belay/error.hpp>
#include <belay/payload.hpp>

#include <string>
#include <string_view>

namespace belay::model {

/// Returns an error if the payload has flags; `what` names it in the error. Flags are for the chain
/// of coders in front of the store. A value with flags that no coder has set looks like one that
/// cannot be decoded. Its reader would wait for a process that can decode it.
[[nodiscard]] inline Result<void> check_plain(std::string_view what, const Payload& payload) {
    if (payload.flags == 0) return {};
    return Error(Errc::invalid_argument,
                 std::string(what) + " has Payload::flags " + std::to_string(payload.flags) +
                     ", which are kept for coders (store/coded.hpp): leave them 0");
}

}  // namespace belay::model
