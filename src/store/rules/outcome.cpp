#include "store/rules/outcome.hpp"

#include <utility>

namespace belay::store {

Outcome meaning_of(Outcome outcome) {
    Outcome kept;
    kept.status = outcome.status;
    switch (outcome.status) {
        case Status::completed: kept.output = std::move(outcome.output); break;
        case Status::failed: kept.failure = std::move(outcome.failure); break;
        case Status::canceled:
            kept.cancel = std::move(outcome.cancel);
            kept.cleanup = outcome.cleanup;
            kept.cleanup_detail = std::move(outcome.cleanup_detail);
            break;
        case Status::skipped: kept.skip_reason = std::move(outcome.skip_reason); break;
        default: break;
    }
    return kept;
}

}  // namespace belay::store
