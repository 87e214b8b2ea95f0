// Deletion, pruning, retention, and limits of queues.
#include "client/bulk_removal.hpp"
#include "client/handlers.hpp"
#include "client/retention.hpp"
#include <belay/store/operations.hpp>

#include <utility>

namespace belay::client {

namespace {

std::function<void(Result<Answer>)> tell_deleted(Done<DeleteInstanceResult> done) {
    return tell<DeleteInstanceResult>(std::move(done),
                                      [](const Answer& answer) { return answer.deleted; });
}

}  // namespace

// ---- Deletion ----------------------------------------------------------------------------------

void begin(const ContextPtr& context, requests::Delete request, Done<DeleteInstanceResult> done) {
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    Delete part;
    part.name = std::move(request.name);
    part.force = request.force;
    part.run = request.run;
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell_deleted(std::move(done)));
}

void begin(const ContextPtr& context,
           requests::DeleteTogether request,
           Done<DeleteInstanceResult> done) {
    const Result<void> fine =
        first_problem({context->check(request.space, request.ids),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    DeleteInstances part = op::delete_instances_atomic(
        std::move(request.space), std::move(request.ids), request.force);
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell_deleted(std::move(done)));
}

void begin(const ContextPtr& context,
           requests::DeleteMany request,
           Done<DeleteInstanceResult> done) {
    if (const Result<void> fine = context->check(request.match); !fine) return done(fine.error());
    delete_many(context->sender, std::move(request), std::move(done));
}

// ---- Pruning -----------------------------------------------------------------------------------

void begin(const ContextPtr& context, const requests::Prune& request, Done<PruneResult> done) {
    if (const Result<void> fine = context->check(request.name); !fine) return done(fine.error());
    prune_one(context->sender, request, std::move(done));
}

void begin(const ContextPtr& context, requests::PruneMany request, Done<PruneResult> done) {
    if (const Result<void> fine = context->check(request.match); !fine) return done(fine.error());
    prune_many(context->sender, std::move(request), std::move(done));
}

// ---- Retention ---------------------------------------------------------------------------------

namespace {

Result<void> check_kept(const ServiceContext& context,
                        const std::string& space,
                        const std::optional<RetentionPolicy>& policy) {
    return first_problem({context.check("the namespace", space),
                          policy ? check_retention(*policy, context.limits) : Result<void>()});
}

/// Ages are taken off it.
Result<void> check_as_of(const std::optional<Timestamp>& as_of) {
    if (!as_of || *as_of >= Timestamp()) return {};
    return Error(Errc::invalid_argument, "no store has a time before 1970");
}

template <class Request>
RetentionRequest retention_of(Request request) {
    RetentionRequest made;
    made.space(std::move(request.space));
    if (request.policy) made.policy(std::move(*request.policy));
    if (request.as_of) made.as_of(*request.as_of);
    return made;
}

}  // namespace

void begin(const ContextPtr& context, requests::SetRetention request, Done<void> done) {
    const Result<void> fine =
        first_problem({check_kept(*context, request.space, request.policy),
                       context->check_optional("by", request.by),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine);
    context->commit(SetRetention{std::move(request.space),
                                 std::move(request.policy),
                                 std::move(request.by),
                                 std::move(request.request_id),
                                 {}},
                    tell_done(std::move(done)));
}

void begin(const ContextPtr& context,
           requests::ReadRetention request,
           Done<requests::ReadRetention::Answer> done) {
    const Result<void> fine = context->check("the namespace", request.space);
    if (!fine) return done(fine.error());
    ReadRetention read;
    read.space = std::move(request.space);
    context->store.read(std::move(read),
                        [done = std::move(done)](Result<ReadRetention::Answer> found) {
                            if (!found) return done(found.error());
                            if (found->empty()) return done(std::optional<StoredRetention>());
                            done(std::optional<StoredRetention>(std::move(found->front())));
                        });
}

void begin(const ContextPtr& context,
           requests::ApplyRetention request,
           Done<RetentionResult> done) {
    const Result<void> fine = first_problem(
        {check_kept(*context, request.space, request.policy), check_as_of(request.as_of)});
    if (!fine) return done(fine.error());
    const std::optional<std::uint32_t> limit = request.limit;
    RetentionRequest terms = retention_of(std::move(request));
    if (limit) terms.limit(*limit);
    apply_retention(context->sender, terms, std::move(done));
}

void begin(const ContextPtr& context,
           requests::PreviewRetention request,
           Done<RetentionPreview> done) {
    const Result<void> fine =
        first_problem({check_kept(*context, request.space, request.policy),
                       check_as_of(request.as_of),
                       request.examples == 0 ? Result<void>() : check_page_size(request.examples)});
    if (!fine) return done(fine.error());
    const std::uint32_t examples = request.examples;
    preview_retention(
        context->sender, retention_of(std::move(request)).examples(examples), std::move(done));
}

// ---- Limits of queues --------------------------------------------------------------------------

void begin(const ContextPtr& context, requests::SetQueueLimits request, Done<void> done) {
    const Result<void> fine = first_problem(
        {request.queue.empty() ? Result<void>() : context->check("the queue", request.queue),
         request.limits ? check_queue_limits(*request.limits) : Result<void>(),
         context->check_optional("by", request.by),
         context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine);
    context->commit(SetQueueLimits{std::move(request.queue),
                                   request.limits,
                                   std::move(request.by),
                                   {},
                                   std::move(request.request_id),
                                   {}},
                    tell_done(std::move(done)));
}

// ---- Pauses ------------------------------------------------------------------------------------

void begin(const ContextPtr& context, requests::SetPause request, Done<bool> done) {
    const bool default_queue = request.kind == PauseKind::queue && request.paused.empty();
    const Result<void> fine = first_problem(
        {check_choice("kind of a pause", request.kind, PauseKind::queue, PauseKind::definition),
         default_queue
             ? Result<void>()
             : context->check(request.kind == PauseKind::queue ? "the queue" : "the definition",
                              request.paused),
         context->check_optional("by", request.by),
         context->check_reason(request.reason),
         context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    SetPause part;
    part.kind = request.kind;
    part.paused = std::move(request.paused);
    part.on = request.on;
    part.by = std::move(request.by);
    part.reason = std::move(request.reason);
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell<bool>(std::move(done), [](const Answer& answer) {
                        return answer.changed;
                    }));
}

}  // namespace belay::client
