#include "cli/exit_code.hpp"

namespace belay::cli {

Exit exit_of(Errc code) noexcept {
    switch (code) {
        case Errc::invalid_argument:
        case Errc::limit_exceeded: return Exit::usage;
        case Errc::not_found: return Exit::not_found;
        case Errc::outcome_unknown: return Exit::unknown;
        case Errc::busy:
        case Errc::unavailable:
        case Errc::corrupt:
        case Errc::unsupported:
        case Errc::unreadable:
        case Errc::store_lost: return Exit::trouble;
        default: return Exit::refused;
    }
}

std::string advice_of(Errc code) {
    switch (code) {
        case Errc::not_found: return "'belay list' shows the instances; is --space right?";
        case Errc::id_in_use:
            return "choose another --id, or say --on-conflict use-existing or replace";
        case Errc::concurrency_busy:
            return "wait for its end, or say --when-busy queue, replace or allow";
        case Errc::rate_exceeded: return "try again later, or say --when-over queue or drop";
        case Errc::already_ended: return "'belay show' tells how it ended";
        case Errc::still_running:
            return "'belay cancel' it and 'belay wait' for its end, or delete with --force";
        case Errc::has_parent: return "children go with their root: 'belay tree' shows which it is";
        case Errc::has_children: return "'belay tree' shows the whole tree: name all of it";
        case Errc::not_held: return "'belay held' lists those that are";
        case Errc::request_id_reused: return "use a fresh --request-id for a new request";
        case Errc::busy: return "another process is writing for long; try again";
        case Errc::unavailable:
        case Errc::corrupt:
        case Errc::unsupported:
        case Errc::store_lost: return "'belay doctor' looks for the cause";
        case Errc::unreadable:
            return "name the file of its keys: BELAY_KEYS, or keys = \"PATH\" in belay.toml";
        case Errc::outcome_unknown:
            return "look with 'belay show'; with a --request-id the same command can be repeated "
                   "safely";
        default: return {};
    }
}

Problem problem_of(const Error& error) {
    return Problem(exit_of(error.code()), error.message(), advice_of(error.code()));
}

Problem stopped_problem(const Error& error, const std::string& said, Before before) {
    const Problem problem = problem_of(error);
    return Problem(problem.exit(),
                   problem.what() + (said.empty() ? "" : "; done before that, at least: " + said),
                   problem.advice(),
                   std::move(before));
}

Problem usage_problem(const std::string& message, std::string advice) {
    return Problem(Exit::usage, message, std::move(advice));
}

}  // namespace belay::cli
