// Orchestrations whose every object is counted, and what feeds them, for tests that run and destroy
// them wherever they wait.
#pragma once

#include "model/encoding.hpp"
#include "support/tracked.hpp"
#include "unit/replay/harness.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

template <>
struct belay::Codec<belay::support::Tracked> {
    static Payload encode(const support::Tracked& value) { return Payload::text(value.text()); }
    static support::Tracked decode(const Payload& payload) {
        return support::Tracked(Codec<std::string>::decode(payload));
    }
};

namespace belay::replay::lifetime_tests {

using support::Tracked;

inline constexpr Activity<Tracked(Tracked)> Use{"Use"};
inline constexpr Activity<Tracked(Tracked, Tracked)> Mix{"Mix"};

inline std::string join_texts(const Tracked& a, const Tracked& b) { return a.text() + b.text(); }

using Code = Orchestration<std::string> (*)(OrchestrationContext, std::string);

struct Pattern {
    const char* name;
    Code code;
};

/// Feeds an execution: whatever is open and came first is done next.
class Driver {
public:
    explicit Driver(Code code) {
        registry_.add(Definition<std::string(std::string)>{kDefinition}, code);
        execution_ = std::make_unique<Execution>(registry_.orchestration(kDefinition)->handler,
                                                 Identity{{"", "i"}, 1, kDefinition, "1"},
                                                 Limits());
        execution_->begin_turn(from_unix_ms(1), Payload::text("an input that is not short"));
        note();
    }

    /// False if there is nothing to do.
    bool step(bool fail) {
        while (!execution_->finished() && !open_.empty()) {
            const NewMessage next = fail && open_.front().kind == MessageKind::activity_completed
                                        ? failed(open_.front())
                                        : open_.front();
            open_.erase(open_.begin());
            if (execution_->apply(next)) {
                note();
                return true;
            }
        }
        return false;
    }
    void cancel() {
        execution_->apply_cancel(CancelRecord{.reason = "a reason that is not short at all"});
        note();
    }
    [[nodiscard]] bool finished() const { return execution_->finished(); }

private:
    static NewMessage failed(NewMessage message) {
        message.kind = MessageKind::activity_failed;
        message.payload =
            model::to_payload(Failure{.message = "a failure that is not short at all"});
        return message;
    }

    void note() {
        for (const model::Event& event : execution_->take_recorded()) {
            if (const auto* call = std::get_if<model::ActivityScheduled>(&event)) {
                const bool number = call->name == "Count";
                open_.push_back(NewMessage{
                    MessageKind::activity_completed,
                    1,
                    call->command,
                    "",
                    number ? Codec<int>::encode(1) : Payload::text("a result that is not short")});
            } else if (const auto* timer = std::get_if<model::TimerScheduled>(&event)) {
                open_.push_back(
                    NewMessage{MessageKind::timer_fired, 1, timer->command, "", Payload()});
            }
        }
    }

    Registry registry_;
    std::unique_ptr<Execution> execution_;
    std::vector<NewMessage> open_;
};

class Lifetimes : public ::testing::TestWithParam<Pattern> {
protected:
    void SetUp() override { ASSERT_EQ(Tracked::live(), 0U); }
    void TearDown() override { EXPECT_EQ(Tracked::live(), 0U) << "left behind"; }
};

#define PATTERN(function) \
    Pattern { #function, function }

}  // namespace belay::replay::lifetime_tests
