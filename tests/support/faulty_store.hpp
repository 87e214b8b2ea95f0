// A store in front of another one that answers with errors when it is told to.
#pragma once

#include <belay/store/store.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace belay::support {

class FaultyStore final : public Store {
public:
    /// What happens to the next commit that `wanted` accepts.
    enum class Fault { not_applied, applied_but_unknown, not_applied_but_unknown };

    explicit FaultyStore(Store& inner) : inner_(inner) {}

    /// Each call fails one more commit that has a part of this kind.
    template <class PartKind>
    void fail_commit_of(Fault fault) {
        plans_.push_back({[](const Transition& transition) {
                              return std::holds_alternative<PartKind>(transition.parts.front());
                          },
                          fault});
    }
    /// Refuses one more commit that has a part of this kind, as a store with other limits would.
    template <class PartKind>
    void refuse_commit_of(Errc code, std::string message) {
        refusals_.push_back({[](const Transition& transition) {
                                 return std::holds_alternative<PartKind>(transition.parts.front());
                             },
                             Error(code, std::move(message))});
    }
    void fail_claims(int count) { failing_claims_ = count; }
    void fail_history_reads(int count, Errc code) {
        failing_reads_ = count;
        read_error_ = code;
    }
    [[nodiscard]] std::size_t planned() const noexcept { return plans_.size(); }
    /// Every transition that was sent, in order.
    [[nodiscard]] const std::vector<Transition>& sent() const noexcept { return sent_; }

    Timestamp now() override { return inner_.now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        sent_.insert(sent_.end(), batch.begin(), batch.end());
        if (const std::optional<Error> refusal = take_refusal(batch)) {
            Answer refused;
            refused.verdict = Verdict::refused;
            refused.error = *refusal;
            return done(std::vector<Answer>(batch.size(), refused));
        }
        const std::optional<Fault> fault = take_plan(batch);
        if (!fault) {
            inner_.commit(std::move(batch), std::move(done));
            return;
        }
        if (*fault == Fault::applied_but_unknown) {
            inner_.commit(std::move(batch), [](const Result<std::vector<Answer>>&) {});
        }
        done(*fault == Fault::not_applied ? Error(Errc::busy, "the store is busy")
                                          : Error(Errc::outcome_unknown, "the connection broke"));
    }

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        if (claim_fails()) return done(Error(Errc::unavailable, "no connection"));
        inner_.claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        if (claim_fails()) return done(Error(Errc::unavailable, "no connection"));
        inner_.claim(std::move(request), std::move(done));
    }
    void read(ReadInstance q, Done<ReadInstance::Answer> done) override { pass(q, done); }
    void read(ReadHistory q, Done<ReadHistory::Answer> done) override {
        if (failing_reads_ > 0) {
            --failing_reads_;
            return done(Error(read_error_, "this history cannot be read"));
        }
        pass(q, done);
    }
    void read(ListExecutions q, Done<ListExecutions::Answer> done) override { pass(q, done); }
    void read(ListChildren q, Done<ListChildren::Answer> done) override { pass(q, done); }
    void read(KeyValues q, Done<KeyValues::Answer> done) override { pass(q, done); }
    void read(ListDeadLetters q, Done<ListDeadLetters::Answer> done) override { pass(q, done); }
    void read(ListActivities q, Done<ListActivities::Answer> done) override { pass(q, done); }
    void read(ListStopping q, Done<ListStopping::Answer> done) override { pass(q, done); }
    void read(ListHeld q, Done<ListHeld::Answer> done) override { pass(q, done); }
    void read(CheckLeases q, Done<CheckLeases::Answer> done) override { pass(q, done); }
    void subscribe(StoreListener& listener) override { inner_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { inner_.unsubscribe(listener); }

private:
    struct Plan {
        std::function<bool(const Transition&)> wanted;
        Fault fault;
    };

    template <class Query, class Done>
    void pass(Query& query, Done& done) {
        inner_.read(std::move(query), std::move(done));
    }
    bool claim_fails() { return failing_claims_ > 0 && failing_claims_-- > 0; }
    std::optional<Fault> take_plan(const std::vector<Transition>& batch) {
        for (auto plan = plans_.begin(); plan != plans_.end(); ++plan) {
            for (const Transition& transition : batch) {
                if (!plan->wanted(transition)) continue;
                const Fault fault = plan->fault;
                plans_.erase(plan);
                return fault;
            }
        }
        return std::nullopt;
    }

    std::optional<Error> take_refusal(const std::vector<Transition>& batch) {
        if (refusals_.empty() || batch.size() != 1 || !refusals_.front().first(batch.front())) {
            return std::nullopt;
        }
        const Error refusal = refusals_.front().second;
        refusals_.pop_front();
        return refusal;
    }

    Store& inner_;
    std::deque<Plan> plans_;
    std::deque<std::pair<std::function<bool(const Transition&)>, Error>> refusals_;
    std::vector<Transition> sent_;
    int failing_claims_ = 0;
    int failing_reads_ = 0;
    Errc read_error_ = Errc::unavailable;
};

}  // namespace belay::support
