// Applying a retention.
#include "client/retention.hpp"
#include "client/steps.hpp"
#include "client/tries.hpp"
#include "store/retention/pass.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace belay::client {

namespace {

/// Asks what the pass wants to know and sends what it decides, one after the other.
class Applying : public std::enable_shared_from_this<Applying> {
public:
    Applying(std::shared_ptr<Sender> sender, store::RetentionPass pass, Done<RetentionResult> done)
        : sender_(std::move(sender)), pass_(std::move(pass)), done_(std::move(done)) {}

    void go_on() {
        const std::shared_ptr<Applying> alive = shared_from_this();
        steps_.go_on([this] { step(); });
    }

private:
    void step() {
        if (error_) return done_(*error_);
        std::optional<store::RetentionPass::Ask> next = pass_.next();
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
                                  self->go_on();
                              });
    }
    void send(const std::vector<Transition>& batch) {
        sender_->send(batch,
                      [self = shared_from_this()](const Result<std::vector<Answer>>& answers) {
                          self->take(answers);
                          self->go_on();
                      });
    }

    void take(const Result<std::vector<Answer>>& answers) {
        if (!answers) return fail(answers.error());
        const RetentionResult before = pass_.result();
        if (const std::optional<Error> error = pass_.take(*answers)) {
            if (error->retryable() || error->outcome_unknown()) return fail(*error);
            // What can never go is told in the end: it keeps nothing else from going.
            if (!stayed_) stayed_ = error;
        }
        if (pass_.result() != before) {
            tries_.went_well();
            return;
        }
        for (const Answer& one : *answers) {
            if (one.verdict == Verdict::failed && one.error->retryable()) return fail(*one.error);
        }
    }

    void fail(const Error& error) {
        if (!error.retryable() || !tries_.again()) error_ = error;
    }

    const std::shared_ptr<Sender> sender_;
    store::RetentionPass pass_;
    const Done<RetentionResult> done_;
    Steps steps_;
    Tries tries_;
    std::optional<Error> error_;
    std::optional<Error> stayed_;
};

}  // namespace

void find_overdue(const std::shared_ptr<Sender>& sender,
                  const RetentionRequest& request,
                  const Done<store::Overdue>& done) {
    const Timestamp now = request.as_of() ? *request.as_of() : sender->store().now();
    const auto tell = [sender, space = request.space(), now, done](RetentionPolicy policy) {
        done(store::Overdue(space, std::move(policy), now, sender->policy()));
    };
    if (request.policy()) return tell(*request.policy());
    ReadRetention read;
    read.space = request.space();
    sender->store().read(std::move(read), [tell, done](Result<ReadRetention::Answer> found) {
        if (!found) return done(found.error());
        tell(found->empty() ? RetentionPolicy() : std::move(found->front().policy));
    });
}

void apply_retention(const std::shared_ptr<Sender>& sender,
                     const RetentionRequest& request,
                     Done<RetentionResult> done) {
    const std::uint32_t limit = request.limit().value_or(sender->policy().bulk_limit);
    find_overdue(
        sender, request, [sender, limit, done = std::move(done)](Result<store::Overdue> overdue) {
            if (!overdue) return done(overdue.error());
            store::RetentionPass pass(sender->ids(), sender->policy(), limit, std::move(*overdue));
            std::make_shared<Applying>(sender, std::move(pass), done)->go_on();
        });
}

}  // namespace belay::client
