#include "flow/steps/http_step.hpp"

#include "flow/steps/failures.hpp"
#include "flow/steps/http_message.hpp"
#include "flow/steps/step_attempt.hpp"

#include <coroutine>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace belay::flow {

namespace {

/// Waits for the reply to one call. A stop of the activity ends the exchange, so that it always
/// ends soon after.
class AwaitReply {
public:
    AwaitReply(HttpClient& client, HttpCall call, std::stop_token stop)
        : client_(&client), call_(std::move(call)), stop_(std::move(stop)) {}
    AwaitReply(const AwaitReply&) = delete;
    AwaitReply& operator=(const AwaitReply&) = delete;
    ~AwaitReply() = default;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    /// The frame is not resumed before this returns, even if the reply is there.
    void await_suspend(std::coroutine_handle<> resumed) {
        exchange_ = client_->start(std::move(call_), [this, resumed](HttpReply reply) {
            reply_ = std::move(reply);
            resumed.resume();
        });
        on_stop_.emplace(stop_,
                         [client = client_, exchange = exchange_] { client->cancel(exchange); });
    }
    HttpReply await_resume() {
        on_stop_.reset();
        return std::move(reply_);
    }

private:
    HttpClient* client_;
    HttpCall call_;
    std::stop_token stop_;
    std::shared_ptr<HttpExchange> exchange_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
    HttpReply reply_;
};

/// One attempt at a request.
class HttpAttempt {
public:
    HttpAttempt(ActivityContext& context, const StepOptions& options, const HttpRequest& request)
        : context_(&context),
          secrets_(request.secrets),
          masker_(secrets_.masker(options.masked())),
          limit_(options.response_limit()) {
        warn_of_short_secrets(context, secrets_);
        try {
            message_.emplace(request, secrets_, limit_);
        } catch (const OperationFailed& problem) {
            fail(masked(problem.failure(), masker_));
        }
    }

    [[nodiscard]] const HttpCall& call() const { return message_->call(); }
    /// Returns the result; none: there is another call to be made.
    [[nodiscard]] std::optional<Payload> take(const HttpReply& reply) {
        try {
            return result(reply);
        } catch (const OperationFailed& problem) {
            fail(masked(problem.failure(), masker_));
        }
    }

private:
    std::optional<Payload> result(const HttpReply& reply) {
        if (reply.problem == HttpProblem::canceled) throw Stopped(context_->stop_reason());
        const bool replied = reply.problem == HttpProblem::none;
        if (replied && message_->is_redirected_by(reply)) {
            message_->follow(reply);
            return std::nullopt;
        }
        if (!replied || !message_->is_expected(reply.status)) {
            fail(message_->failure_of(reply, masker_));
        }
        if (reply.cut) {
            fail(over_limit("the response of " + message_->host() + " has more than the " +
                            std::to_string(limit_) + " bytes that a step may have"));
        }
        return http_result(reply, masker_);
    }

    ActivityContext* context_;
    Secrets secrets_;
    Masker masker_;
    std::size_t limit_;
    std::optional<HttpMessage> message_;
};

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives it.
Async<Payload> run_http_step(ActivityContext& context,
                             std::shared_ptr<HttpSteps> steps,
                             HttpRequest request) {
    HttpAttempt attempt(context, steps->options(), request);
    std::optional<Payload> result;
    while (!result) {
        AwaitReply next(steps->client(), attempt.call(), context.stop_token());
        const HttpReply reply = co_await next;
        result = attempt.take(reply);
    }
    co_return std::move(*result);
}

}  // namespace belay::flow
