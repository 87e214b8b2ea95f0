#include <belay/version.hpp>

#define BELAY_TEXT_OF(x) #x
#define BELAY_TEXT(x) BELAY_TEXT_OF(x)

namespace belay {

const char* version() noexcept {
    return BELAY_TEXT(BELAY_VERSION_MAJOR) "." BELAY_TEXT(BELAY_VERSION_MINOR) "." BELAY_TEXT(
        BELAY_VERSION_PATCH);
}

}  // namespace belay
