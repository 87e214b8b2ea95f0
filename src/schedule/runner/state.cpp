#include "schedule/runner/state.hpp"

#include "json/value.hpp"
#include "json/writer.hpp"
#include "schedule/runner/words.hpp"

#include <algorithm>
#include <charconv>

namespace belay::schedule {

namespace {

/// Returns null if there is no such field.
const json::Value* find(const json::Value& object, std::string_view name) {
    const auto found = std::ranges::find(object.names, name);
    if (found == object.names.end()) return nullptr;
    return &object.items[static_cast<std::size_t>(found - object.names.begin())];
}

std::string text_at(const json::Value& object, std::string_view name) {
    const json::Value* const found = find(object, name);
    return found == nullptr ? "" : found->text;
}

template <class Number>
Number number_at(const json::Value& object, std::string_view name) {
    const std::string text = text_at(object, name);
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Timestamp time_at(const json::Value& object, std::string_view name) {
    return from_unix_ms(number_at<std::int64_t>(object, name));
}

std::optional<Timestamp> optional_time_at(const json::Value& object, std::string_view name) {
    if (find(object, name) == nullptr) return std::nullopt;
    return time_at(object, name);
}

template <class One, class Read>
std::vector<One> list_at(const json::Value& object, std::string_view name, Read read) {
    std::vector<One> all;
    const json::Value* const found = find(object, name);
    if (found == nullptr) return all;
    for (const json::Value& item : found->items) all.push_back(read(item));
    return all;
}

ScheduleCause cause_of(const json::Value& object) {
    return find_choice(kCauses, text_at(object, "cause")).value_or(ScheduleCause::tick);
}

StartedRun read_run(const json::Value& object) {
    StartedRun run;
    run.shown.id = text_at(object, "id");
    run.shown.tick = time_at(object, "tick");
    run.shown.cause = cause_of(object);
    run.shown.started_at = time_at(object, "started_at");
    run.shown.status = find_choice(kStatuses, text_at(object, "status"));
    run.shown.problem = text_at(object, "problem");
    run.key = RunKey{number_at<std::uint64_t>(object, "run")};
    const json::Value* const settled = find(object, "settled");
    run.settled = settled != nullptr && settled->truth;
    return run;
}

WaitingTick read_waiting(const json::Value& object) {
    return {time_at(object, "tick"), cause_of(object), number_at<std::uint64_t>(object, "serial")};
}

Backfill read_backfill(const json::Value& object) {
    return {time_at(object, "after"),
            time_at(object, "until"),
            number_at<std::uint64_t>(object, "serial")};
}

void write_time(json::Writer& out, const char* name, const std::optional<Timestamp>& at) {
    if (at) out.field(name, to_unix_ms(*at));
}

void write_run(json::Writer& out, const StartedRun& run) {
    out.open_object();
    if (!run.shown.id.empty()) out.field("id", run.shown.id);
    out.field("tick", to_unix_ms(run.shown.tick)).field("cause", word_of(kCauses, run.shown.cause));
    out.field("started_at", to_unix_ms(run.shown.started_at));
    if (run.shown.status) out.field("status", word_of(kStatuses, *run.shown.status));
    if (!run.shown.problem.empty()) out.field("problem", run.shown.problem);
    if (run.key.value != 0) out.field("run", run.key.value);
    if (run.settled) out.field("settled", true);
    out.close_object();
}

void write_counts(json::Writer& out, const State& state) {
    out.field("fired", state.fired).field("skipped", state.skipped).field("missed", state.missed);
    out.field("refused", state.refused);
    if (state.serial != 0) out.field("serial", state.serial);
}

void write_plans(json::Writer& out, const State& state) {
    out.key("waiting").open_array();
    for (const WaitingTick& one : state.waiting) {
        out.open_object().field("tick", to_unix_ms(one.tick));
        out.field("cause", word_of(kCauses, one.cause));
        if (one.serial != 0) out.field("serial", one.serial);
        out.close_object();
    }
    out.close_array().key("backfills").open_array();
    for (const Backfill& one : state.backfills) {
        out.open_object().field("after", to_unix_ms(one.after));
        out.field("until", to_unix_ms(one.until)).field("serial", one.serial).close_object();
    }
    out.close_array();
}

}  // namespace

std::string encode(const State& state) {
    json::Writer out;
    out.open_object();
    write_time(out, "next", state.next);
    if (state.pause) {
        out.key("paused").open_object().field("by", state.pause->by);
        out.field("why", state.pause->why).field("at", to_unix_ms(state.pause->at)).close_object();
    }
    if (!state.problem.empty()) out.field("problem", state.problem);
    write_counts(out, state);
    out.field("cursor", to_unix_ms(state.cursor));
    write_time(out, "canceled_at", state.canceled_at);
    out.key("runs").open_array();
    for (const StartedRun& run : state.runs) write_run(out, run);
    out.close_array();
    write_plans(out, state);
    return out.close_object().str();
}

Result<State> decode_state(std::string_view json) {
    const Result<json::Value> value = json::parse(json);
    if (!value || value->kind != json::Kind::object) {
        return Error(Errc::corrupt, "the state of the schedule cannot be read");
    }
    State state;
    state.cursor = time_at(*value, "cursor");
    state.next = optional_time_at(*value, "next");
    if (const json::Value* const pause = find(*value, "paused")) {
        state.pause = Pause{text_at(*pause, "by"), text_at(*pause, "why"), time_at(*pause, "at")};
    }
    state.problem = text_at(*value, "problem");
    state.fired = number_at<std::uint64_t>(*value, "fired");
    state.skipped = number_at<std::uint64_t>(*value, "skipped");
    state.missed = number_at<std::uint64_t>(*value, "missed");
    state.refused = number_at<std::uint64_t>(*value, "refused");
    state.serial = number_at<std::uint64_t>(*value, "serial");
    state.canceled_at = optional_time_at(*value, "canceled_at");
    state.runs = list_at<StartedRun>(*value, "runs", read_run);
    state.waiting = list_at<WaitingTick>(*value, "waiting", read_waiting);
    state.backfills = list_at<Backfill>(*value, "backfills", read_backfill);
    return state;
}

}  // namespace belay::schedule
