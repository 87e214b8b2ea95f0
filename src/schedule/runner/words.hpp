// The words for choices in the JSON forms.
#pragma once

#include <belay/schedules.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace belay::schedule {

/// A choice and its word.
template <class Choice>
using Word = std::pair<Choice, std::string_view>;

inline constexpr Word<Overlap> kOverlaps[] = {{Overlap::skip, "skip"},
                                              {Overlap::queue, "queue"},
                                              {Overlap::queue_all, "queue_all"},
                                              {Overlap::cancel, "cancel"},
                                              {Overlap::allow, "allow"}};
inline constexpr Word<CatchUp> kCatchUps[] = {
    {CatchUp::none, "none"}, {CatchUp::one, "one"}, {CatchUp::all, "all"}};
inline constexpr Word<ScheduleCause> kCauses[] = {{ScheduleCause::tick, "tick"},
                                                  {ScheduleCause::catch_up, "catch_up"},
                                                  {ScheduleCause::backfill, "backfill"},
                                                  {ScheduleCause::run_now, "run_now"}};
inline constexpr Word<Status> kStatuses[] = {{Status::pending, "pending"},
                                             {Status::running, "running"},
                                             {Status::canceling, "canceling"},
                                             {Status::completed, "completed"},
                                             {Status::failed, "failed"},
                                             {Status::canceled, "canceled"},
                                             {Status::skipped, "skipped"}};

/// Returns the word of a choice, which must be in the table.
template <class Choice, std::size_t N>
[[nodiscard]] constexpr std::string_view word_of(const Word<Choice> (&words)[N], Choice choice) {
    for (const Word<Choice>& one : words) {
        if (one.first == choice) return one.second;
    }
    return {};
}

template <class Choice, std::size_t N>
[[nodiscard]] constexpr std::optional<Choice> find_choice(const Word<Choice> (&words)[N],
                                                          std::string_view word) {
    for (const Word<Choice>& one : words) {
        if (one.second == word) return one.first;
    }
    return std::nullopt;
}

}  // namespace belay::schedule
