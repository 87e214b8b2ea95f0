// The aim of a wait, and whether a read says that it has come.
#pragma once

#include <belay/payload.hpp>
#include <belay/requests/finding.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace belay::client {

/// Until the run has ended for people: see shown_status. A canceled flow settles first.
struct UntilEnded {};
/// Until the run has settled: no handler of it or of its children runs any more.
struct UntilSettled {};
/// Until the custom status has another version, or the run has ended.
struct UntilStatus {
    std::uint64_t seen = 0;
};
/// Until a key has another value than the known one, or the run has ended. None: it has no value.
struct UntilValue {
    std::string key;
    std::optional<Payload> known;
};

using Until = std::variant<UntilEnded, UntilSettled, UntilStatus, UntilValue>;

/// True if a wait for this is over, judged by a read of its run.
[[nodiscard]] bool is_over(const Until& until, const InstanceInfo& info, const RunValues& values);

/// Names the missed aim, for an error: "has not ended".
[[nodiscard]] std::string what_is_missing(const Until& until);

/// Topics that the store tells of a run. The topic has the index of its alternative in Until. All
/// but `end` interest only those who wait for it; `settling` also those who wait for the end.
enum class Topic : std::uint8_t { end = 0, settling = 1, status = 2, values = 3 };
inline constexpr std::size_t kTopics = 4;

[[nodiscard]] inline std::size_t topic_of(const Until& until) { return until.index(); }

}  // namespace belay::client
