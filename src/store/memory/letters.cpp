#include "store/memory/letters.hpp"

#include <utility>

namespace belay::memory {

namespace {

DeadLetter take_letter(Tables& tables, std::uint64_t id) {
    const auto found = tables.dead_letters.find(id);
    BELAY_ASSERT(found != tables.dead_letters.end());
    DeadLetter letter = std::move(found->second);
    tables.dead_letters.erase(found);
    const auto letters = tables.letters_to.find(letter.run);
    letters->second.erase(id);
    if (letters->second.empty()) tables.letters_to.erase(letters);
    return letter;
}

}  // namespace

void apply(Change& change, const Redrive& part) {
    DeadLetter letter = take_letter(change.tables, part.letter);
    Run& run = part.to ? *find_run(change.tables, *part.to) : run_of(change.tables, letter.run);
    add_message(change.tables, run, change.now, std::move(letter.message));
    change.answer.instance = brief_of(run);
}

void apply(Change& change, const Discard& part) {
    const DeadLetter letter = take_letter(change.tables, part.letter);
    InstanceBrief brief;
    brief.run = letter.run;
    brief.deleted = true;
    change.answer.instance = std::move(brief);
}

}  // namespace belay::memory
