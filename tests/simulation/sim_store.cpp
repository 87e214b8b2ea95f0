#include "simulation/sim_store.hpp"

#include <memory>
#include <utility>

namespace belay::sim {

namespace {

std::string describe_batch(const std::vector<Transition>& batch) {
    std::string text;
    for (const Transition& one : batch) text += (text.empty() ? "" : "; ") + describe(one);
    return text;
}

}  // namespace

template <class T, class Ask>
void SimStore::send(const char* what, Done<T> done, Ask ask) {
    auto kept = std::make_shared<std::optional<Result<T>>>();
    wire_.send(
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

template <class Request>
void SimStore::send_read(const char* what, Request request, Done<typename Request::Answer> done) {
    send<typename Request::Answer>(what, std::move(done), [this, request = std::move(request)] {
        return truth_.read(request);
    });
}

void SimStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    if (divert_ && divert_(batch, done)) return;
    const std::string what = trace_.on() ? describe_batch(batch) : std::string();
    send<std::vector<Answer>>(what.c_str(),
                              std::move(done),
                              [this, batch = std::move(batch)]() -> Result<std::vector<Answer>> {
                                  return truth_.commit(batch);
                              });
}

void SimStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    send<ClaimInstances::Answer>(
        "a claim of runs",
        std::move(done),
        [this, request = std::move(request)]() -> Result<ClaimInstances::Answer> {
            return truth_.claim(request);
        });
}
void SimStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    send<ClaimActivities::Answer>(
        "a claim of activities",
        std::move(done),
        [this, request = std::move(request)]() -> Result<ClaimActivities::Answer> {
            return truth_.claim(request);
        });
}

void SimStore::read(ReadInstance request, Done<ReadInstance::Answer> done) {
    send_read("a read of an instance", std::move(request), std::move(done));
}
void SimStore::read(ReadHistory request, Done<ReadHistory::Answer> done) {
    send_read("a read of history", std::move(request), std::move(done));
}
void SimStore::read(ListExecutions request, Done<ListExecutions::Answer> done) {
    send_read("a list of executions", std::move(request), std::move(done));
}
void SimStore::read(ListChildren request, Done<ListChildren::Answer> done) {
    send_read("a list of children", std::move(request), std::move(done));
}
void SimStore::read(ListTree request, Done<ListTree::Answer> done) {
    send_read("a list of a tree", std::move(request), std::move(done));
}
void SimStore::read(SelectInstances request, Done<SelectInstances::Answer> done) {
    send_read("a selection of instances", std::move(request), std::move(done));
}
void SimStore::read(ListOutcomes request, Done<ListOutcomes::Answer> done) {
    send_read("a list of outcomes", std::move(request), std::move(done));
}
void SimStore::read(ReadRetention request, Done<ReadRetention::Answer> done) {
    send_read("a read of the retention", std::move(request), std::move(done));
}
void SimStore::read(KeyValues request, Done<KeyValues::Answer> done) {
    send_read("a read of key-values", std::move(request), std::move(done));
}
void SimStore::read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) {
    send_read("a list of dead letters", std::move(request), std::move(done));
}
void SimStore::read(ListActivities request, Done<ListActivities::Answer> done) {
    send_read("a list of activities", std::move(request), std::move(done));
}
void SimStore::read(ListStopping request, Done<ListStopping::Answer> done) {
    send_read("a list of what is stopping", std::move(request), std::move(done));
}
void SimStore::read(ListHeld request, Done<ListHeld::Answer> done) {
    send_read("a list of what is held", std::move(request), std::move(done));
}
void SimStore::read(CheckLeases request, Done<CheckLeases::Answer> done) {
    send_read("a check of leases", std::move(request), std::move(done));
}
void SimStore::read(ListInstances request, Done<ListInstances::Answer> done) {
    send_read("a list of instances", std::move(request), std::move(done));
}
void SimStore::read(CountInstances request, Done<CountInstances::Answer> done) {
    send_read("a count of instances", std::move(request), std::move(done));
}
void SimStore::read(ListKeys request, Done<ListKeys::Answer> done) {
    send_read("a list of keys", std::move(request), std::move(done));
}
void SimStore::read(CountQueues request, Done<CountQueues::Answer> done) {
    send_read("a count of queues", request, std::move(done));
}
void SimStore::read(ListLeases request, Done<ListLeases::Answer> done) {
    send_read("a list of leases", request, std::move(done));
}
void SimStore::read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) {
    send_read("a read of open work", std::move(request), std::move(done));
}

}  // namespace belay::sim
