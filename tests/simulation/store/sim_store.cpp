#include "simulation/store/sim_store.hpp"

#include <memory>
#include <utility>

namespace belay::sim {

namespace {

std::string describe_batch(const std::vector<Transition>& batch) {
    std::string text;
    for (const Transition& one : batch) text += (text.empty() ? "" : "; ") + describe(one);
    return text;
}

const char* name_of(const ReadInstance& /*request*/) { return "a read of an instance"; }
const char* name_of(const ReadInstances& /*request*/) { return "a read of instances"; }
const char* name_of(const ReadHistory& /*request*/) { return "a read of history"; }
const char* name_of(const ListExecutions& /*request*/) { return "a list of executions"; }
const char* name_of(const ListChildren& /*request*/) { return "a list of children"; }
const char* name_of(const ListTree& /*request*/) { return "a list of a tree"; }
const char* name_of(const SelectInstances& /*request*/) { return "a selection of instances"; }
const char* name_of(const ListOutcomes& /*request*/) { return "a list of outcomes"; }
const char* name_of(const ReadRetention& /*request*/) { return "a read of the retention"; }
const char* name_of(const KeyValues& /*request*/) { return "a read of key-values"; }
const char* name_of(const ListDeadLetters& /*request*/) { return "a list of dead letters"; }
const char* name_of(const ListActivities& /*request*/) { return "a list of activities"; }
const char* name_of(const CheckLeases& /*request*/) { return "a check of leases"; }
const char* name_of(const ReadDeadHolders& /*request*/) { return "a look for dead holders"; }
const char* name_of(const ReadDocument& /*request*/) { return "a read of a document"; }
const char* name_of(const ListDocuments& /*request*/) { return "a list of documents"; }
const char* name_of(const ListInstances& /*request*/) { return "a list of instances"; }
const char* name_of(const CountInstances& /*request*/) { return "a count of instances"; }
const char* name_of(const ListKeys& /*request*/) { return "a list of keys"; }
const char* name_of(const CountQueues& /*request*/) { return "a count of queues"; }
const char* name_of(const ListLeases& /*request*/) { return "a list of leases"; }
const char* name_of(const ReadOpenWork& /*request*/) { return "a read of open work"; }
const char* name_of(const ReadOutput& /*request*/) { return "a read of output"; }

}  // namespace

template <class T, class Ask>
void SimStore::send(const char* what, Done<T> done, Ask ask) {
    auto kept = std::make_shared<std::optional<Result<T>>>();
    transport_.send(
        endpoint_,
        what,
        [kept, ask = std::move(ask)] { kept->emplace(ask()); },
        [kept, done = std::move(done)](std::optional<Error> instead) {
            if (instead) {
                done(std::move(*instead));
            } else {
                done(std::move(**kept));
            }
        });
}

void SimStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    if (divert_ && divert_(batch, done)) return;
    const std::string what = trace_.on() ? describe_batch(batch) : std::string();
    send<std::vector<Answer>>(what.c_str(),
                              std::move(done),
                              [this, batch = std::move(batch)]() -> Result<std::vector<Answer>> {
                                  return true_store_.commit(batch);
                              });
}

void SimStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    send<ClaimInstances::Answer>(
        "a claim of runs",
        std::move(done),
        [this, request = std::move(request)]() -> Result<ClaimInstances::Answer> {
            return true_store_.claim(request);
        });
}
void SimStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    send<ClaimActivities::Answer>(
        "a claim of activities",
        std::move(done),
        [this, request = std::move(request)]() -> Result<ClaimActivities::Answer> {
            return true_store_.claim(request);
        });
}

void SimStore::read_any(Read request, Done<ReadAnswer> done) {
    const char* const what = std::visit([](const auto& one) { return name_of(one); }, request);
    send<ReadAnswer>(
        what, std::move(done), [this, request = std::move(request)]() -> Result<ReadAnswer> {
            if (dead_ && std::holds_alternative<ReadDeadHolders>(request)) {
                return wrap_answer<ReadDeadHolders>(dead_());
            }
            return true_store_.read_any(request);
        });
}

}  // namespace belay::sim
