#include "flow/run_record.hpp"

#include "flow/interpreter/run_input.hpp"
#include "model/annotations.hpp"
#include "model/event.hpp"
#include <belay/requests/finding.hpp>
#include <belay/service.hpp>
#include <belay/shown_status.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace belay::flow {

namespace {

Result<std::vector<model::Event>> events_of(Service& service, const InstanceInfo& info) {
    constexpr std::uint32_t kPage = 10'000;
    std::vector<model::Event> events;
    while (true) {
        const auto rows = service.ask(
            requests::ReadHistory{info.run, info.execution, EventNo(events.size()), kPage});
        if (!rows) return rows.error();
        if (rows->empty()) return events;
        for (const RecordedRow& recorded : *rows) {
            auto read = model::decode_events(recorded.row);
            if (!read) return read.error();
            for (model::Event& event : *read) events.push_back(std::move(event));
        }
    }
}

Result<FlowPicture> picture_of_events(const InstanceInfo& info,
                                      std::vector<model::Event> events,
                                      std::shared_ptr<const Definition> definition) {
    RecordedRun run;
    run.name = info.name;
    run.version = info.version;
    run.headers = model::given_headers(info.headers);
    run.execution = info.execution;
    run.events = std::move(events);
    run.status = info.status;
    run.outcome = info.outcome;
    run.ended_at = info.ended_at;
    return picture_of(std::move(definition), run);
}

Result<FlowPicture> picture_in_store(Client& client,
                                     const InstanceInfo& info,
                                     std::shared_ptr<const Definition> definition) {
    auto events = events_of(client.service(), info);
    if (!events) return events.error();
    return picture_of_events(info, std::move(*events), std::move(definition));
}

/// Does nothing for a settled run: the queues know nothing of it.
Result<void> add_queues_of(Client& client, const InstanceInfo& info, FlowPicture& picture) {
    if (is_terminal(info.status) && info.settled) return {};
    const auto described = client.describe(info.name);
    if (!described && described.error().code() == Errc::not_found) return {};
    if (!described) return described.error();
    if (described->info.run == info.run) add_queues(client, *described, picture);
    return {};
}

/// Adds the items that children of a large map have run.
Result<void> add_chunks(Client& client, DrawnRun& drawn) {
    std::vector<std::string> children;
    for (const ListPicture& list : drawn.picture.lists) {
        for (const StepPicture& step : list.steps) {
            for (const ChunkPicture& chunk : step.chunks) children.push_back(chunk.child);
        }
    }
    for (const std::string& child : children) {
        const auto info = client.inspect(InstanceName{drawn.info.name.space, child});
        if (!info && info.error().code() == Errc::not_found) continue;
        if (!info) return info.error();
        const bool is_own = info->parent && info->parent->run == drawn.info.run;
        if (!is_own) continue;
        auto picture = picture_in_store(client, *info, drawn.definition);
        if (!picture) return picture.error();
        if (const auto added = add_queues_of(client, *info, *picture); !added) return added;
        add_chunk(drawn.picture, *picture);
        drawn.runs.push_back(info->run);
    }
    return {};
}

}  // namespace

Result<Bundle> bundle_of(Client& client, const InstanceInfo& info) {
    if (!info.document) {
        return Error(Errc::invalid_argument, "'" + info.name.id + "' is no run of a flow");
    }
    const auto document = client.document(*info.document, info.name.space);
    if (!document) return document.error();
    return open_bundle(document->bytes);
}

void add_queues(Client& client, const InstanceDescription& description, FlowPicture& picture) {
    const InstanceInfo& info = description.info;
    add_awaits(picture, description.awaits);
    if (info.settled) return;
    add_stopping(picture, description.stopping, [&](const std::string& child) {
        const auto found = client.inspect(InstanceName{info.name.space, child});
        const bool is_own = found && found->parent && found->parent->run == info.run;
        return is_own && !has_ended(*found);
    });
}

Result<DrawnRun> draw_alone(Client& client, const InstanceInfo& info, const Bundle& bundle) {
    DrawnRun drawn;
    drawn.info = info;
    drawn.runs.push_back(info.run);
    const auto found = bundle.flows.find(info.definition);
    if (found == bundle.flows.end()) {
        return Error(
            Errc::corrupt,
            "the document of '" + info.name.id + "' has no flow '" + info.definition + "'");
    }
    drawn.definition = std::make_shared<const Definition>(found->second);
    try {
        drawn.params = decode_input(info.input).params;
    } catch (const std::exception& problem) {
        return Error(Errc::corrupt,
                     "the params of '" + info.name.id + "' cannot be read: " + problem.what());
    }
    auto events = events_of(client.service(), info);
    if (!events) return events.error();
    drawn.events = std::move(*events);
    auto picture = picture_of_events(info, drawn.events, drawn.definition);
    if (!picture) return picture.error();
    drawn.picture = std::move(*picture);
    return drawn;
}

Result<DrawnRun> draw_run(Client& client, const InstanceInfo& info, const Bundle& bundle) {
    auto drawn = draw_alone(client, info, bundle);
    if (!drawn) return drawn;
    drawn->events.clear();
    if (const auto added = add_queues_of(client, info, drawn->picture); !added) {
        return added.error();
    }
    if (const auto added = add_chunks(client, *drawn); !added) return added.error();
    return drawn;
}

}  // namespace belay::flow
