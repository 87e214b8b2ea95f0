// How much of a queue may run: setting it.
#include "client/blocking.hpp"
#include "client/core.hpp"

#include <utility>

namespace belay {

namespace {

template <class Core>
Result<void> set_limits(Core& core, SetQueueLimits part) {
    Result<void> fine = client::first_problem(
        {part.queue.empty() ? Result<void>() : core.check("the queue", part.queue),
         part.limits ? check_queue_limits(*part.limits) : Result<void>(),
         core.check_optional("by", part.by),
         core.check_optional("the request id", part.request_id)});
    if (!fine) return fine;
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            core.commit(std::move(part), client::tell_brief(std::move(done)));
        }));
}

}  // namespace

Result<void> Client::set_queue_limits(const std::string& queue,
                                      const QueueLimits& limits,
                                      const std::string& by,
                                      const std::string& request_id) {
    return set_limits(*core_, SetQueueLimits{queue, limits, by, {}, request_id, {}});
}

Result<void> Client::clear_queue_limits(const std::string& queue,
                                        const std::string& by,
                                        const std::string& request_id) {
    return set_limits(*core_, SetQueueLimits{queue, std::nullopt, by, {}, request_id, {}});
}

}  // namespace belay
