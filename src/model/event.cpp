#include "model/event.hpp"

#include "model/encoding.hpp"

#include <algorithm>
#include <utility>

namespace belay::model {

namespace {

/// Bits of the number behind the input of a scheduled activity or child.
constexpr std::uint64_t kShielded = 1;
constexpr std::uint64_t kTermsFollow = 2;

/// Set in the number of an event's kind if the run that it starts has the document of its starter.
constexpr std::uint64_t kWithDocument = 0x40;
/// Set in it if the child is a part of its parent.
constexpr std::uint64_t kPart = 0x80;
/// Set in it if a run is created when the one that it starts fails.
constexpr std::uint64_t kWithOnFail = 0x100;
constexpr std::uint64_t kMarks = kWithDocument | kPart | kWithOnFail;

/// Returns the bit of a number which says that a value follows.
constexpr std::uint64_t bit(bool follows, unsigned place) { return follows ? 1ULL << place : 0; }

bool are_usual(const ActivityTerms& terms) { return terms == ActivityTerms(); }
bool are_usual(const ChildTerms& terms) { return terms == ChildTerms(); }

void put_terms(Writer& out, const ActivityTerms& terms) {
    out.number(bit(terms.schedule_to_start.has_value(), 0) |
               bit(terms.start_to_close.has_value(), 1) |
               bit(terms.heartbeat_timeout.has_value(), 2) | bit(!terms.session.empty(), 3));
    out.signed_number(terms.priority);
    out.text(terms.fairness_key);
    if (terms.schedule_to_start) out.time(*terms.schedule_to_start);
    if (terms.start_to_close) out.signed_number(terms.start_to_close->count());
    if (terms.heartbeat_timeout) out.signed_number(terms.heartbeat_timeout->count());
    if (!terms.session.empty()) out.text(terms.session);
    out.number(terms.attempt);
    out.number(terms.first);
}
void put_terms(Writer& out, const ChildTerms& terms) {
    out.text(terms.version);
    write(out, terms.labels);
    out.number(static_cast<std::uint64_t>(terms.parent_close));
    out.number(terms.attempt);
}

/// Writes if it is shielded, and its terms unless all are defaults.
template <class Scheduled>
void put_manner(Writer& out, const Scheduled& e) {
    const bool usual = are_usual(e.terms);
    out.number((e.shielded ? kShielded : 0) | (usual ? 0 : kTermsFollow));
    if (!usual) put_terms(out, e.terms);
}

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
    put_manner(out, e);
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
    put_manner(out, e);
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
void put(Writer& out, const RandomSeeded& e) {
    out.number(e.high);
    out.number(e.low);
}
void put(Writer& out, const MessageTaken& e) {
    out.number(static_cast<std::uint64_t>(e.channel));
    out.text(e.name);
}
void put(Writer& out, const KeyValueSet& e) {
    out.text(e.key);
    out.payload(e.value);
}
void put(Writer& out, const KeyValueCleared& e) { out.text(e.key); }
void put(Writer& /*out*/, const KeyValuesCleared& /*e*/) {}
void put(Writer& out, const PatchMarked& e) { out.text(e.name); }
void put(Writer& out, const PatchRetired& e) { out.text(e.name); }
void put(Writer& out, const NextVersionChosen& e) { out.text(e.version); }
void put(Writer& out, const DetachedStarted& e) {
    out.text(e.definition);
    out.text(e.id);
    out.payload(e.input);
    out.text(e.version);
    write(out, e.labels);
}

CommandNo get_command(Reader& in) {
    const std::uint64_t value = in.number();
    if (value == 0 || value > 0xFFFFFFFFULL) in.fail();
    return static_cast<CommandNo>(value);
}

// Members are read one statement each: the order of evaluation matters.
void get_terms(Reader& in, ActivityTerms& terms) {
    const std::uint64_t follow = in.number();
    if (follow > 15) in.fail();
    const std::int64_t priority = in.signed_number();
    if (!std::in_range<std::int32_t>(priority)) in.fail();
    terms.priority = static_cast<std::int32_t>(priority);
    terms.fairness_key = in.text();
    if ((follow & 1U) != 0) terms.schedule_to_start = in.time();
    if ((follow & 2U) != 0) terms.start_to_close = Millis(in.signed_number());
    if ((follow & 4U) != 0) terms.heartbeat_timeout = Millis(in.signed_number());
    if ((follow & 8U) != 0) terms.session = in.text();
    terms.attempt = read_integer<std::uint32_t>(in);
    terms.first = read_integer<CommandNo>(in);
}
void get_terms(Reader& in, ChildTerms& terms) {
    terms.version = in.text();
    terms.labels = read_labels(in);
    terms.parent_close = read_parent_close(in);
    terms.attempt = read_integer<std::uint32_t>(in);
}
template <class Scheduled>
void get_manner(Reader& in, Scheduled& e) {
    const std::uint64_t flags = in.number();
    if (flags > (kShielded | kTermsFollow)) in.fail();
    e.shielded = (flags & kShielded) != 0;
    if ((flags & kTermsFollow) != 0) get_terms(in, e.terms);
}

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
    get_manner(in, e);
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
    get_manner(in, e);
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
void get(Reader& in, RandomSeeded& e) {
    e.high = in.number();
    e.low = in.number();
}
void get(Reader& in, MessageTaken& e) {
    e.channel = read_channel(in);
    e.name = in.text();
}
void get(Reader& in, KeyValueSet& e) {
    e.key = in.text();
    e.value = in.payload();
}
void get(Reader& in, KeyValueCleared& e) { e.key = in.text(); }
void get(Reader& /*in*/, KeyValuesCleared& /*e*/) {}
void get(Reader& in, PatchMarked& e) { e.name = in.text(); }
void get(Reader& in, PatchRetired& e) { e.name = in.text(); }
void get(Reader& in, NextVersionChosen& e) { e.version = in.text(); }
void get(Reader& in, DetachedStarted& e) {
    e.definition = in.text();
    e.id = in.text();
    e.input = in.payload();
    e.version = in.text();
    e.labels = read_labels(in);
}

/// The index of ExecutionContinued.
constexpr std::size_t kLastOfFirstFormat = 13;

/// True if the first release could read it.
bool is_first_format(const Event& event) {
    if (event.index() > kLastOfFirstFormat) return false;
    if (const auto* e = std::get_if<ActivityScheduled>(&event)) return are_usual(e->terms);
    if (const auto* e = std::get_if<ChildScheduled>(&event)) return are_usual(e->terms);
    if (const auto* e = std::get_if<CommandFailed>(&event)) return !is_typed(e->failure);
    if (const auto* e = std::get_if<ExecutionEnded>(&event)) return !is_typed(e->outcome.failure);
    return true;
}

/// Returns the marks of an event that starts a run, and 0 for any other.
std::uint64_t marks_of(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::uint64_t {
            std::uint64_t marks = 0;
            if constexpr (requires { e.with_document; }) {
                marks |= (e.with_document ? kWithDocument : 0) | (e.on_fail ? kWithOnFail : 0);
            }
            if constexpr (requires { e.part; }) marks |= e.part ? kPart : 0;
            return marks;
        },
        event);
}

/// Returns false if the event cannot have these marks.
bool set_marks(Event& event, std::uint64_t marks) {
    return std::visit(
        [marks](auto& e) {
            std::uint64_t known = 0;
            if constexpr (requires { e.with_document; }) {
                known |= kWithDocument | kWithOnFail;
                e.with_document = (marks & kWithDocument) != 0;
                e.on_fail = (marks & kWithOnFail) != 0;
            }
            if constexpr (requires { e.part; }) {
                known |= kPart;
                e.part = (marks & kPart) != 0;
            }
            return (marks & ~known) == 0;
        },
        event);
}

std::uint16_t format_of(const Event& event) {
    if (marks_of(event) != 0) return kHistoryFormat;
    const auto* const ended = std::get_if<ExecutionEnded>(&event);
    if (ended != nullptr && !ended->outcome.skip_reason.empty()) return kHistoryFormat;
    return is_first_format(event) ? kFirstHistoryFormat : kSecondHistoryFormat;
}

std::uint64_t kind_of(const Event& event) { return event.index() | marks_of(event); }

/// Makes `event` the alternative with number `kind`. Returns false if there is none.
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

}  // namespace

bool is_input(const Event& event) noexcept {
    return std::holds_alternative<ExecutionStarted>(event) ||
           std::holds_alternative<TurnStarted>(event) ||
           std::holds_alternative<CommandCompleted>(event) ||
           std::holds_alternative<CommandFailed>(event) ||
           std::holds_alternative<MessageReceived>(event) ||
           std::holds_alternative<CancelRequested>(event);
}

HistoryRow encode_events(const std::vector<Event>& events) {
    Writer out;
    for (const Event& event : events) {
        out.number(kind_of(event));
        std::visit([&](const auto& e) { put(out, e); }, event);
    }
    HistoryRow row;
    row.format = kFirstHistoryFormat;
    for (const Event& event : events) row.format = std::max(row.format, format_of(event));
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
    if (row.format < kFirstHistoryFormat || row.format > kHistoryFormat) {
        return Error(Errc::unsupported,
                     "history format " + std::to_string(row.format) + " is not known here");
    }
    Reader in(row.bytes);
    std::vector<Event> events;
    while (in.ok() && !in.at_end()) {
        const std::uint64_t kind = in.number();
        Event event;
        if (!in.ok()) break;
        if (!make_alternative(event, kind & ~kMarks) || !set_marks(event, kind & kMarks)) {
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
