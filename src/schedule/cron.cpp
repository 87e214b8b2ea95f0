#include "schedule/cron.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace belay::schedule {

namespace {

using Minutes = LocalMinutes;

/// The longest pause between two days that match is 40 years: 29 February on one day of the week,
/// over a century without a leap day.
constexpr int kMostMonths = 41 * 12;
constexpr int kLastYear = 9999;
constexpr std::int64_t kMinutesOfDay = 24 * 60;

constexpr std::array<std::string_view, 12> kMonths{
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{
    "sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Field {
    std::string_view name;
    int least;
    int most;
    std::span<const std::string_view> names{};  ///< For the numbers from `least`.
};

const std::array<Field, 5> kFields{{{"minute", 0, 59},
                                    {"hour", 0, 23},
                                    {"day of the month", 1, 31},
                                    {"month", 1, 12, kMonths},
                                    {"day of the week", 0, 7, kWeekdays}}};

struct Form {
    std::string_view name;
    std::string_view fields;
};

constexpr std::array<Form, 7> kForms{{{"@yearly", "0 0 1 1 *"},
                                      {"@annually", "0 0 1 1 *"},
                                      {"@monthly", "0 0 1 * *"},
                                      {"@weekly", "0 0 * * 0"},
                                      {"@daily", "0 0 * * *"},
                                      {"@midnight", "0 0 * * *"},
                                      {"@hourly", "0 * * * *"}}};

/// A part of the text, and where it begins.
struct Word {
    std::string_view text;
    std::size_t column = 1;
};

std::unexpected<CronProblem> wrong(const Word& word, std::string message) {
    return std::unexpected(CronProblem{word.column, std::move(message)});
}

std::vector<Word> split(const Word& word, std::string_view separators) {
    std::vector<Word> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= word.text.size(); ++i) {
        if (i < word.text.size() && separators.find(word.text[i]) == std::string_view::npos) {
            continue;
        }
        parts.push_back({word.text.substr(begin, i - begin), word.column + begin});
        begin = i + 1;
    }
    return parts;
}

bool is_same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == y;
    });
}

/// Reads a whole number; none if it is something else.
std::optional<int> number_of(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::expected<int, CronProblem> value_of(const Word& word, const Field& field) {
    for (std::size_t i = 0; i < field.names.size(); ++i) {
        if (is_same_name(word.text, field.names[i])) return field.least + static_cast<int>(i);
    }
    const std::optional<int> value = number_of(word.text);
    if (!value) {
        return wrong(word,
                     "'" + std::string(word.text) + "' is no " + std::string(field.name) +
                         (field.names.empty() ? "" : "; names have three letters"));
    }
    if (*value < field.least || *value > field.most) {
        return wrong(word,
                     "the " + std::string(field.name) + " is from " + std::to_string(field.least) +
                         " to " + std::to_string(field.most) + ", not " + std::string(word.text));
    }
    return *value;
}

/// The numbers of a range, without its step.
std::expected<std::pair<int, int>, CronProblem> range_of(const Word& word, const Field& field) {
    if (word.text == "*") return std::pair(field.least, field.names.size() == 7 ? 6 : field.most);
    const std::vector<Word> ends = split(word, "-");
    if (ends.size() > 2) return wrong(word, "a range has two ends");
    const auto first = value_of(ends.front(), field);
    if (!first) return std::unexpected(first.error());
    if (ends.size() == 1) return std::pair(*first, *first);
    auto last = value_of(ends.back(), field);
    if (!last) return std::unexpected(last.error());
    if (*last < *first) {
        if (*last != 0 || field.names.size() != 7) {
            return wrong(word, "the range '" + std::string(word.text) + "' ends before it begins");
        }
        last = 7;  // "fri-sun"
    }
    return std::pair(*first, *last);
}

/// True for a number or a name, without a range.
bool is_single(const Word& word) {
    return word.text != "*" && word.text.find('-') == std::string_view::npos;
}

/// Adds the numbers of one part of a list, as "1-5/2".
std::optional<CronProblem> add_part(const Word& word, const Field& field, std::uint64_t& bits) {
    const std::vector<Word> parts = split(word, "/");
    if (parts.size() > 2) return CronProblem{word.column, "there is more than one step"};
    auto range = range_of(parts.front(), field);
    if (!range) return range.error();
    int step = 1;
    if (parts.size() == 2) {
        const std::optional<int> given = number_of(parts.back().text);
        if (!given || *given < 1) {
            return CronProblem{
                parts.back().column,
                "a step is a whole number from 1, not '" + std::string(parts.back().text) + "'"};
        }
        step = *given;
        // "5/10" means "from 5 on", and "5-5/10" only 5.
        if (is_single(parts.front())) range->second = field.most;
    }
    for (int value = range->first; value <= range->second; value += step) {
        bits |= std::uint64_t{1} << static_cast<unsigned>(value);
    }
    return std::nullopt;
}

std::expected<std::uint64_t, CronProblem> bits_of(const Word& word, const Field& field) {
    std::uint64_t bits = 0;
    for (const Word& part : split(word, ",")) {
        if (part.text.empty()) return wrong(part, "a number is missing");
        if (const auto problem = add_part(part, field, bits)) return std::unexpected(*problem);
    }
    return bits;
}

std::vector<Word> words_of(std::string_view text) {
    std::vector<Word> words = split({text, 1}, " \t");
    std::erase_if(words, [](const Word& word) { return word.text.empty(); });
    return words;
}

std::expected<std::string_view, CronProblem> fields_of(std::string_view text) {
    if (!text.starts_with('@')) return text;
    for (const Form& form : kForms) {
        if (form.name == text) return form.fields;
    }
    return std::unexpected(CronProblem{1,
                                       "unknown form '" + std::string(text) +
                                           "'; use @hourly, @daily, @weekly, @monthly or @yearly"});
}

}  // namespace

std::expected<Cron, CronProblem> Cron::parse(std::string_view text) {
    const auto fields = fields_of(text);
    if (!fields) return std::unexpected(fields.error());
    const std::vector<Word> words = words_of(*fields);
    if (words.size() != kFields.size()) {
        return std::unexpected(CronProblem{
            1,
            "a cron expression has five fields (minute, hour, day of the month, month, day of the "
            "week), not " +
                std::to_string(words.size())});
    }
    std::array<std::uint64_t, 5> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const auto read = bits_of(words[i], kFields[i]);
        if (!read) return std::unexpected(read.error());
        bits[i] = *read;
    }
    if ((bits[4] & (1U << 7U)) != 0) bits[4] |= 1;  // 7 is Sunday, too.

    Cron cron;
    cron.minutes_ = bits[0];
    cron.hours_ = bits[1];
    cron.days_ = bits[2];
    cron.months_ = bits[3];
    cron.weekdays_ = bits[4] & 0x7f;
    cron.any_day_ = words[2].text.starts_with('*');
    cron.any_weekday_ = words[4].text.starts_with('*');
    if (!cron.next(Minutes(0))) {
        return std::unexpected(
            CronProblem{words[2].column, "there is no such day in these months"});
    }
    return cron;
}

bool Cron::has_day(std::int64_t day) const {
    const std::chrono::sys_days days{std::chrono::days(day)};
    const std::chrono::year_month_day date{days};
    if (!months_[static_cast<unsigned>(date.month())]) return false;
    const bool in_month = days_[static_cast<unsigned>(date.day())];
    const bool in_week = weekdays_[std::chrono::weekday(days).c_encoding()];
    // As in every cron: two restrictions of the day are alternatives.
    return any_day_ || any_weekday_ ? in_month && in_week : in_month || in_week;
}

std::optional<std::int64_t> Cron::find_minute(std::int64_t from) const {
    for (std::int64_t minute = from; minute < kMinutesOfDay; ++minute) {
        if (!hours_[static_cast<std::size_t>(minute / 60)]) {
            minute = (minute / 60 + 1) * 60 - 1;
        } else if (minutes_[static_cast<std::size_t>(minute % 60)]) {
            return minute;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> Cron::find_day(std::int64_t from) const {
    std::chrono::sys_days day{std::chrono::days(from)};
    std::chrono::year_month_day date(day);
    for (int months = 0; months <= kMostMonths; ++months) {
        if (static_cast<int>(date.year()) > kLastYear) return std::nullopt;
        const std::chrono::year_month next =
            std::chrono::year_month(date.year(), date.month()) + std::chrono::months(1);
        const std::chrono::sys_days end = next / std::chrono::day(1);
        if (months_[static_cast<unsigned>(date.month())]) {
            for (; day < end; day += std::chrono::days(1)) {
                if (has_day(day.time_since_epoch().count())) return day.time_since_epoch().count();
            }
        }
        day = end;
        date = std::chrono::year_month_day(day);
    }
    return std::nullopt;
}

std::optional<LocalMinutes> Cron::next(LocalMinutes from) const {
    const std::int64_t first_day = std::chrono::floor<std::chrono::days>(from).count();
    std::optional<std::int64_t> day = find_day(first_day);
    if (day == first_day) {
        const auto minute = find_minute(from.count() - first_day * kMinutesOfDay);
        if (minute) return Minutes(first_day * kMinutesOfDay + *minute);
        day = find_day(first_day + 1);
    }
    const auto minute = find_minute(0);
    if (!day || !minute) return std::nullopt;
    return Minutes(*day * kMinutesOfDay + *minute);
}

}  // namespace belay::schedule
