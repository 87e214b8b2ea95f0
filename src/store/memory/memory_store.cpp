#include "store/memory/memory_store.hpp"

#include "store/memory/reads.hpp"
#include "store/memory/table_rows.hpp"
#include "store/rules/claims.hpp"
#include "store/rules/commit.hpp"

namespace belay::memory {

void MemoryStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    commit_now(batch, done);
}

void MemoryStore::commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                                Done<std::vector<Answer>> done) {
    const auto kept = std::move(batch);
    commit_now(*kept, done);
}

void MemoryStore::commit_now(const std::vector<Transition>& batch,
                             const Done<std::vector<Answer>>& done) {
    const Timestamp now = clock_.wall();
    std::vector<Answer> answers;
    store::Notices notices;
    {
        const detail::MutexLock lock(mutex_);
        TableRows rows(tables_, now);
        answers = store::commit(rows, options_, batch);
        notices = std::move(rows.notices);
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
        const detail::MutexLock lock(mutex_);
        TableRows rows(tables_, now);
        answer = store::claim(rows, request);
        notices = std::move(rows.notices);
    }
    if (!notices.empty()) listeners_.tell(notices);
    done(std::move(answer));
}

void MemoryStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    claim_now(request, done);
}
void MemoryStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    claim_now(request, done);
}

void MemoryStore::read_any(Read request, Done<ReadAnswer> done) {
    const Timestamp now = clock_.wall();
    done(with_tables([&](const Tables& tables) {
        return std::visit(
            [&]<class Request>(const Request& one) {
                return wrap_answer<Request>(memory::read(tables, one, now));
            },
            request);
    }));
}

}  // namespace belay::memory

namespace belay {

std::unique_ptr<Store> make_memory_store(Clock& clock, StoreOptions options) {
    return std::make_unique<memory::MemoryStore>(clock, options);
}

}  // namespace belay
