#include "schedule/timing.hpp"

#include <algorithm>
#include <cstdint>

namespace belay::schedule {

namespace {

/// The last millisecond before `at`: what is after it may be at `at`.
Timestamp just_before(Timestamp at) { return at - Millis(1); }

std::optional<Timestamp> next_of(const ByCron& rule, Timestamp after) {
    // Several local times may be due at once, at the end of a gap. They are one tick.
    std::optional<LocalMinutes> local = rule.cron.next(rule.zone.local(after));
    while (local && rule.zone.due(*local) <= after) {
        local = rule.cron.next(*local + LocalMinutes(1));
    }
    if (!local) return std::nullopt;
    return rule.zone.due(*local);
}

std::optional<Timestamp> next_of(const Every& rule, Timestamp after) {
    if (after < rule.anchor) return rule.anchor;
    const std::int64_t passed = (after - rule.anchor) / rule.period;
    return rule.anchor + (passed + 1) * rule.period;
}

std::optional<Timestamp> next_of(const Once& rule, Timestamp after) {
    if (rule.at > after) return rule.at;
    return std::nullopt;
}

/// The mixer of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

}  // namespace

std::optional<Timestamp> next_after(const Timing& timing, Timestamp after) {
    if (timing.start) after = std::max(after, just_before(*timing.start));
    const std::optional<Timestamp> next =
        std::visit([&](const auto& rule) { return next_of(rule, after); }, timing.rule);
    if (next && timing.end && *next >= *timing.end) return std::nullopt;
    return next;
}

std::vector<Timestamp> due_between(const Timing& timing,
                                   Timestamp after,
                                   Timestamp until,
                                   std::size_t most) {
    std::vector<Timestamp> times;
    while (times.size() < most) {
        const std::optional<Timestamp> next = next_after(timing, after);
        if (!next || *next > until) break;
        times.push_back(*next);
        after = *next;
    }
    return times;
}

Millis jitter_of(std::string_view schedule, Timestamp due, Millis most) {
    if (most <= Millis(0)) return Millis(0);
    std::uint64_t hash = mix(static_cast<std::uint64_t>(to_unix_ms(due)));
    for (const char c : schedule) hash = mix(hash ^ static_cast<unsigned char>(c));
    return Millis(static_cast<std::int64_t>(hash % (static_cast<std::uint64_t>(most.count()) + 1)));
}

}  // namespace belay::schedule
