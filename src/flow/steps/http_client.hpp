// HTTP exchanges, driven by a thread of their own (libcurl).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace belay::flow {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// One request, without redirects.
struct HttpCall {
    std::string method;
    std::string url;
    HttpHeaders headers{};
    std::string body{};
    std::size_t most_body = 0;  ///< A response with a longer body is cut.
};

/// The cause of the lack of a response.
enum class HttpProblem : unsigned char {
    none,
    connection,  ///< It may work later.
    tls,         ///< The other end cannot be trusted, or does not speak TLS.
    request,     ///< It cannot be sent as it is.
    limit,       ///< The headers of the response are too long.
    canceled,
};

struct HttpReply {
    HttpProblem problem = HttpProblem::none;
    std::string message{};  ///< The reason for the problem.
    int status = 0;
    HttpHeaders headers{};  ///< Names in lower case, in order.
    std::string body{};
    bool cut = false;        ///< `body` is only the beginning.
    std::string redirect{};  ///< The URL of a redirect, absolute; empty: it is none.
};

/// An exchange under way.
class HttpExchange;

/// Its thread begins with the first exchange. Any thread.
class HttpClient {
public:
    /// Called once, on the client's thread.
    using Done = std::function<void(HttpReply)>;

    HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    /// Cancels all that is under way. May be called on its own thread.
    ~HttpClient();

    /// Throws std::runtime_error if there can be no exchange.
    std::shared_ptr<HttpExchange> start(HttpCall call, Done done);
    /// Ends it soon, as canceled, if it has not ended.
    void cancel(const std::shared_ptr<HttpExchange>& exchange);

private:
    class Core;
    std::shared_ptr<Core> core_;
};

/// The parts of a URL that decide where a request goes.
struct HttpOrigin {
    std::string scheme;
    std::string host;  ///< Lower case, without user and port.
    std::string port;  ///< Also if it is the scheme's own.

    [[nodiscard]] std::string shown() const;  ///< "example.org", or "example.org:8080".
    bool operator==(const HttpOrigin&) const = default;
};

/// Returns the reason why it is no URL of HTTP, or an empty text.
[[nodiscard]] std::string read_origin(const std::string& url, HttpOrigin& origin);

}  // namespace belay::flow
