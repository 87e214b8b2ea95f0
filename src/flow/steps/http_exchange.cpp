#include "flow/steps/http_exchange.hpp"

#include <belay/version.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace belay::flow {

namespace {

/// All headers of all responses of an exchange.
constexpr std::size_t kMostHeaderBytes = 256 * 1024;

bool is_about_tls(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_ENGINE_NOTFOUND:
        case CURLE_SSL_ENGINE_SETFAILED:
        case CURLE_SSL_ENGINE_INITFAILED:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CRL_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_SSL_CLIENTCERT:
        case CURLE_USE_SSL_FAILED: return true;
        default: return false;
    }
}

HttpProblem problem_of(CURLcode code) {
    if (is_about_tls(code)) return HttpProblem::tls;
    switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_NOT_BUILT_IN:
        case CURLE_BAD_FUNCTION_ARGUMENT: return HttpProblem::request;
        default: return HttpProblem::connection;
    }
}

/// Throws std::runtime_error for an option that libcurl refuses.
template <class Value>
void set_option(CURL* easy, CURLoption option, Value value) {
    if (const CURLcode code = ::curl_easy_setopt(easy, option, value); code != CURLE_OK) {
        throw std::runtime_error(std::string("libcurl: ") + ::curl_easy_strerror(code));
    }
}

}  // namespace

HttpExchange::HttpExchange(HttpCall call, HttpClient::Done done)
    : call_(std::move(call)), done_(std::move(done)), easy_(::curl_easy_init()) {
    if (easy_ == nullptr) throw std::runtime_error("libcurl: there can be no more exchanges");
    try {
        set_up();
    } catch (...) {
        ::curl_slist_free_all(headers_);
        ::curl_easy_cleanup(easy_);
        throw;
    }
}

HttpExchange::~HttpExchange() {
    ::curl_easy_cleanup(easy_);
    ::curl_slist_free_all(headers_);
}

void HttpExchange::set_up() {
    set_option(easy_, CURLOPT_ERRORBUFFER, error_.data());
    set_option(easy_, CURLOPT_NOSIGNAL, 1L);
    // A canceled exchange does not wait for the look-up of a name.
    set_option(easy_, CURLOPT_QUICK_EXIT, 1L);
    set_option(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy_, CURLOPT_URL, call_.url.c_str());
    set_option(easy_, CURLOPT_FOLLOWLOCATION, 0L);
    set_option(easy_, CURLOPT_ACCEPT_ENCODING, "");
    set_option(easy_, CURLOPT_USERAGENT, (std::string("belay/") + version()).c_str());
    set_option(easy_, CURLOPT_WRITEFUNCTION, &on_body);
    set_option(easy_, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set_option(easy_, CURLOPT_HEADERFUNCTION, &on_header);
    set_option(easy_, CURLOPT_HEADERDATA, static_cast<void*>(this));
    set_method();
    // Without a value libcurl would leave the header out.
    for (const auto& [name, value] : call_.headers) {
        std::string line = name;
        add_header(value.empty() ? line.append(";") : line.append(": ").append(value));
    }
    set_option(easy_, CURLOPT_HTTPHEADER, headers_);
}

void HttpExchange::set_method() {
    const std::string& method = call_.method;
    if (method == "HEAD") {
        set_option(easy_, CURLOPT_NOBODY, 1L);
        return;
    }
    const bool sends = method == "POST" || method == "PUT" || method == "PATCH";
    if (sends || !call_.body.empty()) {
        set_option(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call_.body.size()));
        set_option(easy_, CURLOPT_POSTFIELDS, call_.body.c_str());
        // Otherwise a large body waits for a response that many servers do not send.
        add_header("Expect:");
        // Otherwise it would be called a form.
        add_header("Content-Type:");
    }
    set_option(easy_, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void HttpExchange::add_header(const std::string& line) {
    curl_slist* const more = ::curl_slist_append(headers_, line.c_str());
    if (more == nullptr) throw std::runtime_error("libcurl: no memory");
    headers_ = more;
}

std::size_t HttpExchange::on_body(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& exchange = *static_cast<HttpExchange*>(self);
    const std::size_t size = one * count;
    std::string& body = exchange.reply_.body;
    const std::size_t room = exchange.call_.most_body - body.size();
    body.append(bytes, std::min(size, room));
    exchange.reply_.cut = size > room;
    return exchange.reply_.cut ? CURL_WRITEFUNC_ERROR : size;
}

std::size_t HttpExchange::on_header(char* /*bytes*/,
                                    std::size_t one,
                                    std::size_t count,
                                    void* self) {
    auto& exchange = *static_cast<HttpExchange*>(self);
    exchange.header_bytes_ += one * count;
    return exchange.header_bytes_ > kMostHeaderBytes ? 0 : one * count;
}

void HttpExchange::end(CURLcode code) { done_(reply_of(code)); }

void HttpExchange::end_canceled() {
    reply_.problem = HttpProblem::canceled;
    done_(std::move(reply_));
}

std::string HttpExchange::message_of(CURLcode code) const {
    std::string message = error_[0] != '\0' ? error_.data() : ::curl_easy_strerror(code);
    // libcurl does not say why a connection was refused.
    long cause = 0;
    ::curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &cause);
    if (code == CURLE_COULDNT_CONNECT && cause != 0) {
        message.append(" (").append(std::strerror(static_cast<int>(cause))).append(")");
    }
    return message;
}

HttpReply HttpExchange::reply_of(CURLcode code) {
    if (header_bytes_ > kMostHeaderBytes) {
        reply_.problem = HttpProblem::limit;
        reply_.message = "the headers of the response are longer than " +
                         std::to_string(kMostHeaderBytes) + " bytes";
        return std::move(reply_);
    }
    // A body that is cut ends the exchange with an error of ours.
    if (code != CURLE_OK && !reply_.cut) {
        reply_.problem = problem_of(code);
        reply_.message = message_of(code);
        return std::move(reply_);
    }
    long status = 0;
    ::curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    reply_.status = static_cast<int>(status);
    char* redirect = nullptr;
    ::curl_easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &redirect);
    if (redirect != nullptr) reply_.redirect = redirect;
    read_headers();
    return std::move(reply_);
}

void HttpExchange::read_headers() {
    constexpr int kLastResponse = -1;
    curl_header* header = nullptr;
    while ((header = ::curl_easy_nextheader(easy_, CURLH_HEADER, kLastResponse, header)) !=
           nullptr) {
        std::string name = header->name;
        std::transform(name.begin(), name.end(), name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        reply_.headers.emplace_back(std::move(name), header->value);
    }
}

}  // namespace belay::flow
