#include "flow/steps/http_message.hpp"

#include "flow/steps/failures.hpp"
#include "flow/steps/written_output.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <string_view>

namespace belay::flow {

namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

bool is_name(std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").contains(c);
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_header_value(std::string_view text) {
    const auto fits = [](char c) {
        return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    };
    return std::all_of(text.begin(), text.end(), fits);
}

[[noreturn]] void refuse(std::string message) {
    fail(final_failure("request", std::move(message)));
}

bool contains(const std::vector<int>& all, int one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// True for statuses after which the same request may succeed.
bool may_pass(int status) {
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

bool stays_with_its_origin(std::string_view lower_name) {
    return lower_name == "authorization" || lower_name == "proxy-authorization" ||
           lower_name == "cookie" || lower_name == "host";
}

}  // namespace

HttpMessage::HttpMessage(const HttpRequest& request, const Secrets& secrets, std::size_t most_body)
    : follow_(request.follow), expect_(request.expect), retry_only_(request.retry_only) {
    if (!is_name(request.method)) refuse("'" + request.method + "' is no method of HTTP");
    call_.method = request.method;
    call_.most_body = most_body;
    call_.url = secrets.fill(request.url);
    if (const std::string problem = read_origin(call_.url, origin_); !problem.empty()) {
        refuse("the URL '" + call_.url + "' cannot be used: " + problem);
    }
    secret_body_ = secrets.has_mark(request.body);
    call_.body = secrets.fill_document(request.body);
    for (const auto& [name, value] : request.headers) add_header(name, value, secrets);
    add_content_type();
    update_call();
}

void HttpMessage::add_header(const std::string& name,
                             const std::string& value,
                             const Secrets& secrets) {
    if (!is_name(name)) refuse("'" + name + "' is no name of a header");
    const std::string lower = lower_case(name);
    if (lower == "content-length" || lower == "transfer-encoding" || lower == "connection") {
        refuse("the header '" + name + "' is set by the step itself");
    }
    Header header;
    header.name = name;
    header.value = secrets.fill(value);
    header.secret = secrets.has_mark(value) || stays_with_its_origin(lower);
    if (!is_header_value(header.value)) {
        refuse("the header '" + name + "' has a line break or another control character");
    }
    headers_.push_back(std::move(header));
}

void HttpMessage::add_content_type() {
    const auto is_type = [](const Header& h) { return lower_case(h.name) == "content-type"; };
    if (call_.body.empty() || std::any_of(headers_.begin(), headers_.end(), is_type)) return;
    Header header;
    header.name = "Content-Type";
    header.value = json::is_json(call_.body) ? "application/json" : "text/plain; charset=utf-8";
    headers_.push_back(std::move(header));
}

void HttpMessage::update_call() {
    call_.headers.clear();
    for (const Header& header : headers_) call_.headers.emplace_back(header.name, header.value);
}

bool HttpMessage::is_expected(int status) const {
    return expect_.empty() ? status >= 200 && status < 300 : contains(expect_, status);
}

bool HttpMessage::is_redirected_by(const HttpReply& reply) const {
    const bool redirects = reply.status == 301 || reply.status == 302 || reply.status == 303 ||
                           reply.status == 307 || reply.status == 308;
    return follow_ && redirects && !reply.redirect.empty() && !is_expected(reply.status);
}

void HttpMessage::follow(const HttpReply& reply) {
    const std::string from = host();
    if (++redirects_ > kMostRedirects) {
        refuse("more than " + std::to_string(kMostRedirects) + " redirects, the last from " + from);
    }
    const HttpOrigin before = origin_;
    if (const std::string problem = read_origin(reply.redirect, origin_); !problem.empty()) {
        refuse(from + " redirects to a URL that cannot be used: " + problem);
    }
    call_.url = reply.redirect;
    const bool posted = call_.method == "POST" && reply.status <= 302;
    const bool see_other = reply.status == 303 && call_.method != "HEAD";
    if (posted || see_other) {
        call_.method = "GET";
        call_.body.clear();
        std::erase_if(headers_, [](const Header& header) {
            return lower_case(header.name).starts_with("content-");
        });
    }
    if (origin_ != before) {
        if (secret_body_ && !call_.body.empty()) {
            refuse(from + " redirects a body with a secret in it to another host, " + host() +
                   ": send it there in the first place");
        }
        std::erase_if(headers_, [](const Header& header) { return header.secret; });
    }
    update_call();
}

Failure HttpMessage::failure_of(const HttpReply& reply, const Masker& masker) const {
    Failure failure;
    if (reply.problem == HttpProblem::none) {
        failure.type = "http";
        failure.message = "status " + std::to_string(reply.status) + " from " + host();
        // Masked before it is cut, so that no part of a secret stays.
        failure.detail = reply.cut ? masker.mask_beginning(reply.body) : masker.mask(reply.body);
        if (failure.detail.size() > kDetailBytes) {
            failure.detail.resize(kDetailBytes);
            failure.detail += "...";
        }
        failure.retryable =
            retry_only_.empty() ? may_pass(reply.status) : contains(retry_only_, reply.status);
        return failure;
    }
    failure.message = host() + ": " + reply.message;
    switch (reply.problem) {
        case HttpProblem::tls:
            failure.type = "tls";
            failure.retryable = false;
            break;
        case HttpProblem::request:
            failure.type = "request";
            failure.retryable = false;
            break;
        case HttpProblem::limit:
            failure.kind = FailureKind::limit;
            failure.retryable = false;
            break;
        default: failure.type = "connection"; break;
    }
    return failure;
}

}  // namespace belay::flow
