// Sends the request of an `http` step.
#pragma once

#include "flow/steps/http_client.hpp"
#include "flow/steps/requests.hpp"
#include "flow/steps/step_options.hpp"
#include <belay/async.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace belay::flow {

/// The things that the exchanges of a process share.
class HttpSteps {
public:
    explicit HttpSteps(StepOptions options) : options_(std::move(options)) {}
    [[nodiscard]] const StepOptions& options() const noexcept { return options_; }
    /// The first call initializes libcurl, which takes a while. Any thread. Throws
    /// std::runtime_error.
    [[nodiscard]] HttpClient& client() {
        std::call_once(made_, [this] { client_.emplace(); });
        return *client_;
    }

private:
    StepOptions options_;
    std::once_flag made_;
    std::optional<HttpClient> client_;
};

/// Sends it, follows redirects, and returns the response as JSON. Throws OperationFailed, with
/// secrets masked.
[[nodiscard]] Async<Payload> run_http_step(ActivityContext& context,
                                           std::shared_ptr<HttpSteps> steps,
                                           HttpRequest request);

}  // namespace belay::flow
