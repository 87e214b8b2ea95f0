#include "store/memory/memory_store.hpp"

#include "store/guards/guards.hpp"
#include "store/guards/repeats.hpp"
#include "store/memory/claims.hpp"
#include "store/memory/effects.hpp"
#include "store/memory/lookup.hpp"
#include "store/memory/reads.hpp"

namespace belay::memory {

Answer MemoryStore::commit_one(Transition& transition, Timestamp now) {
    Lookup rows(tables_, now);
    if (auto repeat = store::find_repeat(rows, transition)) return std::move(*repeat);
    if (auto refusal = store::Guards(rows).check(transition)) return std::move(*refusal).answer();
    Answer answer;
    Change change{tables_, options_, now, transition.commit, transition.stop, answer, {}};
    apply(change, transition);
    return answer;
}

void MemoryStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    const Timestamp now = clock_.wall();
    std::vector<Answer> answers;
    answers.reserve(batch.size());
    store::Notices notices;
    {
        const std::lock_guard lock(mutex_);
        for (Transition& transition : batch) answers.push_back(commit_one(transition, now));
        notices = std::exchange(tables_.notices, store::Notices());
    }
    listeners_.tell(notices);
    done(std::move(answers));
}

template <class Request>
void MemoryStore::claim_now(const Request& request, const Done<typename Request::Answer>& done) {
    const Timestamp now = clock_.wall();
    typename Request::Answer answer;
    store::Notices notices;
    {
        const std::lock_guard lock(mutex_);
        answer = memory::claim(tables_, request, now);
        const store::Notices all = std::exchange(tables_.notices, store::Notices());
        // That a claimed run is ready again when its lock expires is no news.
        if constexpr (std::is_same_v<Request, ClaimInstances>) {
            notices.instances_ready = all.instances_ready;
        }
    }
    if (!notices.empty()) listeners_.tell(notices);
    done(std::move(answer));
}

template <class Request>
void MemoryStore::read_now(const Request& request, const Done<typename Request::Answer>& done) {
    const Timestamp now = clock_.wall();
    typename Request::Answer answer;
    {
        const std::lock_guard lock(mutex_);
        answer = memory::read(tables_, request, now);
    }
    done(std::move(answer));
}

void MemoryStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    claim_now(request, done);
}
void MemoryStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    claim_now(request, done);
}

void MemoryStore::read(ReadInstance request, Done<ReadInstance::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ReadHistory request, Done<ReadHistory::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListExecutions request, Done<ListExecutions::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListChildren request, Done<ListChildren::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListTree request, Done<ListTree::Answer> done) { read_now(request, done); }
void MemoryStore::read(SelectInstances request, Done<SelectInstances::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListOutcomes request, Done<ListOutcomes::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ReadRetention request, Done<ReadRetention::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(KeyValues request, Done<KeyValues::Answer> done) { read_now(request, done); }
void MemoryStore::read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListActivities request, Done<ListActivities::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListStopping request, Done<ListStopping::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListHeld request, Done<ListHeld::Answer> done) { read_now(request, done); }
void MemoryStore::read(CheckLeases request, Done<CheckLeases::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListInstances request, Done<ListInstances::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(CountInstances request, Done<CountInstances::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListKeys request, Done<ListKeys::Answer> done) { read_now(request, done); }
void MemoryStore::read(CountQueues request, Done<CountQueues::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ListLeases request, Done<ListLeases::Answer> done) {
    read_now(request, done);
}
void MemoryStore::read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) {
    read_now(request, done);
}

}  // namespace belay::memory

namespace belay {

std::unique_ptr<Store> make_memory_store(Clock& clock, StoreOptions options) {
    return std::make_unique<memory::MemoryStore>(clock, options);
}

}  // namespace belay
