#include "store/rules/commit.hpp"

#include "store/rules/effects.hpp"
#include "store/rules/facts.hpp"
#include "store/rules/guards/guards.hpp"
#include "store/rules/repeats.hpp"

#include <utility>

namespace belay::store {

Answer commit(Rows& rows, const StoreOptions& options, const Transition& transition) {
    Lookup lookup(rows);
    if (auto repeat = find_repeat(lookup, transition)) return std::move(*repeat);
    if (auto refusal = Guards(lookup).check(transition)) return std::move(*refusal).answer();
    Answer answer;
    Change change{rows, options, rows.now(), transition.commit, transition.stop, answer, {}};
    apply(change, transition);
    return answer;
}

std::vector<Answer> commit(Rows& rows,
                           const StoreOptions& options,
                           std::span<const Transition> batch) {
    rows.prefetch(batch);
    std::vector<Answer> answers;
    answers.reserve(batch.size());
    for (const Transition& transition : batch) answers.push_back(commit(rows, options, transition));
    return answers;
}

}  // namespace belay::store
