// Answers of a store as text, so that those of two stores can be compared and shown.
#pragma once

#include <belay/store/store.hpp>

#include <string>

namespace belay::sim {

// Each text has all that the contract fixes. Left out: the wording of errors, and hints.

[[nodiscard]] std::string to_text(const Answer& answer);
[[nodiscard]] std::string to_text(const ClaimedInstance& claimed);
[[nodiscard]] std::string to_text(const ClaimedActivity& claimed);
[[nodiscard]] std::string to_text(const ReadAnswer& answer);

}  // namespace belay::sim
