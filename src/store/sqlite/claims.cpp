#include "store/sqlite/claims.hpp"

namespace belay::sqlite {

namespace {

LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

std::vector<RunKey> ready_runs(Tables& tables, const ClaimInstances& request) {
    if (request.max == 0) return {};
    if (!request.run) return tables.ready_runs(request.max, request.shard);
    const Run* run = tables.find_run(*request.run);
    const bool in_shard = !request.shard || *request.shard == request.run->shard;
    if (run == nullptr || !in_shard || !run->ready_at || *run->ready_at > tables.now()) return {};
    return {run->ref.key};
}

std::vector<Message> messages_for(Tables& tables, const Run& run, std::uint32_t max) {
    std::vector<Message> messages = tables.ready_messages(run);
    if (messages.size() <= max) return messages;
    std::vector<Message> taken;
    for (Message& message : messages) {
        // What was accepted before a cancel is never left for the turn after it.
        const bool before_cancel = run.cancel && message.id < run.cancel->sequence;
        if (taken.size() < max || before_cancel) taken.push_back(std::move(message));
    }
    return taken;
}

ClaimedInstance claimed(Tables& tables, const Run& run, const ClaimInstances& request) {
    RunAbout about = tables.about(run);
    ClaimedInstance item;
    item.run = run.ref;
    item.name = run.name;
    item.definition = std::move(about.definition);
    item.version = std::move(about.version);
    item.status = run.status;
    item.execution = run.execution;
    item.position = run.position;
    item.input = std::move(about.input);
    item.parent = run.parent;
    item.cancel = run.cancel;
    item.cancel_deadline = run.cancel_deadline;
    item.messages = messages_for(tables, run, request.max_messages);
    item.attempts = run.attempts;
    item.unregistered = run.unregistered;
    item.token = run.lock->token;
    item.claimed_at = tables.now();
    item.locked_until = run.lock->until;
    item.headers = std::move(about.headers);
    return item;
}

}  // namespace

ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request) {
    ClaimInstances::Answer items;
    for (const RunKey key : ready_runs(tables, request)) {
        Run& run = tables.run_of(key);
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, items.size()),
                        later(tables.now(), request.lease),
                        request.worker,
                        run.cancel.has_value()};
        tables.touch(run);
        items.push_back(claimed(tables, run, request));
    }
    tables.finish_transition();
    return items;
}

ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request) {
    ClaimActivities::Answer items;
    for (const ActivityRef& ref : tables.next_activities(request)) {
        Activity activity = *tables.find_activity(ref);
        ++activity.attempt;
        activity.token = token_at(request.first_token, items.size());
        activity.worker = request.worker;
        activity.leased_until = later(tables.now(), request.lease);
        tables.update_activity(activity);
        items.push_back(tables.claimed(activity));
    }
    tables.finish_transition();
    return items;
}

}  // namespace belay::sqlite
