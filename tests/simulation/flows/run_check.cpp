#include "simulation/flows/run_check.hpp"

#include "expr/value_json.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace belay::sim {

namespace {

using expr::Kind;
using expr::Value;
using flow::ListName;
using How = PlainEnd::How;

Value value_of_payload(const Payload& payload) {
    if (payload.codec == PayloadCodec::text) return Value(payload.bytes);
    const auto value = expr::parse_json(payload.bytes);
    return value ? *value : Value();
}

const Value* field(const Value& map, std::string_view name) {
    return map.is(Kind::map) ? map.map().find(name) : nullptr;
}

}  // namespace

RunCheck::RunCheck(Violations& violations,
                   FlowCounts& counts,
                   const Scripts& scripts,
                   const memory::Tables& tables,
                   const flow::Bundle& bundle,
                   const memory::Run& run)
    : violations_(violations),
      counts_(counts),
      scripts_(scripts),
      tables_(tables),
      run_(run),
      definition_(bundle.flows.find(run.about.definition)->second),
      events_(recorded_events()) {}

void RunCheck::check() {
    expect(run_.ended() && run_.outcome, "every run of a flow ends", "it goes on");
    if (violations_.any() || !draw()) return;
    const Value input = value_of_payload(run_.about.input);
    const Value* const entry = field(input, "$flow");
    params_ = entry == nullptr ? input : *field(*entry, "params");
    if (run_.about.on_fail_of) {
        check_on_fail();
    } else if (entry != nullptr) {
        check_items(*entry);
    } else {
        check_steps();
    }
    if (!violations_.any()) check_calls();
    if (!violations_.any()) count_events();
}

std::vector<model::Event> RunCheck::recorded_events() const {
    std::vector<model::Event> events;
    for (const RecordedRow& row : run_.executions.back().history) {
        const auto decoded = model::decode_events(row.row);
        if (decoded) events.insert(events.end(), decoded->begin(), decoded->end());
    }
    return events;
}

bool RunCheck::draw() {
    flow::RecordedRun recorded;
    recorded.name = run_.about.name;
    recorded.version = run_.about.version;
    recorded.headers = run_.about.headers;
    recorded.events = events_;
    recorded.status = run_.status;
    recorded.outcome = run_.outcome;
    recorded.ended_at = run_.executions.back().info.ended_at;
    auto picture =
        flow::picture_of(std::make_shared<const flow::Definition>(definition_), recorded);
    expect(picture.ok(),
           "a picture can be drawn of every run",
           picture.ok() ? "" : picture.error().message());
    if (picture) picture_ = *std::move(picture);
    return picture.ok();
}

// ---- Others ------------------------------------------------------------------------------------

std::optional<Others::Child> RunCheck::child(const std::string& id) const {
    const memory::Run* const run =
        memory::find_run(tables_, InstanceName{run_.about.name.space, id});
    if (run == nullptr || !run->outcome) return std::nullopt;
    Child end;
    end.status = run->status;
    if (run->status == Status::completed) end.output = value_of_payload(run->outcome->output);
    if (run->status == Status::failed) end.failure = run->outcome->failure;
    if (run->status == Status::canceled) end.failure.kind = FailureKind::canceled;
    return end;
}

std::optional<expr::Value> RunCheck::event(const std::string& /*run*/,
                                           const std::string& name) const {
    for (const model::Event& event : events_) {
        const auto* const message = std::get_if<model::MessageReceived>(&event);
        if (message != nullptr && message->name == name) return value_of_payload(message->payload);
    }
    return std::nullopt;
}

// ---- Lists -------------------------------------------------------------------------------------

const std::vector<flow::Step>& RunCheck::steps_of(ListName list) const {
    switch (list) {
        case ListName::on_fail: return definition_.on_fail;
        case ListName::on_cancel: return definition_.on_cancel;
        case ListName::finally: return definition_.finally;
        case ListName::steps: break;
    }
    return definition_.steps;
}

const flow::ListPicture& RunCheck::picture_of_list(ListName list) const {
    return *std::ranges::find(picture_.lists, list, &flow::ListPicture::name);
}

PlainRun RunCheck::plain_run() const { return PlainRun{.id = id(), .params = params_}; }

PlainList RunCheck::plain_list(ListName list, PlainRun run) const {
    return {definition_, steps_of(list), std::move(run), scripts_, *this};
}

bool RunCheck::ended_by_code() const {
    if (run_.status != Status::canceled) return true;
    return run_.outcome->cleanup == Cleanup::done || run_.outcome->cleanup == Cleanup::failed;
}

void RunCheck::check_steps() {
    PlainList plain = plain_list(ListName::steps, plain_run());
    ListCheck list(
        violations_, counts_, id(), definition_.steps, picture_of_list(ListName::steps), plain);
    const ListSummary summary = list.check();
    if (violations_.any()) return;
    const Conclusion conclusion = conclude(summary, plain);
    const bool is_canceled = conclusion.status == Status::canceled;
    if (!definition_.on_cancel.empty()) {
        (void)check_handler(ListName::on_cancel, conclusion, plain, is_canceled && ended_by_code());
    }
    ListSummary finally;
    if (!definition_.finally.empty()) {
        finally = check_handler(ListName::finally, conclusion, plain, ended_by_code());
    }
    if (violations_.any()) return;
    check_outcome(conclusion, finally);
    check_failure_run();
    count_run(conclusion, !definition_.finally.empty() && ended_by_code());
}

RunCheck::Conclusion RunCheck::conclude(const ListSummary& summary, PlainList& plain) {
    Conclusion conclusion;
    if (summary.ender) {
        const PlainEnd& end = plain.end_of(*summary.ender);
        const flow::StepPicture& seen = picture_of_list(ListName::steps).steps[*summary.ender];
        if (end.is(How::completed)) {
            expect(picture_.ended_by == seen.id,
                   "a picture names the step that ended the flow",
                   seen.id);
            counts_.add(FlowFeature::ended_early);
            conclusion.output = end.output;
        } else {
            conclusion.status = Status::failed;
            conclusion.where = seen.failure->where;
            conclusion.message = seen.failure->message;
        }
    } else if (summary.any_canceled) {
        conclusion.status = Status::canceled;
        expect(run_.cancel.has_value(), "steps are canceled for a reason", "nothing ended them");
    } else {
        conclusion.output = plain.output();
        if (!conclusion.output) {
            conclusion.status = Status::failed;
            conclusion.where = "output";
        }
    }
    return conclusion;
}

/// A handler of the end of the flow: `finally` or `on_cancel`.
ListSummary RunCheck::check_handler(ListName list,
                                    const Conclusion& conclusion,
                                    PlainList& plain,
                                    bool must_run) {
    const flow::ListPicture& seen = picture_of_list(list);
    const flow::ListPicture& before = picture_of_list(ListName::steps);
    const std::string name(to_string(list));
    if (!must_run) {
        // A run that ended without its code may have been in the middle of it.
        expect(!seen.began_at || !ended_by_code(), "a handler runs only when it must", name);
        return {};
    }
    expect(seen.began_at && seen.ended_at, "a handler of the end runs to its end", name);
    expect(before.ended_at && seen.began_at && *before.ended_at <= *seen.began_at,
           "a handler of the end begins when the steps have ended",
           name);
    if (violations_.any()) return {};
    PlainRun run = plain_run();
    run.more.emplace_back(
        "outcome", plain_map({{"status", Value(std::string(to_string(conclusion.status)))}}));
    for (std::size_t i = 0; i < definition_.steps.size(); ++i) {
        const bool canceled = is_canceled(before.steps[i]);
        run.before[definition_.steps[i].id] =
            canceled ? plain_map({{"status", Value("canceled")}}) : plain.entry_of(i);
    }
    PlainList handler = plain_list(list, std::move(run));
    ListCheck check(violations_, counts_, id(), steps_of(list), seen, handler);
    const ListSummary summary = check.check();
    expect(summary.ender || !summary.any_canceled, "nothing interrupts a handler of the end", name);
    if (list == ListName::on_cancel) counts_.add(FlowFeature::on_cancel_of_flow);
    if (list == ListName::finally && summary.ender) counts_.add(FlowFeature::finally_failed);
    return summary;
}

void RunCheck::check_outcome(Conclusion conclusion, const ListSummary& finally) {
    const Outcome& outcome = *run_.outcome;
    if (run_.cancel) {
        expect(outcome.status == Status::canceled, "an accepted cancel ends in canceled", "");
        return;
    }
    if (finally.ender && conclusion.status == Status::completed) {
        const flow::StepPicture& step = picture_of_list(ListName::finally).steps[*finally.ender];
        conclusion.status = Status::failed;
        conclusion.where = step.failure->where;
        conclusion.message = step.failure->message;
    }
    expect(outcome.status == conclusion.status,
           "a run ends as the plain interpreter says",
           std::string(to_string(outcome.status)) + " instead of " +
               std::string(to_string(conclusion.status)) + " " + outcome.failure.message);
    if (violations_.any()) return;
    if (outcome.status == Status::failed) {
        expect(outcome.failure.where == conclusion.where &&
                   (conclusion.message.empty() || outcome.failure.message == conclusion.message),
               "a run fails with the failure of its step",
               outcome.failure.where + ": " + outcome.failure.message + " instead of " +
                   conclusion.where + ": " + conclusion.message);
        return;
    }
    const Value output = value_of_payload(outcome.output);
    expect(equal(output, *conclusion.output),
           "a run has the output that the plain interpreter says",
           json_of(output) + " instead of " + json_of(*conclusion.output));
}

/// The run for a failure is created in the commit that writes it, and by nothing else.
void RunCheck::check_failure_run() {
    const memory::Run* handler = nullptr;
    for (const auto& [ref, one] : tables_.runs) {
        if (one.about.on_fail_of == run_.ref) handler = &one;
    }
    const bool must_be = run_.status == Status::failed && !definition_.on_fail.empty();
    expect((handler != nullptr) == must_be,
           "a run for the failure is there if the run failed",
           std::string(to_string(run_.status)));
    if (handler == nullptr) return;
    counts_.add(FlowFeature::on_fail_run);
    expect(handler->ref.key > run_.ref.key, "on_fail begins after Failed is written", "its key");
}

void RunCheck::check_on_fail() {
    const memory::Run* const failed = memory::find_run(tables_, *run_.about.on_fail_of);
    expect(failed != nullptr && failed->status == Status::failed,
           "on_fail begins after Failed is written",
           "its run has not failed");
    if (violations_.any()) return;
    const flow::ListPicture& seen = picture_of_list(ListName::on_fail);
    if (!seen.began_at) {
        expect(run_.cancel.has_value(), "a run for a failure begins", "it was not canceled");
        return;
    }
    PlainRun run = plain_run();
    run.more.emplace_back("failure", plain_failure(failed->outcome->failure));
    PlainList plain = plain_list(ListName::on_fail, std::move(run));
    ListCheck list(violations_, counts_, id(), definition_.on_fail, seen, plain);
    const ListSummary summary = list.check();
    if (violations_.any() || run_.cancel) return;
    expect(summary.ender || !summary.any_canceled, "steps are canceled for a reason", "on_fail");
    const Status status = summary.ender ? Status::failed : Status::completed;
    expect(run_.status == status,
           "a run ends as the plain interpreter says",
           std::string(to_string(run_.status)));
}

/// Some items of a map that has too many for one run.
void RunCheck::check_items(const expr::Value& entry) {
    PlainRun run = plain_run();
    if (const Value* const steps = field(entry, "steps"); steps != nullptr) {
        for (const auto& [name, value] : steps->map().entries()) run.before[name.text()] = value;
    }
    PlainList plain = plain_list(ListName::steps, std::move(run));
    const std::string step = field(entry, "step")->text();
    const expr::List& items = field(entry, "items")->list();
    const auto from = static_cast<std::uint64_t>(field(entry, "from")->integer());
    const flow::StepPicture* const seen = flow::find_step(picture_, step);
    const auto position = static_cast<std::size_t>(
        std::ranges::find(definition_.steps, step, &flow::Step::id) - definition_.steps.begin());
    if (run_.status == Status::canceled) return;
    expect(seen != nullptr && seen->items.size() == items.size(), "a child has its items", step);
    if (violations_.any()) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const PlainEnd end = plain.end_of_item(position, from + i, items[i]);
        expect(seen->items[i].item == from + i &&
                   to_string(seen->items[i].status) == to_string(end.how) &&
                   equal(seen->items[i].output, end.output),
               "an item in a child ends as the plain interpreter says",
               step + "[" + std::to_string(from + i) + "]");
    }
}

}  // namespace belay::sim
