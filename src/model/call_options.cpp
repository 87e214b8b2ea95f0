#include <belay/call_options.hpp>

#include <stdexcept>

namespace belay::detail {

void throw_not_positive(const char* what) {
    throw std::invalid_argument(std::string("belay: ") + what + " must be positive");
}

}  // namespace belay::detail
