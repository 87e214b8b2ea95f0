// The one interface behind a client: requests as data go in, results as data come back.
#pragma once

#include <belay/detail/wait_for_answer.hpp>
#include <belay/limits.hpp>
#include <belay/random.hpp>
#include <belay/requests/finding.hpp>
#include <belay/requests/removal.hpp>
#include <belay/requests/runs.hpp>
#include <belay/store/store.hpp>
#include <belay/time.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace belay {

/// A request with the callback for its answer. The callback is no part of the request: a sender
/// over a wire keeps it and sends the rest.
template <class Request>
struct Asked {
    Request request;
    Done<typename Request::Answer> done;
};

namespace detail {

template <class... Requests>
struct RequestList {
    using Any = std::variant<Asked<Requests>...>;
};

/// All requests. Add new ones here, and answer them in src/client.
using AllRequests = RequestList<requests::Start,
                                requests::Rerun,
                                requests::Resume,
                                requests::Cancel,
                                requests::CancelMany,
                                requests::Terminate,
                                requests::SendMessage,
                                requests::Release,
                                requests::FailHeld,
                                requests::FreeKey,
                                requests::Redrive,
                                requests::Discard,
                                requests::Delete,
                                requests::DeleteTogether,
                                requests::DeleteMany,
                                requests::PreviewDelete,
                                requests::Prune,
                                requests::PruneMany,
                                requests::PreviewPrune,
                                requests::SetRetention,
                                requests::ReadRetention,
                                requests::ApplyRetention,
                                requests::PreviewRetention,
                                requests::SetQueueLimits,
                                requests::SetPause,
                                requests::Now,
                                requests::List,
                                requests::Count,
                                requests::ListKeys,
                                requests::ListDocuments,
                                requests::ReadDocument,
                                requests::Inspect,
                                requests::InspectMany,
                                requests::Describe,
                                requests::ReadTimeline,
                                requests::ReadHistory,
                                requests::ListExecutions,
                                requests::ListChildren,
                                requests::ListTree,
                                requests::ReadValues,
                                requests::CountQueues,
                                requests::ListLeases,
                                requests::ListDeadLetters,
                                requests::Export,
                                requests::Import,
                                requests::ReadOutput>;

}  // namespace detail

/// Any request, with its callback.
using AnyRequest = detail::AllRequests::Any;

/// Answers requests. The service on a store does so today (`make_local_service`). A service that
/// sends them to a server has the same single function to write, in which `std::visit` gives it
/// each request with the callback of its type.
///
/// It checks every request, because the other side of a wire is not believed. The errors are those
/// that Client names. Safe to use from any thread.
class Service {
public:
    virtual ~Service() = default;

    /// Answers one request, through its callback: once, on any thread, perhaps before it returns.
    /// The callback must not throw. Starts, cancels, messages, deletions and single reads never
    /// block. Requests that need several reads (Describe, ReadTimeline, Export, previews) may block
    /// until they are answered.
    virtual void serve(AnyRequest request) = 0;

    /// Tells `listener` of ends and custom statuses, as a store does, until `unsubscribe` returns.
    /// Only a hint: a service that is told nothing tells nothing, so waiters ask again now and
    /// then.
    virtual void subscribe(StoreListener& listener) = 0;
    /// Returns when no call of the listener is under way and none will follow. Must not be called
    /// from inside such a call.
    virtual void unsubscribe(StoreListener& listener) = 0;

    /// The typed front of `serve`.
    template <class Request>
    void ask(Request request, Done<typename Request::Answer> done) {
        serve(AnyRequest(std::in_place_type<Asked<Request>>,
                         Asked<Request>{std::move(request), std::move(done)}));
    }
    /// The same, and waits for the answer.
    template <class Request>
    [[nodiscard]] Result<typename Request::Answer> ask(Request request) {
        return detail::wait_for_answer<typename Request::Answer>(
            [&](Done<typename Request::Answer> done) { ask(std::move(request), std::move(done)); });
    }
};

/// Answers requests on a store in this process. The store, the clock and the random numbers must
/// outlive it and every answer that is still to come. Uses the fields of the policy that Client
/// names. Throws std::invalid_argument that names the setting if one is out of range.
[[nodiscard]] std::unique_ptr<Service> make_local_service(Store& store,
                                                          Clock& clock = system_clock(),
                                                          Random& random = system_random(),
                                                          const Limits& limits = Limits(),
                                                          const Policy& policy = Policy());

}  // namespace belay
