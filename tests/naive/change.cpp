#include "naive/change.hpp"

#include <algorithm>

namespace belay::naive {

void refuse(Errc code, std::string why, std::optional<InstanceBrief> instance) {
    throw Refusal{Error(code, std::move(why)), std::move(instance)};
}
void demand(const Result<void>& checked) {
    if (!checked) throw Refusal{checked.error()};
}
void demand(bool sensible, const char* why) {
    if (!sensible) refuse(Errc::invalid_argument, why);
}

Answer Change::apply() {
    if (std::optional<Answer> known = applied_before()) return *known;
    for (const Part& part : transition_.parts) {
        demand(!std::holds_alternative<Sweep>(part) || transition_.parts.size() == 1,
               "a sweep is a transition of its own");
        demand(!std::holds_alternative<ReleaseHolder>(part) || transition_.parts.size() == 1,
               "the release of a holder is a transition of its own");
        std::visit([&](const auto& one) { apply(one); }, part);
    }
    release_waiting();
    if (answer_.instance) {
        const Run* run = state_.find(answer_.instance->run);
        if (run != nullptr) answer_.instance->status = run->status;
    }
    for (const Part& part : transition_.parts) remember(part);
    told_.stopped = answer_.stopped;
    return answer_;
}

// ---- The addressed run -------------------------------------------------------------------------

void Change::address(RunRef run, bool by_turn) const {
    const bool started = started_.contains(run);
    demand(!deleted_.contains(run), "an earlier part deletes this run");
    demand(!changed_.contains(run) && (!started || by_turn), "an earlier part changes this run");
    for (const Run* one = state_.find(run); one != nullptr;) {
        demand(!ending_.contains(one->ref()), "an earlier part may end this run");
        one = one->about.parent ? state_.find(one->about.parent->run) : nullptr;
    }
}

Run& Change::named(const InstanceName& name) {
    demand(!deleted_names_.contains(name), "an earlier part deletes this instance");
    const Run* found = state_.find(name);
    if (found == nullptr) refuse(Errc::not_found, "no instance '" + name.id + "'");
    address(found->ref());
    return *state_.write(found->ref());
}

Run& Change::named(const InstanceName& name, const std::optional<RunRef>& only) {
    if (!only) return named(name);
    address(*only);
    Run* run = state_.write(*only);
    if (run == nullptr || run->about.name != name) {
        refuse(Errc::not_found, "no run " + to_string(*only) + " of '" + name.id + "'");
    }
    return *run;
}

Run& Change::alive(RunRef ref) {
    Run* run = state_.write(ref);
    if (run == nullptr) refuse(Errc::not_found, "no run " + to_string(ref));
    if (run->ended()) refuse(Errc::already_ended, "it has ended", run->brief());
    return *run;
}

Run& Change::locked(RunRef ref, LeaseToken token) {
    Run& run = alive(ref);
    if (!run.lock || run.lock->token != token) {
        refuse(Errc::lease_lost, "the token holds no lock of " + to_string(ref));
    }
    return run;
}

const Stopping* Change::stopping(const ActivityRef& ref, LeaseToken token) const {
    for (const Stopping& one : state_.stopping) {
        if (!one.orphan && one.activity == ref && one.token == token) return &one;
    }
    return nullptr;
}

Activity& Change::held_activity(const ActivityRef& ref, LeaseToken token) {
    address(ref.run);
    Activity* row = state_.activities.write(ref);
    if (row != nullptr && row->token == token) return *row;
    if (stopping(ref, token) != nullptr) refuse(Errc::canceled, "it was canceled");
    refuse(Errc::lease_lost, "the token does not hold " + to_string(ref));
}

// ---- Repeated changes --------------------------------------------------------------------------

std::optional<Answer> Change::applied_before() {
    for (const Part& part : transition_.parts) {
        if (auto known = known_by_commit(part)) return known;
    }
    for (const Part& part : transition_.parts) {
        if (auto known = known_by_request(part)) return known;
    }
    return std::nullopt;
}

namespace {

Answer known(std::optional<InstanceBrief> instance = std::nullopt) {
    Answer answer;
    answer.verdict = Verdict::already_applied;
    answer.instance = std::move(instance);
    return answer;
}

/// The bytes by which a part with a request id is compared.
struct Asked {
    std::string id;
    std::string space;
    std::string target;
    Digest digest{};
};

template <class P>
concept HasRequest = requires(const P& part) { part.request_id; };

template <class P>
std::optional<Asked> asked(const P& part) {
    if constexpr (HasRequest<P>) {
        if (part.request_id.empty()) return std::nullopt;
        Asked made{part.request_id, "", "", part.request_digest};
        if constexpr (requires { part.space; }) made.space = part.space;
        if constexpr (requires { part.name; }) {
            made.space = part.name.space;
            made.target = part.name.id;
        } else if constexpr (requires { part.instance; }) {
            made.space = part.instance.name.space;
            made.target = part.instance.name.id;
        } else if constexpr (requires { part.queue; }) {
            made.target = part.queue;
        } else if constexpr (requires { part.paused; }) {
            made.target = part.paused;
        } else if constexpr (requires { part.letter; }) {
            made.target = std::to_string(part.letter);
        } else if constexpr (requires { part.key; }) {
            made.target = part.key;
        } else if constexpr (requires { part.ids; }) {
            if (!part.ids.empty()) made.target = part.ids.back();
        } else if constexpr (requires { part.target; }) {
            const auto* name = std::get_if<InstanceName>(&part.target);
            if (name == nullptr) return std::nullopt;
            made.space = name->space;
            made.target = name->id;
        }
        return made;
    }
    return std::nullopt;
}
std::optional<Asked> asked(const Part& part) {
    return std::visit([](const auto& one) { return asked(one); }, part);
}

}  // namespace

std::optional<Answer> Change::known_by_commit(const Part& part) {
    const CommitId commit = transition_.commit;
    if (commit == CommitId()) return std::nullopt;
    const auto* start = std::get_if<Start>(&part);
    const auto* import = std::get_if<Import>(&part);
    if (start != nullptr || import != nullptr) {
        const RunRef ref = start != nullptr ? start->instance.run : import->instance.run;
        const Run* run = state_.find(ref);
        if (run != nullptr && run->started_by == commit) return known(run->brief());
        const DeletedRun* gone = state_.gone.find(ref);
        if (gone != nullptr && gone->started_by == commit && gone->until > now_) {
            return known(gone->brief);
        }
    }
    std::optional<RunRef> turn_of;
    if (const auto* turn = std::get_if<Turn>(&part)) turn_of = turn->run;
    if (const auto* finish = std::get_if<Finish>(&part)) {
        const auto* lock = std::get_if<std::pair<RunRef, LeaseToken>>(&finish->target);
        if (lock != nullptr) turn_of = lock->first;
    }
    if (turn_of) {
        const Run* run = state_.find(*turn_of);
        if (run != nullptr && run->last_commit == commit) return known_turn(part, *run);
    }
    const auto* deletion = std::get_if<Delete>(&part);
    if (deletion == nullptr || !deletion->run) return std::nullopt;
    const DeletedRun* gone = state_.gone.find(*deletion->run);
    if (gone == nullptr || gone->deleted_by != commit || gone->until <= now_) return std::nullopt;
    Answer answer = known(gone->brief);
    answer.deleted = gone->counts;
    return answer;
}

/// A turn is told which of the activities that it handed over are still leased so.
Answer Change::known_turn(const Part& part, const Run& run) const {
    const auto* turn = std::get_if<Turn>(&part);
    if (turn == nullptr) return known(run.brief());
    Answer answer = known();
    for (const NewActivity& about : turn->activities) {
        const Activity* row = state_.activities.find({turn->run, turn->execution, about.command});
        if (row != nullptr && about.hand_over && row->token == about.hand_over->token) {
            answer.leased.push_back(about.command);
        }
    }
    return answer;
}

std::optional<Answer> Change::known_by_request(const Part& part) {
    const std::optional<Asked> now = asked(part);
    if (!now) return std::nullopt;
    const Request* before = state_.requests.find({now->space, now->id});
    if (before == nullptr || before->until <= now_) return std::nullopt;
    if (before->part != part.index() || before->target != now->target ||
        before->digest != now->digest) {
        refuse(Errc::request_id_reused, "request id '" + now->id + "' was for something else");
    }
    Answer answer = before->answer;
    answer.verdict = Verdict::already_applied;
    if (answer.instance && state_.find(answer.instance->run) == nullptr) {
        answer.instance->deleted = true;
    }
    return answer;
}

void Change::remember(const Part& part) {
    const std::optional<Asked> now = asked(part);
    if (!now) return;
    Answer kept;
    kept.instance = answer_.instance;
    kept.changed = answer_.changed;
    kept.deleted = answer_.deleted;
    state_.requests.put(
        {now->space, now->id},
        Request{part.index(), now->target, now->digest, kept, now_ + request_kept_});
}

}  // namespace belay::naive
