#include <belay/status.hpp>

namespace belay {

std::string_view to_string(Status status) noexcept {
    switch (status) {
        case Status::pending: return "pending";
        case Status::running: return "running";
        case Status::canceling: return "canceling";
        case Status::completed: return "completed";
        case Status::failed: return "failed";
        case Status::canceled: return "canceled";
        case Status::skipped: return "skipped";
        case Status::continued_as_new: return "continued_as_new";
    }
    return "unknown";
}

std::string_view to_string(FailureKind kind) noexcept {
    switch (kind) {
        case FailureKind::application: return "application";
        case FailureKind::timeout: return "timeout";
        case FailureKind::canceled: return "canceled";
        case FailureKind::nondeterminism: return "nondeterminism";
        case FailureKind::poison: return "poison";
        case FailureKind::limit: return "limit";
        case FailureKind::infrastructure: return "infrastructure";
        case FailureKind::id_in_use: return "id_in_use";
    }
    return "unknown";
}

std::string_view to_string(CancelSource source) noexcept {
    switch (source) {
        case CancelSource::user: return "user";
        case CancelSource::policy: return "policy";
        case CancelSource::parent: return "parent";
        case CancelSource::self: return "self";
    }
    return "unknown";
}

std::string_view to_string(Cleanup cleanup) noexcept {
    switch (cleanup) {
        case Cleanup::not_needed: return "not needed";
        case Cleanup::done: return "done";
        case Cleanup::failed: return "failed";
        case Cleanup::timed_out: return "timed out";
        case Cleanup::terminated: return "terminated";
        case Cleanup::skipped: return "skipped";
    }
    return "unknown";
}

}  // namespace belay
