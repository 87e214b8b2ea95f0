// Requests of steps as JSON, and back.
#include "flow/steps/request_fields.hpp"
#include "flow/steps/requests.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace belay {

namespace {

using flow::HttpRequest;
using flow::kStopSignals;
using flow::OutputForm;
using flow::ProgramRequest;
using flow::RequestFields;
using flow::Secret;
using flow::SecretSources;
using json::Writer;

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<std::string_view, 4> kForms{"text", "lines", "json", "none"};

void write_text(Writer& out, std::string_view name, const std::string& value) {
    if (!value.empty()) out.field(name, value);
}

void write_numbers(Writer& out, std::string_view name, const std::vector<int>& values) {
    if (values.empty()) return;
    out.key(name).open_array();
    for (const int value : values) out.number(value);
    out.close_array();
}

void write_pairs(Writer& out, std::string_view name, const Pairs& pairs) {
    if (pairs.empty()) return;
    out.key(name).open_array();
    for (const auto& [first, second] : pairs) {
        out.open_array().text(first).text(second).close_array();
    }
    out.close_array();
}

void write_secrets(Writer& out, const SecretSources& secrets) {
    if (secrets.nonce.empty()) return;
    out.field("nonce", secrets.nonce).key("secrets").open_array();
    for (const Secret& secret : secrets.secrets) {
        out.open_object().field("name", secret.name);
        write_text(out, "env", secret.env);
        write_text(out, "file", secret.file);
        out.close_object();
    }
    out.close_array();
}

SecretSources read_secrets(const RequestFields& in) {
    SecretSources found;
    found.nonce = in.text_or("nonce", "");
    for (const RequestFields& one : in.objects("secrets")) {
        Secret secret{.name = one.text("name"), .place = {}};
        secret.env = one.text_or("env", "");
        secret.file = one.text_or("file", "");
        if (secret.env.empty() == secret.file.empty()) {
            one.fail("needs one of 'env' and 'file'");
        }
        found.secrets.push_back(std::move(secret));
    }
    if (found.nonce.empty() && !found.secrets.empty()) in.fail("has 'secrets' without a 'nonce'");
    return found;
}

OutputForm read_form(const RequestFields& in) {
    const std::string form = in.text_or("output", kForms[0]);
    for (std::size_t i = 0; i < kForms.size(); ++i) {
        if (form == kForms[i]) return static_cast<OutputForm>(i);
    }
    in.fail("has '" + form + "' in 'output'; it must be text, lines, json or none");
}

/// The usual signal is left out.
void write_stop_signal(Writer& out, int signal) {
    const auto* const found = std::ranges::find(kStopSignals, signal, &flow::StopSignal::second);
    if (found != kStopSignals.begin() && found != kStopSignals.end()) {
        out.field("stop_signal", found->first);
    }
}

int read_stop_signal(const RequestFields& in) {
    const std::string name = in.text_or("stop_signal", kStopSignals[0].first);
    const auto* const found = std::ranges::find(kStopSignals, name, &flow::StopSignal::first);
    if (found != kStopSignals.end()) return found->second;
    in.fail("has '" + name +
            "' in 'stop_signal'; it must be TERM, INT, HUP, QUIT, USR1, USR2 or KILL");
}

}  // namespace

Payload Codec<ProgramRequest>::encode(const ProgramRequest& value) {
    Writer out;
    out.open_object().field("step", value.step);
    write_text(out, "run", value.run);
    if (value.item) out.field("item", *value.item);
    if (!value.program.empty()) {
        out.key("program").open_array();
        for (const std::string& argument : value.program) out.text(argument);
        out.close_array();
    }
    write_text(out, "script", value.script);
    write_pairs(out, "env", value.env);
    write_text(out, "directory", value.directory);
    write_text(out, "input", value.input);
    out.field("output", kForms[static_cast<std::size_t>(value.output)]);
    write_stop_signal(out, value.stop_signal);
    write_numbers(out, "retry_only", value.retry_only);
    write_secrets(out, value.secrets);
    return Payload(PayloadCodec::json, out.close_object().str());
}

ProgramRequest Codec<ProgramRequest>::decode(const Payload& payload) {
    const RequestFields in = RequestFields::read(payload, "the request of a program");
    ProgramRequest request{.step = in.text("step")};
    request.run = in.text_or("run", "");
    request.item = in.number_if_any("item");
    request.program = in.texts("program");
    request.script = in.text_or("script", "");
    if (request.program.empty() == request.script.empty()) {
        in.fail("needs one of 'program' and 'script'");
    }
    request.env = in.pairs("env");
    request.directory = in.text_or("directory", "");
    request.input = in.text_or("input", "");
    request.output = read_form(in);
    request.stop_signal = read_stop_signal(in);
    request.retry_only = in.numbers("retry_only");
    request.secrets = read_secrets(in);
    return request;
}

Payload Codec<HttpRequest>::encode(const HttpRequest& value) {
    Writer out;
    out.open_object().field("step", value.step);
    if (value.item) out.field("item", *value.item);
    out.field("method", value.method).field("url", value.url);
    write_pairs(out, "headers", value.headers);
    write_text(out, "body", value.body);
    write_numbers(out, "expect", value.expect);
    write_numbers(out, "retry_only", value.retry_only);
    out.field("follow", value.follow);
    write_secrets(out, value.secrets);
    return Payload(PayloadCodec::json, out.close_object().str());
}

HttpRequest Codec<HttpRequest>::decode(const Payload& payload) {
    const RequestFields in = RequestFields::read(payload, "the request of an HTTP step");
    HttpRequest request{.step = in.text("step")};
    request.item = in.number_if_any("item");
    request.method = in.text_or("method", "GET");
    request.url = in.text("url");
    request.headers = in.pairs("headers");
    request.body = in.text_or("body", "");
    request.expect = in.numbers("expect");
    request.retry_only = in.numbers("retry_only");
    request.follow = in.truth_or("follow", true);
    request.secrets = read_secrets(in);
    return request;
}

}  // namespace belay
