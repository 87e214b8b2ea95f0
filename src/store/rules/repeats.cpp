#include "store/rules/repeats.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace belay::store {

namespace {

/// An empty commit id never repeats another one.
bool same_commit(const CommitId& kept, const CommitId& asked) {
    return kept == asked && kept != CommitId();
}

bool repeats(Lookup&, const auto&, CommitId, Answer&) { return false; }

/// The commit that made a run is kept with the run.
bool made_by(Lookup& rows, RunRef ref, CommitId commit, Answer& answer) {
    const auto run = rows.run(ref);
    if (run && same_commit(run->started_by_commit, commit)) {
        answer.instance = run->brief();
        return true;
    }
    auto gone = rows.deleted_run(ref);
    if (!gone || !same_commit(gone->started_by_commit, commit)) return false;
    answer.instance = std::move(gone->instance);
    return true;
}

bool repeats(Lookup& rows, const Start& part, CommitId commit, Answer& answer) {
    return made_by(rows, part.instance.run, commit, answer);
}

bool repeats(Lookup& rows, const Import& part, CommitId commit, Answer& answer) {
    return made_by(rows, part.instance.run, commit, answer);
}

/// The commit that deleted a run by its key is kept with the remains of the run.
bool repeats(Lookup& rows, const Delete& part, CommitId commit, Answer& answer) {
    if (!part.run || rows.run(*part.run)) return false;
    auto gone = rows.deleted_run(*part.run);
    if (!gone || !same_commit(gone->deleted_by_commit, commit)) return false;
    answer.instance = std::move(gone->instance);
    answer.deleted = gone->deleted;
    return true;
}

bool repeats(Lookup& rows, const Turn& part, CommitId commit, Answer& answer) {
    const auto run = rows.run(part.run);
    if (!run || !same_commit(run->last_commit, commit)) return false;
    // The sender of a repeat wants to know which activities were leased to it.
    for (const NewActivity& wanted : part.activities) {
        if (!wanted.hand_over) continue;
        const ActivityRef ref{part.run, part.execution, wanted.command};
        const auto activity = rows.activity(ref);
        if (activity && activity->token == wanted.hand_over->token) {
            answer.leased.push_back(wanted.command);
        }
    }
    return true;
}

bool repeats(Lookup& rows, const Finish& part, CommitId commit, Answer& answer) {
    const auto* locked = std::get_if<std::pair<RunRef, LeaseToken>>(&part.target);
    const auto run = locked == nullptr ? std::nullopt : rows.run(locked->first);
    if (!run || !same_commit(run->last_commit, commit)) return false;
    answer.instance = run->brief();
    return true;
}

/// Returns the addressee: given by name, or by its key if it is a poisoned run.
InstanceName name_of(Lookup& rows, const Finish& part) {
    if (const auto* name = std::get_if<InstanceName>(&part.target)) return *name;
    const auto& locked = std::get<std::pair<RunRef, LeaseToken>>(part.target);
    const auto run = rows.run(locked.first);
    return run ? *run->name : InstanceName();
}

/// The namespace and target of the parts that can have a request id.
InstanceName target_of(const Start& part) { return part.instance.name; }
InstanceName target_of(const Import& part) { return part.instance.name; }
InstanceName target_of(const FreeKey& part) { return InstanceName{part.space, part.key}; }
InstanceName target_of(const DeleteInstances& part) {
    return InstanceName{part.space, part.ids.empty() ? std::string() : part.ids.back()};
}
InstanceName target_of(const Redrive& part) {
    return InstanceName{part.space, std::to_string(part.letter)};
}
InstanceName target_of(const Discard& part) {
    return InstanceName{part.space, std::to_string(part.letter)};
}
InstanceName target_of(const SetRetention& part) { return InstanceName{part.space, {}}; }
InstanceName target_of(const SetQueueLimits& part) { return InstanceName{part.space, part.queue}; }
InstanceName target_of(const SetPause& part) { return InstanceName{part.space, part.paused}; }
InstanceName target_of(const auto& part) { return part.name; }

InstanceName target_of(Lookup& rows, const Finish& part) { return name_of(rows, part); }
InstanceName target_of(Lookup&, const auto& part) { return target_of(part); }

std::optional<Answer> find_request(Lookup& rows, const Part& part) {
    const std::optional<Asked> asked = request_of(rows, part);
    if (!asked) return std::nullopt;
    const std::optional<Request> found = rows.request(asked->key);
    if (!found) return std::nullopt;
    const Request& first = *found;
    Answer answer;
    if (first.part != asked->request.part || first.target != asked->request.target ||
        first.digest != asked->request.digest) {
        answer.verdict = Verdict::refused;
        answer.error = Error(Errc::request_id_reused,
                             "request id '" + asked->key.second +
                                 "' was used before for another request, about '" + first.target +
                                 "'; a new request needs an id of its own");
        return answer;
    }
    answer.verdict = Verdict::already_applied;
    // A request about a queue or a namespace has no instance.
    if (first.instance.run != RunRef()) answer.instance = first.instance;
    // The instance may have been deleted since.
    if (!first.instance.name.id.empty() && !rows.run(first.instance.run)) {
        answer.instance->deleted = true;
    }
    answer.changed = first.changed;
    answer.deleted = first.deleted;
    return answer;
}

}  // namespace

std::optional<Asked> request_of(Lookup& rows, const Part& part) {
    return std::visit(
        [&](const auto& one) -> std::optional<Asked> {
            if constexpr (requires { one.request_id; }) {
                if (one.request_id.empty()) return std::nullopt;
                InstanceName target = target_of(rows, one);
                Asked asked;
                asked.key = RequestKey{std::move(target.space), one.request_id};
                asked.request.part = part.index();
                asked.request.target = std::move(target.id);
                asked.request.digest = one.request_digest;
                return asked;
            } else {
                return std::nullopt;
            }
        },
        part);
}

std::optional<RequestKey> request_named_by(const Part& part) {
    return std::visit(
        [](const auto& one) -> std::optional<RequestKey> {
            if constexpr (requires { one.request_id; }) {
                if (one.request_id.empty()) return std::nullopt;
                if constexpr (std::is_same_v<decltype(one), const Finish&>) {
                    const auto* name = std::get_if<InstanceName>(&one.target);
                    if (name == nullptr) return std::nullopt;
                    return RequestKey{name->space, one.request_id};
                } else {
                    return RequestKey{target_of(one).space, one.request_id};
                }
            } else {
                return std::nullopt;
            }
        },
        part);
}

void keep_answer(const Answer& answer, Request& request) {
    request.instance = answer.instance.value_or(InstanceBrief());
    request.changed = answer.changed;
    request.deleted = answer.deleted;
}

std::optional<Answer> find_repeat(Lookup& rows, const Transition& transition) {
    Answer answer;
    bool repeated = false;
    for (const Part& part : transition.parts) {
        repeated |= std::visit(
            [&](const auto& one) { return repeats(rows, one, transition.commit, answer); }, part);
    }
    if (repeated) {
        answer.verdict = Verdict::already_applied;
        return answer;
    }
    for (const Part& part : transition.parts) {
        if (auto earlier = find_request(rows, part)) return earlier;
    }
    return std::nullopt;
}

}  // namespace belay::store
