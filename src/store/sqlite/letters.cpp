#include "store/sqlite/letters.hpp"

#include <utility>

namespace belay::sqlite {

void apply(Change& change, const Redrive& part) {
    const std::optional<Letter> letter = change.tables.find_letter(part.letter);
    BELAY_ASSERT(letter.has_value());
    change.tables.remove_letter(part.letter);
    Run& run = part.to ? *change.tables.find_run(*part.to) : change.tables.run_of(letter->run.key);
    change.tables.add_message(run, letter->message);
    change.answer.instance = run.brief();
}

void apply(Change& change, const Discard& part) {
    const std::optional<Letter> letter = change.tables.find_letter(part.letter);
    BELAY_ASSERT(letter.has_value());
    change.tables.remove_letter(part.letter);
    InstanceBrief brief;
    brief.run = letter->run;
    brief.deleted = true;
    change.answer.instance = std::move(brief);
}

}  // namespace belay::sqlite
