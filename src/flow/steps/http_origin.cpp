#include "flow/steps/http_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace belay::flow {

namespace {

struct Cleanup {
    void operator()(CURLU* url) const noexcept { ::curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (::curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    std::string part_text = text;
    ::curl_free(text);
    std::transform(part_text.begin(), part_text.end(), part_text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return part_text;
}

}  // namespace

std::string HttpOrigin::shown() const {
    const bool usual = port == (scheme == "https" ? "443" : "80");
    return usual ? host : host + ":" + port;
}

std::string read_origin(const std::string& url, HttpOrigin& origin) {
    const std::unique_ptr<CURLU, Cleanup> parts(::curl_url());
    if (!parts) return "no memory";
    if (url.find('\0') != std::string::npos) return "it has a zero byte";
    const CURLUcode code =
        ::curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME);
    if (code != CURLUE_OK) return ::curl_url_strerror(code);
    origin.scheme = part_of(parts.get(), CURLUPART_SCHEME);
    origin.host = part_of(parts.get(), CURLUPART_HOST);
    origin.port = part_of(parts.get(), CURLUPART_PORT);
    if (origin.scheme != "http" && origin.scheme != "https") return "it is not http or https";
    if (origin.host.empty()) return "it has no host";
    return {};
}

}  // namespace belay::flow
