// The check that the history of an execution can be true: its form, and its agreement with the
// instance. The effect of its code is not known here.
#include "document/check.hpp"

#include <set>
#include <variant>

namespace belay::document {

namespace {

/// Checks one event after the other.
class HistoryCheck {
public:
    HistoryCheck(const Document& document, std::size_t index)
        : document_(document),
          execution_(document.executions[index]),
          place_("executions[" + std::to_string(index) + "].turns"),
          last_(index + 1 == document.executions.size()) {}

    void run() {
        for (turn_ = 0; turn_ < execution_.turns.size(); ++turn_) {
            const auto& events = execution_.turns[turn_];
            for (event_ = 0; event_ < events.size(); ++event_) check(events[event_]);
            if (turn_ == 0) {
                expect(events.size() > 1, at(1), "is not ExecutionStarted, which comes second");
            }
        }
        const bool ends = last_ && (document_.instance.status == Status::completed ||
                                    document_.instance.status == Status::skipped);
        expect(!ends || ended_,
               place_,
               "has no ExecutionEnded; only what its code returns is " +
                   std::string(to_string(document_.instance.status)));
    }

private:
    [[nodiscard]] std::string at(std::size_t event) const {
        return place_ + "[" + std::to_string(turn_) + "][" + std::to_string(event) + "]";
    }
    [[nodiscard]] std::string at() const { return at(event_); }
    [[nodiscard]] bool at_end() const {
        return turn_ + 1 == execution_.turns.size() && event_ + 1 == execution_.turns[turn_].size();
    }

    void check(const model::Event& event) {
        const bool begins_turn = std::holds_alternative<model::TurnStarted>(event);
        expect(begins_turn == (event_ == 0),
               at(),
               begins_turn ? "is TurnStarted in the middle of a turn"
                           : "is not TurnStarted, with which every turn begins");
        const bool begins = std::holds_alternative<model::ExecutionStarted>(event);
        const bool second = turn_ == 0 && event_ == 1;
        expect(begins == second,
               at(),
               begins ? "is ExecutionStarted, which only comes second in an execution"
                      : "is not ExecutionStarted, which comes second");
        std::visit(
            [this](const auto& one) {
                if constexpr (requires { on(one); }) on(one);
            },
            event);
        const bool continues = std::holds_alternative<model::ExecutionContinued>(event);
        expect(last_ || !at_end() || continues, at(), "is the last event; an execution follows");
    }

    void on(const model::TurnStarted& turn) const { expect_possible(turn.at, at() + ".at"); }
    void on(const model::ExecutionStarted& started) const {
        const DocumentInstance& instance = document_.instance;
        expect(started.definition == instance.definition,
               at() + ".definition",
               "is not that of the instance");
        if (!last_) return;
        expect(started.version == instance.version,
               at() + ".version",
               "is not that of the instance, which is that of its last execution");
        expect(started.input == instance.input,
               at() + ".input",
               "is not that of the instance, which is that of its last execution");
    }
    void on(const model::ExecutionEnded& ends) {
        expect(at_end(), at(), "ends its execution; nothing can follow it");
        expect(last_, at(), "ends the instance; an execution follows");
        expect(document_.instance.outcome && is_same(ends.outcome, *document_.instance.outcome),
               at(),
               "ends the instance in another way than it ended");
        ended_ = true;
    }
    void on(const model::ExecutionContinued& /*continues*/) const {
        expect(at_end(), at(), "ends its execution; nothing can follow it");
        expect(!last_, at(), "continues as an execution that is not there");
    }

    /// The store fills in the time of a cancel that the code made itself. The store also knows of a
    /// cancel that came after the code had ended.
    static bool is_same(const Outcome& said, Outcome known) {
        if (said.status != Status::canceled) return said == known;
        if (said.cancel.source == CancelSource::self) known.cancel = said.cancel;
        known.cancel.requested_at = said.cancel.requested_at;
        known.cancel.sequence = said.cancel.sequence;
        return said == known;
    }

    void on(const model::ActivityScheduled& event) { schedule(event.command); }
    void on(const model::TimerScheduled& event) { schedule(event.command); }
    void on(const model::ChildScheduled& event) { schedule(event.command); }
    void on(const model::WaitScheduled& event) { schedule(event.command); }
    void on(const model::CommandCompleted& event) const { answer(event.command); }
    void on(const model::CommandFailed& event) const { answer(event.command); }
    void on(const model::CommandCanceled& event) const { answer(event.command); }

    void schedule(CommandNo command) {
        expect(scheduled_.insert(command).second,
               at() + ".command",
               "is " + std::to_string(command) + ", which is scheduled already");
    }
    void answer(CommandNo command) const {
        expect(scheduled_.contains(command),
               at() + ".command",
               "is " + std::to_string(command) + ", which is not scheduled before");
    }

    const Document& document_;
    const DocumentExecution& execution_;
    const std::string place_;
    const bool last_;
    std::size_t turn_ = 0;
    std::size_t event_ = 0;
    bool ended_ = false;
    std::set<CommandNo> scheduled_;
};

}  // namespace

void check_history(const Document& document, std::size_t index) {
    HistoryCheck(document, index).run();
}

}  // namespace belay::document
