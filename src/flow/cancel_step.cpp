#include "flow/interpreter/cancels.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/run_record.hpp"
#include "flow/step_path.hpp"
#include <belay/client.hpp>
#include <belay/exceptions.hpp>
#include <belay/flow/cancel_step.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

namespace {

using flow::ChunkPicture;
using flow::DrawnRun;
using flow::ItemPicture;
using flow::Progress;
using flow::StepPicture;
using flow::StepPlace;

/// A step or item, and the run that works on it: a child works on some items of a large map.
struct Found {
    Progress progress{};
    InstanceAddress run;
};

Error unknown(const DrawnRun& drawn, const StepPlace& place, std::string_view why) {
    return Error(Errc::not_found,
                 "'" + drawn.info.name.id + "' has no '" +
                     flow::place_name(place.step, place.item) + "'" + std::string(why));
}

Result<Found> find_item(const DrawnRun& drawn, const StepPicture& step, const StepPlace& place) {
    const std::uint64_t number = *place.item;
    const auto item = std::ranges::find(step.items, number, &ItemPicture::item);
    if (item == step.items.end()) {
        const bool is_later = step.count && number < *step.count;
        return unknown(drawn, place, is_later ? " yet: its items begin in several runs" : "");
    }
    const auto chunk = std::ranges::find_if(step.chunks, [&](const ChunkPicture& one) {
        return number >= one.from && number < one.from + one.count;
    });
    if (chunk == step.chunks.end()) {
        return Found{*item, InstanceAddress(drawn.info.name, drawn.info.run)};
    }
    return Found{*item, InstanceAddress(InstanceName{drawn.info.name.space, chunk->child})};
}

Result<Found> find(const DrawnRun& drawn, const StepPlace& place) {
    const StepPicture* const step = flow::find_step(drawn.picture, place.step);
    if (step == nullptr) return unknown(drawn, place, "");
    if (place.item) return find_item(drawn, *step, place);
    return Found{*step, InstanceAddress(drawn.info.name, drawn.info.run)};
}

/// Follows a path down the flows that steps have started.
Result<Found> follow(Client& client, InstanceInfo info, const std::vector<StepPlace>& path) {
    const auto bundle = flow::bundle_of(client, info);
    if (!bundle) return bundle.error();
    for (std::size_t depth = 0;; ++depth) {
        const Result<DrawnRun> drawn = flow::draw_run(client, info, *bundle);
        if (!drawn) return drawn.error();
        Result<Found> found = find(*drawn, path[depth]);
        if (!found || depth + 1 == path.size()) return found;
        if (found->progress.child.empty()) {
            return unknown(*drawn, path[depth], " that has started a flow");
        }
        auto child = client.inspect(InstanceName{info.name.space, found->progress.child});
        if (!child) return child.error();
        info = *std::move(child);
    }
}

Result<Payload> event_of(const StepPlace& place, const CancelStepOptions& options) {
    try {
        return flow::encode_cancel({place.step, place.item, options.reason(), options.by()});
    } catch (const OperationFailed& problem) {
        return Error(Errc::invalid_argument, problem.failure().message);
    }
}

}  // namespace

Result<CancelStepResult> cancel_step(Client& client,
                                     const InstanceAddress& run,
                                     const std::string& step,
                                     const CancelStepOptions& options) {
    const auto path = flow::read_step_path(step);
    if (!path) return Error(Errc::invalid_argument, flow::no_step_path(step));
    auto info = client.inspect(run);
    if (!info) return info.error();
    const Result<Found> found = follow(client, *std::move(info), *path);
    if (!found) return found.error();
    CancelStepResult result{true, std::string(to_string(found->progress.status))};
    result.changed = !has_ended(found->progress.status);
    if (!result.changed) return result;
    auto event = event_of(path->back(), options);
    if (!event) return event.error();
    const auto sent =
        client.raise(found->run, std::string(flow::kCancelStepEvent), *std::move(event));
    if (!sent) return sent.error();
    return result;
}

}  // namespace belay
