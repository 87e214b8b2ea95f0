// Claims, of runs and of activities.
#include "conformance/answer_to.hpp"
#include "conformance/case.hpp"

namespace belay::conformance {

namespace {

/// A hint may be too short, so that following it takes several looks; far fewer than these.
constexpr int kMostLooks = 100;

}  // namespace

template <class Request>
typename Request::Answer Case::claim_any(Request request, Where where) {
    auto result = answer_to<typename Request::Answer>([&](Done<typename Request::Answer> done) {
        store_->claim(std::move(request), std::move(done));
    });
    if (!result) stop("claim: " + result.error().describe(), where);
    return std::move(*result);
}

// ---- Runs --------------------------------------------------------------------------------------

ClaimInstances::Answer Case::claim_with_hint(ClaimInstances request, Where where) {
    return claim_any(std::move(request), where);
}

std::vector<ClaimedInstance> Case::claim_instances(ClaimInstances request, Where where) {
    return claim_any(std::move(request), where).claimed;
}

std::vector<ClaimedInstance> Case::claim_instances(std::uint32_t max, Where where) {
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max = max;
    return claim_any(std::move(request), where).claimed;
}

std::optional<ClaimedInstance> Case::try_claim(std::optional<RunRef> run,
                                               Millis lease,
                                               Where where) {
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", lease);
    request.run = run;
    auto items = claim_any(std::move(request), where).claimed;
    if (items.size() > 1) stop("more was claimed than asked for", where);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
}

ClaimedInstance Case::claim(RunRef run, Where where) {
    auto item = try_claim(run, kLease, where);
    if (!item) stop("the run is not claimable", where);
    if (item->run != run) stop("another run was claimed", where);
    return std::move(*item);
}

// ---- Activities --------------------------------------------------------------------------------

ClaimActivities::Answer Case::claim_with_hint(ClaimActivities request, Where where) {
    return claim_any(std::move(request), where);
}

std::vector<ClaimedActivity> Case::claim_activities(ClaimActivities request, Where where) {
    return claim_any(std::move(request), where).claimed;
}

std::vector<ClaimedActivity> Case::claim_activities(std::uint32_t max, Where where) {
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = max;
    return claim_activities(std::move(request), where);
}

std::optional<ClaimedActivity> Case::try_claim_activity(Millis lease, Where where) {
    auto items = claim_activities(op::claim_activity(fresh_token(), "worker", lease), where);
    if (items.size() > 1) stop("more was claimed than asked for", where);
    if (items.empty()) return std::nullopt;
    return std::move(items.front());
}

ClaimedActivity Case::claim_activity(Where where) {
    auto item = try_claim_activity(kLease, where);
    if (!item) stop("no activity is claimable", where);
    return std::move(*item);
}

// ---- Hints -------------------------------------------------------------------------------------

template <class Request>
std::optional<Millis> Case::sleep_and_claim(Request request, Where where) {
    Millis slept{0};
    for (int looks = 0; looks < kMostLooks; ++looks) {
        request.first_token = fresh_token();
        const auto answer = claim_any(request, where);
        if (!answer.claimed.empty()) return slept;
        if (!answer.ready_in) return std::nullopt;
        if (*answer.ready_in <= Millis(0)) stop("a worker would spin", where);
        advance(*answer.ready_in);
        slept += *answer.ready_in;
    }
    stop("a worker would look more than " + std::to_string(kMostLooks) + " times", where);
}

std::optional<Millis> Case::slept_until_claimed(ClaimInstances request, Where where) {
    return sleep_and_claim(std::move(request), where);
}

std::optional<Millis> Case::slept_until_claimed(ClaimActivities request, Where where) {
    return sleep_and_claim(std::move(request), where);
}

}  // namespace belay::conformance
