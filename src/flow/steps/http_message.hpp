// The request and the response of an `http` step, without the network.
#pragma once

#include "flow/steps/http_client.hpp"
#include "flow/steps/mask.hpp"
#include "flow/steps/requests.hpp"
#include "flow/steps/secrets.hpp"
#include <belay/payload.hpp>
#include <belay/status.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace belay::flow {

/// Redirects in a row.
inline constexpr int kMostRedirects = 10;

/// A request with its secrets, on its way along redirects.
class HttpMessage {
public:
    /// Throws OperationFailed for a request that cannot be sent as it is.
    HttpMessage(const HttpRequest& request, const Secrets& secrets, std::size_t most_body);

    [[nodiscard]] const HttpCall& call() const noexcept { return call_; }
    /// The host that the next call goes to, for people.
    [[nodiscard]] std::string host() const { return origin_.shown(); }

    /// True if the step succeeds with this status.
    [[nodiscard]] bool is_expected(int status) const;
    /// True if this reply sends the request elsewhere.
    [[nodiscard]] bool is_redirected_by(const HttpReply& reply) const;
    /// Makes the next call. Another origin gets no Authorization, Cookie or Host, and no header
    /// with a secret. Throws OperationFailed for a redirect that is not followed.
    void follow(const HttpReply& reply);

    /// Returns the failure of a reply that is no success, with its secrets.
    [[nodiscard]] Failure failure_of(const HttpReply& reply, const Masker& masker) const;

private:
    struct Header {
        std::string name;
        std::string value;
        bool secret = false;  ///< For the first origin only.
    };
    void add_header(const std::string& name, const std::string& value, const Secrets& secrets);
    void add_content_type();
    void update_call();

    HttpCall call_;
    HttpOrigin origin_;
    std::vector<Header> headers_;
    bool secret_body_ = false;
    bool follow_ = true;
    std::vector<int> expect_;
    std::vector<int> retry_only_;
    int redirects_ = 0;
};

/// Returns the result of a reply: {"status": 200, "headers": {...}, "body": ...}, masked. The body
/// is the value of JSON if its type says so and it is JSON, else a text. Bytes that are not UTF-8
/// are "body_base64". Values of a header that is there several times are joined.
[[nodiscard]] Payload http_result(const HttpReply& reply, const Masker& masker);

}  // namespace belay::flow
