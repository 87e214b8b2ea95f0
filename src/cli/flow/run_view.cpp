#include "cli/flow/run_view.hpp"

#include "cli/instance_view.hpp"
#include "cli/text.hpp"
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

std::string early_end_text(std::string_view step, std::string_view why) {
    if (step.empty()) return {};
    const std::string text = "ended early by '" + safe(step) + "'";
    return why.empty() ? text : text + ": " + safe(why);
}

void write_early_end(JsonWriter& out, std::string_view step, std::string_view why) {
    if (step.empty()) return;
    out.field("ended_by", step);
    if (!why.empty()) out.field("ended_why", why);
}

namespace {

void write_wait(JsonWriter& out, const WaitView& wait) {
    static constexpr std::array<std::string_view, 4> kWhat{"time", "event", "approval", "retry"};
    out.key("waits_for").open_object();
    out.field("what", kWhat.at(static_cast<std::size_t>(wait.what)));
    if (!wait.event.empty()) out.field("event", wait.event);
    if (!wait.prompt.empty()) out.field("prompt", wait.prompt);
    if (wait.until) write_time(out, "until", *wait.until);
    out.close_object();
}

}  // namespace

void write_work(JsonWriter& out, const WorkView& work) {
    if (work.attempt != 0) out.field("attempt", work.attempt).field("attempts", work.attempts);
    if (work.began_at) write_time(out, "began_at", *work.began_at);
    if (work.ended_at) write_time(out, "ended_at", *work.ended_at);
    if (work.canceled_at) write_time(out, "canceled_at", *work.canceled_at);
    if (!work.worker.empty()) out.field("worker", work.worker);
    if (work.waits) write_wait(out, *work.waits);
    if (!work.why.empty()) out.field("why", work.why);
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
