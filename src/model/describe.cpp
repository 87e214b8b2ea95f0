// Events and payloads in one line, for people.
#include "base/utc.hpp"
#include "base/utf8.hpp"
#include "json/value.hpp"
#include "model/arguments.hpp"
#include "model/event.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::model {

namespace {

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};

std::string number_sign(CommandNo command) { return " #" + std::to_string(command); }
std::string shield_mark(bool shielded) { return shielded ? " (shielded)" : ""; }

std::string channel_name(MessageKind channel) {
    return channel == MessageKind::queue_message ? "queue" : "event";
}

/// Returns text on one line. Names and messages come from users or from stored bytes.
std::string shown(std::string_view text) {
    constexpr std::size_t kShown = 200;
    return base::printable(text, kShown);
}

std::string describe_failure(const Failure& failure) {
    std::string text = "(" + std::string(to_string(failure.kind)) + ") " + shown(failure.message);
    if (!failure.where.empty()) text += ", in " + shown(failure.where);
    if (failure.attempt != 0) text += ", attempt " + std::to_string(failure.attempt);
    if (!failure.type.empty()) text += " <" + shown(failure.type) + ">";
    if (!failure.detail.empty()) text += " [" + shown(failure.detail) + "]";
    return text;
}

std::string describe_attempt(std::uint32_t attempt) {
    return attempt == 1 ? "" : ", attempt " + std::to_string(attempt);
}

std::string describe_terms(const ActivityTerms& terms) {
    std::string text;
    if (terms.priority != 0) text += ", priority " + std::to_string(terms.priority);
    if (!terms.fairness_key.empty()) text += ", for " + shown(terms.fairness_key);
    if (terms.schedule_to_start) {
        text += ", start by " + base::utc(*terms.schedule_to_start);
    }
    if (terms.start_to_close) {
        text += ", close within " + std::to_string(terms.start_to_close->count()) + " ms";
    }
    if (terms.heartbeat_timeout) {
        text += ", heartbeat within " + std::to_string(terms.heartbeat_timeout->count()) + " ms";
    }
    if (!terms.session.empty()) text += ", session " + shown(terms.session);
    text += describe_attempt(terms.attempt);
    if (terms.first != 0) text += " of #" + std::to_string(terms.first);
    return text;
}

std::string describe_label(const LabelValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return "\"" + shown(*text) + "\"";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&value)) return std::to_string(*real);
    return std::get<bool>(value) ? "true" : "false";
}

std::string describe_start(const std::string& version, const Labels& labels) {
    std::string text;
    if (!version.empty()) text += ", version " + shown(version);
    for (const auto& [name, value] : labels) {
        text += ", " + shown(name) + " = " + describe_label(value);
    }
    return text;
}

/// For the start of a run.
template <class Started>
std::string start_marks(const Started& e) {
    return std::string(e.with_document ? ", with the document" : "") +
           (e.on_fail ? ", with a run for its failure" : "");
}

std::string describe_terms(const ChildTerms& terms) {
    std::string text = describe_start(terms.version, terms.labels);
    if (terms.parent_close == ParentClose::abandon) text += ", abandoned with its parent";
    return text + describe_attempt(terms.attempt);
}

std::string describe_cancel(const CancelRecord& record) {
    return "by " + std::string(to_string(record.source)) + " " + shown(record.by) + ": " +
           shown(record.reason);
}

std::string describe_outcome(const Outcome& outcome) {
    std::string text(to_string(outcome.status));
    switch (outcome.status) {
        case Status::completed: return text + " " + describe(outcome.output);
        case Status::failed: return text + " " + describe_failure(outcome.failure);
        case Status::canceled:
            text += " " + describe_cancel(outcome.cancel) + ", cleanup " +
                    std::string(to_string(outcome.cleanup));
            if (!outcome.cleanup_detail.empty()) text += " [" + shown(outcome.cleanup_detail) + "]";
            return text;
        case Status::skipped:
            return outcome.skip_reason.empty() ? text : text + ": " + shown(outcome.skip_reason);
        default: return text;
    }
}

/// Returns text that tells payloads apart without showing them: they may be secret or binary.
std::string fingerprint(const std::string& bytes) {
    std::uint32_t hash = 2166136261U;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return std::to_string(bytes.size()) + " bytes, hash " + std::to_string(hash);
}

std::string describe_text(const std::string& text) {
    constexpr std::size_t kShown = 60;
    const std::string quoted = "\"" + base::printable(text, kShown) + "\"";
    return text.size() <= kShown ? quoted : quoted + " (" + fingerprint(text) + ")";
}

/// Returns JSON on one line, or none if the bytes are no JSON. Long JSON is cut, with a mark that
/// tells the rest apart.
std::optional<std::string> describe_json(const std::string& bytes) {
    constexpr std::size_t kShown = 400;
    if (!json::is_json(bytes)) return std::nullopt;
    std::string line = json::one_line(bytes);
    if (line.size() <= kShown) return line;
    std::size_t end = kShown;
    while ((static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) --end;  // Inside a character.
    line.resize(end);
    return line + "... (" + fingerprint(bytes) + ")";
}

/// Returns text like "1, "x"", or none if the bytes are damaged. If there are many, the first ones
/// are shown, and a mark that tells the rest apart.
std::optional<std::string> describe_arguments(const Payload& payload) {
    constexpr std::size_t kShown = 16;
    const std::optional<std::vector<Payload>> parts = parts_of(payload);
    if (!parts) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < parts->size(); ++i) {
        if (i == kShown) {
            return text + ", and " + std::to_string(parts->size() - kShown) + " more (" +
                   fingerprint(payload.bytes) + ")";
        }
        text += (i == 0 ? "" : ", ") + describe((*parts)[i]);
    }
    return text;
}

}  // namespace

std::string describe(const Payload& payload) {
    std::string unread = "[codec " + std::to_string(static_cast<int>(payload.codec)) +
                         (payload.flags == 0 ? "" : ", flags " + std::to_string(payload.flags)) +
                         ", " + fingerprint(payload.bytes) + "]";
    if (payload.flags != 0) return unread;
    switch (payload.codec) {
        case PayloadCodec::none: return payload.bytes.empty() ? "()" : unread;
        case PayloadCodec::text: return describe_text(payload.bytes);
        case PayloadCodec::integer:
        case PayloadCodec::boolean: return shown(payload.bytes);
        case PayloadCodec::real: return "real " + shown(payload.bytes);
        case PayloadCodec::json: return describe_json(payload.bytes).value_or(unread);
        case PayloadCodec::arguments:
            if (const auto arguments = describe_arguments(payload)) {
                return "(" + *arguments + ")";
            }
            return unread;
        default: return unread;
    }
}

std::string describe(const Event& event) {
    return std::visit(
        Overloaded{
            [](const ExecutionStarted& e) {
                return "ExecutionStarted " + shown(e.definition) + " " + shown(e.version) + " " +
                       describe(e.input);
            },
            [](const TurnStarted& e) {
                return "TurnStarted " + base::utc(e.at) + (e.canceled ? " (canceled)" : "");
            },
            [](const CommandCompleted& e) {
                return "CommandCompleted" + number_sign(e.command) + " " + describe(e.result);
            },
            [](const CommandFailed& e) {
                return "CommandFailed" + number_sign(e.command) + " " + describe_failure(e.failure);
            },
            [](const MessageReceived& e) {
                return "MessageReceived " + channel_name(e.channel) + " " + shown(e.name) + " " +
                       describe(e.payload);
            },
            [](const CancelRequested& e) { return "CancelRequested " + describe_cancel(e.record); },
            [](const ActivityScheduled& e) {
                return "ActivityScheduled" + number_sign(e.command) + " " + shown(e.name) + " " +
                       describe(e.input) + (e.queue.empty() ? "" : " on queue " + shown(e.queue)) +
                       describe_terms(e.terms) + shield_mark(e.shielded);
            },
            [](const TimerScheduled& e) {
                return "TimerScheduled" + number_sign(e.command) + " due " + base::utc(e.due_at) +
                       shield_mark(e.shielded);
            },
            [](const ChildScheduled& e) {
                return "ChildScheduled" + number_sign(e.command) + " " + shown(e.definition) +
                       " as " + shown(e.id) + " " + describe(e.input) + describe_terms(e.terms) +
                       start_marks(e) + (e.part ? ", a part" : "") + shield_mark(e.shielded);
            },
            [](const WaitScheduled& e) {
                return "WaitScheduled" + number_sign(e.command) + " " + channel_name(e.channel) +
                       " " + shown(e.name) + shield_mark(e.shielded);
            },
            [](const CommandCanceled& e) { return "CommandCanceled" + number_sign(e.command); },
            [](const CustomStatusSet& e) { return "CustomStatusSet " + describe(e.status); },
            [](const ExecutionEnded& e) { return "ExecutionEnded " + describe_outcome(e.outcome); },
            [](const ExecutionContinued& e) { return "ExecutionContinued " + describe(e.input); },
            [](const RandomSeeded& e) {
                return "RandomSeeded " + std::to_string(e.high) + " " + std::to_string(e.low);
            },
            [](const MessageTaken& e) {
                return "MessageTaken " + channel_name(e.channel) + " " + shown(e.name);
            },
            [](const KeyValueSet& e) {
                return "KeyValueSet " + shown(e.key) + " " + describe(e.value);
            },
            [](const KeyValueCleared& e) { return "KeyValueCleared " + shown(e.key); },
            [](const KeyValuesCleared&) { return std::string("KeyValuesCleared"); },
            [](const PatchMarked& e) { return "PatchMarked " + shown(e.name); },
            [](const PatchRetired& e) { return "PatchRetired " + shown(e.name); },
            [](const NextVersionChosen& e) { return "NextVersionChosen " + shown(e.version); },
            [](const DetachedStarted& e) {
                return "DetachedStarted " + shown(e.definition) + " as " + shown(e.id) + " " +
                       describe(e.input) + describe_start(e.version, e.labels) + start_marks(e);
            },
        },
        event);
}

}  // namespace belay::model
