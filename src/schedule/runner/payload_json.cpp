#include "schedule/runner/payload_json.hpp"

#include "base/utf8.hpp"
#include "json/base64.hpp"
#include "model/arguments.hpp"
#include "model/codec_name.hpp"
#include <belay/codec.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace belay::schedule {

namespace {

constexpr std::string_view kArguments = "$arguments";
constexpr std::string_view kPayload = "$payload";

bool is_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

std::string compact(const json::Value& value) {
    json::Writer out;
    write_value(out, value);
    return out.str();
}

/// {"$payload": {"codec": "bytes", "base64": "AAE="}}
Payload read_other(const json::Value& value, std::string_view name, Problems& problems) {
    StrictObject object(value, problems);
    const json::Value* const codec = object.field("codec", json::Kind::text);
    const json::Value* const bytes = object.field("base64", json::Kind::text);
    object.finish();
    const auto decoded = bytes == nullptr ? std::nullopt : json::decode_base64(bytes->text);
    std::uint16_t number = 0;
    if (codec != nullptr) {
        if (const auto known = model::find_codec(codec->text)) {
            number = static_cast<std::uint16_t>(*known);
        } else {
            const std::string& text = codec->text;
            std::from_chars(text.data(), text.data() + text.size(), number);
        }
    }
    if (number != 0 && decoded) return {static_cast<PayloadCodec>(number), *decoded};
    problems.add("\"" + std::string(name) + "\" has a $payload without a codec and base64");
    return {};
}

/// Returns null unless the object has only this field.
const json::Value* only_field(const json::Value& value, std::string_view name) {
    if (value.kind != json::Kind::object || value.names.size() != 1) return nullptr;
    return value.names.front() == name ? &value.items.front() : nullptr;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = base::utf8_sequence(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

/// Writes a payload that reads back as the same. Returns false if there is no such value.
bool write_plain(json::Writer& out, const Payload& payload) {
    const std::string& bytes = payload.bytes;
    switch (payload.codec) {
        case PayloadCodec::none:
            if (bytes.empty()) out.null();
            return bytes.empty();
        case PayloadCodec::text:
            if (!is_utf8(bytes)) return false;
            out.text(bytes);
            return true;
        case PayloadCodec::integer:
            if (!is_integer(bytes)) return false;
            out.raw(bytes);
            return true;
        case PayloadCodec::real:
            if (is_integer(bytes) || !json::is_json_number(bytes)) return false;
            out.raw(bytes);
            return true;
        case PayloadCodec::boolean: out.raw(bytes); return true;
        case PayloadCodec::json: {
            const Result<json::Value> value = json::parse(bytes);
            const bool structured =
                value && (value->kind == json::Kind::array || value->kind == json::Kind::object);
            if (!structured || only_field(*value, kArguments) != nullptr ||
                only_field(*value, kPayload) != nullptr) {
                return false;
            }
            write_value(out, *value);
            return true;
        }
        default: return false;
    }
}

}  // namespace

Payload read_payload(const json::Value& value, std::string_view name, Problems& problems) {
    if (const json::Value* const other = only_field(value, kPayload)) {
        return read_other(*other, name, problems);
    }
    const json::Value* const arguments = only_field(value, kArguments);
    if (arguments != nullptr && arguments->kind == json::Kind::array) {
        std::vector<Payload> parts;
        parts.reserve(arguments->items.size());
        for (const json::Value& item : arguments->items) {
            parts.push_back(read_payload(item, name, problems));
        }
        return detail::join_payloads(parts);
    }
    switch (value.kind) {
        case json::Kind::null: return {};
        case json::Kind::boolean: return {PayloadCodec::boolean, value.truth ? "true" : "false"};
        case json::Kind::number:
            return {is_integer(value.text) ? PayloadCodec::integer : PayloadCodec::real,
                    value.text};
        case json::Kind::text: return Payload::text(value.text);
        default: return {PayloadCodec::json, compact(value)};
    }
}

void write_payload(json::Writer& out, const Payload& payload) {
    if (write_plain(out, payload)) return;
    const auto parts = payload.flags == 0 ? model::parts_of(payload) : std::nullopt;
    out.open_object();
    if (parts) {
        out.key(kArguments).open_array();
        for (const Payload& part : *parts) write_payload(out, part);
        out.close_array();
    } else {
        const std::string_view codec = model::codec_name(payload.codec);
        out.key(kPayload).open_object();
        out.field("codec",
                  codec.empty() ? std::to_string(static_cast<std::uint16_t>(payload.codec))
                                : std::string(codec));
        out.field("base64", json::base64(payload.bytes)).close_object();
    }
    out.close_object();
}

}  // namespace belay::schedule
