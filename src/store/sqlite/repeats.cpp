#include "store/sqlite/repeats.hpp"

namespace belay::sqlite {

namespace {

/// The commit id that says nothing is never a repeat of another one.
bool same_commit(const CommitId& kept, const CommitId& asked) {
    return kept == asked && kept != CommitId();
}

bool repeats(Tables&, const auto&, CommitId, Answer&) { return false; }

bool repeats(Tables& tables, const Start& part, CommitId commit, Answer& answer) {
    const Run* run = tables.find_run(part.instance.run);
    if (run != nullptr && same_commit(run->started_by_commit, commit)) {
        answer.instance = run->brief();
        return true;
    }
    const auto gone = tables.find_gone(part.instance.run);
    if (!gone || !same_commit(gone->started_by_commit, commit)) return false;
    answer.instance = gone->instance;
    return true;
}

bool repeats(Tables& tables, const Turn& part, CommitId commit, Answer& answer) {
    const Run* run = tables.find_run(part.run);
    if (run == nullptr || !same_commit(run->last_commit, commit)) return false;
    // Whoever asks again wants to know what is his.
    for (const NewActivity& wanted : part.activities) {
        if (!wanted.hand_over) continue;
        const ActivityRef ref{part.run, part.execution, wanted.command};
        const Activity* activity = tables.find_activity(ref);
        if (activity != nullptr && activity->token == wanted.hand_over->token) {
            answer.leased.push_back(wanted.command);
        }
    }
    return true;
}

bool repeats(Tables& tables, const Finish& part, CommitId commit, Answer& answer) {
    const auto* locked = std::get_if<std::pair<RunRef, LeaseToken>>(&part.target);
    const Run* run = locked == nullptr ? nullptr : tables.find_run(locked->first);
    if (run == nullptr || !same_commit(run->last_commit, commit)) return false;
    answer.instance = run->brief();
    return true;
}

/// The id of the instance that a part with a request id is about.
std::string target_of(Tables& tables, const Part& part) {
    if (const auto* start = std::get_if<Start>(&part)) return start->instance.name.id;
    if (const auto* cancel = std::get_if<Cancel>(&part)) return cancel->name.id;
    if (const auto* send = std::get_if<Send>(&part)) return send->name.id;
    if (const auto* removal = std::get_if<Delete>(&part)) return removal->name.id;
    const auto& target = std::get<Finish>(part).target;
    if (const auto* name = std::get_if<InstanceName>(&target)) return name->id;
    const Run* run = tables.find_run(std::get<std::pair<RunRef, LeaseToken>>(target).first);
    return run == nullptr ? std::string() : run->name.id;
}

std::optional<Answer> find_request(Tables& tables, const Part& part) {
    const std::optional<RequestKey> key = request_of(tables, part);
    if (!key) return std::nullopt;
    const std::optional<Request> found = tables.find_request(*key);
    if (!found) return std::nullopt;
    const Request& request = *found;
    Answer answer;
    if (request.part != part.index() || request.instance.name.id != target_of(tables, part)) {
        answer.verdict = Verdict::refused;
        answer.error = Error(Errc::invalid_argument,
                             "request id '" + key->second + "' was used for something else");
        return answer;
    }
    answer.verdict = Verdict::already_applied;
    answer.instance = request.instance;
    answer.changed = request.changed;
    answer.deleted = request.deleted;
    return answer;
}

/// The namespace and the request id of the parts that can have one.
RequestKey request_key(Tables&, const auto&) { return {}; }
RequestKey request_key(Tables&, const Start& part) {
    return {part.instance.name.space, part.request_id};
}
RequestKey request_key(Tables&, const Cancel& part) { return {part.name.space, part.request_id}; }
RequestKey request_key(Tables&, const Send& part) { return {part.name.space, part.request_id}; }
RequestKey request_key(Tables&, const Delete& part) { return {part.name.space, part.request_id}; }
RequestKey request_key(Tables& tables, const Finish& part) {
    if (const auto* name = std::get_if<InstanceName>(&part.target)) {
        return {name->space, part.request_id};
    }
    const auto& locked = std::get<std::pair<RunRef, LeaseToken>>(part.target);
    const Run* run = tables.find_run(locked.first);
    return {run == nullptr ? std::string() : run->name.space, part.request_id};
}

}  // namespace

std::optional<RequestKey> request_of(Tables& tables, const Part& part) {
    RequestKey key = std::visit([&](const auto& one) { return request_key(tables, one); }, part);
    if (key.second.empty()) return std::nullopt;
    return key;
}

Request make_request(const Change& change, std::size_t part) {
    BELAY_ASSERT(change.answer.instance.has_value());
    Request request;
    request.part = part;
    request.instance = *change.answer.instance;
    request.changed = change.answer.changed;
    request.deleted = change.answer.deleted;
    return request;
}

std::optional<Answer> find_repeat(Tables& tables, const Transition& transition) {
    Answer answer;
    bool repeated = false;
    for (const Part& part : transition.parts) {
        repeated |= std::visit(
            [&](const auto& one) { return repeats(tables, one, transition.commit, answer); }, part);
    }
    if (repeated) {
        answer.verdict = Verdict::already_applied;
        return answer;
    }
    for (const Part& part : transition.parts) {
        if (auto earlier = find_request(tables, part)) return earlier;
    }
    return std::nullopt;
}

}  // namespace belay::sqlite
