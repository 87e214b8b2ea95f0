// The parts of a world, and the functions that drive it.
#pragma once

#include "base/id_source.hpp"
#include "testing/virtual_executor.hpp"
#include "testing/watched_store.hpp"
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>
#include <belay/testing/world.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace belay::testing {

/// Anything due later than this never is, and no more time passes at once. A world goes there by
/// steps of ten years, and must not take millions of them.
inline constexpr Millis kLongestWait = std::chrono::days(365 * 1'000);

/// SplitMix64, the same for the same seed.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
    [[nodiscard]] std::uint64_t next() override;

private:
    std::uint64_t state_;
};

struct World::Parts {
    Parts(Registry code, const WorldOptions& options);

    /// Throws a Problem. Inside an activity, it is thrown again by the function that drives.
    [[noreturn]] void complain(const std::string& problem);

    // Driving. Each throws a Problem if it finds one.

    /// One at a time, and not from inside an activity.
    class Driving {
    public:
        explicit Driving(Parts& parts);
        Driving(const Driving&) = delete;
        Driving& operator=(const Driving&) = delete;
        ~Driving() { parts_.driving = false; }

    private:
        Parts& parts_;
    };
    /// Does one thing; false when there is nothing to do now.
    bool step();
    void settle();
    /// Moves time on to the next moment at which something is due, but not beyond `until`. Returns
    /// false if nothing ever will be; then no time has passed.
    bool advance_time(std::optional<Millis> until = std::nullopt);

    // Problems.
    void check_step();
    void check_hidden_inputs() const;
    void check_finished();
    void check_turns() const;
    [[noreturn]] void complain_of_missing_code();
    [[nodiscard]] static std::string not_the_same(const std::string& difference);

    // Due times and waits.
    [[nodiscard]] bool anything_timed();
    [[nodiscard]] std::optional<Millis> first_cancel_deadline();
    std::uint64_t sweep();
    [[nodiscard]] std::vector<InstanceName> unended();
    /// The lines that World::waits_for gives, each behind `indent`.
    [[nodiscard]] std::string waits_for(const InstanceName& name, const std::string& indent);
    [[nodiscard]] std::string never_ends(const std::string& definition, const InstanceName& name);

    Limits limits;
    Policy policy;
    bool cold_replay;
    std::uint64_t most_turns;
    std::chrono::milliseconds patience;
    std::set<std::string, std::less<>> allowed_in_turns;

    ManualClock clock;
    SeededRandom random;
    IdSource ids;
    std::unique_ptr<Store> memory;
    WatchedStore store;
    Client client;
    Registry registry;
    std::map<std::string, ActivityHandler, std::less<>> replacements;
    std::vector<ActivityCall> calls;
    std::map<std::string, std::uint64_t, std::less<>> last_ids;  ///< By definition.
    VirtualExecutor executor;
    Runtime runtime;

    bool driving = false;
    std::string problem;  ///< Found inside an activity.
    std::uint64_t turns_before = 0;
    std::uint64_t unregistered_before = 0;
};

}  // namespace belay::testing
