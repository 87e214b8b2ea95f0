#include "figures.hpp"
#include "measure.hpp"
#include "model/event.hpp"
#include "replay/execution.hpp"
#include "turns.hpp"
#include "workloads.hpp"
#include <belay/codec.hpp>

#include <memory>
#include <vector>

namespace belay::bench {

namespace {

constexpr std::uint64_t kEvents = 50'000;
/// Longer than the history, so that the code waits when it ends.
constexpr std::int64_t kLength = 20'000;

std::unique_ptr<replay::Execution> fresh(const Registry& registry) {
    return std::make_unique<replay::Execution>(
        registry.orchestration(Sequence.name())->handler,
        replay::Identity{{"default", "replayed"}, 1, std::string(Sequence.name()), "1"},
        Limits());
}

/// A history as a store would have it: one row per turn, one activity per turn.
std::vector<HistoryRow> record(const Registry& registry) {
    const std::unique_ptr<replay::Execution> execution = fresh(registry);
    const Payload input = detail::encode_arguments<std::int64_t>(kLength);
    std::vector<HistoryRow> rows;
    Timestamp now = from_unix_ms(1'800'000'000'000);
    for (CommandNo command = 0; execution->position() < kEvents; ++command) {
        now += Millis(1);
        execution->begin_turn(now, input);
        if (command > 0) {
            NewMessage completed;
            completed.kind = MessageKind::activity_completed;
            completed.execution = 1;
            completed.command = command;
            completed.payload = detail::encode_result<std::int64_t>(command);
            require(execution->apply(completed), "a completion was not taken");
        }
        rows.push_back(model::encode_events(execution->take_recorded()));
    }
    return rows;
}

/// Decodes every row and gives its events to `use`. Returns the events per second.
template <class Use>
double events_per_second(const std::vector<HistoryRow>& rows, Use use) {
    std::uint64_t events = 0;
    const Instant begin = SteadyClock::now();
    for (const HistoryRow& row : rows) {
        const Result<std::vector<model::Event>> decoded = model::decode_events(row);
        require(decoded.ok(), "a row could not be decoded");
        events += decoded->size();
        use(*decoded);
    }
    const double seconds = seconds_between(begin, SteadyClock::now());
    require(events >= kEvents, "the history is too short");
    return static_cast<double>(events) / seconds;
}

}  // namespace

Figure measure_replay(std::size_t slices) {
    const Registry registry = orchestrations();
    const std::vector<HistoryRow> rows = record(registry);
    const auto replay = [&] {
        const std::unique_ptr<replay::Execution> execution = fresh(registry);
        return events_per_second(rows, [&](const std::vector<model::Event>& events) {
            require(execution->replay(events).ok(), "code and history disagree");
        });
    };
    const auto decode = [&] {
        return events_per_second(rows, [](const std::vector<model::Event>&) {});
    };
    const Turns turns = take_turns(slices, replay, decode);
    return Figure{"engine.replay.50000",
                  estimate(turns.subject),
                  "events/s",
                  median(turns.yardstick),
                  Figure::Limit::best};
}

}  // namespace belay::bench
