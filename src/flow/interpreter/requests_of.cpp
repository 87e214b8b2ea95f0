#include "flow/interpreter/requests_of.hpp"

#include "expr/value_json.hpp"
#include "flow/interpreter/calls.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace belay::flow {

namespace {

using Texts = std::vector<std::string_view>;

expr::Map with_secrets(const Run& run, const expr::Map& variables) {
    if (run.nonce.empty()) return variables;
    Fields fields;
    fields.emplace_back("secrets", run.secrets);
    return merged(variables, std::move(fields));
}

/// Returns the sources of the secrets whose marks occur in these texts.
SecretSources sources_in(const Run& run, const Texts& texts) {
    SecretSources sources;
    if (run.nonce.empty()) return sources;
    for (const Secret& secret : run.definition().secrets) {
        const std::string mark = secret_mark(run.nonce, secret.name);
        const bool occurs = std::ranges::any_of(
            texts, [&](std::string_view text) { return text.find(mark) != text.npos; });
        if (occurs) sources.secrets.push_back(secret);
    }
    if (!sources.secrets.empty()) sources.nonce = run.nonce;
    return sources;
}

Texts texts_of(const ProgramRequest& request) {
    Texts texts(request.program.begin(), request.program.end());
    for (const auto& [name, value] : request.env) texts.push_back(value);
    texts.push_back(request.directory);
    texts.push_back(request.input);
    return texts;
}

Texts texts_of(const HttpRequest& request) {
    Texts texts{request.url, request.body};
    for (const auto& [name, value] : request.headers) texts.push_back(value);
    return texts;
}

bool is_content_type(std::string_view name) {
    static constexpr std::string_view kName = "content-type";
    return std::ranges::equal(name, kName, [](char given, char wanted) {
        return std::tolower(static_cast<unsigned char>(given)) == wanted;
    });
}

std::string body_of(const Requester& requester, const Http& http, HttpRequest& request) {
    if (http.body) return requester.text(*http.body);
    if (!http.json) return {};
    const auto has_type = [](const auto& header) { return is_content_type(header.first); };
    if (std::ranges::none_of(request.headers, has_type)) {
        request.headers.emplace_back("Content-Type", "application/json");
    }
    auto json = expr::to_json(requester.value(*http.json));
    if (!json) throw_failure(FailureKind::application, json.error().message(), "expression");
    return *std::move(json);
}

}  // namespace

Requester::Requester(const Run& run, const Step& step, const Spot& spot, const expr::Map& variables)
    : run_(run), step_(step), item_(spot.item), variables_(with_secrets(run, variables)) {}

std::string Requester::text(const Form& form) const { return text_of(value(form)); }

expr::Value Requester::value(const Form& form) const { return evaluated(form, variables_); }

ProgramRequest program_request(const Requester& requester,
                               const Exec* exec,
                               std::string script,
                               const std::vector<std::pair<std::string, Form>>& env) {
    const Step& step = requester.step();
    ProgramRequest request;
    if (requester.run().is_part) request.run = requester.run().id;
    request.step = step.id;
    request.item = requester.item();
    request.script = std::move(script);
    if (exec != nullptr) {
        for (const Form& part : exec->program) request.program.push_back(requester.text(part));
    }
    // In the order of names: the variables of the step replace those of the definition.
    std::map<std::string, std::string> variables;
    for (const auto& [name, form] : requester.run().definition().env) {
        variables.insert_or_assign(name, requester.text(form));
    }
    for (const auto& [name, form] : env) variables.insert_or_assign(name, requester.text(form));
    request.env.assign(variables.begin(), variables.end());
    if (step.dir) request.directory = requester.text(*step.dir);
    if (step.input) request.input = requester.text(*step.input);
    request.output = step.output;
    request.stop_signal = step.stop_signal;
    request.retry_only = step.retry.only_exit;
    request.secrets = sources_in(requester.run(), texts_of(request));
    return request;
}

HttpRequest http_request(const Requester& requester, const Http& http) {
    HttpRequest request;
    request.step = requester.step().id;
    request.item = requester.item();
    request.method = http.method;
    request.url = requester.text(http.url);
    for (const auto& [name, form] : http.headers) {
        request.headers.emplace_back(name, requester.text(form));
    }
    request.body = body_of(requester, http, request);
    request.expect = http.expect;
    request.retry_only = requester.step().retry.only_status;
    request.follow = http.follow;
    request.secrets = sources_in(requester.run(), texts_of(request));
    return request;
}

}  // namespace belay::flow
