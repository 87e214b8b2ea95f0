// BELAY_ASSERT guards data integrity and stays on in release builds: a broken invariant stops the
// process before it can be written down.
#pragma once

namespace belay::detail {

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace belay::detail

#define BELAY_ASSERT(expression)         \
    ((expression) ? static_cast<void>(0) \
                  : ::belay::detail::assertion_failed(#expression, __FILE__, __LINE__))
