// The cancel of one execution, and the shields against it.
//
//   state       event                                           next
//   none        a turn begins that was claimed with a cancel    awaited
//   none        the cancel is applied                           requested
//   awaited     the cancel is applied                           requested
//   requested   any                                             requested
//
// While a cancel is awaited the execution does not end: the cancel decides its outcome.
#pragma once

#include <belay/ids.hpp>
#include <belay/status.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace belay::replay {

class Cancellation {
public:
    enum class State : std::uint8_t { none, awaited, requested };

    [[nodiscard]] State state() const noexcept {
        if (record_) return State::requested;
        return follows_ ? State::awaited : State::none;
    }
    [[nodiscard]] bool is_requested() const noexcept { return record_.has_value(); }
    [[nodiscard]] bool is_awaited() const noexcept { return state() == State::awaited; }
    /// The cancel, once it is requested.
    [[nodiscard]] const std::optional<CancelRecord>& record() const noexcept { return record_; }

    /// Called if the cancel is on record in the store and is applied later in this turn.
    void expect() noexcept { follows_ = true; }
    void request(const CancelRecord& record) { record_ = record; }

    void open_shield(Millis extend) { shields_.push_back(extend); }
    void close_shield(Millis extend) noexcept {
        shields_.erase(std::find(shields_.begin(), shields_.end(), extend));
    }
    /// Returns the longest time beyond the usual deadline that an open shield asks for.
    [[nodiscard]] Millis longest_shield() const noexcept {
        Millis longest{0};
        for (const Millis extend : shields_) longest = std::max(longest, extend);
        return longest;
    }

    /// Called when the code says that a cancel needs no cleanup, or that it needs some again.
    void set_nothing_to_clean_up(bool nothing) noexcept { nothing_to_clean_up_ = nothing; }
    /// Never true under a shield: shielded work goes on after a cancel.
    [[nodiscard]] bool nothing_to_clean_up() const noexcept {
        return nothing_to_clean_up_ && shields_.empty();
    }

private:
    bool follows_ = false;
    bool nothing_to_clean_up_ = false;
    std::optional<CancelRecord> record_;
    std::vector<Millis> shields_;
};

}  // namespace belay::replay
