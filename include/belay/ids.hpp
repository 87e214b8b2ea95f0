// The identities that rows, messages and leases carry.
#pragma once

#include <belay/error.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace belay {

/// A fresh number for each start. The id only names the current run; everything stored carries the
/// run key, so nothing left over from a deleted namesake can ever match. Keys ascend (roughly with
/// time): random keys cost most of a B-tree store's speed.
struct RunKey {
    std::uint64_t value = 0;
    auto operator<=>(const RunKey&) const = default;
};

/// The partition a whole tree of runs lives in: a hash of its root's id.
struct Shard {
    std::uint16_t value = 0;
    auto operator<=>(const Shard&) const = default;
};

/// The number of shards. Fixed for ever: it is part of stored keys.
inline constexpr std::uint16_t kShardCount = 1024;

/// A run's full address. Keys of a partitioned store begin with the shard.
struct RunRef {
    Shard shard;
    RunKey key;
    auto operator<=>(const RunRef&) const = default;
};

/// One link of a run's continue-as-new chain: 1, 2, 3, ...
using ExecutionNo = std::uint32_t;
/// A command of one execution, numbered from 1 in order of scheduling.
using CommandNo = std::uint32_t;
/// The number of an event of one execution, from 1; a position is the number of the last one.
using EventNo = std::uint64_t;
/// The order in which a store accepted the messages of one run, given inside the commit that
/// accepts them: what was committed first has the smaller number. Timers are numbered when set.
using MessageNo = std::uint64_t;

/// One activity of one execution of one run: the key of its row in the worker queue.
struct ActivityRef {
    RunRef run;
    ExecutionNo execution = 0;
    CommandNo command = 0;
    auto operator<=>(const ActivityRef&) const = default;
};

/// The fence: only the holder of a claim's token can complete, renew or give back the claimed work.
/// `holder` is drawn at random once per process, `serial` counts its claims, so a token is unique
/// without asking anyone.
struct LeaseToken {
    std::uint64_t holder = 0;
    std::uint64_t serial = 0;
    auto operator<=>(const LeaseToken&) const = default;
};

/// The id of one commit, so that it can be sent again after an unknown outcome. Zero is no id.
struct CommitId {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const CommitId&) const = default;
};

/// Returns the id of the topmost run: everything before the first '/'.
[[nodiscard]] std::string_view root_of(std::string_view instance_id) noexcept;
/// The shard of the tree that `instance_id` belongs to; the same on every machine and release.
[[nodiscard]] Shard shard_of(std::string_view instance_id) noexcept;

/// Checks a name that people choose (instance id, namespace, key, queue, definition, owner):
/// valid UTF-8, no control characters, not empty, at most `max_bytes`. `what` names the field in
/// the error.
[[nodiscard]] Result<void> check_name(std::string_view what,
                                      std::string_view name,
                                      std::size_t max_bytes);

/// The bytes by which the id of a child may be longer than other names, if its root has a long one.
inline constexpr std::size_t kShortPathBytes = 45;

/// Checks the id of an instance. The part before the first '/' is a name of at most `max_bytes`;
/// the whole id has at most `kShortPathBytes` more.
[[nodiscard]] Result<void> check_instance_id(std::string_view what,
                                             std::string_view id,
                                             std::size_t max_bytes);

/// Checks a text for people to read, such as a reason: valid UTF-8, no control characters but line
/// feed and tab, at most `max_bytes`. May be empty.
[[nodiscard]] Result<void> check_text(std::string_view what,
                                      std::string_view text,
                                      std::size_t max_bytes);

[[nodiscard]] std::string to_string(RunRef run);
[[nodiscard]] std::string to_string(const ActivityRef& activity);
[[nodiscard]] std::string to_string(LeaseToken token);

}  // namespace belay

template <>
struct std::hash<belay::RunKey> {
    std::size_t operator()(belay::RunKey key) const noexcept {
        return std::hash<std::uint64_t>{}(key.value);
    }
};
template <>
struct std::hash<belay::LeaseToken> {
    std::size_t operator()(belay::LeaseToken token) const noexcept {
        return std::hash<std::uint64_t>{}(token.holder * 0x9E3779B97F4A7C15ULL + token.serial);
    }
};
