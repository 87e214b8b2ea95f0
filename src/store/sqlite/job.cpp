#include "store/sqlite/job.hpp"

#include "store/rules/claims.hpp"
#include "store/rules/commit.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace belay::sqlite {

namespace {

/// True if the part need not survive a loss of power: it only changes leases, or is output that is
/// shown while it grows. Claims do not wait for the disk either.
bool may_be_lost(const Part& part) {
    return std::holds_alternative<AppendOutput>(part) ||
           std::holds_alternative<RenewActivity>(part) || std::holds_alternative<RenewTurn>(part) ||
           std::holds_alternative<ReleaseHolder>(part);
}

void promises_of(const Start& part, const Promised& visit) {
    if (part.lock) visit(part.lock->token.holder, part.lock->lease);
}
void promises_of(const Turn& part, const Promised& visit) {
    for (const NewActivity& one : part.activities) {
        if (one.hand_over) visit(one.hand_over->token.holder, one.hand_over->lease);
    }
}
void promises_of(const RenewActivity& part, const Promised& visit) {
    visit(part.token.holder, part.extend);
}
void promises_of(const RenewTurn& part, const Promised& visit) {
    visit(part.token.holder, part.extend);
}
void promises_of(const auto& /*part*/, const Promised& /*visit*/) {}

}  // namespace

bool CommitJob::durable() const {
    return !std::all_of(batch_->begin(), batch_->end(), [](const Transition& one) {
        return std::all_of(one.parts.begin(), one.parts.end(), may_be_lost);
    });
}

void CommitJob::apply(std::size_t piece, Tables& tables, const StoreOptions& options) {
    const Transition& transition = (*batch_)[piece];
    tables.prefetch(std::span(&transition, 1));
    answers_[piece] = store::commit(tables, options, transition);
}

void CommitJob::each_promise(const Promised& visit) const {
    for (const Transition& transition : *batch_) {
        for (const Part& part : transition.parts) {
            std::visit([&](const auto& one) { promises_of(one, visit); }, part);
        }
    }
}

void CommitJob::fail(std::size_t piece, const Error& error) {
    answers_[piece] = Answer();
    answers_[piece].verdict = Verdict::failed;
    answers_[piece].error = error;
}

void CommitJob::answer(const std::optional<Error>& error) {
    if (error) {
        done_(*error);
    } else {
        done_(std::move(answers_));
    }
}

template <class Request>
void ClaimJob<Request>::apply(std::size_t, Tables& tables, const StoreOptions&) {
    items_ = store::claim(tables, request_);
}

template <class Request>
void ClaimJob<Request>::answer(const std::optional<Error>& error) {
    if (error || failed_) {
        done_(error ? *error : *failed_);
    } else {
        done_(std::move(items_));
    }
}

template class ClaimJob<ClaimInstances>;
template class ClaimJob<ClaimActivities>;

}  // namespace belay::sqlite
