#include "store/sqlite/job.hpp"

#include "store/guards/guards.hpp"
#include "store/guards/repeats.hpp"
#include "store/sqlite/claims.hpp"
#include "store/sqlite/effects.hpp"
#include "store/sqlite/lookup.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace belay::sqlite {

namespace {

bool is_renewal(const Part& part) {
    return std::holds_alternative<RenewActivity>(part) || std::holds_alternative<RenewTurn>(part);
}

Answer commit_one(const Transition& transition, Tables& tables, const StoreOptions& options) {
    Lookup rows(tables);
    if (auto repeat = store::find_repeat(rows, transition)) return std::move(*repeat);
    rows.read_ahead(transition);
    if (auto refusal = store::Guards(rows).check(transition)) return std::move(*refusal).answer();
    Answer answer;
    Change change{tables, options, tables.now(), transition.commit, transition.stop, answer, {}};
    apply(change, transition);
    return answer;
}

}  // namespace

bool CommitJob::durable() const {
    return !std::all_of(batch_.begin(), batch_.end(), [](const Transition& one) {
        return std::all_of(one.parts.begin(), one.parts.end(), is_renewal);
    });
}

void CommitJob::apply(std::size_t piece, Tables& tables, const StoreOptions& options) {
    answers_[piece] = commit_one(batch_[piece], tables, options);
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
    store::Notices kept = std::exchange(tables.notices, store::Notices());
    items_ = claim(tables, request_);
    // That what is claimed now can be claimed again when its lease expires is no news.
    if constexpr (std::is_same_v<Request, ClaimInstances>) {
        kept.instances_ready |= tables.notices.instances_ready;
    }
    tables.notices = std::move(kept);
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
