// The names of users' types, for messages.
#pragma once

#include <string>
#include <typeinfo>

namespace belay::detail {

/// As it is written in C++: "shop::Order".
[[nodiscard]] std::string type_name(const std::type_info& type);

}  // namespace belay::detail
