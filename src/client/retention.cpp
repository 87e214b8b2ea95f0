// What is kept: setting it, looking at it, applying it.
#include "client/retention.hpp"

#include "client/blocking.hpp"
#include "client/core.hpp"

#include <utility>

namespace belay {

namespace {

/// Commits one part that is about no instance.
template <class Core>
Result<void> commit(Core& core, SetRetention part) {
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core.commit(std::move(part), client::tell_brief(std::move(done)));
        }));
}

}  // namespace

Result<void> Client::set_retention(const std::string& space,
                                   const RetentionPolicy& policy,
                                   const std::string& by,
                                   const std::string& request_id) {
    Result<void> fine =
        client::first_problem({core_->check("the namespace", space),
                               check_retention(policy, core_->limits),
                               core_->check_optional("by", by),
                               core_->check_optional("the request id", request_id)});
    if (!fine) return fine;
    return commit(*core_, SetRetention{space, policy, by, request_id, {}});
}

Result<void> Client::clear_retention(const std::string& space,
                                     const std::string& by,
                                     const std::string& request_id) {
    Result<void> fine =
        client::first_problem({core_->check("the namespace", space),
                               core_->check_optional("by", by),
                               core_->check_optional("the request id", request_id)});
    if (!fine) return fine;
    return commit(*core_, SetRetention{space, std::nullopt, by, request_id, {}});
}

Result<std::optional<StoredRetention>> Client::retention(const std::string& space) {
    if (const Result<void> fine = core_->check("the namespace", space); !fine) return fine.error();
    ReadRetention request;
    request.space = space;
    Result<ReadRetention::Answer> found = client::wait_for_answer<ReadRetention::Answer>(
        [&](Done<ReadRetention::Answer> done) { core_->store.read(request, std::move(done)); });
    if (!found) return found.error();
    if (found->empty()) return std::optional<StoredRetention>();
    return std::optional<StoredRetention>(std::move(found->front()));
}

void Client::apply_retention(const RetentionRequest& request, Done<RetentionResult> done) {
    if (const Result<void> fine = core_->check(request); !fine) {
        done(fine.error());
        return;
    }
    client::apply_retention(core_->sender, request, std::move(done));
}

Result<RetentionResult> Client::apply_retention(const RetentionRequest& request) {
    return client::wait_for_answer<RetentionResult>(
        [&](Done<RetentionResult> done) { apply_retention(request, std::move(done)); });
}

void Client::preview_retention(const RetentionRequest& request, Done<RetentionPreview> done) {
    if (const Result<void> fine = core_->check(request); !fine) {
        done(fine.error());
        return;
    }
    client::preview_retention(core_->sender, request, std::move(done));
}

Result<RetentionPreview> Client::preview_retention(const RetentionRequest& request) {
    return client::wait_for_answer<RetentionPreview>(
        [&](Done<RetentionPreview> done) { preview_retention(request, std::move(done)); });
}

}  // namespace belay
