#include "base/policy.hpp"
#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/waits.hpp"
#include "model/annotations.hpp"
#include <belay/client.hpp>
#include <belay/store/operations.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace belay {

Client::Client(
    Store& store, Clock& clock, Random& random, const Limits& limits, const Policy& policy)
    : core_(std::make_shared<Core>(store, clock, random, limits, policy)),
      waits_(std::make_shared<client::Waits>(store, clock, policy)) {
    base::check_policy(policy);
}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

// ---- Start -------------------------------------------------------------------------------------

namespace {

Result<StartResult> start_result(const Answer& answer, IdConflict policy) {
    const bool by_key = answer.refused_with(Errc::duplicate_key);
    const bool existing =
        by_key || (answer.refused_with(Errc::id_in_use) && policy == IdConflict::use_existing);
    if (!answer.done() && !existing) return client::error_of(answer);
    StartResult result;
    if (answer.instance) result.instance = *answer.instance;
    result.created = answer.done();
    result.by_key = by_key;
    result.input_differs = answer.input_differs;
    return result;
}

}  // namespace

void Client::start(std::string definition,
                   Payload input,
                   const StartOptions& options,
                   Done<StartResult> done) {
    Start part;
    NewInstance& instance = part.instance;
    instance.name = InstanceName{options.space_, options.id_};
    if (instance.name.id.empty()) {
        instance.name.id = options.request_id_.empty()
                               ? core_->fresh_id()
                               : client::id_from_request(options.space_, options.request_id_);
    }
    const auto slash = [&]() -> Result<void> {
        if (instance.name.id.find('/') == std::string::npos) return {};
        return Error(Errc::invalid_argument,
                     "the instance id '" + instance.name.id +
                         "' has a '/', which is kept for the "
                         "ids of children");
    };
    const Result<void> fine = client::first_problem(
        {core_->check(instance.name),
         slash(),
         core_->check("the definition", definition),
         options.version_.empty() ? Result<void>() : core_->check("the version", options.version_),
         core_->check("the owner", options.owner_),
         core_->check_optional("the key", options.key_ ? options.key_->key : std::string()),
         core_->check_optional("started_by", options.started_by_),
         core_->check_optional("the request id", options.request_id_),
         core_->check(input),
         model::check_labels(options.labels_, core_->limits),
         model::check_given_headers(options.headers_, core_->limits)});
    if (!fine) {
        done(fine.error());
        return;
    }
    instance.run = RunRef{shard_of(instance.name.id), core_->sender->ids().run_key()};
    instance.definition = std::move(definition);
    instance.version = options.version_;
    part.input_digest = client::digest_of(input);
    instance.input = std::move(input);
    instance.owner = options.owner_;
    instance.started_by = options.started_by_;
    instance.headers = options.headers_;
    instance.labels = options.labels_;
    part.on_conflict = options.on_conflict_;
    part.key = options.key_;
    part.request_id = options.request_id_;
    part.delay = options.delay_;
    part.by = options.started_by_;
    core_->commit(part, [core = core_, part, done = std::move(done)](Result<Answer> result) {
        if (!result) {
            done(result.error());
            return;
        }
        if (result->refused_with(Errc::run_key_taken)) {
            Start again = part;
            again.instance.run.key = core->sender->ids().run_key();
            core->commit(std::move(again), [part, done](Result<Answer> second) {
                second ? done(start_result(*second, part.on_conflict)) : done(second.error());
            });
            return;
        }
        done(start_result(*result, part.on_conflict));
    });
}

Result<StartResult> Client::start(std::string definition,
                                  Payload input,
                                  const StartOptions& options) {
    return client::wait_for_answer<StartResult>([&](Done<StartResult> done) {
        start(std::move(definition), std::move(input), options, std::move(done));
    });
}

// ---- Cancel and terminate ----------------------------------------------------------------------

namespace {

/// As Policy::cancel_deadline is checked.
Result<void> check_deadline(const std::optional<Millis>& deadline) {
    if (!deadline || (*deadline >= Millis(1) && *deadline <= base::kLongest)) return {};
    return Error(Errc::invalid_argument,
                 "the deadline of a cancel must be at least 1 ms and at most ten years");
}

std::function<void(Result<Answer>)> tell_canceled(Done<CancelResult> done) {
    return client::tell<CancelResult>(std::move(done), [](const Answer& answer) {
        return CancelResult{answer.instance.value_or(InstanceBrief()), answer.changed};
    });
}

}  // namespace

void Client::cancel(const InstanceName& name,
                    const CancelOptions& options,
                    Done<CancelResult> done) {
    const Result<void> fine =
        client::first_problem({core_->check(name),
                               core_->check_reason(options.reason_),
                               core_->check_optional("by", options.by_),
                               core_->check_optional("the request id", options.request_id_),
                               check_deadline(options.deadline_)});
    if (!fine) {
        done(fine.error());
        return;
    }
    Cancel part = op::cancel(
        name, options.reason_, options.deadline_.value_or(core_->policy.cancel_deadline));
    part.by = options.by_;
    part.source = options.source_;
    part.request_id = options.request_id_;
    core_->commit(std::move(part), tell_canceled(std::move(done)));
}

Result<CancelResult> Client::cancel(const InstanceName& name, const CancelOptions& options) {
    return client::wait_for_answer<CancelResult>(
        [&](Done<CancelResult> done) { cancel(name, options, std::move(done)); });
}

void Client::terminate(const InstanceName& name,
                       const CancelOptions& options,
                       Done<CancelResult> done) {
    const Result<void> fine =
        client::first_problem({core_->check(name),
                               core_->check_reason(options.reason_),
                               core_->check_optional("by", options.by_),
                               core_->check_optional("the request id", options.request_id_)});
    if (!fine) {
        done(fine.error());
        return;
    }
    Finish part = op::terminate(name, options.by_, options.reason_);
    part.outcome.cancel.source = options.source_;
    part.request_id = options.request_id_;
    core_->commit(std::move(part), tell_canceled(std::move(done)));
}

Result<CancelResult> Client::terminate(const InstanceName& name, const CancelOptions& options) {
    return client::wait_for_answer<CancelResult>(
        [&](Done<CancelResult> done) { terminate(name, options, std::move(done)); });
}

// ---- Messages ----------------------------------------------------------------------------------

void Client::raise(const InstanceName& name,
                   std::string event,
                   Payload payload,
                   std::string request_id,
                   Done<InstanceBrief> done) {
    core_->send_message("the event",
                        op::raise(name, std::move(event), std::move(payload)),
                        std::move(request_id),
                        std::move(done));
}

Result<void> Client::raise(const InstanceName& name,
                           std::string event,
                           Payload payload,
                           std::string request_id) {
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            raise(
                name, std::move(event), std::move(payload), std::move(request_id), std::move(done));
        }));
}

void Client::enqueue(const InstanceName& name,
                     std::string queue,
                     Payload payload,
                     std::string request_id,
                     Done<InstanceBrief> done) {
    core_->send_message("the queue",
                        op::enqueue(name, std::move(queue), std::move(payload)),
                        std::move(request_id),
                        std::move(done));
}

Result<void> Client::enqueue(const InstanceName& name,
                             std::string queue,
                             Payload payload,
                             std::string request_id) {
    return client::without_value(
        client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
            enqueue(
                name, std::move(queue), std::move(payload), std::move(request_id), std::move(done));
        }));
}

Result<InstanceInfo> Client::inspect(const InstanceName& name) {
    if (const Result<void> fine = core_->check(name); !fine) return fine.error();
    Result<ReadInstance::Answer> found =
        client::wait_for_answer<ReadInstance::Answer>([&](Done<ReadInstance::Answer> done) {
            core_->store.read(ReadInstance{name, std::nullopt}, std::move(done));
        });
    if (!found) return found.error();
    if (!*found) return Error(Errc::not_found, "there is no instance '" + name.id + "'");
    return std::move(**found);
}

}  // namespace belay
