#include "model/event.hpp"

#include "base/utf8.hpp"
#include "model/encoding.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace belay::model {

namespace {

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};

void put(Writer& out, const ExecutionStarted& e) {
    out.text(e.definition);
    out.text(e.version);
    out.payload(e.input);
}
void put(Writer& out, const TurnStarted& e) {
    out.time(e.at);
    out.flag(e.canceled);
}
void put(Writer& out, const CommandCompleted& e) {
    out.number(e.command);
    out.payload(e.result);
}
void put(Writer& out, const CommandFailed& e) {
    out.number(e.command);
    write(out, e.failure);
}
void put(Writer& out, const MessageReceived& e) {
    out.number(static_cast<std::uint64_t>(e.channel));
    out.text(e.name);
    out.payload(e.payload);
}
void put(Writer& out, const CancelRequested& e) { write(out, e.record); }
void put(Writer& out, const ActivityScheduled& e) {
    out.number(e.command);
    out.text(e.name);
    out.text(e.queue);
    out.payload(e.input);
    out.flag(e.shielded);
}
void put(Writer& out, const TimerScheduled& e) {
    out.number(e.command);
    out.time(e.due_at);
    out.flag(e.shielded);
}
void put(Writer& out, const ChildScheduled& e) {
    out.number(e.command);
    out.text(e.definition);
    out.text(e.id);
    out.payload(e.input);
    out.flag(e.shielded);
}
void put(Writer& out, const WaitScheduled& e) {
    out.number(e.command);
    out.number(static_cast<std::uint64_t>(e.channel));
    out.text(e.name);
    out.flag(e.shielded);
}
void put(Writer& out, const CommandCanceled& e) { out.number(e.command); }
void put(Writer& out, const CustomStatusSet& e) { out.payload(e.status); }
void put(Writer& out, const ExecutionEnded& e) { write(out, e.outcome); }
void put(Writer& out, const ExecutionContinued& e) { out.payload(e.input); }

CommandNo get_command(Reader& in) {
    const std::uint64_t value = in.number();
    if (value == 0 || value > 0xFFFFFFFFULL) in.fail();
    return static_cast<CommandNo>(value);
}

// Members are read one statement each: the order of evaluation matters.
void get(Reader& in, ExecutionStarted& e) {
    e.definition = in.text();
    e.version = in.text();
    e.input = in.payload();
}
void get(Reader& in, TurnStarted& e) {
    e.at = in.time();
    e.canceled = in.flag();
}
void get(Reader& in, CommandCompleted& e) {
    e.command = get_command(in);
    e.result = in.payload();
}
void get(Reader& in, CommandFailed& e) {
    e.command = get_command(in);
    e.failure = read_failure(in);
}
void get(Reader& in, MessageReceived& e) {
    e.channel = read_channel(in);
    e.name = in.text();
    e.payload = in.payload();
}
void get(Reader& in, CancelRequested& e) { e.record = read_cancel(in); }
void get(Reader& in, ActivityScheduled& e) {
    e.command = get_command(in);
    e.name = in.text();
    e.queue = in.text();
    e.input = in.payload();
    e.shielded = in.flag();
}
void get(Reader& in, TimerScheduled& e) {
    e.command = get_command(in);
    e.due_at = in.time();
    e.shielded = in.flag();
}
void get(Reader& in, ChildScheduled& e) {
    e.command = get_command(in);
    e.definition = in.text();
    e.id = in.text();
    e.input = in.payload();
    e.shielded = in.flag();
}
void get(Reader& in, WaitScheduled& e) {
    e.command = get_command(in);
    e.channel = read_channel(in);
    e.name = in.text();
    e.shielded = in.flag();
}
void get(Reader& in, CommandCanceled& e) { e.command = get_command(in); }
void get(Reader& in, CustomStatusSet& e) { e.status = in.payload(); }
void get(Reader& in, ExecutionEnded& e) { e.outcome = read_outcome(in); }
void get(Reader& in, ExecutionContinued& e) { e.input = in.payload(); }

/// Makes `event` the alternative with number `kind`; false if there is none.
template <std::size_t I = 0>
bool make_alternative(Event& event, std::uint64_t kind) {
    if constexpr (I == std::variant_size_v<Event>) {
        return false;
    } else {
        if (kind != I) return make_alternative<I + 1>(event, kind);
        event.emplace<I>();
        return true;
    }
}

std::string number_sign(CommandNo command) { return " #" + std::to_string(command); }
std::string shield_mark(bool shielded) { return shielded ? " (shielded)" : ""; }

std::string channel_name(MessageKind channel) {
    return channel == MessageKind::queue_message ? "queue" : "event";
}

/// Names and messages come from users or from stored bytes: whatever they hold, a line is a line.
std::string shown(std::string_view text) {
    constexpr std::size_t kShown = 200;
    return base::printable(text, kShown);
}

std::string describe_failure(const Failure& failure) {
    std::string text = "(" + std::string(to_string(failure.kind)) + ") " + shown(failure.message);
    if (!failure.where.empty()) text += ", in " + shown(failure.where);
    if (failure.attempt != 0) text += ", attempt " + std::to_string(failure.attempt);
    if (!failure.detail.empty()) text += " [" + shown(failure.detail) + "]";
    return text;
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
        default: return text;
    }
}

/// Tells payloads apart without showing them: they may be secret or binary.
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

/// "1, "x"", or nothing if the bytes are not what they should be.
std::optional<std::string> describe_arguments(const std::string& bytes) {
    Reader in(bytes);
    const std::uint64_t count = in.number();
    std::string text;
    for (std::uint64_t i = 0; in.ok() && i < count; ++i) {
        const Payload part = in.payload();
        if (part.codec == PayloadCodec::arguments) return std::nullopt;  // However deep it goes.
        if (in.ok()) text += (i == 0 ? "" : ", ") + describe(part);
    }
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return text;
}

}  // namespace

bool is_input(const Event& event) noexcept {
    return std::holds_alternative<ExecutionStarted>(event) ||
           std::holds_alternative<TurnStarted>(event) ||
           std::holds_alternative<CommandCompleted>(event) ||
           std::holds_alternative<CommandFailed>(event) ||
           std::holds_alternative<MessageReceived>(event) ||
           std::holds_alternative<CancelRequested>(event);
}

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
        case PayloadCodec::arguments:
            if (const auto arguments = describe_arguments(payload.bytes)) {
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
                return "TurnStarted " + std::to_string(to_unix_ms(e.at)) +
                       (e.canceled ? " (canceled)" : "");
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
                       shield_mark(e.shielded);
            },
            [](const TimerScheduled& e) {
                return "TimerScheduled" + number_sign(e.command) + " due " +
                       std::to_string(to_unix_ms(e.due_at)) + shield_mark(e.shielded);
            },
            [](const ChildScheduled& e) {
                return "ChildScheduled" + number_sign(e.command) + " " + shown(e.definition) +
                       " as " + shown(e.id) + " " + describe(e.input) + shield_mark(e.shielded);
            },
            [](const WaitScheduled& e) {
                return "WaitScheduled" + number_sign(e.command) + " " + channel_name(e.channel) +
                       " " + shown(e.name) + shield_mark(e.shielded);
            },
            [](const CommandCanceled& e) { return "CommandCanceled" + number_sign(e.command); },
            [](const CustomStatusSet& e) { return "CustomStatusSet " + describe(e.status); },
            [](const ExecutionEnded& e) { return "ExecutionEnded " + describe_outcome(e.outcome); },
            [](const ExecutionContinued& e) { return "ExecutionContinued " + describe(e.input); },
        },
        event);
}

HistoryRow encode_events(const std::vector<Event>& events) {
    Writer out;
    for (const Event& event : events) {
        out.number(event.index());
        std::visit([&](const auto& e) { put(out, e); }, event);
    }
    HistoryRow row;
    row.format = kHistoryFormat;
    row.count = static_cast<std::uint32_t>(events.size());
    row.bytes = out.take();
    return row;
}

Result<std::vector<Event>> decode_events(const HistoryRow& row) {
    if ((row.format & kCodedRow) != 0) {
        return Error(Errc::unreadable,
                     "its history is compressed or encrypted: open the store with the coders that "
                     "wrote it");
    }
    if (row.format != kHistoryFormat) {
        return Error(Errc::unsupported,
                     "history format " + std::to_string(row.format) + " is not known here");
    }
    Reader in(row.bytes);
    std::vector<Event> events;
    while (in.ok() && !in.at_end()) {
        const std::uint64_t kind = in.number();
        Event event;
        if (!in.ok()) break;
        if (!make_alternative(event, kind)) {
            return Error(Errc::unsupported,
                         "event kind " + std::to_string(kind) + " is not known here");
        }
        std::visit([&](auto& e) { get(in, e); }, event);
        events.push_back(std::move(event));
    }
    if (!in.ok() || events.size() != row.count) {
        return Error(Errc::corrupt,
                     "a history row of " + std::to_string(row.count) +
                         " events cannot be read beyond event " + std::to_string(events.size()));
    }
    return events;
}

}  // namespace belay::model
