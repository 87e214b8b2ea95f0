// Lists of instances and keys, depths of queues, and leases.
#include "base/sha256.hpp"
#include "client/cursor.hpp"
#include "client/handlers.hpp"
#include "store/listing.hpp"

#include <utility>
#include <vector>

namespace belay::client {

// ---- Lists -------------------------------------------------------------------------------------

namespace {

/// No store keeps the order of more ids.
Result<void> check_listed_ids(const InstanceMatch& match) {
    const std::size_t count = match.ids ? match.ids->size() : 0;
    if (count <= InstanceMatch::kMostIds) return {};
    return Error(Errc::limit_exceeded,
                 std::to_string(count) + " instances are named in one list; at most " +
                     std::to_string(InstanceMatch::kMostIds) + " are allowed");
}

ListInstances list_of(requests::List request) {
    ListInstances list;
    list.order = request.order.value_or(natural_order(request.match));
    static_cast<InstanceMatch&>(list) = std::move(request.match);
    list.descending = request.descending;
    list.max = request.page_size;
    return list;
}

}  // namespace

void begin(const ContextPtr& context, requests::List request, Done<InstancePage> done) {
    const std::string cursor = std::move(request.after);
    ListInstances list = list_of(std::move(request));
    const Result<void> fine =
        first_problem({context->check(list),
                       check_listed_ids(list),
                       check_choice("order", list.order, InstanceOrder::started, InstanceOrder::id),
                       check_page_size(list.max)});
    if (!fine) return done(fine.error());
    if (!cursor.empty()) {
        Result<InstancePlace> place = read_cursor(list, cursor);
        if (!place) return done(place.error());
        list.after = std::move(*place);
    }
    context->store.read(list, [list, done = std::move(done)](Result<ListInstances::Answer> found) {
        if (!found) return done(found.error());
        InstancePage page;
        page.instances = std::move(*found);
        if (page.instances.size() >= list.max) {
            page.next = cursor_of(list, store::place_of(page.instances.back(), list.order));
        }
        done(std::move(page));
    });
}

void begin(const ContextPtr& context, requests::Count request, Done<requests::Count::Answer> done) {
    const Result<void> fine =
        first_problem({context->check(request.match), check_listed_ids(request.match)});
    if (!fine) return done(fine.error());
    CountInstances count;
    static_cast<InstanceMatch&>(count) = std::move(request.match);
    context->store.read(std::move(count), std::move(done));
}

void begin(const ContextPtr& context, requests::ListKeys request, Done<KeyPage> done) {
    const Result<void> fine =
        first_problem({context->check("the namespace", request.space),
                       context->check("the owner", request.owner),
                       context->check("the definition", request.definition),
                       check_prefix("keys", request.prefix, context->limits.reason_bytes),
                       check_page_size(request.page_size)});
    if (!fine) return done(fine.error());
    ListKeys list{std::move(request.space),
                  std::move(request.owner),
                  std::move(request.definition),
                  std::move(request.prefix),
                  std::nullopt,
                  request.page_size};
    if (!request.after.empty()) {
        Result<KeyPlace> place = read_cursor(list, request.after);
        if (!place) return done(place.error());
        list.after = std::move(*place);
    }
    context->store.read(list, [list, done = std::move(done)](Result<ListKeys::Answer> found) {
        if (!found) return done(found.error());
        KeyPage page;
        page.keys = std::move(*found);
        if (page.keys.size() >= list.max) {
            const KeyInfo& last = page.keys.back();
            page.next = cursor_of(list, KeyPlace{last.owner, last.definition, last.key});
        }
        done(std::move(page));
    });
}

// ---- Documents ---------------------------------------------------------------------------------

void begin(const ContextPtr& context,
           requests::ListDocuments request,
           Done<requests::ListDocuments::Answer> done) {
    const Result<void> fine = first_problem({context->check("the namespace", request.space),
                                             context->check("the name", request.name),
                                             check_page_size(request.page_size)});
    if (!fine) return done(fine.error());
    context->store.read(ListDocuments{std::move(request.space),
                                      std::move(request.name),
                                      std::move(request.after),
                                      request.page_size},
                        std::move(done));
}

void begin(const ContextPtr& context,
           requests::ReadDocument request,
           Done<requests::ReadDocument::Answer> done) {
    if (const Result<void> fine = context->check("the namespace", request.space); !fine) {
        return done(fine.error());
    }
    const std::string name = base::short_hex(request.digest);
    context->store.read(ReadDocument{std::move(request.space), request.digest},
                        [name, done = std::move(done)](Result<ReadDocument::Answer> found) {
                            if (!found) return done(found.error());
                            if (!*found) {
                                return done(Error(Errc::not_found, "no document " + name));
                            }
                            done(std::move(**found));
                        });
}

// ---- One instance ------------------------------------------------------------------------------

void begin(const ContextPtr& context,
           requests::ListTree request,
           Done<requests::ListTree::Answer> done) {
    if (const Result<void> fine = context->check(request.name); !fine) return done(fine.error());
    ListTree read{request.name};
    context->store.read(
        std::move(read),
        [name = std::move(request.name), done = std::move(done)](Result<ListTree::Answer> found) {
            if (!found) return done(found.error());
            if (found->empty()) return done(no_such_instance(name));
            done(std::move(*found));
        });
}

void begin(const ContextPtr& context,
           requests::ReadValues request,
           Done<requests::ReadValues::Answer> done) {
    begin(context,
          requests::Inspect{std::move(request.name)},
          [context, done = std::move(done)](const Result<InstanceInfo>& info) {
              if (!info) return done(info.error());
              context->store.read(KeyValues{info->run}, done);
          });
}

void begin(const ContextPtr& context,
           const requests::ListExecutions& request,
           Done<requests::ListExecutions::Answer> done) {
    context->store.read(ListExecutions{request.run}, std::move(done));
}

void begin(const ContextPtr& context,
           const requests::ListChildren& request,
           Done<requests::ListChildren::Answer> done) {
    context->store.read(ListChildren{request.run}, std::move(done));
}

void begin(const ContextPtr& context,
           const requests::ReadHistory& request,
           Done<requests::ReadHistory::Answer> done) {
    constexpr std::uint32_t kMostEvents = 10'000;
    const Result<void> fine = check_page_size(request.max_events, kMostEvents);
    if (!fine) return done(fine.error());
    context->store.read(
        ReadHistory{request.run, request.execution, request.after, request.max_events},
        std::move(done));
}

// ---- Queues and leases -------------------------------------------------------------------------

void begin(const ContextPtr& context, const requests::Now&, const Done<Timestamp>& done) {
    done(context->store.now());
}

void begin(const ContextPtr& context, const requests::CountQueues&, Done<QueueDepths> done) {
    context->store.read(CountQueues(), std::move(done));
}

void begin(const ContextPtr& context,
           const requests::ListLeases& request,
           Done<requests::ListLeases::Answer> done) {
    const Result<void> fine = request.max == 0
                                  ? Result<void>()
                                  : check_page_size(request.max, requests::ListLeases::kMost);
    if (!fine) return done(fine.error());
    context->store.read(ListLeases{request.max}, std::move(done));
}

void begin(const ContextPtr& context, const requests::ReadOutput& request, Done<OutputPage> done) {
    if (request.max_bytes > requests::ReadOutput::kMostBytes) {
        return done(Error(Errc::limit_exceeded,
                          "a page of output has at most " +
                              std::to_string(requests::ReadOutput::kMostBytes) + " bytes"));
    }
    ReadOutput read;
    read.run = request.run;
    read.execution = request.execution;
    read.command = request.command;
    read.attempt = request.attempt;
    read.after = request.after;
    read.max_bytes = request.max_bytes;
    context->store.read(read, std::move(done));
}

void begin(const ContextPtr& context,
           const requests::ListDeadLetters& request,
           Done<requests::ListDeadLetters::Answer> done) {
    if (const Result<void> fine = check_page_size(request.max); !fine) return done(fine.error());
    context->store.read(ListDeadLetters{request.after, request.max}, std::move(done));
}

}  // namespace belay::client
