// The history of one execution: events that it records, and events that a replay must match.
//
//   mode        event          next        effect
//   live        record         live        appends the event
//   live        begin_replay   replaying   the recorded events are at hand
//   replaying   record         replaying   takes over retired patches that come first, then appends
//   replaying   match_input    replaying   compares the appended events with history
//   replaying   end_replay     live
//
// A replay goes from input to input. Each input is recorded, the code runs, and the decisions that
// it recorded are compared with the events that history has behind that input.
#pragma once

#include "model/event.hpp"
#include <belay/ids.hpp>
#include <belay/limits.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::replay {

class Journal {
public:
    enum class Mode : std::uint8_t { live, replaying };

    /// The place where history and code disagree. Null: there is no event on that side.
    struct Difference {
        EventNo at = 0;
        const model::Event* in_history = nullptr;
        const model::Event* from_code = nullptr;
    };

    explicit Journal(const Limits& limits) noexcept : limits_(limits) {}

    /// The number of the last event, recorded ones included.
    [[nodiscard]] EventNo position() const noexcept { return position_; }
    [[nodiscard]] bool replaying() const noexcept { return mode_ == Mode::replaying; }

    void record(model::Event event);
    /// The events recorded since they were taken last.
    [[nodiscard]] const std::vector<model::Event>& recorded() const noexcept { return recorded_; }
    [[nodiscard]] std::vector<model::Event> take_recorded() { return std::exchange(recorded_, {}); }

    /// `events` follow `position()` and stay alive until the replay ends.
    void begin_replay(const std::vector<model::Event>& events);
    /// The input to be fed next; null at the end of the events.
    [[nodiscard]] const model::Event* next_input() const noexcept { return in_history(0); }
    /// The difference if history has another event for that input than the code.
    [[nodiscard]] std::optional<Difference> match_input();
    void end_replay() noexcept { mode_ = Mode::live; }

    /// Returns the next event of history, or the one `ahead` events behind it. Null unless it
    /// replays.
    [[nodiscard]] const model::Event* in_history(std::size_t ahead) const noexcept {
        if (mode_ != Mode::replaying) return nullptr;
        const std::size_t at = replayed_at_ + recorded_.size() + ahead;
        return at < replayed_->size() ? &(*replayed_)[at] : nullptr;
    }
    /// Returns the number of retired patches that come next in history. The code may have forgotten
    /// them.
    [[nodiscard]] std::size_t retired_ahead() const noexcept {
        std::size_t ahead = 0;
        while (std::get_if<model::PatchRetired>(in_history(ahead)) != nullptr) ++ahead;
        return ahead;
    }
    /// Returns the event of history behind them, if it is of this kind.
    template <class Wanted>
    [[nodiscard]] const Wanted* next_in_history() const noexcept {
        return std::get_if<Wanted>(in_history(retired_ahead()));
    }
    /// True if history has this patch as retired, and the code did not ask for it there.
    [[nodiscard]] bool passed_retired(std::string_view patch) const noexcept {
        return passed_.contains(patch);
    }
    [[nodiscard]] bool passed_any_retired() const noexcept { return !passed_.empty(); }

    /// Throws LimitExceeded if history is full.
    void check_room() const;
    /// True if history is so much longer than allowed that the code does not honour the limit.
    [[nodiscard]] bool is_overfull() const noexcept;

private:
    /// Takes over the retired patches that history has before `next`, an event of the code. Null:
    /// before the next input.
    void pass_retired(const model::Event* next);

    const Limits& limits_;
    Mode mode_ = Mode::live;
    EventNo position_ = 0;
    std::vector<model::Event> recorded_;
    const std::vector<model::Event>* replayed_ = nullptr;  // While replaying ...
    std::size_t replayed_at_ = 0;                          // ... the input that is being fed.
    std::set<std::string, std::less<>> passed_;
};

}  // namespace belay::replay
