// The patches that the code of one execution asks for.
//
//   state     event     history               next      recorded
//   unasked   patched   live                  new way   PatchMarked
//   unasked   patched   has its mark next     new way   the mark as history has it
//   unasked   patched   has no mark of it     old way   nothing; in doubt
//   unasked   retire    live                  new way   PatchRetired
//   unasked   retire    has its mark next     new way   the mark as history has it
//   unasked   retire    has no mark of it     new way   nothing; in doubt
//   unasked   none      has it retired next   new way   PatchRetired, by the journal; in doubt
//   old way   any                             old way   nothing
//   new way   any                             new way   nothing
//
// In doubt: code from before or after the deploy of a patch may agree with a history that this code
// disagrees with.
#pragma once

#include "replay/journal.hpp"
#include <belay/limits.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace belay::replay {

class Patches {
public:
    enum class Way : std::uint8_t { old_way, new_way };

    Patches(const Limits& limits, Journal& journal) noexcept : limits_(limits), journal_(journal) {}

    /// True if the code goes the new way.
    [[nodiscard]] bool patched(const std::string& name);
    /// Makes the code go the new way without asking.
    void retire(const std::string& name);

    [[nodiscard]] bool in_doubt() const noexcept {
        return in_doubt_ || journal_.passed_any_retired();
    }
    /// Called if history has a mark where the code has another event.
    void set_in_doubt() noexcept { in_doubt_ = true; }

private:
    /// The way it goes since it was asked for. None: unasked.
    [[nodiscard]] std::optional<Way> way_of(const std::string& name) const noexcept;
    /// Records `fresh`, or the mark that history has in its place. Returns the way that follows
    /// from it.
    Way mark(model::Event fresh, const std::string& name);
    [[nodiscard]] const model::Event* mark_in_history(const std::string& name) const noexcept;

    const Limits& limits_;
    Journal& journal_;
    std::map<std::string, Way, std::less<>> ways_;
    bool in_doubt_ = false;
};

}  // namespace belay::replay
