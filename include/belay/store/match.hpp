// One filter of instances, for lists, for counts, and for changes of many.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// The times from `from` on and before `before`. A bound that is not set does not apply.
struct TimeRange {
    std::optional<Timestamp> from{};
    std::optional<Timestamp> before{};

    /// True if nothing is set: every time is in it.
    [[nodiscard]] bool empty() const noexcept { return !from && !before; }
    /// True for a time that is in it.
    [[nodiscard]] bool contains(Timestamp at) const noexcept {
        return (!from || at >= *from) && (!before || at < *before);
    }
    bool operator==(const TimeRange&) const = default;
};

/// Chooses instances that meet all conditions that are set. Matches only instances that have a
/// name: not earlier runs that lost theirs to a replacement.
struct InstanceMatch {
    std::string space{};
    /// One of these; not set: any; an empty list: none.
    std::optional<std::vector<Status>> statuses{};
    std::optional<std::string> definition{};
    std::optional<std::string> version{};
    std::optional<std::string> parent{};  ///< A direct child of the instance that has this id.
    std::optional<std::string> owner{};
    /// All of these labels, each with a value of this type and equal to it. A store may look for
    /// the first by an index and at the others row by row.
    std::vector<std::pair<std::string, LabelValue>> labels{};
    TimeRange created{};
    TimeRange ended{};        ///< Set: only instances that have ended.
    std::string id_prefix{};  ///< Bytes; empty: any.
    bool roots_only = false;
    bool held_only = false;
    /// One of these ids; not set: any; an empty list: none. A store is asked for at most
    /// `kMostIds` in one read; an id that is named twice counts once.
    std::optional<std::vector<std::string>> ids{};

    static constexpr std::size_t kMostIds = 1'000;

    /// Parts too: see NewInstance::part. Default: only those that `shows_parts` says.
    bool all_parts = false;

    /// True if parts match like any other instance: all are wanted, or those of one parent, those
    /// that are named, or those that wait for a person.
    [[nodiscard]] bool shows_parts() const noexcept {
        return all_parts || parent || ids || held_only;
    }

    bool operator==(const InstanceMatch&) const = default;
};

}  // namespace belay
