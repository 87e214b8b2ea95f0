#include "base/id_source.hpp"
#include "base/policy.hpp"
#include "client/annotations.hpp"
#include "client/blocking.hpp"
#include "client/digest.hpp"
#include "client/waits.hpp"
#include <belay/client.hpp>
#include <belay/store/operations.hpp>

#include <cstdio>
#include <functional>
#include <type_traits>
#include <utility>

namespace belay {

namespace {

constexpr int kResends = 10;

Error error_of(const Answer& answer) {
    return answer.error ? *answer.error : Error(Errc::corrupt, "the store gave no reason");
}

/// The first thing that is wrong with it.
Result<void> first_problem(std::initializer_list<Result<void>> checks) {
    for (const Result<void>& check : checks) {
        if (!check) return check;
    }
    return {};
}

std::function<void(Result<Answer>)> as_brief(Done<InstanceBrief> done) {
    return [done = std::move(done)](Result<Answer> result) {
        if (!result) {
            done(result.error());
        } else if (!result->done()) {
            done(error_of(*result));
        } else {
            done(result->instance.value_or(InstanceBrief()));
        }
    };
}

}  // namespace

struct Client::Core : std::enable_shared_from_this<Client::Core> {
    Core(Store& store_, Clock& clock, Random& random_, const Limits& limits_, const Policy& policy_)
        : store(store_), random(random_), ids(clock, random_), limits(limits_), policy(policy_) {}

    /// Commits one part; after an unknown outcome the identical commit is sent again.
    template <class Request>
    void commit(Request part, std::function<void(Result<Answer>)> done) {
        const CommitId id = ids.commit_id();
        // Only a start leaves a run behind that its commit is known by: any other request, sent
        // again, is told apart from a new one by its request id.
        if constexpr (!std::is_same_v<Request, Start>) {
            if (part.request_id.empty()) part.request_id = request_id_of(id);
        }
        part.request_digest = client::request_digest(part);
        Transition transition = op::transition(id, std::move(part));
        transition.stop = StopTerms{policy.grace, policy.cancel_deadline};
        send(std::move(transition), kResends, std::move(done));
    }

    [[nodiscard]] static std::string request_id_of(CommitId id) {
        char text[48];
        std::snprintf(text,
                      sizeof text,
                      "commit-%016llx%016llx",
                      static_cast<unsigned long long>(id.high),
                      static_cast<unsigned long long>(id.low));
        return text;
    }

    void send(Transition transition, int resends, std::function<void(Result<Answer>)> done) {
        std::vector<Transition> batch{transition};
        store.commit(std::move(batch),
                     [self = shared_from_this(),
                      transition = std::move(transition),
                      resends,
                      done = std::move(done)](Result<std::vector<Answer>> result) {
                         const Error* error = nullptr;
                         if (!result) {
                             error = &result.error();
                         } else if (result->front().verdict == Verdict::failed) {
                             error = &*result->front().error;
                         }
                         if (error == nullptr) {
                             done(std::move(result->front()));
                         } else if (error->outcome_unknown() && resends > 0) {
                             self->send(transition, resends - 1, done);
                         } else {
                             done(*error);
                         }
                     });
    }

    [[nodiscard]] Result<void> check(std::string_view what, const std::string& name) const {
        return check_name(what, name, limits.name_bytes);
    }
    [[nodiscard]] Result<void> check(const InstanceName& name) const {
        if (Result<void> space = check("the namespace", name.space); !space) return space;
        return check("the instance id", name.id);
    }
    /// A name that may be missing.
    [[nodiscard]] Result<void> check_optional(std::string_view what,
                                              const std::string& name) const {
        return name.empty() ? Result<void>() : check_name(what, name, limits.reason_bytes);
    }
    [[nodiscard]] Result<void> check_reason(const std::string& reason) const {
        return check_text("the reason", reason, limits.reason_bytes);
    }
    [[nodiscard]] Result<void> check(const Payload& payload) const {
        if (payload.bytes.size() <= limits.payload_bytes) return {};
        return Error(Errc::limit_exceeded,
                     "the payload is " + std::to_string(payload.bytes.size()) + " bytes; at most " +
                         std::to_string(limits.payload_bytes) + " are allowed");
    }
    void send_message(std::string_view what,
                      Send part,
                      std::string request_id,
                      Done<InstanceBrief> done) {
        const Result<void> fine = first_problem({check(part.name),
                                                 check(what, part.message.name),
                                                 check_optional("the request id", request_id),
                                                 check(part.message.payload)});
        if (!fine) {
            done(fine.error());
            return;
        }
        part.request_id = std::move(request_id);
        commit(std::move(part), as_brief(std::move(done)));
    }

    [[nodiscard]] std::string fresh_id() {
        char text[40];
        const auto high = static_cast<unsigned long long>(ids.run_key().value);
        const auto low = static_cast<unsigned long long>(random.next());
        std::snprintf(text, sizeof text, "run-%016llx%016llx", high, low);
        return text;
    }

    Store& store;
    Random& random;
    IdSource ids;
    Limits limits;
    Policy policy;
};

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
    if (!answer.done() && !existing) return error_of(answer);
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
    const Result<void> fine = first_problem(
        {core_->check(instance.name),
         slash(),
         core_->check("the definition", definition),
         options.version_.empty() ? Result<void>() : core_->check("the version", options.version_),
         core_->check("the owner", options.owner_),
         core_->check_optional("the key", options.key_ ? options.key_->key : std::string()),
         core_->check_optional("started_by", options.started_by_),
         core_->check_optional("the request id", options.request_id_),
         core_->check(input),
         client::check_labels(options.labels_, core_->limits),
         client::check_headers(options.headers_, core_->limits)});
    if (!fine) {
        done(fine.error());
        return;
    }
    instance.run = RunRef{shard_of(instance.name.id), core_->ids.run_key()};
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
            again.instance.run.key = core->ids.run_key();
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

std::function<void(Result<Answer>)> as_cancel_result(Done<CancelResult> done) {
    return [done = std::move(done)](Result<Answer> result) {
        if (!result) {
            done(result.error());
        } else if (!result->done()) {
            done(error_of(*result));
        } else {
            done(CancelResult{result->instance.value_or(InstanceBrief()), result->changed});
        }
    };
}

}  // namespace

void Client::cancel(const InstanceName& name,
                    const CancelOptions& options,
                    Done<CancelResult> done) {
    const Result<void> fine =
        first_problem({core_->check(name),
                       core_->check_reason(options.reason_),
                       core_->check_optional("by", options.by_),
                       core_->check_optional("the request id", options.request_id_)});
    if (!fine) {
        done(fine.error());
        return;
    }
    Cancel part = op::cancel(name, options.reason_, core_->policy.cancel_deadline);
    part.by = options.by_;
    part.source = options.source_;
    part.request_id = options.request_id_;
    core_->commit(std::move(part), as_cancel_result(std::move(done)));
}

Result<CancelResult> Client::cancel(const InstanceName& name, const CancelOptions& options) {
    return client::wait_for_answer<CancelResult>(
        [&](Done<CancelResult> done) { cancel(name, options, std::move(done)); });
}

void Client::terminate(const InstanceName& name,
                       const CancelOptions& options,
                       Done<CancelResult> done) {
    const Result<void> fine =
        first_problem({core_->check(name),
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
    core_->commit(std::move(part), as_cancel_result(std::move(done)));
}

Result<CancelResult> Client::terminate(const InstanceName& name, const CancelOptions& options) {
    return client::wait_for_answer<CancelResult>(
        [&](Done<CancelResult> done) { terminate(name, options, std::move(done)); });
}

// ---- Messages ----------------------------------------------------------------------------------

namespace {

Result<void> without_value(const Result<InstanceBrief>& result) {
    return result ? Result<void>() : Result<void>(result.error());
}

}  // namespace

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
    return without_value(client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
        raise(name, std::move(event), std::move(payload), std::move(request_id), std::move(done));
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
    return without_value(client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
        enqueue(name, std::move(queue), std::move(payload), std::move(request_id), std::move(done));
    }));
}

// ---- Management --------------------------------------------------------------------------------

void Client::delete_instance(const InstanceName& name,
                             bool force,
                             const std::string& request_id,
                             Done<DeleteCounts> done) {
    const Result<void> fine =
        first_problem({core_->check(name), core_->check_optional("the request id", request_id)});
    if (!fine) {
        done(fine.error());
        return;
    }
    core_->commit(Delete{name, force, request_id, {}},
                  [done = std::move(done)](Result<Answer> result) {
                      if (!result) {
                          done(result.error());
                      } else if (!result->done()) {
                          done(error_of(*result));
                      } else {
                          done(result->deleted);
                      }
                  });
}

Result<DeleteCounts> Client::delete_instance(const InstanceName& name,
                                             bool force,
                                             const std::string& request_id) {
    return client::wait_for_answer<DeleteCounts>([&](Done<DeleteCounts> done) {
        delete_instance(name, force, request_id, std::move(done));
    });
}

Result<void> Client::release(const InstanceName& name, const std::string& request_id) {
    Result<void> fine =
        first_problem({core_->check(name), core_->check_optional("the request id", request_id)});
    if (!fine) return fine;
    return without_value(client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
        core_->commit(Release{name, request_id, {}}, as_brief(std::move(done)));
    }));
}

Result<void> Client::free_key(std::string space,
                              std::string owner,
                              std::string definition,
                              std::string key,
                              std::string request_id) {
    if (const Result<void> fine = core_->check_optional("the request id", request_id); !fine) {
        return fine;
    }
    return without_value(client::wait_for_answer<InstanceBrief>([&](Done<InstanceBrief> done) {
        core_->commit(FreeKey{std::move(space),
                              std::move(owner),
                              std::move(definition),
                              std::move(key),
                              std::move(request_id),
                              {}},
                      as_brief(std::move(done)));
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

Result<std::vector<DeadLetter>> Client::dead_letters() {
    return client::wait_for_answer<ListDeadLetters::Answer>(
        [&](Done<ListDeadLetters::Answer> done) {
            core_->store.read(ListDeadLetters{}, std::move(done));
        });
}

}  // namespace belay
