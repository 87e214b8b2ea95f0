// Operators and stuck things: letters that reached nobody, and runs that are held. Both are rare in
// the engine, so operators see to it that there are some.
#include "simulation/clients/operators.hpp"
#include "simulation/program/interpreter.hpp"

#include <utility>

namespace belay::sim {

void Operators::commit(Part part) {
    std::vector<Transition> batch;
    batch.push_back(op::transition(sender_->ids().commit_id(), std::move(part)));
    batch.back().stop = StopTerms{sender_->policy().grace, sender_->policy().cancel_deadline};
    store_.commit(std::move(batch), [](const Result<std::vector<Answer>>&) {});
}

void Operators::care_for_letters_and_holds() {
    const std::size_t kind = rng_.below(12);
    if (kind < 4) {
        strand();
    } else if (kind < 6) {
        rng_.percent(70) ? redrive() : discard();
    } else if (kind < 10) {
        hold();
    } else {
        decide_held();
    }
}

void Operators::note_runs() {
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) seen_runs_.insert(ref);
    });
}

/// A message by run key, as the engine sends them, to a run that may be gone by now, or is.
void Operators::strand() {
    std::vector<RunRef> gone;
    const bool any = rng_.percent(20);
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const RunRef ref : seen_runs_) {
            if (any || !tables.runs.contains(ref)) gone.push_back(ref);
        }
    });
    if (gone.empty()) return;
    NewMessage message;
    const bool event = rng_.percent(50);
    message.kind = event ? MessageKind::event_raised : MessageKind::queue_message;
    message.name =
        event ? kEvents[rng_.below(kEvents.size())] : kMailQueues[rng_.below(kMailQueues.size())];
    message.payload = Payload::text("m" + std::to_string(++last_message_));
    commit(Deliver{rng_.pick(gone), std::move(message)});
}

std::uint64_t Operators::some_letter() {
    std::vector<std::uint64_t> letters;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [id, letter] : tables.dead_letters) letters.push_back(id);
    });
    return letters.empty() ? 1 : rng_.pick(letters);
}

void Operators::redrive() {
    Redrive part;
    part.letter = some_letter();
    part.space = kSpace;
    if (rng_.percent(90)) part.to = InstanceName{kSpace, some_id()};
    ask(std::move(part));
}

void Operators::discard() {
    Discard part;
    part.letter = some_letter();
    part.space = kSpace;
    ask(std::move(part));
}

/// As a process does whose code does not agree with the history.
void Operators::hold() {
    if (!holds_) return;
    std::vector<RunRef> runs;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (!run.ended() && !run.held && !run.lock) runs.push_back(ref);
        }
    });
    if (runs.empty()) return;
    ClaimInstances claim =
        op::claim_instance(sender_->ids().tokens(1), "operator", sender_->policy().turn_lease);
    claim.run = rng_.pick(runs);
    store_.claim(claim, [this](const Result<ClaimInstances::Answer>& answer) {
        if (!answer) return;
        for (const ClaimedInstance& one : answer->claimed) {
            commit(Hold{one.run, one.token, kHeldByHand});
        }
    });
}

void Operators::decide_held() {
    std::vector<std::string> held;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (run.held && !run.ended()) held.push_back(run.about.name.id);
        }
    });
    for (const std::string& id : held) {
        if (rng_.percent(60)) {
            Release part;
            part.name = InstanceName{kSpace, id};
            ask(std::move(part));
            continue;
        }
        Finish part;
        part.target = InstanceName{kSpace, id};
        part.held_only = true;
        part.outcome.status = Status::failed;
        part.outcome.failure.kind = FailureKind::nondeterminism;
        part.outcome.failure.message = kHeldByHand;
        ask(std::move(part));
    }
}

}  // namespace belay::sim
