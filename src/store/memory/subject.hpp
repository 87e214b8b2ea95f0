// The subject of a check of the rows of a memory store.
#pragma once

#include <belay/ids.hpp>

#include <string>

namespace belay::memory {

/// The subject of a check. Described only if something is wrong with it, because this runs after
/// every step of the simulator.
struct Subject {
    const char* kind = "the index";
    const RunRef* run = nullptr;
    const ActivityRef* activity = nullptr;
    const std::string* name = nullptr;

    [[nodiscard]] std::string describe() const {
        std::string text = kind;
        if (run != nullptr) text += " " + to_string(*run);
        if (activity != nullptr) text += " " + to_string(*activity);
        if (name != nullptr) text += " '" + *name + "'";
        return text;
    }
};

}  // namespace belay::memory
