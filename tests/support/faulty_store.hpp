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
    enum class Fault { not_applied, applied_but_unknown, not_applied_but_unknown, never_possible };

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
    /// A commit that has a part of this kind, after `skip` others, is sent on when `release` is
    /// called.
    template <class PartKind>
    void hold_commit_of(int skip = 0) {
        hold_commit_ = [skip](const Transition& transition) mutable {
            return std::holds_alternative<PartKind>(transition.parts.front()) && skip-- == 0;
        };
    }
    /// Every commit is sent on when `release_commits` is called.
    void hold_commits() { holding_commits_ = true; }
    void release_commits() {
        holding_commits_ = false;
        for (const auto& send_on : std::exchange(held_commits_, {})) send_on();
    }
    void fail_claims(int count) { failing_claims_ = count; }
    void fail_history_reads(int count, Errc code) {
        failing_reads_ = count;
        read_error_ = code;
    }
    void fail_instance_reads(int count) { failing_instance_reads_ = count; }
    void fail_lease_checks(int count, Errc code) {
        failing_checks_ = count;
        check_error_ = code;
    }
    /// The next claim that gets an activity, or the next check of leases, is carried out at once
    /// and answered when `release` is called.
    void hold_activity_claim() { holding_claim_ = true; }
    void hold_lease_check() { holding_check_ = true; }
    void release() { std::exchange(held_, nullptr)(); }
    /// Every check of leases that was sent, in order.
    [[nodiscard]] const std::vector<CheckLeases>& checks() const noexcept { return checks_; }
    /// Tells whoever listens that these leases were stopped, which need not be true.
    void say_stopped(const std::vector<LeaseToken>& tokens) {
        for (StoreListener* const listener : listeners_) listener->leases_stopped(tokens);
    }
    /// Whoever subscribes from now on hears nothing.
    void tell_nobody() { silent_ = true; }
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
        if (hold_commit_ && hold_commit_(batch.front())) {
            hold_commit_ = nullptr;
            held_ = [this, batch = std::move(batch), done = std::move(done)]() mutable {
                inner_.commit(std::move(batch), std::move(done));
            };
            return;
        }
        if (holding_commits_) {
            held_commits_.emplace_back([this, batch = std::move(batch), done = std::move(done)] {
                inner_.commit(batch, done);
            });
            return;
        }
        const std::optional<Fault> fault = take_plan(batch);
        if (!fault) {
            inner_.commit(std::move(batch), std::move(done));
            return;
        }
        if (*fault == Fault::applied_but_unknown) {
            inner_.commit(std::move(batch), [](const Result<std::vector<Answer>>&) {});
        }
        done(error_of(*fault));
    }

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        if (claim_fails()) return done(Error(Errc::unavailable, "no connection"));
        inner_.claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        if (claim_fails()) return done(Error(Errc::unavailable, "no connection"));
        if (!holding_claim_) return inner_.claim(std::move(request), std::move(done));
        inner_.claim(std::move(request), [this, done](const Result<ClaimActivities::Answer>& r) {
            if (!r || r->claimed.empty()) return done(r);
            holding_claim_ = false;
            held_ = [done, r] { done(r); };
        });
    }
    void read(ReadInstance q, Done<ReadInstance::Answer> done) override {
        if (failing_instance_reads_ > 0) {
            --failing_instance_reads_;
            return done(Error(Errc::busy, "the store is busy"));
        }
        pass(q, done);
    }
    void read(ReadHistory q, Done<ReadHistory::Answer> done) override {
        if (failing_reads_ > 0) {
            --failing_reads_;
            return done(Error(read_error_, "this history cannot be read"));
        }
        pass(q, done);
    }
    void read(ListExecutions q, Done<ListExecutions::Answer> done) override { pass(q, done); }
    void read(ListChildren q, Done<ListChildren::Answer> done) override { pass(q, done); }
    void read(ListTree q, Done<ListTree::Answer> done) override { pass(q, done); }
    void read(SelectInstances q, Done<SelectInstances::Answer> done) override { pass(q, done); }
    void read(ListOutcomes q, Done<ListOutcomes::Answer> done) override { pass(q, done); }
    void read(ReadRetention q, Done<ReadRetention::Answer> done) override { pass(q, done); }
    void read(KeyValues q, Done<KeyValues::Answer> done) override { pass(q, done); }
    void read(ListDeadLetters q, Done<ListDeadLetters::Answer> done) override { pass(q, done); }
    void read(ListActivities q, Done<ListActivities::Answer> done) override { pass(q, done); }
    void read(ListStopping q, Done<ListStopping::Answer> done) override { pass(q, done); }
    void read(ListHeld q, Done<ListHeld::Answer> done) override { pass(q, done); }
    void read(ListInstances q, Done<ListInstances::Answer> done) override { pass(q, done); }
    void read(ListKeys q, Done<ListKeys::Answer> done) override { pass(q, done); }
    void read(CountInstances q, Done<CountInstances::Answer> done) override { pass(q, done); }
    void read(CountQueues q, Done<CountQueues::Answer> done) override { pass(q, done); }
    void read(ListLeases q, Done<ListLeases::Answer> done) override { pass(q, done); }
    void read(ReadOpenWork q, Done<ReadOpenWork::Answer> done) override { pass(q, done); }
    void read(CheckLeases q, Done<CheckLeases::Answer> done) override {
        checks_.push_back(q);
        if (failing_checks_ > 0) {
            --failing_checks_;
            return done(Error(check_error_, "these leases cannot be read"));
        }
        if (!std::exchange(holding_check_, false)) return pass(q, done);
        inner_.read(std::move(q), [this, done](const Result<CheckLeases::Answer>& result) {
            held_ = [done, result] { done(result); };
        });
    }
    void subscribe(StoreListener& listener) override {
        if (silent_) return;
        listeners_.push_back(&listener);
        inner_.subscribe(listener);
    }
    void unsubscribe(StoreListener& listener) override {
        std::erase(listeners_, &listener);
        inner_.unsubscribe(listener);
    }

private:
    static Error error_of(Fault fault) {
        switch (fault) {
            case Fault::not_applied: return Error(Errc::busy, "the store is busy");
            case Fault::never_possible:
                return Error(Errc::invalid_argument, "the store can only be read");
            case Fault::applied_but_unknown:
            case Fault::not_applied_but_unknown: break;
        }
        return Error(Errc::outcome_unknown, "the connection broke");
    }
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
    int failing_instance_reads_ = 0;
    int failing_checks_ = 0;
    bool holding_commits_ = false;
    std::vector<std::function<void()>> held_commits_;
    bool holding_claim_ = false;
    bool holding_check_ = false;
    std::function<bool(const Transition&)> hold_commit_;
    std::function<void()> held_;
    std::vector<CheckLeases> checks_;
    std::vector<StoreListener*> listeners_;
    bool silent_ = false;
    Errc read_error_ = Errc::unavailable;
    Errc check_error_ = Errc::unavailable;
};

}  // namespace belay::support
