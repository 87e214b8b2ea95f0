// Starting runs, ending them, and sending them something.
#include "base/policy.hpp"
#include "base/utf8.hpp"
#include "client/handlers.hpp"
#include "client/starting.hpp"
#include "model/annotations.hpp"
#include <belay/shown_status.hpp>
#include <belay/store/operations.hpp>

#include <utility>

namespace belay::client {

// ---- Start -------------------------------------------------------------------------------------

Result<StartResult> start_result(const Answer& answer, IdConflict policy) {
    const bool by_key = answer.refused_with(Errc::duplicate_key);
    const bool existing =
        by_key || (answer.refused_with(Errc::id_in_use) && policy == IdConflict::use_existing);
    if (!answer.done() && !existing) return error_of(answer);
    StartResult result;
    if (answer.instance) result.instance = *answer.instance;
    result.created = answer.done();
    result.by_key = by_key;
    result.input_differs = answer.input_differs;
    return result;
}

namespace {

Result<void> check_no_slash(const std::string& id) {
    if (id.find('/') == std::string::npos) return {};
    return Error(Errc::invalid_argument,
                 "the instance id '" + id + "' has a '/', which is kept for the ids of children");
}

Result<void> check_key(const ServiceContext& context, const IdempotencyKey& key) {
    return first_problem(
        {context.check_key(key.key),
         check_choice("scope of a key", key.scope, KeyScope::while_active, KeyScope::forever)});
}

Result<void> check_time(const char* what, const std::optional<Millis>& time) {
    if (!time || (*time >= Millis(1) && *time <= base::kLongest)) return {};
    return Error(Errc::invalid_argument,
                 std::string(what) + " of a start must be at least 1 ms and at most ten years");
}

Result<void> check_document(const ServiceContext& context, const Payload& document) {
    const std::size_t most = context.limits.run_document_bytes;
    if (Result<void> plain = model::check_plain("the document", document); !plain) return plain;
    if (document.bytes.size() <= most) return {};
    return Error(Errc::limit_exceeded,
                 "the document of the run is " + std::to_string(document.bytes.size()) +
                     " bytes; at most " + std::to_string(most) +
                     " are allowed (Limits::run_document_bytes)");
}

Result<void> check_times(const requests::Start& request) {
    if (request.expires && *request.expires <= request.delay) {
        return Error(Errc::invalid_argument,
                     "a start that expires before its delay is over never runs: let it expire "
                     "later, or delay it less");
    }
    return first_problem(
        {check_time("the expiry", request.expires), check_time("the deadline", request.deadline)});
}

Result<void> check_concurrency(const ServiceContext& context, const Concurrency& concurrency) {
    return first_problem({context.check_key(concurrency.key),
                          check_choice("way to treat a busy concurrency key",
                                       concurrency.when_busy,
                                       WhenBusy::refuse,
                                       WhenBusy::allow)});
}

Result<void> check_rate(const RateOfStarts& rate, const Limits& limits) {
    if (rate.count == 0 || rate.per < Millis(1)) {
        return Error(Errc::invalid_argument,
                     "a rate of starts needs at least 1 run, and a time of at least 1 ms");
    }
    if (rate.count > limits.rate_starts) {
        return Error(Errc::limit_exceeded,
                     "a rate of starts counts at most " + std::to_string(limits.rate_starts) +
                         " runs (Limits::rate_starts), not " + std::to_string(rate.count));
    }
    return check_choice("way to treat a start that exceeds its rate",
                        rate.when_over,
                        WhenOver::refuse,
                        WhenOver::drop);
}

Result<void> check_start(const ServiceContext& context, const requests::Start& request) {
    return first_problem(
        {context.check(InstanceName{request.space, request.id}),
         check_no_slash(request.id),
         context.check("the definition", request.definition),
         request.version.empty() ? Result<void>() : context.check("the version", request.version),
         context.check("the owner", request.owner),
         request.key ? check_key(context, *request.key) : Result<void>(),
         check_choice("way to treat a conflict of ids",
                      request.on_conflict,
                      IdConflict::fail,
                      IdConflict::replace),
         context.check_optional("started_by", request.started_by),
         context.check_optional("the request id", request.request_id),
         context.check(request.input),
         request.document ? check_document(context, *request.document) : Result<void>(),
         check_times(request),
         request.concurrency ? check_concurrency(context, *request.concurrency) : Result<void>(),
         request.rate ? check_rate(*request.rate, context.limits) : Result<void>(),
         model::check_labels(request.labels, context.limits),
         model::check_given_headers(request.headers, context.limits)});
}

void draw_on_fail(ServiceContext& context, NewInstance& instance) {
    instance.on_fail = RunRef{instance.run.shard, context.sender->ids().run_key(instance.run.key)};
}

Start part_of(ServiceContext& context, requests::Start request) {
    Start part;
    NewInstance& instance = part.instance;
    instance.run = RunRef{shard_of(request.id), context.sender->ids().run_key()};
    instance.name = InstanceName{std::move(request.space), std::move(request.id)};
    instance.definition = std::move(request.definition);
    instance.version = std::move(request.version);
    part.input_digest = digest_of(request.input);
    instance.input = std::move(request.input);
    instance.owner = std::move(request.owner);
    part.by = request.started_by;
    instance.started_by = std::move(request.started_by);
    instance.headers = std::move(request.headers);
    instance.labels = std::move(request.labels);
    if (request.document) instance.document = digest_of(*request.document);
    part.document = std::move(request.document);
    if (request.on_fail) draw_on_fail(context, instance);
    part.on_conflict = request.on_conflict;
    part.key = std::move(request.key);
    part.request_id = std::move(request.request_id);
    part.delay = request.delay;
    instance.priority = request.priority;
    part.expires = request.expires;
    part.deadline = request.deadline;
    part.concurrency = std::move(request.concurrency);
    part.rate = request.rate;
    return part;
}

/// The keys that are drawn for a start. Each can be in use only by a rare chance.
constexpr int kMostDraws = 4;

/// Commits a start. Draws other keys for it up to `draws` times if those that it has are in use.
void commit_start(const ContextPtr& context, Start part, int draws, Done<StartResult> done) {
    Start again = part;
    context->commit(std::move(part),
                    [context, draws, again = std::move(again), done = std::move(done)](
                        Result<Answer> result) mutable {
                        if (!result) return done(result.error());
                        if (draws == 1 || !result->refused_with(Errc::run_key_taken)) {
                            return done(start_result(*result, again.on_conflict));
                        }
                        // Far from the row in which the other source draws.
                        again.instance.run.key =
                            context->sender->ids().run_key(again.instance.run.key);
                        if (again.instance.on_fail) draw_on_fail(*context, again.instance);
                        commit_start(context, std::move(again), draws - 1, std::move(done));
                    });
}

}  // namespace

void begin(const ContextPtr& context, requests::Start request, Done<StartResult> done) {
    start_with_document(context, std::move(request), std::nullopt, std::move(done));
}

Result<Start> start_part(ServiceContext& context, requests::Start request) {
    if (request.id.empty()) {
        request.id = request.request_id.empty()
                         ? context.fresh_id()
                         : id_from_request(request.space, request.request_id);
    }
    if (const Result<void> fine = check_start(context, request); !fine) return fine.error();
    return part_of(context, std::move(request));
}

void start_with_document(const ContextPtr& context,
                         requests::Start request,
                         const std::optional<Digest>& kept,
                         Done<StartResult> done) {
    Result<Start> made = start_part(*context, std::move(request));
    if (!made) return done(made.error());
    Start part = std::move(*made);
    if (kept) part.instance.document = kept;
    commit_start(context, std::move(part), kMostDraws, std::move(done));
}

// ---- Cancel and terminate ----------------------------------------------------------------------

namespace {

/// Tells the result with the status that people see: a canceled flow may still stop its handlers.
Done<CancelResult> with_shown_status(const ContextPtr& context, Done<CancelResult> done) {
    return [context, done = std::move(done)](Result<CancelResult> result) {
        if (!result || result->instance.status != Status::canceled) return done(std::move(result));
        const ReadInstance read{result->instance.name, result->instance.run};
        context->store.read(read, [result, done](Result<ReadInstance::Answer> found) mutable {
            // The cancel is done, whether it can be read or not.
            if (found && *found) result->instance.status = shown_status(**found);
            done(std::move(result));
        });
    };
}

std::function<void(Result<Answer>)> tell_canceled(const ContextPtr& context,
                                                  Done<CancelResult> done) {
    return tell<CancelResult>(
        with_shown_status(context, std::move(done)), [](const Answer& answer) {
            return CancelResult{answer.instance.value_or(InstanceBrief()), answer.changed};
        });
}

}  // namespace

void begin(const ContextPtr& context, requests::Cancel request, Done<CancelResult> done) {
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check_reason(request.reason),
                       context->check_optional("by", request.by),
                       check_source(request.source),
                       context->check_optional("the request id", request.request_id),
                       request.definition ? context->check("the definition", *request.definition)
                                          : Result<void>(),
                       check_deadline(request.deadline)});
    if (!fine) return done(fine.error());
    Cancel part = op::cancel(std::move(request.name),
                             std::move(request.reason),
                             request.deadline.value_or(context->policy.cancel_deadline));
    part.by = std::move(request.by);
    part.source = request.source;
    part.run = request.run;
    part.definition = std::move(request.definition);
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell_canceled(context, std::move(done)));
}

void begin(const ContextPtr& context, requests::Terminate request, Done<CancelResult> done) {
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check_reason(request.reason),
                       context->check_optional("by", request.by),
                       check_source(request.source),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    Finish part =
        op::terminate(std::move(request.name), std::move(request.by), std::move(request.reason));
    part.outcome.cancel.source = request.source;
    part.run = request.run;
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell_canceled(context, std::move(done)));
}

// ---- Messages ----------------------------------------------------------------------------------

void begin(const ContextPtr& context, requests::SendMessage request, Done<InstanceBrief> done) {
    const bool event = request.kind == MessageKind::event_raised;
    if (event && request.channel == kRunFailedEvent) {
        return done(Error(Errc::invalid_argument,
                          "event '" + request.channel + "' is raised by Belay alone"));
    }
    if (!event && request.kind != MessageKind::queue_message) {
        return done(Error(Errc::invalid_argument,
                          "only events and messages of queues are sent from outside"));
    }
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check(event ? "the event" : "the queue", request.channel),
                       context->check_optional("the request id", request.request_id),
                       context->check(request.payload)});
    if (!fine) return done(fine.error());
    Send part =
        event
            ? op::raise(
                  std::move(request.name), std::move(request.channel), std::move(request.payload))
            : op::enqueue(
                  std::move(request.name), std::move(request.channel), std::move(request.payload));
    part.run = request.run;
    part.request_id = std::move(request.request_id);
    context->commit(std::move(part), tell_brief(std::move(done)));
}

// ---- Held runs, keys and dead letters ----------------------------------------------------------

void begin(const ContextPtr& context, requests::Release request, Done<InstanceBrief> done) {
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    context->commit(Release{std::move(request.name), std::move(request.request_id), {}},
                    tell_brief(std::move(done)));
}

namespace {

Finish part_of(const ServiceContext& context, const requests::FailHeld& request) {
    Finish part;
    part.target = request.name;
    part.held_only = true;
    part.request_id = request.request_id;
    part.outcome.status = Status::failed;
    Failure& failure = part.outcome.failure;
    failure.kind = FailureKind::nondeterminism;
    failure.message = "it was held, and failed";
    if (!request.by.empty()) failure.message += " by " + request.by;
    if (!request.reason.empty()) failure.message += ": " + request.reason;
    failure.message = base::shortened(std::move(failure.message), context.limits.failure_bytes);
    return part;
}

}  // namespace

void begin(const ContextPtr& context, const requests::FailHeld& request, Done<InstanceBrief> done) {
    const Result<void> fine =
        first_problem({context->check(request.name),
                       context->check_optional("by", request.by),
                       context->check_reason(request.reason),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    // The store says if it may be failed. The reason of the hold is not repeated: it may
    // quote payloads, and a failure is stored as it is, also where payloads are encrypted.
    ReadInstance read{request.name, std::nullopt};
    context->store.read(std::move(read),
                        [context, part = part_of(*context, request), done = std::move(done)](
                            const Result<ReadInstance::Answer>& found) mutable {
                            if (found && *found) {
                                Failure& failure = part.outcome.failure;
                                failure.where = (*found)->definition;
                                failure.kind = (*found)->held_kind.value_or(failure.kind);
                            }
                            context->commit(std::move(part), tell_brief(std::move(done)));
                        });
}

void begin(const ContextPtr& context, requests::FreeKey request, Done<void> done) {
    const Result<void> fine =
        first_problem({context->check("the namespace", request.space),
                       context->check("the owner", request.owner),
                       context->check("the definition", request.definition),
                       context->check_key(request.key),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine);
    context->commit(FreeKey{std::move(request.space),
                            std::move(request.owner),
                            std::move(request.definition),
                            std::move(request.key),
                            std::move(request.request_id),
                            {}},
                    tell_done(std::move(done)));
}

void begin(const ContextPtr& context, const requests::Redrive& request, Done<InstanceBrief> done) {
    const Result<void> fine =
        first_problem({request.to ? context->check(*request.to) : Result<void>(),
                       context->check_optional("the request id", request.request_id)});
    if (!fine) return done(fine.error());
    Redrive part;
    part.letter = request.letter;
    part.to = request.to;
    part.space = request.to ? request.to->space : "default";
    part.request_id = request.request_id;
    context->commit(std::move(part), tell_brief(std::move(done)));
}

void begin(const ContextPtr& context, const requests::Discard& request, Done<void> done) {
    const Result<void> fine = context->check_optional("the request id", request.request_id);
    if (!fine) return done(fine);
    Discard part;
    part.letter = request.letter;
    part.space = "default";
    part.request_id = request.request_id;
    context->commit(std::move(part), tell_done(std::move(done)));
}

}  // namespace belay::client
