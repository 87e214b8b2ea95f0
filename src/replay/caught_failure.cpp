#include "replay/caught_failure.hpp"

#include "model/thrown.hpp"

namespace belay::replay {

Failure caught_failure(const std::string& definition) {
    Failure failure = model::failure_of_current_exception();
    if (failure.where.empty()) failure.where = definition;
    return failure;
}

}  // namespace belay::replay
