#include "naive/naive_store.hpp"

#include "naive/change.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace belay::naive {

Answer commit(State& state,
              const Transition& transition,
              Timestamp now,
              const StoreOptions& options,
              store::Notices* told,
              const Answer* followed) {
    state.latest = std::max(state.latest, now);
    // A part changes nothing before all its guards hold: only with several is there something to
    // undo.
    const bool several = transition.parts.size() > 1;
    std::optional<SmallTables> before;
    if (several) {
        before = state;
        state.for_each_table([](auto& table) { table.keep_old(); });
    }
    try {
        Change change(state, transition, now, options.request_kept, followed);
        Answer answer = change.apply();
        state.for_each_table([](auto& table) { table.forget_old(); });
        if (told != nullptr) *told = std::move(change.told());
        return answer;
    } catch (const Refusal& refusal) {
        if (several) {
            static_cast<SmallTables&>(state) = std::move(*before);
            state.for_each_table([](auto& table) { table.undo(); });
        }
        Answer answer;
        answer.verdict = Verdict::refused;
        answer.error = refusal.error;
        answer.instance = refusal.instance;
        answer.input_differs = refusal.input_differs;
        return answer;
    }
}

namespace {

std::set<RunRef> all_settled(const State& state) {
    std::set<RunRef> found;
    for (const auto& [key, run] : state.runs.rows()) {
        if (settled(state, run)) found.insert(run.ref());
    }
    return found;
}

}  // namespace

Answer NaiveStore::commit_one(const Transition& transition, store::Notices& told) {
    if (listening_ == 0) return naive::commit(state_, transition, now(), options_, &told);
    const std::set<RunRef> before = all_settled(state_);
    Answer answer = naive::commit(state_, transition, now(), options_, &told);
    for (const RunRef run : all_settled(state_)) {
        if (before.contains(run)) continue;
        told.changed(run, RunChange::settled);
        told.settled.push_back(run);
    }
    return answer;
}

void NaiveStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    std::vector<Answer> answers;
    std::vector<store::Notices> told(batch.size());
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            answers.push_back(commit_one(batch[i], told[i]));
            // Something may have become ready: a hint may be wrong.
            told[i].instances_ready = told[i].activities_ready = answers[i].done();
        }
    }
    done(std::move(answers));
    for (const store::Notices& notices : told) listeners_.tell(notices);
}

void NaiveStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    ClaimInstances::Answer answer;
    store::Notices told;
    {
        const std::lock_guard lock(mutex_);
        answer = naive::claim(state_, request, now(), nullptr, &told);
    }
    done(std::move(answer));
    listeners_.tell(told);
}

void NaiveStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    ClaimActivities::Answer answer;
    {
        const std::lock_guard lock(mutex_);
        answer = naive::claim(state_, request, now());
    }
    done(std::move(answer));
}

void NaiveStore::read_any(Read request, Done<ReadAnswer> done) {
    std::optional<ReadAnswer> answer;
    {
        const std::lock_guard lock(mutex_);
        answer = std::visit(
            [&]<class Request>(const Request& one) {
                return wrap_answer<Request>(naive::read(state_, one, now()));
            },
            request);
    }
    done(std::move(*answer));
}

}  // namespace belay::naive
