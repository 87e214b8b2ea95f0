#include "flow/interpreter/kept.hpp"

#include "base/sha256.hpp"
#include "expr/value_json.hpp"
#include "json/writer.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <array>

namespace belay::flow {

using expr::Kind;
using expr::Map;
using expr::Value;

namespace {

/// The entry with the fingerprint of the params. No step can have this name.
constexpr const char* kParamsEntry = "$params";

constexpr std::array<std::string_view, 3> kHowNames{"completed", "failed", "skipped"};

std::string kept_text(const Map& entry, std::string_view name) {
    const Value* const value = entry.find(name);
    return value != nullptr && value->is(Kind::text) ? value->text() : std::string();
}

std::optional<Timestamp> kept_time(const Map& entry, std::string_view name) {
    const Value* const value = entry.find(name);
    if (value == nullptr || !value->is(Kind::integer)) return std::nullopt;
    return from_unix_ms(value->integer());
}

Value kept_value(const Map& entry, std::string_view name) {
    const Value* const value = entry.find(name);
    if (value == nullptr) return {};
    auto parsed = value->is(Kind::text) ? expr::parse_json(value->text())
                                        : Result<Value>(Error(Errc::corrupt, "it is no text"));
    if (!parsed) {
        throw DecodeError("a kept result cannot be read: " + std::string(parsed.error().message()));
    }
    return *std::move(parsed);
}

StepEnd read_end(const Map& entry) {
    const std::string how = kept_text(entry, "how");
    if (how == "skipped") return StepEnd::skipped(kept_text(entry, "reason"));
    if (how == "failed") return StepEnd::failed(failure_from(kept_value(entry, "failure")));
    if (how != "completed") throw DecodeError("a kept result has no end");
    Value more = kept_value(entry, "more");
    const Value* const results = more.is(Kind::map) ? more.map().find("output") : nullptr;
    StepEnd end = StepEnd::completed(results != nullptr ? *results : kept_value(entry, "output"));
    end.more = std::move(more);
    return end;
}

/// Writes a value as a text. Every result was JSON when it was recorded.
void write_field(json::Writer& out, std::string_view name, const Value& value) {
    if (value.is(Kind::null)) return;
    const auto json = expr::to_json(value);
    if (!json) throw OperationFailed(Failure{.message = std::string(json.error().message())});
    out.field(name, *json);
}

void write_field(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.field(name, to_unix_ms(*at));
}

}  // namespace

bool is_exact_as_json(const expr::Value& value) {
    switch (value.kind()) {
        case Kind::null:
        case Kind::boolean:
        case Kind::integer:
        case Kind::real:
        case Kind::text: return true;
        case Kind::list: return std::ranges::all_of(value.list(), is_exact_as_json);
        case Kind::map:
            return std::ranges::all_of(value.map().entries(), [](const Map::Entry& entry) {
                return entry.first.is(Kind::text) && is_exact_as_json(entry.second);
            });
        default: return false;
    }
}

std::string fingerprint_of(const expr::Value& value) {
    const auto json = expr::to_json(value);
    if (!json) return {};
    base::Sha256 hash;
    hash.add(*json);
    return base::short_hex(hash.finish());
}

std::string path_below(std::string_view path, std::string_view place) {
    std::string below(path);
    if (!below.empty()) below += '/';
    return below.append(place);
}

// ---- Reading -----------------------------------------------------------------------------------

KeptResults::KeptResults(std::shared_ptr<const expr::Value> all, std::string path)
    : all_(std::move(all)), path_(std::move(path)) {}

const Map* KeptResults::run_at(const std::string& path) const {
    const Value* const run = all_->is(Kind::map) ? all_->map().find(path) : nullptr;
    return run != nullptr && run->is(Kind::map) ? &run->map() : nullptr;
}

std::optional<KeptEnd> KeptResults::find(std::string_view place) const {
    const Map* const run = run_at(path_);
    const Value* const found = run != nullptr ? run->find(place) : nullptr;
    if (found == nullptr || !found->is(Kind::map)) return std::nullopt;
    const Map& entry = found->map();
    KeptEnd kept;
    kept.end = read_end(entry);
    kept.from = kept_text(entry, "from");
    kept.began_at = kept_time(entry, "began");
    kept.ended_at = kept_time(entry, "ended");
    const Value* const attempts = entry.find("attempts");
    if (attempts != nullptr && attempts->is(Kind::integer)) {
        kept.attempts = static_cast<std::uint32_t>(attempts->integer());
    }
    kept.element = kept_text(entry, "element");
    return kept;
}

std::optional<std::string> KeptResults::path_below(std::string_view place,
                                                   const expr::Value& params) const {
    std::string path = flow::path_below(path_, place);
    const Map* const run = run_at(path);
    const Value* const given = run != nullptr ? run->find(kParamsEntry) : nullptr;
    if (given == nullptr || !given->is(Kind::map)) return std::nullopt;
    if (kept_text(given->map(), "element") != fingerprint_of(params)) return std::nullopt;
    return path;
}

// ---- Writing -----------------------------------------------------------------------------------

void KeptWriter::add_run(const std::string& path, const expr::Value& params) {
    json::Writer out;
    out.open_object().field("element", fingerprint_of(params)).close_object();
    runs_[path].insert_or_assign(kParamsEntry, out.str());
}

void KeptWriter::add(const std::string& path, const std::string& place, const KeptEnd& end) {
    json::Writer out;
    out.open_object().field("how", kHowNames[static_cast<std::size_t>(end.end.how())]);
    if (end.end.is_completed()) {
        // The results of a map are among the rest.
        if (end.end.more.is(Kind::null)) write_field(out, "output", end.end.output());
        write_field(out, "more", end.end.more);
    } else if (end.end.is_failed()) {
        write_field(out, "failure", value_of(end.end.failure()));
    } else {
        out.field("reason", end.end.reason());
    }
    out.field("from", end.from);
    write_field(out, "began", end.began_at);
    write_field(out, "ended", end.ended_at);
    if (end.attempts != 0) out.field("attempts", end.attempts);
    if (!end.element.empty()) out.field("element", end.element);
    out.close_object();
    runs_[path].insert_or_assign(place, out.str());
}

std::string KeptWriter::json() const {
    json::Writer out;
    out.open_object();
    for (const auto& [path, entries] : runs_) {
        out.key(path).open_object();
        for (const auto& [place, entry] : entries) out.key(place).raw(entry);
        out.close_object();
    }
    out.close_object();
    return out.str();
}

}  // namespace belay::flow
