// Engine events as text and as JSON.
#include "base/utc.hpp"
#include "json/writer.hpp"
#include <belay/engine_event.hpp>

#include <array>
#include <utility>

namespace belay {

namespace {

constexpr std::array<std::string_view, kEngineCodes> kWords{"commit_failed",
                                                            "claim_failed",
                                                            "read_failed",
                                                            "code_missing",
                                                            "unreadable",
                                                            "turn_refused",
                                                            "turn_lost",
                                                            "turn_overran",
                                                            "run_stuck",
                                                            "run_poisoned",
                                                            "activity_poisoned",
                                                            "lease_lost",
                                                            "renewal_failed",
                                                            "renewal_refused",
                                                            "completion_refused",
                                                            "result_lost",
                                                            "heartbeat_unwritten",
                                                            "activity_not_begun",
                                                            "activity_unresponsive",
                                                            "message_undeliverable",
                                                            "retention_failed",
                                                            "orchestration_log",
                                                            "activity_log",
                                                            "worker_died",
                                                            "output_unwritten"};

void append_subject(std::string& line, const EngineEvent& event) {
    if (event.instance) line += " run=" + event.instance->id;
    if (!event.definition.empty()) line += " definition=" + event.definition;
    if (!event.activity.empty()) line += " activity=" + event.activity;
    if (event.attempt > 0) line += " attempt=" + std::to_string(event.attempt);
}

/// Makes one line of any text.
void flatten(std::string& line) {
    for (char& one : line) {
        if (static_cast<unsigned char>(one) < 0x20 || one == 0x7f) one = ' ';
    }
}

}  // namespace

std::string_view to_string(EngineCode code) noexcept {
    const auto index = static_cast<std::size_t>(code);
    return index < kWords.size() ? kWords[index] : std::string_view("unknown");
}

std::string to_line(const EngineEvent& event) {
    std::string line = base::utc(event.at);
    line += " belay " + std::string(to_string(event.level)) + " " +
            std::string(to_string(event.code)) + " worker=" + event.worker;
    append_subject(line, event);
    line += ": " + event.what;
    if (!event.advice.empty()) line += " (" + event.advice + ")";
    if (event.left_out > 0) {
        line += " [" + std::to_string(event.left_out) + " more of these left out]";
    }
    flatten(line);
    return line;
}

std::string to_json(const EngineEvent& event) {
    json::Writer json;
    json.open_object();
    json.field("at", base::utc(event.at));
    json.field("level", to_string(event.level)).field("code", to_string(event.code));
    json.field("worker", event.worker);
    if (event.instance) {
        json.field("namespace", event.instance->space).field("run", event.instance->id);
    }
    if (!event.definition.empty()) json.field("definition", event.definition);
    if (!event.version.empty()) json.field("version", event.version);
    if (event.execution > 0) json.field("execution", event.execution);
    if (!event.activity.empty()) json.field("activity", event.activity);
    if (event.attempt > 0) json.field("attempt", event.attempt);
    json.field("what", event.what);
    if (!event.advice.empty()) json.field("advice", event.advice);
    if (event.left_out > 0) json.field("left_out", event.left_out);
    json.close_object();
    return json.str();
}

}  // namespace belay
