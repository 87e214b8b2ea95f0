// The number of this release; for its meaning see docs/reference/stability.md.
#pragma once

// Macros, so that code can be chosen by them: `#if BELAY_VERSION >= 200` is 0.2.0 or later.
#define BELAY_VERSION_MAJOR 0
#define BELAY_VERSION_MINOR 1
#define BELAY_VERSION_PATCH 0

/// One number that grows with each release: two digits each for major, minor and patch.
#define BELAY_VERSION \
    (BELAY_VERSION_MAJOR * 10000 + BELAY_VERSION_MINOR * 100 + BELAY_VERSION_PATCH)

namespace belay {

/// Returns the version of the linked library, as "0.1.0"; the macros are of the headers.
[[nodiscard]] const char* version() noexcept;

}  // namespace belay
