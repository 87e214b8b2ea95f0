#include "base/utf8.hpp"
#include "flow/steps/http_message.hpp"
#include "flow/steps/program_result.hpp"
#include "json/base64.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace belay::flow {

namespace {

using JoinedHeaders = std::map<std::string, std::string, std::less<>>;

/// Cookies have commas in them, so they are joined by newlines.
JoinedHeaders joined(const HttpHeaders& headers) {
    JoinedHeaders all;
    for (const auto& [name, value] : headers) {
        const auto [at, fresh] = all.emplace(name, value);
        if (!fresh) at->second.append(name == "set-cookie" ? "\n" : ", ").append(value);
    }
    return all;
}

bool says_json(const JoinedHeaders& headers) {
    const auto at = headers.find("content-type");
    if (at == headers.end()) return false;
    std::string type = at->second.substr(0, at->second.find(';'));
    while (type.ends_with(' ')) type.pop_back();
    std::transform(type.begin(), type.end(), type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = base::utf8_sequence(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

void write_body(json::Writer& out, const std::string& masked, bool json, const Masker& masker) {
    if (!is_utf8(masked)) {
        out.field("body_base64", json::base64(masked));
        return;
    }
    out.key("body");
    if (json && masked.empty()) {
        out.null();
        return;
    }
    if (json) {
        if (const Result<json::Value> value = json::parse(masked)) {
            write_masked(out, *value, masker);
            return;
        }
    }
    out.text(masked);
}

}  // namespace

Payload http_result(const HttpReply& reply, const Masker& masker) {
    json::Writer out;
    out.open_object().field("status", reply.status).key("headers").open_object();
    const JoinedHeaders headers = joined(reply.headers);
    for (const auto& [name, value] : headers) out.field(masker.mask(name), masker.mask(value));
    out.close_object();
    write_body(out, masker.mask(reply.body), says_json(headers), masker);
    return Payload(PayloadCodec::json, out.close_object().str());
}

}  // namespace belay::flow
