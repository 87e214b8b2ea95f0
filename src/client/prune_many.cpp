// Pruning, of one instance and of many.
#include "client/bulk.hpp"
#include "client/bulk_removal.hpp"
#include "retention/old_executions.hpp"

#include <algorithm>
#include <utility>

namespace belay::client {

namespace {

Prune part_of(const InstanceName& name, const requests::PruneTerms& terms, const Policy& policy) {
    Prune part = op::prune_executions(name, terms.keep_last, terms.ended_before);
    part.max = std::max(1U, policy.prune_batch);
    part.max_events = std::max(1U, policy.bulk_rows);
    return part;
}

class BulkPrune final : public Bulk {
public:
    BulkPrune(std::shared_ptr<Sender> sender,
              requests::PruneMany request,
              std::uint32_t limit,
              Done<PruneResult> done)
        : Bulk(std::move(sender), Selection::of_chains(std::move(request.match)), limit),
          terms_(request.terms),
          done_(std::move(done)) {}

private:
    [[nodiscard]] bool wanted(const InstanceMark& one) override {
        return retention::may_have_old(one, terms_);
    }

    [[nodiscard]] Transition change(const InstanceMark& one) override {
        Prune part = part_of(one.instance.name, terms_, sender().policy());
        part.run = one.instance.run;
        return sender().prepare(std::move(part));
    }

    [[nodiscard]] Next note(const InstanceMark& one, const Answer& answer) override {
        counts_.executions += answer.deleted.executions;
        counts_.events += answer.deleted.events;
        const Prune part = part_of(one.instance.name, terms_, sender().policy());
        if (is_full(part, answer.deleted)) {
            unfinished_.push_back(one.instance.run);
            return Next::again;
        }
        const bool before = std::erase(unfinished_, one.instance.run) > 0;
        if (!before && answer.deleted.executions == 0) return Next::unchanged;
        ++counts_.instances;
        return Next::changed;
    }

    void finish(const std::optional<Error>& error) override {
        error ? done_(*error) : done_(counts_);
    }

    const requests::PruneTerms terms_;
    const Done<PruneResult> done_;
    std::vector<RunRef> unfinished_;  ///< Longer chains, of which a part is gone.
    PruneResult counts_;
};

/// A chain that is longer than one commit prunes.
class OnePrune : public std::enable_shared_from_this<OnePrune> {
public:
    OnePrune(std::shared_ptr<Sender> sender, const requests::Prune& request, Done<PruneResult> done)
        : sender_(std::move(sender)),
          part_(part_of(request.name, request.terms, sender_->policy())),
          done_(std::move(done)) {
        part_.run = request.run;
        counts_.instances = 1;
    }

    void advance() {
        const std::shared_ptr<OnePrune> alive = shared_from_this();
        calls_.advance([this] { commit(); });
    }

private:
    void commit() {
        if (over_) return done_(*over_);
        sender_->send({sender_->prepare(part_)},
                      [self = shared_from_this()](const Result<std::vector<Answer>>& result) {
                          self->take(result);
                          self->advance();
                      });
    }

    void take(const Result<std::vector<Answer>>& result) {
        if (!result) {
            over_.emplace(result.error());
            return;
        }
        const Answer& answer = result->front();
        if (!answer.done()) {
            over_.emplace(error_of(answer));
            return;
        }
        counts_.executions += answer.deleted.executions;
        counts_.events += answer.deleted.events;
        // The rest is that of the same run, and not of a namesake.
        if (answer.instance) part_.run = answer.instance->run;
        if (!is_full(part_, answer.deleted)) over_.emplace(counts_);
    }

    const std::shared_ptr<Sender> sender_;
    Prune part_;
    const Done<PruneResult> done_;
    SerialCalls calls_;
    PruneResult counts_;
    std::optional<Result<PruneResult>> over_;
};

}  // namespace

void prune_one(std::shared_ptr<Sender> sender,
               const requests::Prune& request,
               Done<PruneResult> done) {
    std::make_shared<OnePrune>(std::move(sender), request, std::move(done))->advance();
}

void prune_many(std::shared_ptr<Sender> sender,
                requests::PruneMany request,
                Done<PruneResult> done) {
    const std::uint32_t limit = request.limit.value_or(sender->policy().bulk_limit);
    std::make_shared<BulkPrune>(std::move(sender), std::move(request), limit, std::move(done))
        ->advance();
}

}  // namespace belay::client
