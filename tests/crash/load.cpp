#include "crash/load.hpp"

#include "crash/code.hpp"
#include "crash/policy.hpp"

#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace belay::crash {

namespace {

InstanceName named(const std::string& id) { return InstanceName{"default", id}; }

/// A disk that is full and a lock that is taken pass; everything else is a failure of the test.
template <class Ask>
auto insist(Ask ask) {
    for (;;) {
        auto answer = ask();
        if (answer.ok()) return std::move(*answer);
        if (!answer.error().retryable() && !answer.error().outcome_unknown()) {
            throw std::runtime_error(answer.error().describe());
        }
    }
}

}  // namespace

Load::Load(Store& store)
    : store_(store), client_(store, system_clock(), system_random(), Limits(), short_leases()) {}

void Load::add() {
    for (int i = 0; i < 4; ++i) {
        const std::int64_t n = next_;
        start(Sum, kCallsOfSum, n, sum_of(n));
    }
    start_endless();
    // Those of the round before: by now some have not begun, and some are in the midst of it.
    for (const std::string& id : std::exchange(to_cancel_, {})) cancel(id);
    to_cancel_.push_back("r" + std::to_string(next_ - 1));
    if (next_ % 3 == 0) to_cancel_.push_back("r" + std::to_string(next_ - 2));
}

void Load::add_newer() {
    const std::int64_t n = next_;
    start(Newer, kCallsOfNewer, n, newer_of(n));
}

void Load::start(const Definition<std::int64_t(std::int64_t)>& what,
                 Calls calls,
                 std::int64_t input,
                 std::int64_t result) {
    const std::string id = "r" + std::to_string(next_++);
    const auto options = StartOptions().id(id).request_id("start-" + id);
    const StartResult started = insist([&] { return client_.start(what, options, input); });
    if (!started.created) throw std::runtime_error(id + " was there before it was started");
    runs_[id].result = result;
    runs_[id].calls = calls;
}

void Load::start_endless() {
    const std::string id = "r" + std::to_string(next_++);
    const auto options = StartOptions().id(id).request_id("start-" + id);
    (void)insist([&] { return client_.start(Endless, options); });
    runs_[id];
    to_cancel_.push_back(id);
}

void Load::cancel(const std::string& id) {
    const auto options = CancelOptions().by("driver").reason("enough").request_id("cancel-" + id);
    const CancelResult answer = insist([&] { return client_.cancel(named(id), options); });
    if (!answer.changed) return;  // It had ended.
    runs_[id].canceled = true;
    ++canceled_;
}

std::size_t Load::open() {
    for (const std::string& id : std::exchange(to_cancel_, {})) cancel(id);
    std::size_t count = 0;
    for (auto& [id, promised] : runs_) {
        if (promised.ended) continue;
        const InstanceInfo info = insist([&] { return client_.inspect(named(id)); });
        promised.ended = info.settled;
        if (!promised.ended) ++count;
    }
    return count;
}

std::vector<std::string> Load::problems(const std::string& effects) {
    std::vector<std::string> found;
    const Effects seen = read_effects(effects, found);
    for (const auto& [id, promised] : runs_) check(id, promised, seen, found);
    return found;
}

void Load::check(const std::string& id,
                 const Promised& promised,
                 const Effects& effects,
                 std::vector<std::string>& found) {
    const InstanceInfo info = insist([&] { return client_.inspect(named(id)); });
    const std::string status(to_string(info.status));
    const auto effects_of = [&](const std::string& activity) {
        const auto at = effects.find({id, activity});
        return at == effects.end() ? std::size_t{0} : at->second.size();
    };
    if (!info.settled) {
        found.push_back(id + " has not ended: " + status);
    } else if (promised.canceled) {
        if (info.status != Status::canceled) {
            found.push_back(id + " was canceled and is " + status);
        } else if (info.definition == Endless.name()) {
            const bool done = info.outcome->cleanup == Cleanup::done;
            const bool needless = info.outcome->cleanup == Cleanup::not_needed;
            const std::size_t left = effects_of(kCleanup);
            if ((done && left != 1) || (needless && left != 0)) {
                found.push_back(id + ": cleanup " + std::string(to_string(info.outcome->cleanup)) +
                                ", and " + std::to_string(left) + " effects of it");
            }
            if (done) ++cleaned_up_;
        }
    } else if (info.status != Status::completed) {
        found.push_back(id + " is " + status +
                        (info.outcome ? ": " + info.outcome->failure.message : std::string()));
    } else if (info.outcome->output.bytes != std::to_string(promised.result)) {
        found.push_back(id + " came to " + info.outcome->output.bytes + " instead of " +
                        std::to_string(promised.result));
    } else if (effects_of(promised.calls.activity) != promised.calls.count) {
        found.push_back(id + " completed with the effects of " +
                        std::to_string(effects_of(promised.calls.activity)) +
                        " activities instead of " + std::to_string(promised.calls.count));
    }
}

/// Attempts of one activity are numbered one after the other: two of the same number would mean
/// that a lease was given out twice.
Load::Effects Load::read_effects(const std::string& path, std::vector<std::string>& found) {
    Effects effects;
    std::set<std::pair<std::string, int>> seen;
    std::ifstream file(path);
    std::string instance;
    std::string activity;
    std::string key;
    int attempt = 0;
    while (file >> instance >> activity >> key >> attempt) {
        if (!seen.insert({key, attempt}).second) {
            found.push_back("attempt " + std::to_string(attempt) + " of " + key + " ran twice");
        }
        effects[{instance, activity}].insert(key);
    }
    return effects;
}

}  // namespace belay::crash
