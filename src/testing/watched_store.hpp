// A store that notes those writes that a world must know of.
#pragma once

#include "store/forwarding_store.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay::testing {

/// An execution whose last turn was committed.
struct FinishedExecution {
    RunRef run;
    ExecutionNo execution = 1;
};

class WatchedStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        std::vector<Noted> noted(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            for (const Part& part : batch[i].parts) note(part, noted[i]);
        }
        inner().commit(std::move(batch),
                       [this, noted = std::move(noted), done = std::move(done)](
                           Result<std::vector<Answer>> result) {
                           if (result) keep(noted, *result);
                           done(std::move(result));
                       });
    }

    /// Claims also runs without registered code: the world complains of them, and does not wait for
    /// another process that has the code. Code may be added while it goes on.
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        request.code.reset();
        inner().claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        request.names.reset();
        inner().claim(std::move(request), std::move(done));
    }

    /// The namespaces in which anything was ever started.
    [[nodiscard]] const std::set<std::string>& spaces() const noexcept { return spaces_; }
    /// Runs that lost their name to another: no list has them. The caller may drop one that has
    /// ended.
    [[nodiscard]] std::vector<RunRef>& replaced() noexcept { return replaced_; }
    /// Returns the executions that have finished since the last call.
    [[nodiscard]] std::vector<FinishedExecution> take_finished() {
        return std::exchange(finished_, {});
    }

    /// Returns the difference between code and history of a run that could not go on because of it,
    /// if there was one since the last call.
    [[nodiscard]] std::string take_difference() { return std::exchange(difference_, {}); }

private:
    /// Notes about one transition.
    struct Noted {
        std::vector<FinishedExecution> finished;
        std::vector<RunRef> replaced;
        std::string difference;
    };

    void note(const Part& part, Noted& noted) {
        if (const auto* start = std::get_if<Start>(&part)) {
            spaces_.insert(start->instance.name.space);
            if (start->on_conflict == IdConflict::replace) note_replaced(*start, noted);
        } else if (const auto* turn = std::get_if<Turn>(&part)) {
            if (std::holds_alternative<GoesOn>(turn->after)) return;
            noted.finished.push_back(FinishedExecution{turn->run, turn->execution});
        } else if (const auto* hold = std::get_if<Hold>(&part)) {
            noted.difference = hold->detail;
        } else if (const auto* finish = std::get_if<Finish>(&part)) {
            // By its name it is ended by a person.
            const Failure& failure = finish->outcome.failure;
            if (std::holds_alternative<InstanceName>(finish->target)) return;
            if (failure.kind == FailureKind::nondeterminism) noted.difference = failure.message;
        }
    }
    /// A store in memory answers before it returns.
    void note_replaced(const Start& start, Noted& noted) {
        inner().read(ReadInstance{start.instance.name, std::nullopt},
                     [&](const Result<ReadInstance::Answer>& old) {
                         if (old && *old) noted.replaced.push_back((*old)->run);
                     });
    }
    void keep(const std::vector<Noted>& noted, const std::vector<Answer>& answers) {
        for (std::size_t i = 0; i < noted.size(); ++i) {
            if (!answers[i].done()) continue;
            finished_.insert(finished_.end(), noted[i].finished.begin(), noted[i].finished.end());
            replaced_.insert(replaced_.end(), noted[i].replaced.begin(), noted[i].replaced.end());
            if (difference_.empty()) difference_ = noted[i].difference;
        }
    }

    std::set<std::string> spaces_;
    std::vector<FinishedExecution> finished_;
    std::vector<RunRef> replaced_;
    std::string difference_;
};

}  // namespace belay::testing
