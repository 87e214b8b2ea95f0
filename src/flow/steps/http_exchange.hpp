// One exchange of libcurl.
#pragma once

#include "flow/steps/http_client.hpp"

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <string>

namespace belay::flow {

/// Made by any thread, then used by the client's thread only.
class HttpExchange {
public:
    /// Throws std::runtime_error without memory.
    HttpExchange(HttpCall call, HttpClient::Done done);
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;
    ~HttpExchange();

    [[nodiscard]] CURL* handle() const noexcept { return easy_; }
    /// Tells that it has ended so.
    void end(CURLcode code);
    /// Tells that it was canceled.
    void end_canceled();

private:
    static std::size_t on_body(char* bytes, std::size_t one, std::size_t count, void* self);
    static std::size_t on_header(char* bytes, std::size_t one, std::size_t count, void* self);

    void set_up();
    void set_method();
    void add_header(const std::string& line);
    [[nodiscard]] HttpReply reply_of(CURLcode code);
    [[nodiscard]] std::string message_of(CURLcode code) const;
    void read_headers();

    HttpCall call_;
    HttpClient::Done done_;
    HttpReply reply_;
    CURL* easy_ = nullptr;
    curl_slist* headers_ = nullptr;
    std::size_t header_bytes_ = 0;
    std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace belay::flow
