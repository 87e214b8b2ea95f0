#include "cli/payload_view.hpp"

#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "model/arguments.hpp"
#include "model/codec_name.hpp"
#include <belay/codec.hpp>
#include <belay/store/coded.hpp>

#include <array>
#include <charconv>
#include <optional>

namespace belay::cli {

namespace {

bool is_number(const Payload& payload) {
    return payload.codec == PayloadCodec::integer || payload.codec == PayloadCodec::real;
}

std::string unread_line(const Payload& payload) {
    if (const auto key = encrypted_with(payload)) {
        return "encrypted (key " + std::to_string(*key) + ")";
    }
    const std::string flags = payload.flags == 0 ? "" : ", flags " + std::to_string(payload.flags);
    return codec_name(payload.codec) + flags + ", base64:" + base64(payload.bytes);
}

std::string_view trimmed_end(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number value{};
    const auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
    return value;
}

/// A value of this kind, in the form in which the library writes it.
std::optional<Payload> value_of(PayloadCodec codec, const std::string& text) {
    switch (codec) {
        case PayloadCodec::text:
            if (!is_utf8(text)) return std::nullopt;
            return Payload::text(text);
        case PayloadCodec::integer:
            if (const auto value = whole_number<std::int64_t>(text)) {
                return Codec<std::int64_t>::encode(*value);
            }
            return std::nullopt;
        case PayloadCodec::real:
            if (const auto value = whole_number<double>(text)) return Codec<double>::encode(*value);
            return std::nullopt;
        case PayloadCodec::boolean:
            if (text != "true" && text != "false") return std::nullopt;
            return Codec<bool>::encode(text == "true");
        case PayloadCodec::json:
            if (!is_json(text)) return std::nullopt;
            return Payload(PayloadCodec::json, text);
        case PayloadCodec::bytes:
            if (auto bytes = decode_base64(text)) {
                return Payload(PayloadCodec::bytes, std::move(*bytes));
            }
            return std::nullopt;
        default: return std::nullopt;
    }
}

Payload guessed(const std::string& text) {
    const bool bracket = text.starts_with('{') || text.starts_with('[');
    if (bracket && is_json(text)) return Payload(PayloadCodec::json, text);
    for (const PayloadCodec codec : {PayloadCodec::boolean, PayloadCodec::integer}) {
        if (auto value = value_of(codec, text)) return *value;
    }
    // Not "nan" and "inf", which from_chars takes too: they are words.
    if (is_json_number(text)) {
        if (auto value = value_of(PayloadCodec::real, text)) return *value;
    }
    if (is_utf8(text)) return Payload::text(text);
    return Payload(PayloadCodec::bytes, text);
}

constexpr std::array kPrefixed{PayloadCodec::text,
                               PayloadCodec::integer,
                               PayloadCodec::real,
                               PayloadCodec::boolean,
                               PayloadCodec::json,
                               PayloadCodec::bytes};

}  // namespace

std::string codec_name(PayloadCodec codec) {
    const std::string_view name = model::codec_name(codec);
    return name.empty() ? "codec " + std::to_string(static_cast<unsigned>(codec))
                        : std::string(name);
}

std::string payload_line(const Payload& payload) {
    if (payload.flags != 0) return unread_line(payload);
    switch (payload.codec) {
        case PayloadCodec::none:
            if (payload.bytes.empty()) return "()";
            break;
        case PayloadCodec::json:
            if (is_json(payload.bytes)) return json::one_line(payload.bytes);
            break;
        case PayloadCodec::text:
        case PayloadCodec::integer:
        case PayloadCodec::real:
        case PayloadCodec::boolean:
            if (is_utf8(payload.bytes)) return payload.bytes;
            break;
        case PayloadCodec::arguments:
            if (const auto parts = model::parts_of(payload)) {
                std::string text;
                for (const Payload& part : *parts) text += ", " + payload_line(part);
                return "(" + (text.empty() ? text : text.substr(2)) + ")";
            }
            break;
        default: break;
    }
    return unread_line(payload);
}

void write_payload(JsonWriter& out, const Payload& payload) {
    if (payload.codec == PayloadCodec::none && payload.flags == 0 && payload.bytes.empty()) {
        out.null();
        return;
    }
    out.open_object().field("codec", codec_name(payload.codec));
    const bool plain = payload.flags == 0;
    if (plain && payload.codec == PayloadCodec::text && is_utf8(payload.bytes)) {
        out.field("value", payload.bytes);
    } else if (plain && ((is_number(payload) && is_json_number(payload.bytes)) ||
                         (payload.codec == PayloadCodec::json && is_json(payload.bytes)) ||
                         (payload.codec == PayloadCodec::boolean && is_json(payload.bytes)))) {
        out.key("value").raw(json::one_line(payload.bytes));
    } else if (const auto parts = model::parts_of(payload)) {
        out.key("value").open_array();
        for (const Payload& part : *parts) write_payload(out, part);
        out.close_array();
    } else {
        if (!plain) out.field("flags", payload.flags);
        if (const auto key = encrypted_with(payload)) out.field("encrypted_with", *key);
        out.field("base64", base64(payload.bytes));
    }
    out.close_object();
}

Payload parse_value(const std::string& word, const ReadContent& read) {
    if (word.starts_with('@')) {
        const std::string content = read(word.substr(1));
        if (!is_utf8(content)) return Payload(PayloadCodec::bytes, content);
        const std::string text(trimmed_end(content));
        return is_json(text) ? Payload(PayloadCodec::json, text) : Payload::text(content);
    }
    for (const PayloadCodec codec : kPrefixed) {
        const std::string prefix = codec_name(codec) + ":";
        if (!word.starts_with(prefix)) continue;
        if (auto value = value_of(codec, word.substr(prefix.size()))) return *value;
        throw usage_problem("'" + safe(word) + "' is no " + codec_name(codec),
                            "text:... in front of a value takes it as it is");
    }
    return guessed(word);
}

Payload parse_values(const std::vector<std::string>& words, const ReadContent& read) {
    std::vector<Payload> parts;
    parts.reserve(words.size());
    for (const std::string& word : words) parts.push_back(parse_value(word, read));
    if (parts.empty()) return {};
    return parts.size() == 1 ? parts.front() : detail::join_payloads(parts);
}

}  // namespace belay::cli
