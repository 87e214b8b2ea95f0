// Cron expressions, and the JSON form of schedules. Times of an expression are in order and repeat
// themselves from any point; a form that can be read is written and read again as the same.
#include "fuzz/target.hpp"
#include "schedule/timing.hpp"
#include <belay/schedules.hpp>

using namespace belay;

namespace {

/// In the middle of a summer and a winter, near changes of the clocks.
constexpr Timestamp kBegin = Timestamp(Millis(1'774'700'000'000));
constexpr std::size_t kTicks = 20;

const schedule::Zone& brussels() {
    static const schedule::Zone kZone =
        schedule::Zone::find("Europe/Brussels").value_or(schedule::Zone());
    return kZone;
}

void check_cron(std::string_view text) {
    const auto cron = schedule::Cron::parse(text);
    if (!cron) {
        fuzz::require(cron.error().column >= 1, "a problem has a place");
        return;
    }
    const schedule::Timing timing{schedule::ByCron{*cron, brussels()}};
    const auto ticks = schedule::due_between(timing, kBegin, Timestamp::max(), kTicks);
    fuzz::require(ticks.size() == kTicks, "an expression is due again and again");
    for (std::size_t i = 1; i < ticks.size(); ++i) {
        fuzz::require(ticks[i - 1] < ticks[i], "times are in order");
        fuzz::require(schedule::next_after(timing, ticks[i] - Millis(1)) == ticks[i],
                      "a time is found from just before it");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    check_cron(text);
    const Result<ScheduleSpec> spec = ScheduleSpec::parse(text);
    if (!spec) return 0;
    const Result<ScheduleSpec> again = ScheduleSpec::parse(spec->json());
    fuzz::require(again.ok() && *again == *spec, "a form is written and read again");
    return 0;
}
