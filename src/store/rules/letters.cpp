#include "store/rules/letters.hpp"

#include "store/rules/inbox.hpp"

#include <utility>

namespace belay::store {

void apply(Change& change, const Redrive& part) {
    const std::optional<Letter> letter = change.rows.find_letter(part.letter);
    BELAY_ASSERT(letter.has_value());
    change.rows.erase_letter(part.letter);
    Run& run = part.to ? *change.rows.find_run(*part.to) : change.rows.run_of(letter->run.key);
    add_message(change.rows, run, letter->message);
    change.answer.instance = run.brief();
}

void apply(Change& change, const Discard& part) {
    const std::optional<Letter> letter = change.rows.find_letter(part.letter);
    BELAY_ASSERT(letter.has_value());
    change.rows.erase_letter(part.letter);
    InstanceBrief brief;
    brief.run = letter->run;
    brief.deleted = true;
    change.answer.instance = std::move(brief);
}

}  // namespace belay::store
