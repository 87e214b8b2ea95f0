// A store that is obviously right: the judge of the others.
#pragma once

#include "naive/state.hpp"
#include "store/listeners.hpp"
#include <belay/store/store.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace belay::naive {

/// Applies one transition, or none of it.
[[nodiscard]] Answer commit(State& state,
                            const Transition& transition,
                            Timestamp now,
                            const StoreOptions& options,
                            store::Notices* told = nullptr,
                            const Answer* followed = nullptr);

/// The effects of a claim of activities in another store.
struct FollowedClaim {
    ClaimActivities::Answer answer;
    std::vector<ActivityRef> marked;     ///< Because nobody seems to have their names.
    std::vector<ActivityRef> set_aside;  ///< Now or before, because they were not begun in time.
};

/// Takes what can be taken. Where the contract leaves the choice to a store, it does as in the
/// answer that it follows: so it can say whether another store's choice was right.
[[nodiscard]] ClaimInstances::Answer claim(State& state,
                                           const ClaimInstances& request,
                                           Timestamp now,
                                           const ClaimInstances::Answer* followed = nullptr,
                                           store::Notices* told = nullptr);
[[nodiscard]] ClaimActivities::Answer claim(State& state,
                                            const ClaimActivities& request,
                                            Timestamp now,
                                            const FollowedClaim* followed = nullptr);

[[nodiscard]] ReadInstance::Answer read(const State&, const ReadInstance&, Timestamp now);
[[nodiscard]] ReadInstances::Answer read(const State&, const ReadInstances&, Timestamp now);
[[nodiscard]] ReadHistory::Answer read(const State&, const ReadHistory&, Timestamp now);
[[nodiscard]] ListExecutions::Answer read(const State&, const ListExecutions&, Timestamp now);
[[nodiscard]] ListChildren::Answer read(const State&, const ListChildren&, Timestamp now);
[[nodiscard]] ListTree::Answer read(const State&, const ListTree&, Timestamp now);
[[nodiscard]] SelectInstances::Answer read(const State&, const SelectInstances&, Timestamp now);
[[nodiscard]] ListOutcomes::Answer read(const State&, const ListOutcomes&, Timestamp now);
[[nodiscard]] ReadRetention::Answer read(const State&, const ReadRetention&, Timestamp now);
[[nodiscard]] KeyValues::Answer read(const State&, const KeyValues&, Timestamp now);
[[nodiscard]] ListDeadLetters::Answer read(const State&, const ListDeadLetters&, Timestamp now);
[[nodiscard]] ListActivities::Answer read(const State&, const ListActivities&, Timestamp now);
[[nodiscard]] CheckLeases::Answer read(const State&, const CheckLeases&, Timestamp now);
[[nodiscard]] ReadDeadHolders::Answer read(const State&, const ReadDeadHolders&, Timestamp now);
[[nodiscard]] ReadDocument::Answer read(const State&, const ReadDocument&, Timestamp now);
[[nodiscard]] ListDocuments::Answer read(const State&, const ListDocuments&, Timestamp now);
[[nodiscard]] ListInstances::Answer read(const State&, const ListInstances&, Timestamp now);
[[nodiscard]] CountInstances::Answer read(const State&, const CountInstances&, Timestamp now);
[[nodiscard]] ListKeys::Answer read(const State&, const ListKeys&, Timestamp now);
[[nodiscard]] CountQueues::Answer read(const State&, const CountQueues&, Timestamp now);
[[nodiscard]] ListLeases::Answer read(const State&, const ListLeases&, Timestamp now);
[[nodiscard]] ReadOpenWork::Answer read(const State&, const ReadOpenWork&, Timestamp now);
[[nodiscard]] ReadOutput::Answer read(const State&, const ReadOutput&, Timestamp now);

/// The contract on such a state, behind one mutex.
class NaiveStore final : public Store {
public:
    explicit NaiveStore(Clock& clock, StoreOptions options = StoreOptions())
        : clock_(clock), options_(options) {}

    [[nodiscard]] Timestamp now() override { return clock_.wall(); }
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;
    void read_any(Read request, Done<ReadAnswer> done) override;

    void subscribe(StoreListener& listener) override {
        ++listening_;
        listeners_.add(listener);
    }
    void unsubscribe(StoreListener& listener) override {
        listeners_.remove(listener);
        --listening_;
    }

private:
    [[nodiscard]] Answer commit_one(const Transition& transition, store::Notices& told);

    Clock& clock_;
    const StoreOptions options_;
    std::mutex mutex_;
    State state_;
    store::Listeners listeners_;
    std::atomic<int> listening_{0};
};

}  // namespace belay::naive
