// The typed face of a service: runs.
#include "base/policy.hpp"
#include "client/answers.hpp"
#include "client/waits.hpp"
#include <belay/client.hpp>
#include <belay/service.hpp>

#include <utility>

namespace belay {

Client::Client(
    Store& store, Clock& clock, Random& random, const Limits& limits, const Policy& policy)
    : ManagementClient(make_local_service(store, clock, random, limits, policy), "default"),
      waits_(std::make_shared<client::Waits>(service_, clock, policy)) {}

Client::Client(Service& service, Clock& clock, const Policy& policy)
    : ManagementClient(std::shared_ptr<Service>(std::shared_ptr<Service>(), &service), "default"),
      waits_(std::make_shared<client::Waits>(service_, clock, policy)) {
    base::check_policy(policy);
}

Client::Client(std::shared_ptr<Service> service, std::shared_ptr<client::Waits> waits)
    : ManagementClient(std::move(service), "default"),
      waits_(std::move(waits)),
      closes_waits_(false) {}

Client::~Client() {
    if (waits_ && closes_waits_) waits_->close();
}
Client::Client(Client&&) noexcept = default;

// ---- Start -------------------------------------------------------------------------------------

namespace {

Error no_request_id() {
    return Error(Errc::invalid_argument,
                 "a cancel of many has no request id; asked again it changes nothing twice");
}

/// Ignoring it would end a run that the caller does not mean.
Error no_definition(const std::string& what) {
    return Error(Errc::invalid_argument,
                 what + " cannot name the definition that it expects; a filter can say it");
}

/// The repetition of an earlier request is answered as that one was, and its run may have ended
/// since.
std::optional<client::StartedRuns::Position> mark_start(client::Waits& waits,
                                                        const requests::Start& request) {
    return request.request_id.empty() ? waits.mark_start() : std::nullopt;
}

requests::Terminate terminate_of(requests::Cancel cancel) {
    return requests::Terminate{std::move(cancel.name),
                               std::move(cancel.reason),
                               std::move(cancel.by),
                               cancel.source,
                               std::move(cancel.request_id),
                               cancel.run};
}

}  // namespace

requests::Start Client::request_of(std::string definition,
                                   Payload input,
                                   const StartOptions& options) const {
    return requests::Start{
        std::move(definition), std::move(input),     options.space_.value_or(space_),
        options.id_,           options.on_conflict_, options.key_,
        options.owner_,        options.started_by_,  options.version_,
        options.delay_,        options.headers_,     options.labels_,
        options.request_id_,   options.document_,    options.on_fail_,
        options.priority_,     options.expires_,     options.deadline_,
        options.concurrency_,  options.rate_};
}

requests::Cancel Client::request_of(const InstanceAddress& name,
                                    const CancelOptions& options) const {
    return requests::Cancel{name.name(space_),
                            options.reason_,
                            options.by_,
                            options.source_,
                            options.deadline_,
                            options.request_id_,
                            name.run(),
                            options.definition_};
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

Result<StartResult> Client::begin(std::string definition,
                                  Payload input,
                                  const StartOptions& options) {
    requests::Start request = request_of(std::move(definition), std::move(input), options);
    const auto sent = mark_start(*waits_, request);
    Result<StartResult> started = service_->ask(std::move(request));
    if (started && sent) waits_->note_started(*started, *sent);
    return started;
}

// ---- Rerun -------------------------------------------------------------------------------------

requests::Rerun Client::request_of(const InstanceAddress& name, const RerunOptions& options) const {
    return requests::Rerun{name.name(space_),
                           name.run(),
                           options.input_,
                           options.id_,
                           options.started_by_,
                           options.version_,
                           options.delay_,
                           options.headers_,
                           options.labels_,
                           options.when_busy_,
                           options.request_id_,
                           options.key_,
                           options.document_,
                           options.on_fail_,
                           options.link_};
}

void Client::rerun(const InstanceAddress& name,
                   const RerunOptions& options,
                   Done<StartResult> done) {
    service_->ask(request_of(name, options), std::move(done));
}

Result<StartResult> Client::rerun(const InstanceAddress& name, const RerunOptions& options) {
    return service_->ask(request_of(name, options));
}

Result<StartResult> Client::resume(const InstanceAddress& name,
                                   EventNo from,
                                   const RerunOptions& options) {
    return resume(name, 0, from, options);
}

Result<StartResult> Client::resume(const InstanceAddress& name,
                                   ExecutionNo execution,
                                   EventNo from,
                                   const RerunOptions& options) {
    requests::Resume request{request_of(name, options), from, execution};
    if (options.link_ == kRerunLabel) request.like.link = kResumeLabel;
    return service_->ask(std::move(request));
}

// ---- Cancel and terminate ----------------------------------------------------------------------

void Client::cancel(const InstanceAddress& name,
                    const CancelOptions& options,
                    Done<CancelResult> done) {
    service_->ask(request_of(name, options), std::move(done));
}

Result<CancelResult> Client::cancel(const InstanceAddress& name, const CancelOptions& options) {
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
    if (options.definition_) return done(no_definition("a cancel of many"));
    service_->ask(request_of(targets, options), std::move(done));
}

Result<CancelManyResult> Client::cancel_bulk(const CancelTargets& targets,
                                             const CancelOptions& options) {
    if (!options.request_id_.empty()) return no_request_id();
    if (options.definition_) return no_definition("a cancel of many");
    return service_->ask(request_of(targets, options));
}

Result<CancelManyResult> Client::preview_cancel_bulk(const CancelTargets& targets) {
    requests::CancelMany request = request_of(targets, CancelOptions());
    request.preview = true;
    return service_->ask(std::move(request));
}

void Client::terminate(const InstanceAddress& name,
                       const CancelOptions& options,
                       Done<CancelResult> done) {
    if (options.definition_) return done(no_definition("terminate"));
    service_->ask(terminate_of(request_of(name, options)), std::move(done));
}

Result<CancelResult> Client::terminate(const InstanceAddress& name, const CancelOptions& options) {
    if (options.definition_) return no_definition("terminate");
    return service_->ask(terminate_of(request_of(name, options)));
}

// ---- Messages ----------------------------------------------------------------------------------

void Client::raise(const InstanceAddress& name,
                   std::string event,
                   Payload payload,
                   std::string request_id,
                   Done<InstanceBrief> done) {
    service_->ask(requests::SendMessage{name.name(space_),
                                        MessageKind::event_raised,
                                        std::move(event),
                                        std::move(payload),
                                        std::move(request_id),
                                        name.run()},
                  std::move(done));
}

Result<void> Client::raise(const InstanceAddress& name,
                           std::string event,
                           Payload payload,
                           std::string request_id) {
    return client::without_value(service_->ask(requests::SendMessage{name.name(space_),
                                                                     MessageKind::event_raised,
                                                                     std::move(event),
                                                                     std::move(payload),
                                                                     std::move(request_id),
                                                                     name.run()}));
}

void Client::enqueue(const InstanceAddress& name,
                     std::string queue,
                     Payload payload,
                     std::string request_id,
                     Done<InstanceBrief> done) {
    service_->ask(requests::SendMessage{name.name(space_),
                                        MessageKind::queue_message,
                                        std::move(queue),
                                        std::move(payload),
                                        std::move(request_id),
                                        name.run()},
                  std::move(done));
}

Result<void> Client::enqueue(const InstanceAddress& name,
                             std::string queue,
                             Payload payload,
                             std::string request_id) {
    return client::without_value(service_->ask(requests::SendMessage{name.name(space_),
                                                                     MessageKind::queue_message,
                                                                     std::move(queue),
                                                                     std::move(payload),
                                                                     std::move(request_id),
                                                                     name.run()}));
}

}  // namespace belay
