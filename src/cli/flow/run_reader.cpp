#include "cli/flow/run_reader.hpp"

#include "cli/exit_code.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/text.hpp"
#include "flow/run_record.hpp"
#include <belay/shown_status.hpp>

#include <utility>

namespace belay::cli {

flow::Bundle bundle_of(Context& context, const InstanceInfo& info) {
    if (!info.document) {
        throw Problem(Exit::refused,
                      "'" + safe(info.name.id) + "' is no run of a flow",
                      "'belay show' tells what it is");
    }
    const auto kept = context.client().document(*info.document, info.name.space);
    if (!kept && kept.error().code() == Errc::not_found) {
        throw Problem(Exit::trouble,
                      "the definition of '" + safe(info.name.id) + "' is not in the store");
    }
    return or_throw(flow::open_bundle(or_throw(kept).bytes));
}

// ---- One run -----------------------------------------------------------------------------------

PictureReader::PictureReader(Context& context,
                             InstanceName name,
                             RunRef run,
                             std::shared_ptr<const flow::Definition> definition)
    : context_(&context), name_(std::move(name)), run_(run), definition_(std::move(definition)) {}

void PictureReader::read() {
    // The state is read first: then no event is missing once it has ended.
    description_ = or_throw(context_->client().describe(name_));
    const InstanceInfo& info = description_.info;
    if (info.run != run_) {
        throw Problem(Exit::not_found, "another run has the id '" + safe(name_.id) + "' by now");
    }
    if (!history_ || recorded_.execution != info.execution) {
        recorded_ = flow::RecordedRun();
        recorded_.name = info.name;
        recorded_.version = info.version;
        recorded_.headers = info.headers;
        recorded_.execution = info.execution;
        history_.emplace(context_->service(), run_, info.execution);
    }
    recorded_.status = info.status;
    recorded_.outcome = info.outcome;
    recorded_.ended_at = info.ended_at;
    for (auto page = history_->next(); !page.empty(); page = history_->next()) {
        for (PlacedEvent& placed : page) recorded_.events.push_back(std::move(placed.event));
    }
    picture_ = or_throw(flow::picture_of(definition_, recorded_));
    flow::add_queues(context_->client(), description_, picture_);
}

// ---- A run with all that belongs to it ---------------------------------------------------------

namespace {

std::shared_ptr<const flow::Definition> definition_of(const flow::Bundle& bundle,
                                                      const InstanceInfo& info) {
    const auto found = bundle.flows.find(info.definition);
    if (found == bundle.flows.end()) {
        throw Problem(Exit::trouble,
                      "the definitions of '" + safe(info.name.id) + "' have no flow '" +
                          safe(info.definition) + "'");
    }
    return std::make_shared<const flow::Definition>(found->second);
}

}  // namespace

RunReader::RunReader(Context& context, const InstanceInfo& info, const flow::Bundle& bundle)
    : context_(&context),
      definition_(definition_of(bundle, info)),
      main_(context, info.name, info.run, definition_) {}

bool RunReader::settled() const noexcept {
    const InstanceInfo& info = main_.info();
    if (!is_terminal(info.status) || !info.settled) return false;
    if (info.status != Status::failed || !info.on_fail || has_no_on_fail_) return true;
    return on_fail_ && is_terminal(on_fail_->info().status) && on_fail_->info().settled;
}

/// Looks for it under both ids that it may have.
std::unique_ptr<PictureReader> RunReader::find_on_fail() const {
    const InstanceInfo& failed = main_.info();
    for (const std::string& id :
         {on_fail_id(failed.name.id), other_on_fail_id(failed.name.id, failed.on_fail->key)}) {
        const auto info = context_->client().inspect(InstanceName{failed.name.space, id});
        if (!info && info.error().code() != Errc::not_found) (void)or_throw(info);
        if (!info || info->on_fail_of != failed.run) continue;
        return std::make_unique<PictureReader>(*context_, info->name, info->run, definition_);
    }
    return nullptr;
}

void RunReader::read_on_fail() {
    const InstanceInfo& info = main_.info();
    if (info.status != Status::failed || !info.on_fail || has_no_on_fail_) return;
    try {
        if (!on_fail_) on_fail_ = find_on_fail();
        if (on_fail_) on_fail_->read();
    } catch (const Problem& problem) {
        if (problem.exit() != Exit::not_found) throw;
        on_fail_.reset();
    }
    has_no_on_fail_ = on_fail_ == nullptr;  // It was deleted, or has lost its id.
}

ChunkCount RunReader::read_chunk(const flow::ChunkPicture& chunk, const std::string& step) {
    if (const auto ended = ended_chunks_.find(chunk.child); ended != ended_chunks_.end()) {
        return ended->second;
    }
    auto found = open_chunks_.find(chunk.child);
    if (found == open_chunks_.end()) {
        const auto info =
            context_->client().inspect(InstanceName{main_.info().name.space, chunk.child});
        if (!info) return {};  // It is not started yet.
        found = open_chunks_
                    .emplace(chunk.child,
                             std::make_unique<PictureReader>(
                                 *context_, info->name, info->run, definition_))
                    .first;
    }
    found->second->read();
    const ChunkCount count = count_items(found->second->picture(), step);
    if (has_ended(found->second->info())) {
        // Only its numbers are kept: a large map has many of these.
        open_chunks_.erase(found);
        ended_chunks_.emplace(chunk.child, count);
    }
    return count;
}

void RunReader::add_chunks(std::vector<ListView>& lists) {
    for (ListView& list : lists) {
        for (StepView& step : list.steps) {
            const flow::StepPicture* const drawn = flow::find_step(main_.picture(), step.id);
            if (drawn == nullptr || drawn->chunks.empty() || !step.count) continue;
            for (const flow::ChunkPicture& chunk : drawn->chunks) {
                const ChunkCount count = read_chunk(chunk, step.id);
                step.count->ended += count.ended;
                step.count->failed += count.failed;
            }
        }
    }
}

void RunReader::add_answers(RunView& view) const {
    for (ListView& list : view.lists) {
        for (StepView& step : list.steps) {
            if (!step.waits || step.waits->what != WaitView::What::approval) continue;
            step.waits->answer =
                "belay approve " + shell_word(view.id) + " " + step.id + store_words(*context_);
        }
    }
}

RunView RunReader::read() {
    main_.read();
    read_on_fail();
    const InstanceInfo& info = main_.info();
    RunView view;
    view.id = info.name.id;
    view.flow = info.definition;
    view.status = shown_status(info);
    view.settled = info.settled;
    view.held = info.held;
    view.held_why = info.held_detail;
    view.created_at = info.created_at;
    if (has_ended(info)) view.ended_at = info.ended_at;
    view.ended_by = main_.picture().ended_by;
    view.ended_why = main_.picture().ended_why;
    view.lists = lists_of(*definition_, main_.picture(), main_.description().awaits);
    add_chunks(view.lists);
    if (on_fail_) {
        auto lists = lists_of(*definition_, on_fail_->picture(), on_fail_->description().awaits);
        for (ListView& list : view.lists) {
            if (list.name != "on_fail") continue;
            for (ListView& other : lists) {
                if (other.name == "on_fail") list = std::move(other);
            }
        }
    }
    add_answers(view);
    return view;
}

}  // namespace belay::cli
