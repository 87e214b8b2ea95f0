#include "simulation/flows/list_check.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace belay::sim {

namespace {

using flow::StepStatus;
using How = PlainEnd::How;

}  // namespace

ListCheck::ListCheck(Violations& violations,
                     FlowCounts& counts,
                     std::string run,
                     const std::vector<flow::Step>& steps,
                     const flow::ListPicture& picture,
                     PlainList& plain)
    : violations_(violations),
      counts_(counts),
      run_(std::move(run)),
      steps_(steps),
      picture_(picture),
      plain_(plain) {}

ListSummary ListCheck::check() {
    expect(picture_.steps.size() == steps_.size(), "a picture has every step", run_);
    if (violations_.any()) return summary_;
    for (std::size_t i = 0; i < steps_.size(); ++i) check_step(i);
    return summary_;
}

void ListCheck::check_step(std::size_t step) {
    const flow::StepPicture& seen = picture_.steps[step];
    expect(has_ended(seen.status),
           "every step of a run that ended has ended",
           place(step) + " is " + std::string(to_string(seen.status)));
    check_order(step);
    if (is_canceled(seen)) {
        check_canceled(step);
        return;
    }
    const PlainEnd& end = plain_.end_of(step);
    check_end(seen, end, place(step));
    if (end.is_map) check_items(step, end);
    if (end.is(How::failed) && end.is_map) check_map_failure(step, end);
    if (end.is(How::failed) && !end.is_map) {
        expect(seen.failure && seen.failure->where == steps_[step].id,
               "a failure names its step",
               place(step) + (seen.failure ? ", not " + seen.failure->where : ", nothing"));
    }
    count_step(step, end);
    if (!plain_.ends_list(step)) return;
    expect(!summary_.ender, "a list ends once", place(step));
    summary_.ender = step;
}

/// A step begins, or is skipped, once those before it have ended.
void ListCheck::check_order(std::size_t step) {
    const flow::StepPicture& seen = picture_.steps[step];
    if (is_canceled(seen) && !seen.began_at) return;
    for (const auto* const before : {&steps_[step].needs, &steps_[step].after}) {
        for (const std::size_t other : *before) {
            const flow::StepPicture& first = picture_.steps[other];
            expect(!is_canceled(first) && first.ended_at.has_value(),
                   "a step begins when those before it have ended",
                   place(step) + " before " + first.id);
            expect(!seen.began_at || !first.ended_at || *first.ended_at <= *seen.began_at,
                   "a step begins when those before it have ended",
                   place(step) + " at an earlier time than " + first.id);
        }
    }
}

void ListCheck::check_canceled(std::size_t step) {
    summary_.any_canceled = true;
    counts_.add(FlowFeature::step_canceled);
    const flow::StepPicture& seen = picture_.steps[step];
    if (!seen.began_at) {
        expect(seen.attempts == 0 && seen.items.empty(),
               "a step that did not begin has no attempts",
               place(step));
        return;
    }
    const PlainEnd& end = plain_.end_of(step);
    if (end.is_map) {
        check_items(step, end);
        return;
    }
    expect(end.is(How::unknown) || seen.attempts <= end.attempts,
           "no step has more attempts than it may",
           place(step) + " has " + std::to_string(seen.attempts));
}

void ListCheck::check_end(const flow::Progress& progress,
                          const PlainEnd& end,
                          const std::string& place) {
    const StepStatus status = is_canceled_alone(progress) ? StepStatus::failed : progress.status;
    expect(to_string(status) == to_string(end.how),
           "a step ends as the plain interpreter says",
           place + " is " + std::string(to_string(status)) + " instead of " +
               std::string(to_string(end.how)) +
               (progress.failure ? ": " + progress.failure->message : std::string()));
    if (violations_.any()) return;
    expect(progress.attempts == end.attempts,
           "a step has the attempts that the plain interpreter says",
           place + " has " + std::to_string(progress.attempts) + " instead of " +
               std::to_string(end.attempts));
    // Results of maps that nothing uses are not kept.
    const bool is_kept = !end.is_map || !progress.output.is(expr::Kind::null);
    if (end.is(How::completed) && is_kept) {
        expect(equal(progress.output, end.output),
               "a step has the output that the plain interpreter says",
               place + " has " + json_of(progress.output) + " instead of " + json_of(end.output));
    }
    if (!end.is(How::failed)) return;
    expect(progress.failure.has_value(), "a failed step has its failure", place);
    if (!progress.failure || end.is_map) return;
    expect(progress.failure->kind == end.kind && progress.failure->type == end.type &&
               (end.message.empty() || progress.failure->message == end.message),
           "a step fails as the plain interpreter says",
           place + " failed with " + progress.failure->message + " instead of " + end.message);
}

void ListCheck::check_items(std::size_t step, const PlainEnd& end) {
    const flow::StepPicture& seen = picture_.steps[step];
    if (!seen.chunks.empty()) {
        counts_.add(FlowFeature::map_in_children);
        return;
    }
    expect(seen.items.size() == end.items.size(),
           "a map has an item for each element",
           place(step) + " has " + std::to_string(seen.items.size()) + " items instead of " +
               std::to_string(end.items.size()));
    if (violations_.any()) return;
    std::uint32_t open = 0;
    for (std::size_t i = 0; i < seen.items.size(); ++i) {
        const flow::ItemPicture& item = seen.items[i];
        const std::string where = steps_[step].id + "[" + std::to_string(i) + "]";
        if (std::holds_alternative<flow::SubFlow>(steps_[step].action)) {
            counts_.add(FlowFeature::item_sub_flow);
            count_sub_flow(item, end.items[i]);
        }
        if (!is_canceled(item)) {
            check_end(item, end.items[i], run_ + " " + where);
            expect(
                !item.failure || item.failure->where == where, "a failure names its item", where);
            if (end.items[i].is(How::failed)) counts_.add(FlowFeature::item_failed);
            continue;
        }
        counts_.add(FlowFeature::item_canceled);
        open += item.began_at ? 1U : 0U;
        expect(seen.status != StepStatus::completed, "a map completes with all its items", where);
        expect(end.items[i].is(How::unknown) || item.attempts <= end.items[i].attempts,
               "no step has more attempts than it may",
               run_ + " " + where);
    }
    expect(open <= steps_[step].map->window, "a map keeps to its window", place(step));
}

/// One item too many has failed, and the step names one that did.
void ListCheck::check_map_failure(std::size_t step, const PlainEnd& end) {
    const flow::StepPicture& seen = picture_.steps[step];
    if (!seen.failure || !seen.chunks.empty()) return;
    const bool too_many = !steps_[step].map->any_may_fail &&
                          end.count(How::failed) > steps_[step].map->items_may_fail;
    if (!too_many) return;  // It failed by its `end_flow`.
    const auto has_failed = [](const flow::ItemPicture& item) {
        return item.status == StepStatus::failed || is_canceled_alone(item);
    };
    const auto failed = std::ranges::count_if(seen.items, has_failed);
    expect(static_cast<std::uint64_t>(failed) > steps_[step].map->items_may_fail,
           "a map fails with one failed item more than may fail",
           place(step));
    const bool named = std::ranges::any_of(seen.items, [&](const flow::ItemPicture& item) {
        return has_failed(item) && item.failure->where == seen.failure->where &&
               item.failure->message == seen.failure->message;
    });
    expect(named, "a failed map names a failed item", place(step) + " " + seen.failure->where);
}

// ---- Counts ------------------------------------------------------------------------------------

void ListCheck::count_step(std::size_t step, const PlainEnd& end) {
    const flow::Step& one = steps_[step];
    if (end.is(How::completed)) counts_.add(FlowFeature::step_completed);
    if (end.is(How::skipped)) counts_.add(FlowFeature::step_skipped);
    if (end.condition_false) counts_.add(FlowFeature::condition_false);
    if (end.is(How::failed)) {
        counts_.add(FlowFeature::step_failed);
        if (one.may_fail) counts_.add(FlowFeature::step_allowed_to_fail);
        if (end.type == "expression") counts_.add(FlowFeature::expression_failed);
    }
    if (end.is_map) {
        if (end.is(How::completed)) counts_.add(FlowFeature::map_completed);
        if (end.is(How::failed)) counts_.add(FlowFeature::map_failed);
        if (end.is(How::completed) && end.items.empty()) counts_.add(FlowFeature::map_empty);
        return;
    }
    count_kind(one, end);
}

void ListCheck::count_kind(const flow::Step& step, const PlainEnd& end) {
    if (std::holds_alternative<flow::Call>(step.action)) {
        if (end.attempts > 1) counts_.add(FlowFeature::attempt_failed, end.attempts - 1);
        const bool last = end.attempts == step.retry.attempts;
        if (end.is(How::failed) && end.attempts > 0) {
            counts_.add(last ? FlowFeature::attempts_used_up : FlowFeature::failed_for_good);
        }
    } else if (std::holds_alternative<flow::SubFlow>(step.action)) {
        flow::Progress none;
        count_sub_flow(none, end);
    } else if (const auto* const wait = std::get_if<flow::Wait>(&step.action)) {
        const bool ran = !end.condition_false && !(end.is(How::skipped) && !wait->timeout);
        if (wait->timeout && ran) counts_.add(FlowFeature::wait_timed_out);
        if (!wait->timeout && end.is(How::completed)) counts_.add(FlowFeature::event_received);
    }
}

void ListCheck::count_sub_flow(const flow::Progress& progress, const PlainEnd& end) {
    if (is_canceled(progress) || end.attempts == 0) return;
    if (end.is(How::completed)) counts_.add(FlowFeature::sub_flow_completed);
    if (end.attempts > 1) counts_.add(FlowFeature::sub_flow_retried);
    if (!end.is(How::failed)) return;
    const bool canceled = end.kind == FailureKind::canceled;
    counts_.add(canceled ? FlowFeature::sub_flow_canceled : FlowFeature::sub_flow_failed);
}

}  // namespace belay::sim
