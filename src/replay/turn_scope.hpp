// The orchestration whose code runs on this thread.
#pragma once

#include "replay/identity.hpp"

namespace belay::replay {

/// While one is in scope, this thread runs code of users as part of a turn. The engine does not
/// look at it. It is for code that watches users' code (the kit for tests).
class TurnScope {
public:
    explicit TurnScope(const Identity& identity) noexcept : before_(enter(&identity)) {}
    /// Marks other code that is called in a turn and is not part of it.
    TurnScope() noexcept : before_(enter(nullptr)) {}
    TurnScope(const TurnScope&) = delete;
    TurnScope& operator=(const TurnScope&) = delete;
    ~TurnScope() { enter(before_); }

    /// Returns null outside of turns.
    [[nodiscard]] static const Identity* current() noexcept;

private:
    /// Returns the identity that was current before.
    static const Identity* enter(const Identity* identity) noexcept;

    const Identity* before_;
};

}  // namespace belay::replay
