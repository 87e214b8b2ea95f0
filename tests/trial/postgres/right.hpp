// Correctness of the statements: refusals within a batch, and two sessions at once.
#pragma once

#include "session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trial {

/// A form of a batch, and what is sent for a cancel beside it.
struct Tried {
    std::string name;
    Form turns;
    std::function<Batch(const std::vector<Number>&)> cancels;
    /// Two turns of one run, the second behind the first.
    std::function<Batch(const Turn&, const Turn&)> one_after_other;
    int round_trips;
};
[[nodiscard]] Tried tried(const std::string& name,
                          std::vector<Step> (*form)(const std::vector<Turn>&));
[[nodiscard]] Tried tried_in_two();

/// Refused transitions in the middle of a batch: each is answered on its own and leaves nothing.
void try_refusals(Session& session, const Tried& form, Number first);
/// Cases that only the form in two round trips guards, or does row by row.
void try_loaded(Session& session, Number first);

void race_turn_and_cancel(Session& a, Session& b, const Tried& form, Number first);
void race_fused_turn(Session& a, Session& b, const Tried& form, Number first);
void race_inbox(Session& a, Session& b, const Tried& form, Number first);
void race_between_round_trips(Session& a, Session& b, Number first);
void race_lost_client(Session& b, Number first);
void race_cancel_in_one(Session& a, Session& b, Number first);
void race_completion_and_cancel(Session& a, Session& b, Number first);
void race_starts(Session& a, Session& b, Number first);
void race_claim(Session& a, Session& b, Number first);
void race_renewal(Session& a, Session& b, Number first);
void try_lock_order(Session& a, Session& b, Number first);

}  // namespace trial
