// Which instances and keys there are, what waits, and who holds what.
#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/cursor.hpp"
#include "store/listing.hpp"

#include <algorithm>
#include <utility>

namespace belay {

using client::ask;

namespace {

Result<void> check_order(InstanceOrder order) {
    if (order >= InstanceOrder::started && order <= InstanceOrder::id) return {};
    return Error(Errc::invalid_argument,
                 "there is no order " + std::to_string(static_cast<int>(order)));
}

}  // namespace

Result<InstancePage> Client::list(const ListOptions& options) {
    ListInstances request = options.request();
    const Result<void> fine = client::first_problem(
        {core_->check(request), check_order(request.order), client::check_page_size(request.max)});
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
    CountInstances request;
    request.space = space;
    return ask(core_->store, request);
}

Result<std::vector<InstanceCount>> Client::count(const ListOptions& options) {
    CountInstances request;
    static_cast<InstanceMatch&>(request) = options.request();
    if (const Result<void> fine = core_->check(request); !fine) return fine.error();
    return ask(core_->store, request);
}

Result<KeyPage> Client::keys(const KeyOptions& options) {
    ListKeys request = options.request();
    const Result<void> fine = client::first_problem(
        {core_->check("the namespace", request.space),
         request.owner ? core_->check("the owner", *request.owner) : Result<void>(),
         request.definition ? core_->check("the definition", *request.definition) : Result<void>(),
         client::check_prefix("keys", request.prefix, core_->limits.reason_bytes),
         client::check_page_size(request.max)});
    if (!fine) return fine.error();
    if (!options.cursor().empty()) {
        Result<KeyPlace> place = client::read_cursor(request, options.cursor());
        if (!place) return place.error();
        request.after = std::move(*place);
    }
    Result<ListKeys::Answer> found = ask(core_->store, request);
    if (!found) return found.error();
    KeyPage page;
    page.keys = std::move(*found);
    if (page.keys.size() >= request.max) {
        const KeyInfo& last = page.keys.back();
        page.next = client::cursor_of(request, KeyPlace{last.owner, last.definition, last.key});
    }
    return page;
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
