#include "schedule/runner/change.hpp"

#include "base/utc.hpp"
#include "json/writer.hpp"
#include "schedule/runner/strict_object.hpp"
#include "schedule/runner/words.hpp"

namespace belay::schedule {

namespace {

constexpr Word<ChangeKind> kKinds[] = {{ChangeKind::pause, "pause"},
                                       {ChangeKind::resume, "resume"},
                                       {ChangeKind::run_now, "run_now"},
                                       {ChangeKind::backfill, "backfill"},
                                       {ChangeKind::update, "update"}};

std::string text_of(StrictObject& object, std::string_view name) {
    const json::Value* const found = object.field(name, json::Kind::text);
    return found == nullptr ? "" : found->text;
}

Timestamp time_of(StrictObject& object, std::string_view name, Problems& problems) {
    const std::string text = text_of(object, name);
    if (text.empty()) return {};
    const std::optional<Timestamp> at = base::parse_stamp(text);
    if (!at) problems.add("bad time");
    return at.value_or(Timestamp());
}

}  // namespace

Payload encode(const Change& change) {
    json::Writer out;
    out.open_object().field("change", word_of(kKinds, change.kind));
    if (!change.by.empty()) out.field("by", change.by);
    if (!change.why.empty()) out.field("why", change.why);
    if (change.kind == ChangeKind::backfill) {
        out.field("from", base::utc(change.from)).field("to", base::utc(change.to));
    }
    if (!change.spec.empty()) out.field("spec", change.spec);
    return {PayloadCodec::json, out.close_object().str()};
}

std::optional<Change> decode_change(const Payload& message) {
    const Result<json::Value> value = json::parse(message.bytes);
    if (message.codec != PayloadCodec::json || !value) return std::nullopt;
    Problems problems;
    StrictObject object(*value, problems);
    const std::optional<ChangeKind> kind = find_choice(kKinds, text_of(object, "change"));
    Change change;
    change.by = text_of(object, "by");
    change.why = text_of(object, "why");
    change.from = time_of(object, "from", problems);
    change.to = time_of(object, "to", problems);
    change.spec = text_of(object, "spec");
    object.finish();
    if (!kind || !problems.empty()) return std::nullopt;
    change.kind = *kind;
    return change;
}

}  // namespace belay::schedule
