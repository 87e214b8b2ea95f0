// Rates of starts: so many runs of a definition begin within a time.
//
// Each start that counts takes a place: the time from which its run may begin. A place is never
// before the one that was taken before it, nor within the time of the rate after the place that is
// `count` places before it. So no search is needed: a start looks at two places.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

[[nodiscard]] inline RateId rate_id(const NewInstance& instance) {
    return {instance.name.space, instance.definition};
}

/// Returns the time from which a run that is started now may begin.
[[nodiscard]] Timestamp room_from(Rows& rows, const RateId& id, const RateOfStarts& rate);
/// Takes that place. Forgets places that a rate of this count does not look at any more.
void take_place(Rows& rows, const RateId& id, const RateOfStarts& rate, Timestamp at);
/// Ends a new run that is one too many.
void drop(Change& change, Run& run, const RateOfStarts& rate);

/// Returns the rate in words: "10 runs within 1000 ms".
[[nodiscard]] std::string in_words(const RateOfStarts& rate);

}  // namespace belay::store
