// People and programs that start, stop and delete runs, through the production client.
#pragma once

#include "client/sender.hpp"
#include "simulation/program/program.hpp"
#include "simulation/store/sim_store.hpp"
#include "simulation/world/clocks.hpp"
#include "simulation/world/rng.hpp"
#include <belay/client.hpp>
#include <belay/management.hpp>
#include <belay/queue_limits.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

inline constexpr const char* kSpace = "default";

/// Does random things to random instances. Repeats some requests under their request id, and checks
/// that a repeat is answered as the first was.
class Operators {
public:
    Operators(Rng& rng,
              Violations& violations,
              const VirtualTime& time,
              TrueStore& true_store,
              Transport& transport,
              Trace& trace,
              EndpointNo endpoint,
              const Limits& limits,
              const Policy& policy,
              ProgramStyle style);

    /// One random operation.
    void act();
    void start_fresh();
    /// One that others have made up.
    void start_run(const std::string& definition,
                   const Payload& input,
                   const StartOptions& options);
    void cancel(const std::string& id, const std::string& reason);
    void terminate(const std::string& id);
    void send(MessageKind channel, const std::string& id, const std::string& name);
    void remove(const std::string& id, bool force);
    /// A tree by the list of its instances at this moment.
    void remove_listed(const std::string& id, bool force);
    void remove_listed(const std::vector<std::string>& ids, bool force);
    void remove_many(const InstanceFilter& filter);
    /// Releases or fails each run that is held.
    void decide_held();
    /// Without any: from then on nothing of the queue is limited.
    void set_limits(const std::string& queue, const std::optional<QueueLimits>& limits);
    /// From now on nothing is held any more.
    void stop_holding() noexcept { holds_ = false; }

    /// Some operators work inside a process and use the store of its runtime.
    void divert_with(SimStore::Divert divert) { store_.divert_with(std::move(divert)); }
    [[nodiscard]] std::size_t started() const noexcept { return started_; }

private:
    struct Request {
        std::string request_id;
        std::function<void()> send;
    };

    // Stuck runs and messages: clients/letters_and_holds.cpp.
    void care_for_letters_and_holds();
    /// Notes runs whose messages may come to be stranded.
    void note_runs();
    void strand();
    void redrive();
    void discard();
    void hold();
    [[nodiscard]] std::uint64_t some_letter();
    /// A request of which the client has no form with a callback, sent as the client sends it; now
    /// and then under a request id, to be repeated.
    template <class PartKind>
    void ask(PartKind part);
    void commit(Part part);

    void manage();
    void prune(const std::string& id);
    void prune_many();
    void keep_some();
    [[nodiscard]] std::vector<std::string> tree_of(const std::string& id);
    /// One that has something to prune, if there is one.
    [[nodiscard]] std::string some_chain();
    [[nodiscard]] InstanceFilter some_filter();
    [[nodiscard]] PruneOptions some_age();
    [[nodiscard]] Timestamp some_time_ago();
    void start(const std::string& id);
    void start(const std::string& definition,
               const Payload& input,
               const StartOptions& options,
               const std::string& request_id);
    void remember(const std::string& request_id, std::function<void()> again);
    /// An id in use, now and then one that is not.
    [[nodiscard]] std::string some_id();
    [[nodiscard]] std::string request_id();
    void check_repeat(const std::string& request_id, const std::string& answer);
    void say(const std::string& text);

    Rng& rng_;
    Violations& violations_;
    TrueStore& true_store_;
    Trace& trace_;
    SimStore store_;
    SimClock clock_;
    SimRandom random_;
    Client client_;
    const std::shared_ptr<client::Sender> sender_;
    ProgramStyle style_;
    bool holds_ = true;
    std::set<RunRef> seen_runs_;
    std::size_t started_ = 0;
    std::size_t last_request_ = 0;
    std::size_t last_message_ = 0;
    std::vector<Request> repeatable_;
    std::map<std::string, std::string> answers_;
};

template <class PartKind>
void Operators::ask(PartKind part) {
    const std::string request = request_id();
    part.request_id = request;
    const auto send = [this, part, request] {
        sender_->send({sender_->prepare(part)},
                      [this, request](const Result<std::vector<Answer>>& answers) {
                          if (!answers || !answers->front().done()) return;
                          const auto& instance = answers->front().instance;
                          check_repeat(request, instance ? to_string(instance->run) : "done");
                      });
    };
    send();
    remember(request, send);
}

}  // namespace belay::sim
