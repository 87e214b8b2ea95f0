// Whether the statements are right: refusals within a batch, and two sessions at once.
#pragma once

#include "session.hpp"

#include <string>

namespace trial {

/// Refused transitions in the middle of a batch: each is answered on its own and leaves nothing.
void try_refusals(Session& session, const std::string& name, const Form& form, Number first);

void race_turn_and_cancel(Session& a, Session& b, Number first);
void race_completion_and_cancel(Session& a, Session& b, Number first);
void race_starts(Session& a, Session& b, Number first);
void race_claim(Session& a, Session& b, Number first);
void race_renewal(Session& a, Session& b, Number first);
void try_lock_order(Session& a, Session& b, Number first);

}  // namespace trial
