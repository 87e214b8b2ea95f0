#include "histories/code.hpp"

namespace belay::histories {

std::filesystem::path recorded_histories() { return BELAY_HISTORIES; }

}  // namespace belay::histories
