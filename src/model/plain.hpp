// Payloads as users hand them in.
#pragma once

#include <belay/error.hpp>
#include <belay/payload.hpp>

#include <string>
#include <string_view>

namespace belay::model {

/// Whether it has no flags; `what` names it in the error. They are for the chain of coders in front
/// of the store: with flags that no coder has set, a value is taken for one that cannot be decoded,
/// and whoever is to read it waits for a process that can.
[[nodiscard]] inline Result<void> check_plain(std::string_view what, const Payload& payload) {
    if (payload.flags == 0) return {};
    return Error(Errc::invalid_argument,
                 std::string(what) + " has Payload::flags " + std::to_string(payload.flags) +
                     ", which are kept for coders (store/coded.hpp): leave them 0");
}

}  // namespace belay::model
