// The typed face of a service: runs.
#include "base/policy.hpp"
#include "client/answers.hpp"
#include "client/waits.hpp"
#include <belay/client.hpp>

#include <utility>

namespace belay {

Client::Client(
    Store& store, Clock& clock, Random& random, const Limits& limits, const Policy& policy)
    : service_(make_local_service(store, clock, random, limits, policy)),
      waits_(std::make_shared<client::Waits>(service_, clock, policy)) {}

Client::Client(Service& service, Clock& clock, const Policy& policy)
    : service_(std::shared_ptr<Service>(), &service),
      waits_(std::make_shared<client::Waits>(service_, clock, policy)) {
    base::check_policy(policy);
}

Client::~Client() {
    if (waits_) waits_->close();
}
Client::Client(Client&&) noexcept = default;

// ---- Start -------------------------------------------------------------------------------------

namespace {

Error no_request_id() {
    return Error(Errc::invalid_argument,
                 "a cancel of many has no request id; asked again it changes nothing twice");
}

/// The repetition of an earlier request is answered as that one was, and its run may have ended
/// since.
std::optional<client::StartedRuns::Mark> mark_start(client::Waits& waits,
                                                    const requests::Start& request) {
    return request.request_id.empty() ? waits.mark_start() : std::nullopt;
}

requests::Terminate terminate_of(requests::Cancel cancel) {
    return requests::Terminate{std::move(cancel.name),
                               std::move(cancel.reason),
                               std::move(cancel.by),
                               cancel.source,
                               std::move(cancel.request_id)};
}

}  // namespace

requests::Start Client::request_of(std::string definition,
                                   Payload input,
                                   const StartOptions& options) {
    return requests::Start{std::move(definition),
                           std::move(input),
                           options.space_,
                           options.id_,
                           options.on_conflict_,
                           options.key_,
                           options.owner_,
                           options.started_by_,
                           options.version_,
                           options.delay_,
                           options.headers_,
                           options.labels_,
                           options.request_id_};
}

requests::Cancel Client::request_of(const InstanceName& name, const CancelOptions& options) {
    return requests::Cancel{name,
                            options.reason_,
                            options.by_,
                            options.source_,
                            options.deadline_,
                            options.request_id_};
}

void Client::start(std::string definition,
                   Payload input,
                   const StartOptions& options,
                   Done<StartResult> done) {
    requests::Start request = request_of(std::move(definition), std::move(input), options);
    const auto sent = mark_start(*waits_, request);
    if (!sent) return service_->ask(std::move(request), std::move(done));
    service_->ask(std::move(request),
                  [waits = waits_->weak_from_this(), at = *sent, done = std::move(done)](
                      Result<StartResult> started) {
                      const auto noting = waits.lock();
                      if (started && noting) noting->note_started(*started, at);
                      done(std::move(started));
                  });
}

Result<StartResult> Client::start(std::string definition,
                                  Payload input,
                                  const StartOptions& options) {
    requests::Start request = request_of(std::move(definition), std::move(input), options);
    const auto sent = mark_start(*waits_, request);
    Result<StartResult> started = service_->ask(std::move(request));
    if (started && sent) waits_->note_started(*started, *sent);
    return started;
}

// ---- Cancel and terminate ----------------------------------------------------------------------

void Client::cancel(const InstanceName& name,
                    const CancelOptions& options,
                    Done<CancelResult> done) {
    service_->ask(request_of(name, options), std::move(done));
}

Result<CancelResult> Client::cancel(const InstanceName& name, const CancelOptions& options) {
    return service_->ask(request_of(name, options));
}

requests::CancelMany Client::request_of(const CancelTargets& targets,
                                        const CancelOptions& options) {
    return requests::CancelMany{targets.filter_.match(),
                                targets.tree_,
                                targets.key_,
                                targets.runs_,
                                options.reason_,
                                options.by_,
                                options.source_,
                                options.deadline_,
                                targets.filter_.limit()};
}

void Client::cancel_bulk(const CancelTargets& targets,
                         const CancelOptions& options,
                         Done<CancelManyResult> done) {
    if (!options.request_id_.empty()) return done(no_request_id());
    service_->ask(request_of(targets, options), std::move(done));
}

Result<CancelManyResult> Client::cancel_bulk(const CancelTargets& targets,
                                             const CancelOptions& options) {
    if (!options.request_id_.empty()) return no_request_id();
    return service_->ask(request_of(targets, options));
}

Result<CancelManyResult> Client::preview_cancel_bulk(const CancelTargets& targets) {
    requests::CancelMany request = request_of(targets, CancelOptions());
    request.preview = true;
    return service_->ask(std::move(request));
}

void Client::terminate(const InstanceName& name,
                       const CancelOptions& options,
                       Done<CancelResult> done) {
    service_->ask(terminate_of(request_of(name, options)), std::move(done));
}

Result<CancelResult> Client::terminate(const InstanceName& name, const CancelOptions& options) {
    return service_->ask(terminate_of(request_of(name, options)));
}

// ---- Messages ----------------------------------------------------------------------------------

void Client::raise(const InstanceName& name,
                   std::string event,
                   Payload payload,
                   std::string request_id,
                   Done<InstanceBrief> done) {
    service_->ask(requests::SendMessage{name,
                                        MessageKind::event_raised,
                                        std::move(event),
                                        std::move(payload),
                                        std::move(request_id)},
                  std::move(done));
}

Result<void> Client::raise(const InstanceName& name,
                           std::string event,
                           Payload payload,
                           std::string request_id) {
    return client::without_value(service_->ask(requests::SendMessage{name,
                                                                     MessageKind::event_raised,
                                                                     std::move(event),
                                                                     std::move(payload),
                                                                     std::move(request_id)}));
}

void Client::enqueue(const InstanceName& name,
                     std::string queue,
                     Payload payload,
                     std::string request_id,
                     Done<InstanceBrief> done) {
    service_->ask(requests::SendMessage{name,
                                        MessageKind::queue_message,
                                        std::move(queue),
                                        std::move(payload),
                                        std::move(request_id)},
                  std::move(done));
}

Result<void> Client::enqueue(const InstanceName& name,
                             std::string queue,
                             Payload payload,
                             std::string request_id) {
    return client::without_value(service_->ask(requests::SendMessage{name,
                                                                     MessageKind::queue_message,
                                                                     std::move(queue),
                                                                     std::move(payload),
                                                                     std::move(request_id)}));
}

// ---- Held runs, keys and dead letters ----------------------------------------------------------

Result<void> Client::release(const InstanceName& name, const std::string& request_id) {
    return client::without_value(service_->ask(requests::Release{name, request_id}));
}

Result<void> Client::fail_held(const InstanceName& name,
                               const std::string& by,
                               const std::string& reason,
                               const std::string& request_id) {
    return client::without_value(service_->ask(requests::FailHeld{name, by, reason, request_id}));
}

Result<void> Client::free_key(std::string space,
                              std::string owner,
                              std::string definition,
                              std::string key,
                              std::string request_id) {
    return service_->ask(requests::FreeKey{std::move(space),
                                           std::move(owner),
                                           std::move(definition),
                                           std::move(key),
                                           std::move(request_id)});
}

Result<InstanceBrief> Client::redrive(std::uint64_t letter,
                                      const std::optional<InstanceName>& to,
                                      const std::string& request_id) {
    return service_->ask(requests::Redrive{letter, to, request_id});
}

Result<void> Client::discard(std::uint64_t letter, const std::string& request_id) {
    return service_->ask(requests::Discard{letter, request_id});
}

}  // namespace belay
