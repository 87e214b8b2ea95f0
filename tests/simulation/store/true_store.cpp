#include "simulation/store/true_store.hpp"

#include "store/memory/inspect.hpp"
#include <belay/store/memory.hpp>

#include <utility>

namespace belay::sim {

TrueStore::TrueStore(StoreClock& clock, const StoreOptions& options, Trace& trace)
    : clock_(clock), options_(options), trace_(trace), store_(make_memory_store(clock, options)) {}

void TrueStore::judge(Violations& violations) {
    judge_.emplace(*store_, options_, violations, trace_.on());
}

std::vector<Answer> TrueStore::apply(const std::vector<Transition>& batch) {
    std::vector<Answer> answers;
    for (const Transition& transition : batch) {
        if (watcher_ != nullptr) {
            with_tables([&](memory::Tables& t) { watcher_->before_commit(t, transition); });
        }
        store_->commit({transition}, [&](Result<std::vector<Answer>> result) {
            answers.push_back(std::move(result->front()));
        });
        trace_.line("store", [&] {
            return "commits " + describe(transition) + ": " + describe(answers.back());
        });
        if (watcher_ != nullptr) {
            with_tables(
                [&](memory::Tables& t) { watcher_->after_commit(t, transition, answers.back()); });
        }
        if (judge_) judge_->commit(transition, clock_.wall(), answers.back());
    }
    return answers;
}

ClaimInstances::Answer TrueStore::apply(const ClaimInstances& request) {
    ClaimInstances::Answer claimed;
    if (watcher_ != nullptr) with_tables([&](memory::Tables& t) { watcher_->before_claim(t); });
    store_->claim(request,
                  [&](Result<ClaimInstances::Answer> result) { claimed = std::move(*result); });
    for (const ClaimedInstance& one : claimed.claimed) {
        trace_.line("store", [&] {
            return "gives " + one.name.id + " (run " + to_string(one.run) + ", " +
                   std::to_string(one.messages.size()) + " messages" +
                   (one.cancel ? ", canceled" : "") + ") to " + request.worker + " under " +
                   to_string(one.token);
        });
    }
    if (watcher_ != nullptr) {
        with_tables([&](memory::Tables& t) { watcher_->after_claim(t, request, claimed); });
    }
    if (judge_) judge_->claim(request, clock_.wall(), claimed);
    return claimed;
}

ClaimActivities::Answer TrueStore::apply(const ClaimActivities& request) {
    ClaimActivities::Answer claimed;
    if (watcher_ != nullptr) with_tables([&](memory::Tables& t) { watcher_->before_claim(t); });
    store_->claim(request,
                  [&](Result<ClaimActivities::Answer> result) { claimed = std::move(*result); });
    for (const ClaimedActivity& one : claimed.claimed) {
        trace_.line("store", [&] {
            return "gives activity " + one.name + " " + to_string(one.activity) + " of " +
                   one.instance.id + ", attempt " + std::to_string(one.attempt) + ", to " +
                   request.worker + " under " + to_string(one.token);
        });
    }
    if (watcher_ != nullptr) {
        with_tables([&](memory::Tables& t) { watcher_->after_claim(t, request, claimed); });
    }
    if (judge_) judge_->claim(request, clock_.wall(), claimed);
    return claimed;
}

void TrueStore::with_tables(const std::function<void(memory::Tables&)>& use) {
    memory::with_tables(*store_, use);
}

namespace {

std::string describe_part(const Start& part) {
    return "Start " + part.instance.name.id + " as " + to_string(part.instance.run) +
           (part.key ? " key " + part.key->key : "") +
           (part.request_id.empty() ? "" : " request " + part.request_id);
}
std::string describe_part(const Turn& part) {
    std::string text = "Turn " + to_string(part.run) + " execution " +
                       std::to_string(part.execution) + " from event " +
                       std::to_string(part.position) + " +" + std::to_string(part.history.count);
    if (std::holds_alternative<Ends>(part.after)) {
        text += ", ends " + std::string(to_string(std::get<Ends>(part.after).outcome.status));
    }
    if (std::holds_alternative<ContinuesAsNew>(part.after)) text += ", continues as new";
    return text;
}
std::string describe_part(const AckActivity& part) {
    return "AckActivity " + to_string(part.activity) + " token " + to_string(part.token) +
           (part.completion ? "" : " (ended)") + (part.turn_overran ? ", its turn overran" : "");
}
std::string describe_part(const AbandonActivity& part) {
    return "AbandonActivity " + to_string(part.activity);
}
std::string describe_part(const RenewActivity& part) {
    return "RenewActivity " + to_string(part.activity);
}
std::string describe_part(const AbandonTurn& part) { return "AbandonTurn " + to_string(part.run); }
std::string describe_part(const RenewTurn& part) { return "RenewTurn " + to_string(part.run); }
std::string describe_part(const Cancel& part) { return "Cancel " + part.name.id; }
std::string describe_part(const Finish& part) {
    if (const auto* name = std::get_if<InstanceName>(&part.target)) return "Terminate " + name->id;
    return "Finish " + to_string(std::get<std::pair<RunRef, LeaseToken>>(part.target).first);
}
std::string describe_part(const Send& part) {
    return "Send " + part.message.payload.bytes + " to " + part.name.id + " " + part.message.name +
           (part.request_id.empty() ? "" : " request " + part.request_id);
}
std::string describe_part(const Deliver& part) { return "Deliver " + to_string(part.run); }
std::string describe_part(const Hold& part) {
    return "Hold " + to_string(part.run) + ": " + part.detail;
}
std::string describe_part(const Release& part) { return "Release " + part.name.id; }
std::string describe_part(const Delete& part) {
    return "Delete " + part.name.id + (part.run ? " as " + to_string(*part.run) : "") +
           (part.force ? " by force" : "");
}
std::string describe_part(const FreeKey& part) { return "FreeKey " + part.key; }
std::string describe_part(const Sweep&) { return "Sweep"; }
std::string describe_part(const DeleteInstances& part) {
    std::string text = "DeleteInstances";
    for (const std::string& id : part.ids) text += " " + id;
    return text + (part.force ? " by force" : "");
}
std::string describe_part(const Prune& part) {
    return "Prune " + part.name.id +
           (part.keep_last ? " keep " + std::to_string(*part.keep_last) : "") +
           (part.ended_before ? " before " + std::to_string(to_unix_ms(*part.ended_before)) : "");
}
std::string describe_part(const Redrive& part) {
    return "Redrive " + std::to_string(part.letter) + (part.to ? " to " + part.to->id : "");
}
std::string describe_part(const Discard& part) { return "Discard " + std::to_string(part.letter); }
std::string describe_part(const SetQueueLimits& part) {
    return "SetQueueLimits of '" + part.queue + "'";
}
std::string describe_part(const SetPause& part) {
    return std::string(part.on ? "Pause" : "Resume") + " '" + part.paused + "'";
}
std::string describe_part(const ReleaseSessions& part) {
    return "ReleaseSessions of " + std::to_string(part.holder);
}
std::string describe_part(const ReleaseHolder& part) {
    return "ReleaseHolder " + std::to_string(part.holder);
}
std::string describe_part(const AppendOutput& part) {
    return "AppendOutput " + to_string(part.activity) + " token " + to_string(part.token) +
           " chunks " + std::to_string(part.before) + " +" + std::to_string(part.chunks.size());
}
std::string describe_part(const SetRetention& part) { return "SetRetention of " + part.space; }
std::string describe_part(const Import& part) { return "Import " + part.instance.name.id; }

}  // namespace

std::string describe(const Transition& transition) {
    std::string text;
    for (const Part& part : transition.parts) {
        text += (text.empty() ? "" : ", ") +
                std::visit([](const auto& one) { return describe_part(one); }, part);
    }
    return text;
}

std::string describe(const Answer& answer) {
    std::string text = answer.verdict == Verdict::applied           ? "applied"
                       : answer.verdict == Verdict::already_applied ? "already applied"
                       : answer.verdict == Verdict::refused         ? "refused, "
                                                                    : "failed, ";
    if (answer.error) text += answer.error->describe();
    if (answer.instance) text += " [" + std::string(to_string(answer.instance->status)) + "]";
    if (!answer.changed) text += " [no change]";
    for (const LeaseToken token : answer.stopped) text += " stops " + to_string(token);
    if (answer.undelivered > 0) text += " undelivered " + std::to_string(answer.undelivered);
    if (answer.swept > 0) text += " swept " + std::to_string(answer.swept);
    return text;
}

}  // namespace belay::sim
