#include <belay/error.hpp>
#include <belay/exceptions.hpp>

#include <cstdio>
#include <cstdlib>

namespace belay {

std::string_view to_string(Errc code) noexcept {
    switch (code) {
        case Errc::invalid_argument: return "invalid_argument";
        case Errc::limit_exceeded: return "limit_exceeded";
        case Errc::not_found: return "not_found";
        case Errc::id_in_use: return "id_in_use";
        case Errc::duplicate_key: return "duplicate_key";
        case Errc::already_ended: return "already_ended";
        case Errc::still_running: return "still_running";
        case Errc::has_parent: return "has_parent";
        case Errc::not_held: return "not_held";
        case Errc::request_id_reused: return "request_id_reused";
        case Errc::has_children: return "has_children";
        case Errc::concurrency_busy: return "concurrency_busy";
        case Errc::rate_exceeded: return "rate_exceeded";
        case Errc::lease_lost: return "lease_lost";
        case Errc::canceled: return "canceled";
        case Errc::position_moved: return "position_moved";
        case Errc::cancel_unseen: return "cancel_unseen";
        case Errc::messages_waiting: return "messages_waiting";
        case Errc::run_key_taken: return "run_key_taken";
        case Errc::busy: return "busy";
        case Errc::unavailable: return "unavailable";
        case Errc::outcome_unknown: return "outcome_unknown";
        case Errc::corrupt: return "corrupt";
        case Errc::unsupported: return "unsupported";
        case Errc::unreadable: return "unreadable";
        case Errc::store_lost: return "store_lost";
        case Errc::nondeterminism: return "nondeterminism";
    }
    return "unknown";
}

std::string Error::describe() const { return std::string(to_string(code_)) + ": " + message_; }

namespace detail {

void assertion_failed(const char* expression, const char* file, int line) noexcept {
    std::fprintf(stderr, "belay: assertion failed: %s (%s:%d)\n", expression, file, line);
    std::abort();
}

void no_value(const Error& error) noexcept {
    std::fprintf(stderr,
                 "belay: the value of a Result was asked for, which is an error: %s (%s:%u)\n",
                 error.describe().c_str(),
                 error.where().file_name(),
                 static_cast<unsigned>(error.where().line()));
    std::abort();
}

void throw_error(const Error& error) { throw ResultError(error); }

}  // namespace detail

}  // namespace belay
