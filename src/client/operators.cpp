// What people decide about what is stuck: held runs and dead letters.
#include "base/utf8.hpp"
#include "client/blocking.hpp"
#include "client/core.hpp"

#include <utility>

namespace belay {

Result<void> Client::fail_held(const InstanceName& name,
                               const std::string& by,
                               const std::string& reason,
                               const std::string& request_id) {
    Result<void> fine =
        client::first_problem({core_->check(name),
                               core_->check_optional("by", by),
                               core_->check_reason(reason),
                               core_->check_optional("the request id", request_id)});
    if (!fine) return fine;
    Finish part;
    part.target = name;
    part.held_only = true;
    part.request_id = request_id;
    part.outcome.status = Status::failed;
    Failure& failure = part.outcome.failure;
    failure.kind = FailureKind::nondeterminism;
    failure.message = "it was held, and failed";
    if (!by.empty()) failure.message += " by " + by;
    if (!reason.empty()) failure.message += ": " + reason;
    failure.message = base::shortened(std::move(failure.message), core_->limits.failure_bytes);
    // Whether it may be failed is for the store to say. Why it was held is not repeated: that may
    // quote payloads, and a failure is stored as it is, also where payloads are encrypted.
    if (const Result<InstanceInfo> found = inspect(name)) failure.where = found->definition;
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core_->commit(std::move(part), client::tell_brief(std::move(done)));
        }));
}

Result<InstanceBrief> Client::redrive(std::uint64_t letter,
                                      const std::optional<InstanceName>& to,
                                      const std::string& request_id) {
    const Result<void> fine =
        client::first_problem({to ? core_->check(*to) : Result<void>(),
                               core_->check_optional("the request id", request_id)});
    if (!fine) return fine.error();
    Redrive part;
    part.letter = letter;
    part.to = to;
    part.space = to ? to->space : "default";
    part.request_id = request_id;
    return client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
        core_->commit(std::move(part), client::tell_brief(std::move(done)));
    });
}

Result<void> Client::discard(std::uint64_t letter, const std::string& request_id) {
    if (Result<void> fine = core_->check_optional("the request id", request_id); !fine) return fine;
    Discard part;
    part.letter = letter;
    part.space = "default";
    part.request_id = request_id;
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core_->commit(std::move(part), client::tell_brief(std::move(done)));
        }));
}

}  // namespace belay
