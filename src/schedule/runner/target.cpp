#include "schedule/runner/target.hpp"

#include "schedule/runner/payload_json.hpp"
#include "schedule/runner/spec_reader.hpp"
#include <belay/ids.hpp>
#include <belay/limits.hpp>

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <variant>

namespace belay::schedule {

namespace {

constexpr Word<WhenBusy> kWhenBusy[] = {{WhenBusy::refuse, "refuse"},
                                        {WhenBusy::queue, "queue"},
                                        {WhenBusy::replace, "replace"},
                                        {WhenBusy::allow, "allow"}};

constexpr Word<WhenOver> kWhenOver[] = {
    {WhenOver::refuse, "refuse"}, {WhenOver::queue, "queue"}, {WhenOver::drop, "drop"}};

std::string named(std::string_view field) { return "\"" + std::string(field) + "\""; }

std::optional<LabelValue> label_of(const json::Value& value) {
    if (value.kind == json::Kind::text) return LabelValue(value.text);
    if (value.kind == json::Kind::boolean) return LabelValue(value.truth);
    if (value.kind != json::Kind::number) return std::nullopt;
    const char* const end = value.text.data() + value.text.size();
    std::int64_t number = 0;
    const auto whole = std::from_chars(value.text.data(), end, number);
    if (whole.ec == std::errc() && whole.ptr == end) return LabelValue(number);
    double real = 0;
    const auto part = std::from_chars(value.text.data(), end, real);
    if (part.ec == std::errc() && part.ptr == end) return LabelValue(real);
    return std::nullopt;
}

void read_labels(StrictObject& object, ScheduleSpec& spec, Problems& problems) {
    const json::Value* const labels = object.field("labels", json::Kind::object);
    if (labels == nullptr) return;
    for (std::size_t i = 0; i < labels->items.size(); ++i) {
        if (std::optional<LabelValue> value = label_of(labels->items[i])) {
            spec.labels.insert_or_assign(labels->names[i], *std::move(value));
        } else {
            problems.add("the label " + named(labels->names[i]) + " is no text, number or boolean");
        }
    }
}

void read_headers(StrictObject& object, ScheduleSpec& spec, Problems& problems) {
    const json::Value* const headers = object.field("headers", json::Kind::object);
    if (headers == nullptr) return;
    for (std::size_t i = 0; i < headers->items.size(); ++i) {
        const json::Value& value = headers->items[i];
        if (value.kind == json::Kind::text) {
            spec.headers.insert_or_assign(headers->names[i], value.text);
        } else {
            problems.add("the header " + named(headers->names[i]) + " is no text");
        }
    }
}

void read_concurrency(StrictObject& object, ScheduleSpec& spec, Problems& problems) {
    const json::Value* const value = object.field("concurrency", json::Kind::object);
    if (value == nullptr) return;
    Concurrency concurrency;
    StrictObject fields(*value, problems);
    SpecReader reader(fields, problems);
    reader.text("key", concurrency.key);
    reader.choice("when_busy", kWhenBusy, concurrency.when_busy);
    fields.finish();
    spec.concurrency = std::move(concurrency);
}

void read_rate(StrictObject& object, ScheduleSpec& spec, Problems& problems) {
    const json::Value* const value = object.field("rate", json::Kind::object);
    if (value == nullptr) return;
    RateOfStarts rate;
    StrictObject fields(*value, problems);
    SpecReader reader(fields, problems);
    std::int32_t starts = 0;
    reader.integer("starts", starts);
    rate.count = static_cast<std::uint32_t>(std::max(starts, 0));
    rate.per = reader.duration("per").value_or(Millis(0));
    reader.choice("when_over", kWhenOver, rate.when_over);
    fields.finish();
    spec.rate = rate;
}

void write_label(json::Writer& out, const LabelValue& value) {
    std::visit(
        [&](const auto& held) {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, bool>) {
                out.boolean(held);
            } else if constexpr (std::is_same_v<Held, std::string>) {
                out.text(held);
            } else {
                out.number(held);
            }
        },
        value);
}

void write_terms(json::Writer& out, const ScheduleSpec& spec) {
    if (!spec.version.empty()) out.field("version", spec.version);
    if (!spec.headers.empty()) {
        out.key("headers").open_object();
        for (const auto& [name, value] : spec.headers) out.field(name, value);
        out.close_object();
    }
    if (!spec.labels.empty()) {
        out.key("labels").open_object();
        for (const auto& [name, value] : spec.labels) {
            out.key(name);
            write_label(out, value);
        }
        out.close_object();
    }
    if (spec.priority != 0) out.field("priority", spec.priority);
    if (spec.expires) out.field("expires", duration_text(*spec.expires));
    if (spec.deadline) out.field("deadline", duration_text(*spec.deadline));
    if (spec.concurrency) {
        out.key("concurrency").open_object().field("key", spec.concurrency->key);
        out.field("when_busy", word_of(kWhenBusy, spec.concurrency->when_busy)).close_object();
    }
    if (spec.rate) {
        out.key("rate").open_object().field("starts", spec.rate->count);
        out.field("per", duration_text(spec.rate->per));
        out.field("when_over", word_of(kWhenOver, spec.rate->when_over)).close_object();
    }
    if (spec.on_fail) out.field("on_fail", true);
}

void check_name_of(const char* what, std::string_view name, Problems& problems) {
    const Result<void> checked = check_name(what, name, Limits().name_bytes);
    if (!checked) problems.add(checked.error().message());
}

}  // namespace

void read_target(const json::Value& value, ScheduleSpec& spec, Problems& problems) {
    StrictObject object(value, problems);
    SpecReader reader(object, problems);
    reader.text("definition", spec.definition);
    reader.text("owner", spec.owner);
    reader.text("version", spec.version);
    reader.integer("priority", spec.priority);
    spec.expires = reader.duration("expires");
    spec.deadline = reader.duration("deadline");
    reader.truth("on_fail", spec.on_fail);
    read_headers(object, spec, problems);
    read_labels(object, spec, problems);
    read_concurrency(object, spec, problems);
    read_rate(object, spec, problems);
    if (const json::Value* const input = object.any("input")) {
        spec.input = read_payload(*input, "input", problems);
    }
    if (const json::Value* const document = object.any("document")) {
        spec.document = read_payload(*document, "document", problems);
    }
    object.finish();
}

void write_target(json::Writer& out, const ScheduleSpec& spec) {
    out.key("target").open_object().field("definition", spec.definition);
    if (spec.input != Payload()) {
        out.key("input");
        write_payload(out, spec.input);
    }
    if (spec.owner != ScheduleSpec().owner) out.field("owner", spec.owner);
    write_terms(out, spec);
    if (spec.document) {
        out.key("document");
        write_payload(out, *spec.document);
    }
    out.close_object();
}

void check_target(const ScheduleSpec& spec, Problems& problems) {
    check_name_of("the target's definition", spec.definition, problems);
    check_name_of("the target's owner", spec.owner, problems);
    if (!spec.version.empty()) check_name_of("the target's version", spec.version, problems);
    if (spec.concurrency) {
        check_name_of("the target's concurrency key", spec.concurrency->key, problems);
    }
    if (spec.rate && (spec.rate->count == 0 || spec.rate->count > Limits().rate_starts ||
                      spec.rate->per < Millis(1))) {
        problems.add("\"rate\" needs \"starts\" from 1 to " + std::to_string(Limits().rate_starts) +
                     ", and \"per\" of at least a millisecond");
    }
    for (const std::optional<Millis>& time : {spec.expires, spec.deadline}) {
        if (time && *time < Millis(1)) {
            problems.add("\"expires\" and \"deadline\" must be at least a millisecond");
        }
    }
}

}  // namespace belay::schedule
