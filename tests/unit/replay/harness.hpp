// Drives one execution of the replay engine: inputs in, decisions out.
#pragma once

#include "model/event.hpp"
#include "replay/execution.hpp"
#include <belay/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace belay::replay {

inline constexpr Activity<std::string(std::string)> Work{"Work"};
inline constexpr Activity<std::string(int, std::string)> Charge{"Charge"};
inline constexpr Activity<int(int)> Count{"Count"};
inline constexpr Activity<void()> Ping{"Ping"};
inline constexpr Activity<void(std::string)> Undo{"Undo"};
inline constexpr Definition<std::string(std::string)> Child{"Child"};

/// Checks that a scenario makes besides those of its test.
enum class Checks {
    /// After every input: an execution made anew from history decides the same, and so does one
    /// that
    /// only follows what the first recorded.
    always,
    /// One cold replay when the scenario ends: for long ones.
    at_end,
};

/// The name and the instance id that scenarios run under.
inline const std::string kDefinition = "Test";
inline const std::string kInstance = "test-1";

/// A decision in short: `call #1 Work "a"`, `timer #2 +5000`, `cancel #1`, `completed "done"`.
/// Nothing for an input.
std::optional<std::string> brief(const model::Event& event, Timestamp now);

template <class R, class... Params>
Definition<R(Params...)> definition_of(Orchestration<R> (*)(OrchestrationContext, Params...)) {
    return Definition<R(Params...)>{kDefinition};
}

/// Replays `history` into a fresh execution of other code.
template <class Code>
Result<void> replay_with(Code code,
                         const std::vector<model::Event>& history,
                         const Limits& limits = {}) {
    Registry registry;
    registry.add(definition_of(+code), code);
    Execution execution(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1"},
                        limits);
    return execution.replay(history);
}

/// One run, fed input after input. Each verb is a turn of its own, one second after the one before,
/// unless it is inside `in_one_turn`.
class Scenario {
public:
    template <class Code>
    explicit Scenario(Code code, const Limits& limits = {}, Checks checks = Checks::always)
        : limits_(limits), checks_(checks) {
        registry_.add(definition_of(+code), code);
    }
    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;
    ~Scenario();

    /// The first turn, with the values of the code's parameters.
    template <class... Args>
    Scenario& start(const Args&... args) {
        return start_with(detail::encode_arguments(args...));
    }
    Scenario& start_with(Payload input);
    /// Goes on with the execution that this one continued as.
    Scenario& next_execution();

    Scenario& complete(CommandNo command);
    template <class T>
    Scenario& complete(CommandNo command, const T& value) {
        return complete_with(command, Codec<T>::encode(value));
    }
    Scenario& complete(CommandNo command, const char* text) {
        return complete(command, std::string(text));
    }
    Scenario& fail(CommandNo command, const std::string& message);
    Scenario& fail(CommandNo command, Failure failure);
    Scenario& fire(CommandNo timer);
    Scenario& child_canceled(CommandNo command, const std::string& reason);
    template <class T>
    Scenario& raise(const std::string& event, const T& value) {
        return feed(NewMessage{MessageKind::event_raised, 0, 0, event, Codec<T>::encode(value)});
    }
    Scenario& raise(const std::string& event, const char* text) {
        return raise(event, std::string(text));
    }
    Scenario& enqueue(const std::string& queue, const char* text) {
        return feed(NewMessage{MessageKind::queue_message, 0, 0, queue, Payload::text(text)});
    }
    Scenario& cancel(const std::string& reason);
    /// The store's clock is set forward, or back.
    Scenario& jump(Millis by) {
        now_ += by;
        return *this;
    }
    /// Delivers a message as it is. `applied()` tells if it left a trace.
    Scenario& feed(NewMessage message);
    template <class Body>
    Scenario& in_one_turn(Body&& body) {
        return in_turn(false, body);
    }
    /// A turn that was claimed with a cancel on record; `body` gives it its place among the
    /// messages.
    template <class Body>
    Scenario& in_canceled_turn(Body&& body) {
        return in_turn(true, body);
    }

    /// The decisions since the last call are exactly these.
    Scenario& expect(const std::vector<std::string>& decisions,
                     std::source_location where = std::source_location::current());
    /// Forgets the decisions made so far.
    Scenario& skip() {
        unread_.clear();
        return *this;
    }

    /// Returns true if the last message changed anything.
    [[nodiscard]] bool applied() const { return applied_; }
    [[nodiscard]] const std::vector<model::Event>& history() const { return history_; }
    [[nodiscard]] Execution& execution() { return *resident_; }
    [[nodiscard]] bool finished() const { return resident_->finished(); }
    /// Returns its end; it must have ended.
    [[nodiscard]] const Outcome& outcome() const;
    template <class T>
    [[nodiscard]] T result() const {
        EXPECT_EQ(outcome().status, Status::completed);
        return Codec<T>::decode(outcome().output);
    }
    /// The failure it ended with.
    [[nodiscard]] const Failure& failure() const;

private:
    using Input = std::function<bool(Execution&)>;

    [[nodiscard]] std::unique_ptr<Execution> make() const;
    [[nodiscard]] std::unique_ptr<Execution> replayed() const;
    void begin_turn(bool canceled = false);
    template <class Body>
    Scenario& in_turn(bool canceled, Body& body) {
        begin_turn(canceled);
        in_turn_ = true;
        body();
        in_turn_ = false;
        return *this;
    }
    Scenario& complete_with(CommandNo command, Payload payload);
    /// Gives one input to the resident execution and to its doubles.
    void give(const Input& input);
    void require_same_state(const Execution& other, const char* which) const;

    Registry registry_;
    Limits limits_;
    Checks checks_;
    ExecutionNo number_ = 1;
    Timestamp now_ = from_unix_ms(1'700'000'000'000);
    bool in_turn_ = false;
    bool applied_ = false;

    std::vector<model::Event> history_;
    std::vector<std::string> unread_;
    std::unique_ptr<Execution> resident_;  // Kept over all inputs.
    std::unique_ptr<Execution> follower_;  // Replays what the resident one recorded.
    Payload input_;
};

}  // namespace belay::replay
