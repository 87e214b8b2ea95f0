// The attempts of activities and children, read from recorded events.
//
// The engine retries a call without asking the code, so the interpreter does not see attempts.
#pragma once

#include "model/event.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay::flow {

/// The attempts of one call.
struct CallAttempts {
    std::uint32_t attempts = 0;
    CommandNo current = 0;
    std::string child{};  ///< The id of the current child.
    bool is_activity = true;
    std::optional<Failure> last{};       ///< The failure of the attempt before.
    std::optional<Timestamp> next_at{};  ///< Set while it waits for the next attempt.
};

class AttemptLog {
public:
    explicit AttemptLog(const std::vector<model::Event>& events);

    /// Returns the attempts of the call whose first attempt has this command; null if none.
    [[nodiscard]] const CallAttempts* find(CommandNo first) const noexcept;

private:
    void begin(CommandNo first, CommandNo command, std::uint32_t attempt);
    void on(const model::ActivityScheduled& event);
    void on(const model::ChildScheduled& event);
    void on(const model::TimerScheduled& event);
    void on(const model::CommandFailed& event);
    void on(const model::CommandCompleted& event);
    void on(const model::CommandCanceled& event);
    void on(const auto& /*other*/) { awaits_pause_ = 0; }

    std::map<CommandNo, CallAttempts> by_first_;
    std::map<CommandNo, CommandNo> first_of_;  ///< Of attempts, and of pauses between them.
    CommandNo awaits_pause_ = 0;               ///< The call of which an attempt has just failed.
    CommandNo resumed_ = 0;                    ///< The call whose pause has just ended.
    CommandNo timer_ = 0;                      ///< The command that has just completed.
};

}  // namespace belay::flow
