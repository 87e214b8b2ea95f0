// The description of a schedule in the key-values of its instance.
#pragma once

#include <belay/payload.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace belay::schedule {

/// Returns the key of a part: "spec", "spec.1", "spec.2".
[[nodiscard]] std::string spec_key(std::size_t part);
/// Returns the parts of a text: each fits a key-value, and cuts no character in two.
[[nodiscard]] std::vector<std::string> split_spec(const std::string& spec);
/// Returns the text that was split; empty if there is none.
[[nodiscard]] std::string spec_in(const std::map<std::string, Payload>& values);

}  // namespace belay::schedule
