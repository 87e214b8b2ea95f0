#include "kernel_raw.hpp"

#include "measure.hpp"
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::bench {

namespace {

constexpr Millis kLease{30'000};
constexpr std::size_t kRowBytes = 200;

class Raw {
public:
    Raw(const Workload& workload, std::uint32_t instances)
        : workload_(workload),
          store_(make_memory_store(system_clock())),
          row_{.format = 1, .count = 3, .bytes = std::string(kRowBytes, 'r')},
          value_(PayloadCodec::integer, "1") {
        ids_.reserve(instances);
        for (std::uint32_t i = 0; i < instances; ++i) ids_.push_back(instance_id(i));
    }

    /// The instances from `first` on, abreast, from their start to their end.
    void run(std::size_t first, std::size_t count) {
        start(first, count);
        for (std::uint32_t round = 0; round < workload_.rounds; ++round) {
            take_turns(count, round);
            do_activities(count * workload_.width);
        }
        take_turns(count, workload_.rounds);
    }

private:
    /// As long as the ids that a client makes up.
    [[nodiscard]] static std::string instance_id(std::uint32_t number) {
        const std::string digits = std::to_string(number);
        return "run-" + std::string(32 - digits.size(), '0') + digits;
    }

    void start(std::size_t first, std::size_t count) {
        std::vector<Transition> batch;
        batch.reserve(count);
        for (std::size_t i = first; i < first + count; ++i) {
            NewInstance instance;
            instance.run = RunRef{shard_of(ids_[i]), RunKey{i + 1}};
            instance.name = InstanceName{"default", ids_[i]};
            instance.definition = workload_.definition.name();
            instance.version = "1";
            instance.input = value_;
            instance.owner = "default";
            batch.push_back(op::transition(commit_id(), op::start(std::move(instance))));
        }
        commit(std::move(batch));
    }

    /// One turn of each: the activities of its round, or its end.
    void take_turns(std::size_t count, std::uint32_t round) {
        ClaimInstances request = op::claim_instance(tokens(count), "raw", kLease);
        request.max = static_cast<std::uint32_t>(count);
        const std::vector<ClaimedInstance> items = claim(std::move(request), count);
        std::vector<Transition> batch;
        batch.reserve(count);
        for (const ClaimedInstance& item : items) {
            Turn turn = op::turn(item, row_);
            if (round == workload_.rounds) {
                turn.after = ended();
            } else {
                schedule(turn, round);
            }
            batch.push_back(op::transition(commit_id(), std::move(turn)));
        }
        commit(std::move(batch));
    }

    void schedule(Turn& turn, std::uint32_t round) const {
        turn.activities.reserve(workload_.width);
        for (std::uint32_t i = 0; i < workload_.width; ++i) {
            NewActivity activity;
            activity.command = round * workload_.width + i + 1;
            activity.name = Step.name();
            activity.input = value_;
            turn.activities.push_back(std::move(activity));
        }
    }

    [[nodiscard]] Ends ended() const {
        Ends ends;
        ends.outcome.status = Status::completed;
        ends.outcome.output = value_;
        return ends;
    }

    void do_activities(std::size_t count) {
        ClaimActivities request = op::claim_activity(tokens(count), "raw", kLease);
        request.max = static_cast<std::uint32_t>(count);
        const std::vector<ClaimedActivity> items = claim(std::move(request), count);
        std::vector<Transition> batch;
        batch.reserve(count);
        for (const ClaimedActivity& item : items) {
            NewMessage completion = op::activity_completed(item.activity, value_);
            batch.push_back(
                op::transition(commit_id(), op::ack_activity(item, std::move(completion))));
        }
        commit(std::move(batch));
    }

    template <class Request>
    [[nodiscard]] decltype(Request::Answer::claimed) claim(Request request, std::size_t count) {
        decltype(Request::Answer::claimed) items;
        store_->claim(std::move(request), [&](Result<typename Request::Answer> result) {
            if (result) items = std::move(result->claimed);
        });
        require(items.size() == count, "the bare store did not hand out what was ready");
        return items;
    }

    void commit(std::vector<Transition> batch) {
        bool fine = false;
        store_->commit(std::move(batch), [&](const Result<std::vector<Answer>>& result) {
            fine = result.ok();
            for (const Answer& answer : *result) fine = fine && answer.done();
        });
        require(fine, "the bare store refused a transition");
    }

    [[nodiscard]] CommitId commit_id() noexcept { return CommitId{1, ++commits_}; }
    [[nodiscard]] LeaseToken tokens(std::size_t count) noexcept {
        return LeaseToken{1, std::exchange(next_token_, next_token_ + count)};
    }

    const Workload& workload_;
    std::unique_ptr<Store> store_;
    HistoryRow row_;
    Payload value_;
    std::vector<std::string> ids_;
    std::uint64_t commits_ = 0;
    std::uint64_t next_token_ = 1;
};

}  // namespace

double run_raw(const Workload& workload, std::uint32_t instances, std::uint32_t in_flight) {
    Raw raw(workload, instances);
    const Instant begin = SteadyClock::now();
    for (std::uint32_t first = 0; first < instances; first += in_flight) {
        raw.run(first, std::min(in_flight, instances - first));
    }
    return seconds_between(begin, SteadyClock::now());
}

}  // namespace belay::bench
