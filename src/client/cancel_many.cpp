// Cancel of many instances: by a filter, by tree, or by idempotency key.
#include "client/bulk.hpp"
#include "client/handlers.hpp"
#include "client/serial_calls.hpp"
#include <belay/store/operations.hpp>

#include <map>
#include <utility>
#include <vector>

namespace belay::client {

namespace {

/// The runs that are meant, by id; for callers that know more of a run than its name.
using ExpectedRuns = std::map<std::string, RunRef>;

class BulkCancel final : public Bulk {
public:
    BulkCancel(const ContextPtr& context,
               requests::CancelMany request,
               ExpectedRuns expected,
               Done<CancelManyResult> done)
        : Bulk(context->sender,
               Selection::of_any(std::move(request.match)),
               request.limit.value_or(context->policy.bulk_limit)),
          expected_(std::move(expected)),
          preview_(request.preview),
          done_(std::move(done)) {
        part_.reason = std::move(request.reason);
        part_.by = std::move(request.by);
        part_.source = request.source;
        part_.deadline = request.deadline.value_or(context->policy.cancel_deadline);
    }

private:
    [[nodiscard]] bool wanted(const InstanceMark& one) override {
        const auto expected = expected_.find(one.instance.name.id);
        if (expected != expected_.end() && expected->second != one.instance.run) {
            ++counts_.not_found;
            return false;
        }
        const Status status = one.instance.status;
        const bool ending = status == Status::canceling || is_terminal(status);
        if (limit_reached()) return !ending;
        if (ending) {
            ++counts_.matched;
            ++counts_.already_ending;
        }
        return !ending;
    }

    [[nodiscard]] Transition change(const InstanceMark& one) override {
        Cancel part = part_;
        part.name = one.instance.name;
        // The one that was chosen, and not a namesake that nobody looked at.
        part.run = one.instance.run;
        return sender().prepare(std::move(part));
    }

    [[nodiscard]] Next note(const InstanceMark&, const Answer& answer) override {
        ++counts_.matched;
        ++(answer.changed ? counts_.canceled : counts_.already_ending);
        return answer.changed ? Next::changed : Next::unchanged;
    }
    void note_passed_over(const InstanceMark&) override {
        ++counts_.matched;
        ++counts_.not_found;
    }
    [[nodiscard]] bool only_pretends() const override { return preview_; }
    void pretend(const InstanceMark& one) override {
        ++counts_.matched;
        ++counts_.canceled;
        counts_.chosen.push_back(ChosenRun{one.instance.name.id, one.instance.run});
    }
    [[nodiscard]] bool names_remaining() const override { return true; }

    void finish(const std::optional<Error>& error) override {
        if (error) return done_(*error);
        counts_.not_found += missing();
        counts_.remaining = take_remaining();
        counts_.more = counts_.remaining.size() > kMostRemaining;
        if (counts_.more) counts_.remaining.resize(kMostRemaining);
        done_(std::move(counts_));
    }

    const ExpectedRuns expected_;
    const bool preview_;
    const Done<CancelManyResult> done_;
    Cancel part_;
    CancelManyResult counts_;
};

void cancel_matching(const ContextPtr& context,
                     requests::CancelMany request,
                     ExpectedRuns expected,
                     Done<CancelManyResult> done) {
    // Only those among the matches that can be canceled or are about to end.
    if (!request.match.ids && !request.match.statuses) {
        request.match.statuses = {Status::pending, Status::running, Status::canceling};
    }
    std::make_shared<BulkCancel>(context, std::move(request), std::move(expected), std::move(done))
        ->advance();
}

// ---- By tree -----------------------------------------------------------------------------------

void cancel_tree(const ContextPtr& context,
                 requests::CancelMany request,
                 Done<CancelManyResult> done) {
    const InstanceName root{request.match.space, *request.tree};
    begin(context,
          requests::ListTree{root},
          [context, request = std::move(request), done = std::move(done)](
              const Result<requests::ListTree::Answer>& tree) mutable {
              if (!tree) return done(tree.error());
              ExpectedRuns expected;
              request.match.ids.emplace();
              // Parents first: they must not answer the cancel of a child with another one.
              for (auto one = tree->rbegin(); one != tree->rend(); ++one) {
                  request.match.ids->push_back(one->name.id);
                  expected.emplace(one->name.id, one->run);
              }
              cancel_matching(context, std::move(request), std::move(expected), std::move(done));
          });
}

// ---- By key ------------------------------------------------------------------------------------

/// Looks for the runs that were started with a key, page by page.
class KeyLookup : public std::enable_shared_from_this<KeyLookup> {
public:
    KeyLookup(ContextPtr context, requests::CancelMany request, Done<CancelManyResult> done)
        : context_(std::move(context)), request_(std::move(request)), done_(std::move(done)) {
        next_.space = request_.match.space;
        next_.owner = request_.key->owner;
        next_.definition = request_.key->definition;
        next_.prefix = request_.key->key;
        next_.max = kPageOfKeys;
    }

    void advance() {
        const std::shared_ptr<KeyLookup> alive = shared_from_this();
        calls_.advance([this] { step(); });
    }

private:
    static constexpr std::uint32_t kPageOfKeys = 1'000;

    void step() {
        if (error_) return done_(*error_);
        if (at_end_) return cancel();
        context_->store.read(next_,
                             [self = shared_from_this()](const Result<ListKeys::Answer>& page) {
                                 self->take(page);
                                 self->advance();
                             });
    }

    void take(const Result<ListKeys::Answer>& page) {
        if (!page) {
            error_ = page.error();
            return;
        }
        for (const KeyInfo& one : *page) {
            if (one.key == request_.key->key) {
                found_.insert_or_assign(one.instance.name.id, one.instance.run);
            }
        }
        at_end_ = page->size() < next_.max;
        if (at_end_) return;
        const KeyInfo& last = page->back();
        next_.after = KeyPlace{last.owner, last.definition, last.key};
    }

    void cancel() {
        if (found_.empty()) {
            return done_(
                Error(Errc::not_found,
                      "no run is known that was started with the key '" + request_.key->key + "'"));
        }
        request_.match.ids.emplace();
        for (const auto& [id, run] : found_) request_.match.ids->push_back(id);
        cancel_matching(context_, std::move(request_), std::move(found_), done_);
    }

    const ContextPtr context_;
    requests::CancelMany request_;
    const Done<CancelManyResult> done_;
    SerialCalls calls_;
    ListKeys next_;
    ExpectedRuns found_;
    bool at_end_ = false;
    std::optional<Error> error_;
};

// ---- By what a preview chose -------------------------------------------------------------------

void cancel_chosen(const ContextPtr& context,
                   requests::CancelMany request,
                   Done<CancelManyResult> done) {
    ExpectedRuns expected;
    request.match.ids.emplace();
    for (const ChosenRun& one : *request.runs) {
        request.match.ids->push_back(one.id);
        expected.emplace(one.id, one.run);
    }
    if (const Result<void> fine = context->check(request.match); !fine) return done(fine.error());
    cancel_matching(context, std::move(request), std::move(expected), std::move(done));
}

Result<void> check_targets(const ServiceContext& context, const requests::CancelMany& request) {
    const int ways = int{request.match.ids.has_value()} + int{request.tree.has_value()} +
                     int{request.key.has_value()} + int{request.runs.has_value()};
    if (ways > 1) {
        return Error(Errc::invalid_argument,
                     "instances are named by their ids, as runs, by a tree or by a key, not by two "
                     "of them");
    }
    if (request.tree) return context.check_id("the instance id", *request.tree);
    if (!request.key) return {};
    return first_problem({context.check_key(request.key->key),
                          context.check("the definition", request.key->definition),
                          context.check("the owner", request.key->owner)});
}

}  // namespace

void begin(const ContextPtr& context, requests::CancelMany request, Done<CancelManyResult> done) {
    const Result<void> fine = first_problem({context->check(request.match),
                                             check_targets(*context, request),
                                             context->check_reason(request.reason),
                                             context->check_optional("by", request.by),
                                             check_source(request.source),
                                             check_deadline(request.deadline)});
    if (!fine) return done(fine.error());
    if (request.tree) return cancel_tree(context, std::move(request), std::move(done));
    if (request.runs) return cancel_chosen(context, std::move(request), std::move(done));
    if (request.key) {
        return std::make_shared<KeyLookup>(context, std::move(request), std::move(done))->advance();
    }
    cancel_matching(context, std::move(request), {}, std::move(done));
}

}  // namespace belay::client
