#include "model/arguments.hpp"
#include "schedule/runner/change.hpp"
#include "schedule/runner/names.hpp"
#include "schedule/runner/spec.hpp"
#include "schedule/runner/spec_store.hpp"
#include "schedule/runner/state.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/requests/finding.hpp>
#include <belay/schedules.hpp>
#include <belay/service.hpp>

#include <algorithm>
#include <utility>

namespace belay {

namespace {

using schedule::Change;
using schedule::ChangeKind;

Error no_schedule(const std::string& name) {
    return Error(Errc::not_found, "there is no schedule '" + name + "'");
}

Result<InstanceInfo> instance_of(Client& client, const std::string& name) {
    Result<InstanceInfo> found = client.inspect(schedule::id_of(name));
    const bool missing = !found && found.error().code() == Errc::not_found;
    if (missing || (found && found->definition != schedule::kDefinition)) return no_schedule(name);
    return found;
}

/// Checks that it can be used, and has a tick left.
Result<void> check_alive(Client& client, const ScheduleSpec& spec) {
    if (Result<void> checked = spec.check(); !checked) return checked;
    const Result<Timestamp> now = client.service().ask(requests::Now{});
    if (!now) return now.error();
    const auto next = spec.next_times(*now, 1);
    if (!next) return next.error();
    if (!next->empty()) return {};
    return Error(Errc::invalid_argument, "the schedule has no tick left: all its times are over");
}

Result<void> send(Client& client,
                  const std::string& name,
                  const Change& change,
                  const std::string& request_id) {
    Result<void> sent =
        client.enqueue(schedule::id_of(name), schedule::kChanges, encode(change), request_id);
    if (!sent && sent.error().code() == Errc::not_found) return no_schedule(name);
    if (!sent && sent.error().code() == Errc::already_ended) {
        return Error(Errc::already_ended,
                     "the schedule '" + name + "' has ended: it has no tick left");
    }
    return sent;
}

ScheduleView view_of(const InstanceInfo& info) {
    ScheduleView view;
    view.name = schedule::name_of(info.name.id);
    view.ended = is_terminal(info.status);
    if (info.held) view.problem = "held: " + info.held_detail;
    if (!info.custom_status) return view;
    const Result<schedule::State> state = schedule::decode_state(info.custom_status->bytes);
    if (!state) {
        view.problem = state.error().message();
        return view;
    }
    view.paused = state->pause.has_value();
    if (view.paused) {
        view.paused_by = state->pause->by;
        view.paused_why = state->pause->why;
        view.paused_at = state->pause->at;
    }
    if (!view.ended) view.next = state->next;
    if (view.problem.empty()) view.problem = state->problem;
    view.fired = state->fired;
    view.skipped = state->skipped;
    view.missed = state->missed;
    view.refused = state->refused;
    view.waiting = state->waiting.size();
    for (const schedule::StartedRun& run : state->runs) view.runs.push_back(run.shown);
    return view;
}

/// Reads the present states of the runs that had not ended when the schedule looked at them.
Result<void> refresh(Client& client, const schedule::State& state, ScheduleView& view) {
    requests::InspectMany request;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < state.runs.size(); ++i) {
        const schedule::StartedRun& run = state.runs[i];
        if (!run.under_way()) continue;
        const std::string& id = run.shown.id;
        request.instances.push_back(
            {.name = {client.default_namespace(), id}, .run = RunRef{shard_of(id), run.key}});
        places.push_back(i);
    }
    if (places.empty()) return {};
    const auto answer = client.service().ask(std::move(request));
    if (!answer) return answer.error();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::optional<InspectedRun>& found = (*answer)[i];
        view.runs[places[i]].status = found ? std::optional(found->info.status) : std::nullopt;
    }
    return {};
}

/// Counts the changes that no worker has taken.
Result<std::uint64_t> count_changes(Client& client, const InstanceInfo& info) {
    if (is_terminal(info.status)) return 0;
    const auto found = client.describe(InstanceAddress(info.name, info.run));
    if (!found) return found.error();
    return static_cast<std::uint64_t>(
        std::ranges::count_if(found->messages, [](const WaitingMessage& message) {
            return message.kind == MessageKind::queue_message && message.name == schedule::kChanges;
        }));
}

/// Reads a page of instances, which may have been removed meanwhile.
Result<void> add_views(Client& client, const InstancePage& page, std::vector<ScheduleView>& views) {
    requests::InspectMany request;
    for (const ListedInstance& one : page.instances) {
        request.instances.push_back({.name = one.instance.name, .run = one.instance.run});
    }
    if (request.instances.empty()) return {};
    const auto answer = client.service().ask(std::move(request));
    if (!answer) return answer.error();
    for (const std::optional<InspectedRun>& one : *answer) {
        if (one) views.push_back(view_of(one->info));
    }
    return {};
}

}  // namespace

Result<void> Schedules::create(const std::string& name,
                               const ScheduleSpec& spec,
                               const ScheduleNote& note) {
    if (Result<void> checked = schedule::check_schedule_name(name); !checked) return checked;
    if (Result<void> checked = check_alive(*client_, spec); !checked) return checked;
    const std::string id = schedule::id_of(name);
    StartOptions options;
    options.id(id).started_by(note.by_).request_id(note.request_id_);
    const Result<InstanceInfo> before = client_->inspect(id);
    if (before && is_terminal(before->status)) options.on_conflict(IdConflict::replace);
    const std::vector<Payload> input{
        Payload::text(spec.json()), Payload::text(""), detail::join_payloads({})};
    const Result<StartResult> started =
        client_->start(std::string(schedule::kDefinition), detail::join_payloads(input), options);
    if (started) return {};
    if (started.error().code() != Errc::id_in_use) return started.error();
    return Error(Errc::id_in_use, "there is a schedule '" + name + "' already");
}

Result<void> Schedules::update(const std::string& name,
                               const ScheduleSpec& spec,
                               const ScheduleNote& note) {
    if (Result<void> checked = check_alive(*client_, spec); !checked) return checked;
    const Change change{
        .kind = ChangeKind::update, .by = note.by_, .why = note.why_, .spec = spec.json()};
    return send(*client_, name, change, note.request_id_);
}

Result<void> Schedules::pause(const std::string& name, const ScheduleNote& note) {
    const Change change{.kind = ChangeKind::pause, .by = note.by_, .why = note.why_};
    return send(*client_, name, change, note.request_id_);
}

Result<void> Schedules::resume(const std::string& name, const ScheduleNote& note) {
    const Change change{.kind = ChangeKind::resume, .by = note.by_, .why = note.why_};
    return send(*client_, name, change, note.request_id_);
}

Result<void> Schedules::run_now(const std::string& name, const ScheduleNote& note) {
    const Change change{.kind = ChangeKind::run_now, .by = note.by_, .why = note.why_};
    return send(*client_, name, change, note.request_id_);
}

Result<void> Schedules::backfill(const std::string& name,
                                 Timestamp from,
                                 Timestamp to,
                                 const ScheduleNote& note) {
    if (from >= to) {
        return Error(Errc::invalid_argument, "the time to fill is empty: it ends before it begins");
    }
    const Change change{
        .kind = ChangeKind::backfill, .by = note.by_, .why = note.why_, .from = from, .to = to};
    return send(*client_, name, change, note.request_id_);
}

Result<void> Schedules::remove(const std::string& name, const ScheduleNote& note) {
    const Result<InstanceInfo> found = instance_of(*client_, name);
    if (!found) return found.error();
    const Result<DeleteCounts> removed =
        client_->delete_instance(InstanceAddress(found->name, found->run), true, note.request_id_);
    if (!removed) return removed.error();
    return {};
}

Result<std::vector<ScheduleView>> Schedules::list() {
    constexpr std::uint32_t kPage = 500;
    std::vector<ScheduleView> views;
    ListOptions options;
    options.space(client_->default_namespace()).definition(std::string(schedule::kDefinition));
    options.page_size(kPage);
    for (bool more = true; more;) {
        const Result<InstancePage> page = client_->list(options);
        if (!page) return page.error();
        if (Result<void> added = add_views(*client_, *page, views); !added) return added.error();
        more = !page->next.empty();
        options.after(page->next);
    }
    std::ranges::sort(views, {}, &ScheduleView::name);
    return views;
}

Result<ScheduleView> Schedules::show(const std::string& name) {
    const Result<InstanceInfo> found = instance_of(*client_, name);
    if (!found) return found.error();
    ScheduleView view = view_of(*found);
    const Result<std::uint64_t> changes = count_changes(*client_, *found);
    if (!changes) return changes.error();
    view.changes = *changes;
    const auto values = client_->values(InstanceAddress(found->name, found->run));
    if (!values) return values.error();
    std::string spec = schedule::spec_in(*values);
    if (spec.empty()) {
        // No worker has seen it yet.
        const auto input = model::parts_of(found->input);
        if (input && !input->empty()) spec = input->front().bytes;
    }
    schedule::Problems problems;
    view.spec = schedule::read_spec(spec, problems);
    if (!problems.empty() && view.problem.empty()) view.problem = problems.text();
    if (found->custom_status) {
        if (const auto state = schedule::decode_state(found->custom_status->bytes)) {
            if (Result<void> read = refresh(*client_, *state, view); !read) return read.error();
        }
    }
    return view;
}

}  // namespace belay
