// Sends a client's requests to the store, so that each is applied once.
#pragma once

#include "base/id_source.hpp"
#include "client/digest.hpp"
#include <belay/limits.hpp>
#include <belay/store/operations.hpp>
#include <belay/store/store.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay::client {

/// Gives requests the ids that they are recognised by. Sends them again while their outcome is
/// unknown. Lives as long as an answer is awaited. Thread-safe.
class Sender : public std::enable_shared_from_this<Sender> {
public:
    Sender(Store& store, Clock& clock, Random& random, const Policy& policy)
        : store_(store), ids_(clock, random), policy_(policy) {}

    [[nodiscard]] Store& store() noexcept { return store_; }
    [[nodiscard]] IdSource& ids() noexcept { return ids_; }
    [[nodiscard]] const Policy& policy() const noexcept { return policy_; }

    /// The request as a transition of its own.
    template <class Request>
    [[nodiscard]] Transition prepare(Request part) {
        const CommitId id = ids_.commit_id();
        // A request may leave nothing behind that its commit is known by. Then its request id tells
        // a resend from a new request.
        if (!is_known_by_commit(part) && part.request_id.empty()) {
            part.request_id = request_id_of(id);
        }
        part.request_digest = request_digest(part);
        Transition transition = op::transition(id, std::move(part));
        transition.stop = StopTerms{policy_.grace, policy_.cancel_deadline};
        return transition;
    }

    /// Commits what was prepared. As long as the outcome of one transition is unknown, the
    /// identical batch is sent again, a few times. One that was applied is recognised and answered
    /// as it was.
    void send(std::vector<Transition> batch, Done<std::vector<Answer>> done);

private:
    using Batch = std::shared_ptr<const std::vector<Transition>>;

    /// True for a start, which leaves a run, and for the deletion of a certain run.
    [[nodiscard]] static bool is_known_by_commit(const auto&) { return false; }
    [[nodiscard]] static bool is_known_by_commit(const Start&) { return true; }
    [[nodiscard]] static bool is_known_by_commit(const Delete& part) {
        return part.run.has_value();
    }
    void send(const Batch& batch, int resends, Done<std::vector<Answer>> done);
    [[nodiscard]] static std::string request_id_of(CommitId id);

    Store& store_;
    IdSource ids_;
    const Policy policy_;
};

}  // namespace belay::client
