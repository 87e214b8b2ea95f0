// Which instances there are, what waits, and who holds what.
#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/cursor.hpp"
#include "store/listing.hpp"

#include <algorithm>
#include <utility>

namespace belay {

using client::ask;

namespace {

constexpr std::uint32_t kLargestPage = 1000;

Result<void> check_page_size(std::uint32_t size) {
    if (size >= 1 && size <= kLargestPage) return {};
    return Error(Errc::invalid_argument,
                 "a page of " + std::to_string(size) + " instances; it has 1 to " +
                     std::to_string(kLargestPage));
}

Result<void> check_statuses(const std::vector<Status>& statuses) {
    for (const Status status : statuses) {
        if (status >= Status::pending && status <= Status::skipped) continue;
        return Error(Errc::invalid_argument,
                     "no instance is ever " + std::string(to_string(status)));
    }
    return {};
}

Result<void> check_order(InstanceOrder order) {
    if (order >= InstanceOrder::started && order <= InstanceOrder::id) return {};
    return Error(Errc::invalid_argument,
                 "there is no order " + std::to_string(static_cast<int>(order)));
}

/// The beginning of an id: it may end within a character.
Result<void> check_prefix(const std::string& prefix, std::size_t most) {
    if (prefix.size() <= most) return {};
    return Error(Errc::limit_exceeded,
                 "the prefix of ids has " + std::to_string(prefix.size()) + " bytes; an id has " +
                     std::to_string(most));
}

}  // namespace

Result<InstancePage> Client::list(const ListOptions& options) {
    ListInstances request = options.request();
    const auto check = [&](const char* what, const std::optional<std::string>& name) {
        return name ? core_->check(what, *name) : Result<void>();
    };
    const Result<void> fine = client::first_problem(
        {core_->check("the namespace", request.space),
         check_statuses(request.statuses),
         check_order(request.order),
         check("the definition", request.definition),
         check("the version", request.version),
         check("the parent's id", request.parent),
         check("the owner", request.owner),
         request.label ? core_->check("the label", request.label->first) : Result<void>(),
         check_prefix(request.id_prefix, core_->limits.name_bytes),
         check_page_size(request.max)});
    if (!fine) return fine.error();
    if (!options.cursor().empty()) {
        Result<InstancePlace> place = client::read_cursor(request, options.cursor());
        if (!place) return place.error();
        request.after = std::move(*place);
    }
    Result<ListInstances::Answer> found = ask(core_->store, request);
    if (!found) return found.error();
    InstancePage page;
    page.instances = std::move(*found);
    if (page.instances.size() >= request.max) {
        page.next =
            client::cursor_of(request, store::place_of(page.instances.back(), request.order));
    }
    return page;
}

Result<std::vector<InstanceCount>> Client::count(const std::string& space) {
    if (const Result<void> fine = core_->check("the namespace", space); !fine) return fine.error();
    return ask(core_->store, CountInstances{space});
}

Result<QueueDepths> Client::queue_depths() { return ask(core_->store, CountQueues()); }

Result<ListLeases::Answer> Client::leases(std::uint32_t max) {
    return ask(core_->store, ListLeases{max});
}

Result<std::vector<DeadLetter>> Client::dead_letters(std::uint64_t after, std::uint32_t max) {
    return ask(core_->store, ListDeadLetters{after, max});
}

Result<std::map<std::string, Payload>> Client::values(const InstanceName& name) {
    const Result<InstanceInfo> info = inspect(name);
    if (!info) return info.error();
    return client::ask(core_->store, KeyValues{info->run});
}

}  // namespace belay
