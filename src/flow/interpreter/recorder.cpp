#include "flow/interpreter/recorder.hpp"

#include "flow/interpreter/kept.hpp"
#include "flow/interpreter/maps.hpp"

#include <algorithm>
#include <utility>

namespace belay::flow {

namespace {

StepStatus status_of(const StepEnd& end) {
    switch (end.how()) {
        case StepEnd::How::completed: return StepStatus::completed;
        case StepEnd::How::failed:
            return end.failure().kind == FailureKind::canceled ? StepStatus::canceled
                                                               : StepStatus::failed;
        case StepEnd::How::skipped: break;
    }
    return StepStatus::skipped;
}

StepWait wait_of(const Wanted& wanted) {
    StepWait wait;
    switch (wanted.what) {
        case Wanted::What::time: wait.what = StepWait::What::time; break;
        case Wanted::What::event: wait.what = StepWait::What::event; break;
        case Wanted::What::approval: wait.what = StepWait::What::approval; break;
    }
    wait.event = wanted.name;
    wait.prompt = wanted.prompt;
    wait.until = wanted.until;
    return wait;
}

void close(Progress& progress, std::optional<Timestamp> at, const std::string& why) {
    if (has_ended(progress.status)) return;
    progress.status = StepStatus::canceled;
    progress.ended_at = at;
    progress.canceled_at = at;
    progress.waits.reset();
    progress.reason = why;
}

std::string why_closed(const ListEnd& end) {
    switch (end.how()) {
        case ListEnd::How::ended_early: return "'" + end.step() + "' ended the flow early";
        case ListEnd::How::failed: return "'" + end.failure().where + "' failed";
        case ListEnd::How::canceled: return "the run was canceled";
        case ListEnd::How::completed: break;
    }
    return {};
}

}  // namespace

void close_list(ListPicture& list, std::optional<Timestamp> at, const std::string& why) {
    for (StepPicture& step : list.steps) {
        close(step, at, why);
        for (ItemPicture& item : step.items) close(item, at, why);
    }
}

Recorder::Recorder(const std::shared_ptr<const Plan>& plan) {
    for (const ListName name : kListNames) {
        ListPicture list;
        list.name = name;
        for (const Step& step : *plan->list(name).steps) {
            StepPicture picture;
            picture.id = step.id;
            picture.kind = kind_of(step.action);
            list.steps.push_back(std::move(picture));
        }
        lists_.push_back(std::move(list));
    }
}

Progress& Recorder::progress(const Spot& spot) {
    StepPicture& picture = step(spot);
    if (!spot.item) return picture;
    // The items of a map have ascending numbers without gaps.
    return picture.items[static_cast<std::size_t>(*spot.item - picture.items.front().item)];
}

void Recorder::list_began(ListName name, Timestamp at) { list(name).began_at = at; }

void Recorder::list_ended(ListName name, const ListEnd& end, Timestamp at) {
    list(name).ended_at = at;
    close_list(list(name), at, why_closed(end));
    if (end.how() == ListEnd::How::ended_early) ended_by_ = end.step();
}

void Recorder::began(const Spot& spot, Timestamp at) {
    Progress& begun = progress(spot);
    begun.status = StepStatus::started;
    begun.began_at = at;
}

void Recorder::has_items(const Spot& spot, std::uint64_t first, const expr::List& elements) {
    StepPicture& picture = step(spot);
    picture.count = elements.size();
    if (elements.size() > kItemsPerRun) return;  // Children run them.
    picture.items.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        picture.items[i].item = first + i;
        picture.items[i].element = elements[i];
    }
}

void Recorder::scheduled(const Spot& spot, CommandNo command) { progress(spot).command = command; }

void Recorder::handed_over(const Spot& spot, const Chunk& chunk) {
    StepPicture& picture = step(spot);
    if (!picture.chunks.empty()) {
        // The child before may have left its last items to this one.
        ChunkPicture& before = picture.chunks.back();
        before.count = std::min(before.count, chunk.from - before.from);
    }
    picture.chunks.push_back(ChunkPicture{chunk.child, chunk.from, chunk.count});
}

void Recorder::waits(const Spot& spot, const Wanted& wanted) {
    Progress& waiting = progress(spot);
    waiting.status = StepStatus::waiting;
    waiting.waits = wait_of(wanted);
}

void Recorder::ended(const Spot& spot, const StepEnd& end, Timestamp at) {
    Progress& done = progress(spot);
    done.status = status_of(end);
    done.ended_at = at;
    done.waits.reset();
    if (end.is_completed()) done.output = end.output();
    done.more = end.more;
    if (end.is_failed()) done.failure = end.failure();
    if (end.is_skipped()) done.reason = end.reason();
    if (done.status == StepStatus::canceled) done.reason = end.failure().message;
}

void Recorder::kept(const Spot& spot, const KeptEnd& end) {
    ended(spot, end.end, {});
    Progress& done = progress(spot);
    done.began_at = end.began_at;
    done.ended_at = end.ended_at;
    done.attempts = end.attempts;
    done.from = end.from;
    if (!end.end.is_skipped()) done.reason = "kept from " + end.from;
}

FlowPicture Recorder::take() {
    FlowPicture picture;
    picture.ended_by = ended_by_;
    for (ListPicture& list : lists_) {
        if (!list.steps.empty()) picture.lists.push_back(std::move(list));
    }
    return picture;
}

}  // namespace belay::flow
