#include "client/match.hpp"

namespace belay::client {

namespace {

constexpr std::uint32_t kLargestPage = 1000;

}  // namespace

Result<void> check_page_size(std::uint32_t size) {
    if (size >= 1 && size <= kLargestPage) return {};
    return Error(
        Errc::invalid_argument,
        "a page of " + std::to_string(size) + "; it has 1 to " + std::to_string(kLargestPage));
}

Result<void> check_statuses(const std::vector<Status>& statuses) {
    for (const Status status : statuses) {
        if (status >= Status::pending && status <= Status::skipped) continue;
        return Error(Errc::invalid_argument,
                     "no instance is ever " + std::string(to_string(status)));
    }
    return {};
}

Result<void> check_prefix(const char* of, const std::string& prefix, std::size_t most) {
    if (prefix.size() <= most) return {};
    return Error(Errc::limit_exceeded,
                 std::string("the prefix of ") + of + " has " + std::to_string(prefix.size()) +
                     " bytes; at most " + std::to_string(most) + " are allowed");
}

}  // namespace belay::client
