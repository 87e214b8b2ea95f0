// Runs like one that has ended.
#include "client/handlers.hpp"
#include "client/starting.hpp"
#include "model/annotations.hpp"
#include "model/continued.hpp"
#include "model/event.hpp"

#include <utility>

namespace belay::client {

namespace {

/// Returns a time of a run, counted from its start.
std::optional<Millis> since_start(const InstanceInfo& info, const std::optional<Timestamp>& at) {
    if (!at) return std::nullopt;
    return std::chrono::duration_cast<Millis>(*at - info.created_at);
}

/// Returns its labels and the further ones. The link is that to this run, and to no earlier one.
Labels labels_like(const InstanceInfo& info, const requests::Rerun& request) {
    Labels labels = info.labels;
    labels.erase(kRerunLabel);
    labels.erase(kResumeLabel);
    for (const auto& [name, value] : request.labels) labels.insert_or_assign(name, value);
    labels.insert_or_assign(request.link, info.name.id);
    return labels;
}

}  // namespace

Result<void> check_ended(const InstanceInfo& info) {
    if (info.on_fail_of) {
        return Error(Errc::invalid_argument,
                     "'" + info.name.id +
                         "' handles the failure of another run, and begins with that failure only: "
                         "run that one again");
    }
    if (is_terminal(info.status)) return {};
    return Error(Errc::still_running,
                 "'" + info.name.id + "' is " + std::string(to_string(info.status)) +
                     "; a run is repeated once it has ended");
}

requests::Start start_like(const InstanceInfo& info, requests::Rerun request) {
    requests::Start start;
    start.definition = info.definition;
    start.space = info.name.space;
    start.id = std::move(request.id);
    start.owner = info.owner;
    start.started_by = std::move(request.started_by);
    // Old code may be gone. The version of a document is that of its interpreter.
    start.version = request.version.empty() && info.document ? info.version : request.version;
    start.delay = request.delay;
    start.headers = std::move(request.headers);
    start.headers.insert_or_assign(kRerunHeader, info.name.id);
    start.headers.merge(model::given_headers(info.headers));
    start.labels = labels_like(info, request);
    start.request_id = std::move(request.request_id);
    start.key = std::move(request.key);
    start.document = std::move(request.document);
    start.on_fail = request.on_fail.value_or(info.on_fail.has_value());
    start.priority = info.priority;
    start.expires = since_start(info, info.expires_at);
    start.deadline = since_start(info, info.deadline);
    const std::string key = request.concurrency_key.value_or(info.concurrency_key.value_or(""));
    if (!key.empty()) start.concurrency = Concurrency{key, request.when_busy};
    start.rate = request.rate;
    return start;
}

namespace {

Result<Payload> first_input(const Result<ReadHistory::Answer>& rows, const std::string& id) {
    if (!rows) return rows.error();
    if (rows->empty()) {
        return Error(Errc::not_found,
                     "the input of '" + id + "' was pruned with its first execution: give another");
    }
    Result<std::vector<model::Event>> events = model::decode_events(rows->front().row);
    if (!events) return events.error();
    for (model::Event& event : *events) {
        if (auto* started = std::get_if<model::ExecutionStarted>(&event)) {
            return std::move(started->input);
        }
    }
    return Error(Errc::corrupt, "a history does not begin with the start of its execution");
}

/// Starts the run, once its input is known.
void start_again(const ContextPtr& context,
                 const InstanceInfo& info,
                 requests::Rerun request,
                 Done<StartResult> done) {
    std::optional<Payload> given = std::move(request.input);
    requests::Start start = start_like(info, std::move(request));
    const std::optional<Digest> kept = start.document ? std::nullopt : info.document;
    if (given || info.execution == 1) {
        // A run that was resumed from a later execution has what that one took along.
        Result<model::Continued> own = model::unpack(info.input);
        if (!own) return done(own.error());
        start.input = std::move(own->input);
        if (given) start.input = std::move(*given);
        return start_with_document(context, std::move(start), kept, std::move(done));
    }
    // A later execution has the input with which the one before it continued.
    ReadHistory read;
    read.run = info.run;
    read.max_events = 1;
    context->store.read(
        read,
        [context, id = info.name.id, kept, start = std::move(start), done = std::move(done)](
            const Result<ReadHistory::Answer>& rows) mutable {
            Result<Payload> input = first_input(rows, id);
            if (!input) return done(input.error());
            start.input = std::move(*input);
            start_with_document(context, std::move(start), kept, std::move(done));
        });
}

}  // namespace

void begin(const ContextPtr& context, requests::Rerun request, Done<StartResult> done) {
    const Result<void> fine =
        first_problem({context->check(request.name), context->check("the label", request.link)});
    if (!fine) return done(fine.error());
    ReadInstance read{request.name, request.run};
    context->store.read(std::move(read),
                        [context, request = std::move(request), done = std::move(done)](
                            const Result<ReadInstance::Answer>& found) mutable {
                            if (!found) return done(found.error());
                            if (!*found) return done(no_such_instance(request.name));
                            const Result<void> ended = check_ended(**found);
                            if (!ended) return done(ended.error());
                            start_again(context, **found, std::move(request), std::move(done));
                        });
}

}  // namespace belay::client
