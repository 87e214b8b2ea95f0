#include "cli/flow/run_view.hpp"

#include "cli/values.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace belay::cli {

namespace {

std::tm local(Timestamp at) {
    const std::time_t since =
        std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
    std::tm parts{};
    ::localtime_r(&since, &parts);
    return parts;
}

std::string formatted(const std::tm& parts, const char* form) {
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), form, &parts);
    return std::string(text.data(), size);
}

}  // namespace

std::string clock_time(Timestamp at) { return formatted(local(at), "%H:%M:%S"); }

std::string clock_time(Timestamp at, Timestamp now) {
    const std::tm parts = local(at);
    const std::tm today = local(now);
    const bool same_day = parts.tm_yday == today.tm_yday && parts.tm_year == today.tm_year;
    return formatted(parts, same_day ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S");
}

std::string whole_seconds(Millis time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(std::max(time, Millis(0)));
    if (seconds < std::chrono::minutes(1)) return std::to_string(seconds.count()) + "s";
    return format_duration(seconds);
}

std::string seconds_left(Millis time) {
    return whole_seconds(
        std::max<Millis>(std::chrono::ceil<std::chrono::seconds>(time), std::chrono::seconds(1)));
}

std::string attempt_text(const WorkView& work) {
    if (work.attempts <= 1 || work.attempt == 0) return {};
    return "attempt " + std::to_string(work.attempt) + " of " + std::to_string(work.attempts);
}

std::string until_text(const WaitView& wait, Timestamp now) {
    return wait.until ? "until " + clock_time(*wait.until, now) : std::string();
}

bool has_ended(graph::State state) noexcept { return state >= graph::State::completed; }

std::size_t ended_steps(const ListView& list) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        list.steps, [](const StepView& step) { return has_ended(step.state); }));
}

bool has_begun(const ListView& list) noexcept {
    return std::ranges::any_of(list.steps,
                               [](const StepView& step) { return step.began_at.has_value(); });
}

}  // namespace belay::cli
