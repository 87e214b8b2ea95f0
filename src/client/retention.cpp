// Asks the store the questions of a pass or a preview of a retention, one request at a time.
#include "client/retention.hpp"

#include "client/retry_budget.hpp"
#include "client/serial_calls.hpp"
#include "retention/pass.hpp"
#include "retention/preview.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace belay::client {

namespace {

/// Sends also what the pass decides. Retries when the store is busy.
class Applying : public std::enable_shared_from_this<Applying> {
public:
    Applying(std::shared_ptr<Sender> sender, retention::Pass pass, Done<RetentionResult> done)
        : sender_(std::move(sender)), pass_(std::move(pass)), done_(std::move(done)) {}

    void advance() {
        const std::shared_ptr<Applying> alive = shared_from_this();
        calls_.advance([this] { step(); });
    }

private:
    void step() {
        if (error_) return done_(*error_);
        std::optional<retention::Pass::Ask> next = pass_.next();
        if (!next) return stayed_ ? done_(*stayed_) : done_(pass_.result());
        std::visit([this](auto& ask) { send(std::move(ask)); }, *next);
    }

    template <class Request>
    void send(Request request) {
        sender_->store().read(std::move(request),
                              [self = shared_from_this()](Result<typename Request::Answer> page) {
                                  if (page) {
                                      self->pass_.take(std::move(*page));
                                  } else {
                                      self->fail(page.error());
                                  }
                                  self->advance();
                              });
    }
    void send(std::vector<Transition> batch) {
        sender_->send(std::move(batch),
                      [self = shared_from_this()](const Result<std::vector<Answer>>& answers) {
                          self->take(answers);
                          self->advance();
                      });
    }

    void take(const Result<std::vector<Answer>>& answers) {
        if (!answers) return fail(answers.error());
        const RetentionResult before = pass_.result();
        if (const std::optional<Error> error = pass_.take(*answers)) {
            if (error->retryable() || error->outcome_unknown()) return fail(*error);
            // Told in the end: an instance that can never go keeps nothing else from going.
            if (!stayed_) stayed_ = error;
        }
        if (pass_.result() != before) {
            retries_.reset();
            return;
        }
        for (const Answer& one : *answers) {
            if (one.verdict == Verdict::failed && one.error->retryable()) return fail(*one.error);
        }
    }

    void fail(const Error& error) {
        if (!error.retryable() || !retries_.allows_another()) error_ = error;
    }

    const std::shared_ptr<Sender> sender_;
    retention::Pass pass_;
    const Done<RetentionResult> done_;
    SerialCalls calls_;
    RetryBudget retries_;
    std::optional<Error> error_;
    std::optional<Error> stayed_;
};

/// Only reads. The first error ends it.
class Previewing : public std::enable_shared_from_this<Previewing> {
public:
    Previewing(std::shared_ptr<Sender> sender,
               retention::Preview preview,
               Done<RetentionPreview> done)
        : sender_(std::move(sender)), preview_(std::move(preview)), done_(std::move(done)) {}

    void advance() {
        const std::shared_ptr<Previewing> alive = shared_from_this();
        calls_.advance([this] { step(); });
    }

private:
    void step() {
        if (error_) return done_(*error_);
        std::optional<retention::Preview::Ask> next = preview_.next();
        if (!next) return done_(preview_.result());
        std::visit([this](auto& ask) { read(std::move(ask)); }, *next);
    }

    template <class Request>
    void read(Request request) {
        sender_->store().read(std::move(request),
                              [self = shared_from_this()](Result<typename Request::Answer> answer) {
                                  if (answer) {
                                      self->preview_.take(std::move(*answer));
                                  } else {
                                      self->error_ = answer.error();
                                  }
                                  self->advance();
                              });
    }

    const std::shared_ptr<Sender> sender_;
    retention::Preview preview_;
    const Done<RetentionPreview> done_;
    SerialCalls calls_;
    std::optional<Error> error_;
};

/// Begins a scan, now or as of the time that the request names. It goes by the policy of the
/// request, or the one that was set, or one that keeps all.
void begin_scan(const std::shared_ptr<Sender>& sender,
                const RetentionRequest& request,
                const Done<retention::OverdueScan>& done) {
    const Timestamp now = request.as_of() ? *request.as_of() : sender->store().now();
    const auto tell = [sender, space = request.space(), now, done](RetentionPolicy policy) {
        done(retention::OverdueScan(space, std::move(policy), now, sender->policy()));
    };
    if (request.policy()) return tell(*request.policy());
    ReadRetention read;
    read.space = request.space();
    sender->store().read(std::move(read), [tell, done](Result<ReadRetention::Answer> found) {
        if (!found) return done(found.error());
        tell(found->empty() ? RetentionPolicy() : std::move(found->front().policy));
    });
}

}  // namespace

void apply_retention(const std::shared_ptr<Sender>& sender,
                     const RetentionRequest& request,
                     Done<RetentionResult> done) {
    const std::uint32_t limit = request.limit().value_or(sender->policy().bulk_limit);
    begin_scan(sender,
               request,
               [sender, limit, done = std::move(done)](Result<retention::OverdueScan> scan) {
                   if (!scan) return done(scan.error());
                   retention::Pass pass(sender->ids(), sender->policy(), limit, std::move(*scan));
                   std::make_shared<Applying>(sender, std::move(pass), done)->advance();
               });
}

void preview_retention(const std::shared_ptr<Sender>& sender,
                       const RetentionRequest& request,
                       Done<RetentionPreview> done) {
    begin_scan(sender,
               request,
               [sender, examples = request.examples(), done = std::move(done)](
                   Result<retention::OverdueScan> scan) {
                   if (!scan) return done(scan.error());
                   retention::Preview preview(std::move(*scan), examples);
                   std::make_shared<Previewing>(sender, std::move(preview), done)->advance();
               });
}

}  // namespace belay::client
