// The guards of dead letters. The letter is the fence: a second attempt to send or discard it finds
// none.
#include "store/rules/guards/guards.hpp"

#include <string>

namespace belay::store {

std::optional<LetterFacts> Guards::take_letter(std::uint64_t id) {
    if (!letters_.insert(id).second) return std::nullopt;
    return rows_.letter(id);
}

namespace {

Refusal no_such_letter(std::uint64_t id) {
    return refuse(Errc::not_found, "no dead letter " + std::to_string(id));
}

}  // namespace

auto Guards::check(const Redrive& part) -> Verdict {
    const auto letter = take_letter(part.letter);
    if (!letter) return no_such_letter(part.letter);
    const auto run = part.to ? rows_.run(*part.to) : rows_.run(letter->run);
    if (!run) return part.to ? no_such_instance(*part.to) : no_such_run(letter->run);
    const std::string which = "dead letter " + std::to_string(part.letter);
    if (letter->answers && run->ref != letter->run) {
        return refuse(Errc::invalid_argument,
                      which + " answers a command of run " + to_string(letter->run) +
                          " and means nothing to '" + run->name->id + "'",
                      run->brief());
    }
    if (run->ended()) return already_ended(*run);
    if (auto conflict = address(*run, Effect::none)) return conflict;
    // The run has asked for answers: there is always room for them.
    if (!letter->answers) {
        if (auto refusal = check_room(*run)) return refusal;
    }
    messaged_.insert(run->ref);
    return std::nullopt;
}

auto Guards::check(const Discard& part) -> Verdict {
    if (!take_letter(part.letter)) return no_such_letter(part.letter);
    return std::nullopt;
}

}  // namespace belay::store
