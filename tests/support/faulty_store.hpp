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
    /// The fate of the next commit that `wanted` accepts.
    enum class Fault { not_applied, applied_but_unknown, not_applied_but_unknown, never_possible };

    explicit FaultyStore(Store& inner) : inner_(inner) {}

    /// Sets the answer of `traits` from now on.
    void say(const StoreTraits& traits) { traits_ = traits; }
    [[nodiscard]] StoreTraits traits() const override { return traits_; }
    /// The sizes of the batches so far.
    [[nodiscard]] const std::vector<std::size_t>& batches() const noexcept { return batches_; }

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
        answer_commit_of<PartKind>(Verdict::refused, Error(code, std::move(message)));
    }
    /// Fails one more transition that has a part of this kind, as a coder does whose keys are away.
    template <class PartKind>
    void fail_alone(Errc code, std::string message) {
        answer_commit_of<PartKind>(Verdict::failed, Error(code, std::move(message)));
    }
    /// Every transition with a part of this kind that is applied is said to have left as many dead
    /// letters.
    template <class PartKind>
    void say_undelivered(std::uint64_t count) {
        undelivered_ = [count](const Transition& transition) {
            return std::holds_alternative<PartKind>(transition.parts.front()) ? count : 0;
        };
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
    void fail_document_reads(int count) { failing_document_reads_ = count; }
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
    /// Tells all listeners that these leases were stopped, which need not be true.
    void say_stopped(const std::vector<LeaseToken>& tokens) {
        for (StoreListener* const listener : listeners_) listener->leases_stopped(tokens);
    }
    /// Those who subscribe from now on hear nothing.
    void tell_nobody() { silent_ = true; }
    [[nodiscard]] std::size_t planned() const noexcept { return plans_.size(); }
    /// Every transition that was sent, in order.
    [[nodiscard]] const std::vector<Transition>& sent() const noexcept { return sent_; }

    Timestamp now() override { return inner_.now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        batches_.push_back(batch.size());
        sent_.insert(sent_.end(), batch.begin(), batch.end());
        if (const std::optional<Answer> planned = take_answer(batch)) {
            return done(std::vector<Answer>{*planned});
        }
        if (undelivered_) done = with_undelivered(batch, std::move(done));
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
    void read_any(Read request, Done<ReadAnswer> done) override {
        if (const std::optional<Error> error = error_of_read(request)) return done(*error);
        const auto* const check = std::get_if<CheckLeases>(&request);
        if (check == nullptr || !std::exchange(holding_check_, false)) {
            return inner_.read_any(std::move(request), std::move(done));
        }
        inner_.read_any(std::move(request), [this, done](const Result<ReadAnswer>& result) {
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

    std::optional<Error> error_of_read(const Read& request) {
        const bool of_instances = std::holds_alternative<ReadInstance>(request) ||
                                  std::holds_alternative<ReadInstances>(request);
        if (of_instances && take_one(failing_instance_reads_)) {
            return Error(Errc::busy, "the store is busy");
        }
        if (std::holds_alternative<ReadHistory>(request) && take_one(failing_reads_)) {
            return Error(read_error_, "this history cannot be read");
        }
        if (std::holds_alternative<ReadDocument>(request) && take_one(failing_document_reads_)) {
            return Error(Errc::busy, "the store is busy");
        }
        if (const auto* const check = std::get_if<CheckLeases>(&request)) {
            checks_.push_back(*check);
            if (take_one(failing_checks_)) {
                return Error(check_error_, "these leases cannot be read");
            }
        }
        return std::nullopt;
    }
    static bool take_one(int& left) { return left > 0 && left-- > 0; }
    bool claim_fails() { return take_one(failing_claims_); }
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

    template <class PartKind>
    void answer_commit_of(Verdict verdict, Error error) {
        Answer answer;
        answer.verdict = verdict;
        answer.error = std::move(error);
        answers_.push_back({[](const Transition& transition) {
                                return std::holds_alternative<PartKind>(transition.parts.front());
                            },
                            std::move(answer)});
    }
    std::optional<Answer> take_answer(const std::vector<Transition>& batch) {
        if (answers_.empty() || batch.size() != 1 || !answers_.front().first(batch.front())) {
            return std::nullopt;
        }
        Answer answer = std::move(answers_.front().second);
        answers_.pop_front();
        return answer;
    }
    [[nodiscard]] Done<std::vector<Answer>> with_undelivered(const std::vector<Transition>& batch,
                                                             Done<std::vector<Answer>> done) const {
        std::vector<std::uint64_t> counts;
        for (const Transition& one : batch) counts.push_back(undelivered_(one));
        return [counts, done = std::move(done)](Result<std::vector<Answer>> result) {
            for (std::size_t i = 0; result && i < counts.size(); ++i) {
                (*result)[i].undelivered += counts[i];
            }
            done(std::move(result));
        };
    }

    Store& inner_;
    StoreTraits traits_;
    std::vector<std::size_t> batches_;
    std::deque<Plan> plans_;
    std::deque<std::pair<std::function<bool(const Transition&)>, Answer>> answers_;
    std::function<std::uint64_t(const Transition&)> undelivered_;
    std::vector<Transition> sent_;
    int failing_claims_ = 0;
    int failing_reads_ = 0;
    int failing_instance_reads_ = 0;
    int failing_document_reads_ = 0;
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
