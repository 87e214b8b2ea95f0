#include "flow/testing/expectations.hpp"

#include "flow/interpreter/values.hpp"

#include <algorithm>
#include <utility>

namespace belay::flow {

namespace {

constexpr std::size_t kMostShown = 400;

/// JSON on one line, cut if it is long.
std::string shown(const expr::Value& value) {
    std::string text = json_text(value);
    if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
    return text;
}

std::string described_end(const InstanceInfo& root) {
    std::string text(to_string(root.status));
    if (root.status == Status::failed) {
        const Failure& failure = root.outcome->failure;
        text += ": " + (failure.where.empty() ? "" : failure.where + ": ") + failure.message;
    } else if (root.status == Status::canceled) {
        text += ": " + root.outcome->cancel.reason;
    }
    return text;
}

const Progress* progress_in(const FlowPicture& picture, const FoundStep& found) {
    const StepPicture* const step = find_step(picture, found.step->id);
    if (step == nullptr || !found.item) return step;
    const auto item = std::ranges::find(step->items, *found.item, &ItemPicture::item);
    return item == step->items.end() ? nullptr : &*item;
}

}  // namespace

Payload approval_payload(const expr::Value& value) {
    if (!value.is(expr::Kind::boolean)) return json_payload(value);
    Fields fields;
    fields.emplace_back("approved", value);
    return json_payload(expr::Value(map_of(std::move(fields))));
}

const FlowPicture* Expectations::picture_of_run(const FoundStep& step) {
    const std::string id = kCaseRun + step.run + (step.is_on_fail ? "/~on-fail" : "");
    const auto known = pictures_.find(id);
    if (known != pictures_.end()) return &known->second;
    const auto exported = client_.export_instance(InstanceName{"default", id});
    const auto flow = flows_.find(step.flow->name);
    if (!exported || flow == flows_.end()) return nullptr;
    Result<FlowPicture> picture = picture_of(flow->second, *exported);
    if (!picture) return nullptr;
    return &pictures_.emplace(id, std::move(*picture)).first->second;
}

/// "confirm is waiting, load is pending"
std::string Expectations::open_steps() {
    FoundStep main;
    main.flow = flows_.begin()->second.get();
    const auto run = paths_.run_of(kCaseRun, kCaseRun);
    if (run) main.flow = run->flow;
    const FlowPicture* const picture = picture_of_run(main);
    std::string text;
    if (picture == nullptr) return text;
    for (const ListPicture& list : picture->lists) {
        for (const StepPicture& step : list.steps) {
            const bool is_open = step.status == StepStatus::queued ||
                                 step.status == StepStatus::started ||
                                 step.status == StepStatus::waiting;
            if (!is_open) continue;
            text.append(text.empty() ? "" : ", ").append(step.id).append(" is ");
            text.append(to_string(step.status));
        }
    }
    return text;
}

void Expectations::compare_failure(const Outcome& outcome) {
    const Failure& failure = outcome.failure;
    const std::string& step = expected_.failed_step;
    const bool is_step = failure.where == step || failure.where.starts_with(step + "[");
    if (!step.empty() && !is_step) {
        add(expected_.place, "the step '" + failure.where + "' failed, not '" + step + "'");
    }
    const bool says = failure.message.find(expected_.message) != std::string::npos;
    if (!expected_.message.empty() && !says) {
        add(expected_.place,
            "the failure is '" + failure.message + "', without '" + expected_.message + "'");
    }
    const std::string& reason = outcome.cancel.reason;
    if (!expected_.reason.empty() && reason.find(expected_.reason) == std::string::npos) {
        add(expected_.place, "the reason is '" + reason + "', without '" + expected_.reason + "'");
    }
}

void Expectations::compare_end(const InstanceInfo& root) {
    if (!root.outcome) {
        const std::string open = open_steps();
        add(expected_.place,
            "the run never ends" + (open.empty() ? std::string() : ": " + open) +
                "; give the case its events and approvals");
        return;
    }
    if (to_string(root.status) != expected_.status) {
        add(expected_.place,
            "the run is " + described_end(root) + "; expected is " + expected_.status);
        return;
    }
    compare_failure(*root.outcome);
    if (!expected_.output || root.status != Status::completed) return;
    const expr::Value output = value_of(root.outcome->output);
    if (expr::equal(output, *expected_.output)) return;
    add(expected_.place,
        "the output is " + shown(output) + "; expected is " + shown(*expected_.output));
}

void Expectations::compare_progress(const ExpectedStep& expected, const Progress& progress) {
    const std::string name = "the step '" + expected.path + "'";
    const std::string_view status = to_string(progress.status);
    if (!expected.status.empty() && status != expected.status) {
        std::string why = progress.failure ? progress.failure->message : progress.reason;
        if (!why.empty()) why = " (" + why + ")";
        add(expected.place,
            name + " is " + std::string(status) + why + "; expected is " + expected.status);
        return;
    }
    if (expected.attempts && *expected.attempts != progress.attempts) {
        add(expected.place,
            name + " has " + std::to_string(progress.attempts) + " attempts; expected are " +
                std::to_string(*expected.attempts));
    }
    if (expected.output && !expr::equal(progress.output, *expected.output)) {
        add(expected.place,
            "the output of " + name + " is " + shown(progress.output) + "; expected is " +
                shown(*expected.output));
    }
}

void Expectations::compare_step(const ExpectedStep& expected) {
    const auto found = paths_.find(expected.path);
    if (!found) return;
    const FlowPicture* const picture = picture_of_run(*found);
    const Progress* const progress = picture == nullptr ? nullptr : progress_in(*picture, *found);
    if (progress != nullptr) return compare_progress(expected, *progress);
    if (expected.status == "pending") return;
    add(expected.place,
        "the step '" + expected.path + "' did not come about: " +
            (picture == nullptr ? "its flow was not started" : "its map has no such item"));
}

std::vector<CaseDifference> Expectations::differences(const InstanceInfo& root) {
    compare_end(root);
    for (const ExpectedStep& step : expected_.steps) compare_step(step);
    return std::move(differences_);
}

}  // namespace belay::flow
