#include "flow/definition/reading.hpp"

#include "base/duration.hpp"
#include "base/sort_stably.hpp"
#include "base/utf8.hpp"
#include "expr/characters.hpp"
#include "expr/times.hpp"
#include "flow/definition/limits.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace belay::flow {

namespace {

/// Problems that are listed; a broken text can have any number of them.
constexpr std::size_t kMostProblems = 1'000;

/// Beyond this, some integers are no floating-point numbers.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53U;

bool is_small(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_name(std::string_view name, std::string_view more) {
    return !name.empty() && name.size() <= kMostName && is_small(name.front()) &&
           std::ranges::all_of(
               name, [more](char c) { return is_small(c) || is_digit(c) || more.contains(c); });
}

/// The number of letters to change, add, remove or swap to get from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
    using Row = std::vector<std::size_t>;
    std::vector<Row> rows(a.size() + 1, Row(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            rows[i][j] = std::min({changed, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
            }
        }
    }
    return rows.back().back();
}

/// Returns advice for a number that stands in quotes.
std::string unquoted(const yaml::Value& value) {
    const bool digits = !value.text.empty() && std::ranges::all_of(value.text, is_digit);
    const bool is_number = value.kind == yaml::Kind::text && digits;
    return is_number ? "Write it without quotes: " + base::printable(value.text, 40) : "";
}

std::size_t common_beginning(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

// ---- Reports -----------------------------------------------------------------------------------

void Reading::report(Place place, std::string message, std::string advice) {
    if (problems.size() >= kMostProblems) return;
    problems.push_back({place, std::move(message), std::move(advice)});
}

void Reading::report(const expr::Problem& problem) {
    static constexpr std::string_view kAdvice = ". Did you mean ";
    const std::size_t at = problem.message.find(kAdvice);
    if (at == std::string::npos) return report(problem.place, problem.message);
    report(problem.place, problem.message.substr(0, at), problem.message.substr(at + 2));
}

void sort_problems(Problems& problems) {
    base::sort_stably(problems, [](const Problem& a, const Problem& b) {
        return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    const auto rest = std::ranges::unique(problems);
    problems.erase(rest.begin(), rest.end());
}

Problem problem_of(const yaml::Mistake& mistake) {
    return {mistake.place, mistake.message, mistake.advice};
}

std::string in_quotes(std::string_view name) { return "\"" + base::printable(name, 80) + "\""; }

std::string nearest(std::string_view name, const std::vector<std::string_view>& known) {
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::size_t most_begun = 0;
    if (name.size() > 2 * kMostName) return {};
    for (const std::string_view other : known) {
        const std::size_t changes = distance(name, other);
        const std::size_t begun = common_beginning(name, other);
        // A name of which no letter is the same is not like it.
        if (changes >= std::max(name.size(), other.size())) continue;
        if (changes > least || (changes == least && begun <= most_begun)) continue;
        if (best.empty() && changes == least) continue;
        least = changes;
        most_begun = begun;
        best = other;
    }
    return std::string(best);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
    const std::string alike = nearest(name, known);
    return alike.empty() ? "" : "Did you mean " + in_quotes(alike) + "?";
}

std::string listed(const std::vector<std::string_view>& names, std::string_view last_word) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0 && i + 1 < names.size()) text += ", ";
        if (i > 0 && i + 1 == names.size()) text.append(" ").append(last_word).append(" ");
        text += names[i];
    }
    return text;
}

bool Reading::wrong(const Entry& entry, std::string_view wanted, std::string advice) {
    report(entry.value.place,
           in_quotes(entry.name) + " must be " + std::string(wanted) + ", not " +
               std::string(to_string(entry.value.kind)),
           std::move(advice));
    return false;
}

void Reading::report_choice(const Entry& entry,
                            const std::string& given,
                            const std::vector<std::string_view>& names) {
    std::string advice = did_you_mean(given, names);
    if (given.starts_with("SIG") && std::ranges::find(names, given.substr(3)) != names.end()) {
        advice = "Write it without SIG: " + in_quotes(given.substr(3));
    }
    report(entry.value.place,
           in_quotes(entry.name) + " must be " + listed(names, "or") + ", not " + in_quotes(given),
           std::move(advice));
}

// ---- Simple values -----------------------------------------------------------------------------

bool Reading::is_map(const yaml::Value& value, std::string_view what) {
    if (value.kind == yaml::Kind::map) return true;
    report(value.place,
           std::string(what) + " must be a map, not " + std::string(to_string(value.kind)));
    return false;
}

bool Reading::is_list(const Entry& entry) {
    const bool is_text = entry.value.kind == yaml::Kind::text;
    const bool fits_in = is_text && entry.value.text.find_first_of(",[]{}\n") == std::string::npos;
    return entry.value.kind == yaml::Kind::list ||
           wrong(entry, "a list", fits_in ? "Write [" + entry.value.text + "]" : "");
}

bool Reading::text(const Entry& entry, std::string& out) {
    const yaml::Kind kind = entry.value.kind;
    if (kind != yaml::Kind::text) {
        const bool scalar =
            kind == yaml::Kind::boolean || kind == yaml::Kind::integer || kind == yaml::Kind::real;
        report(entry.value.place,
               in_quotes(entry.name) + " must be a text, not " + std::string(to_string(kind)),
               scalar ? "Write it in quotes: \"" + entry.value.text + "\"" : "");
        return false;
    }
    out = entry.value.text;
    return true;
}

bool Reading::boolean(const Entry& entry, bool& out) {
    if (entry.value.kind != yaml::Kind::boolean) return wrong(entry, "true or false");
    out = entry.value.truth;
    return true;
}

bool Reading::integer(const Entry& entry,
                      std::int64_t least,
                      std::int64_t most,
                      std::int64_t& out) {
    if (entry.value.kind != yaml::Kind::integer) {
        return wrong(entry, "an integer", unquoted(entry.value));
    }
    if (entry.value.integer < least || entry.value.integer > most) {
        report(entry.value.place,
               in_quotes(entry.name) + " must be from " + std::to_string(least) + " to " +
                   std::to_string(most));
        return false;
    }
    out = entry.value.integer;
    return true;
}

bool Reading::number(const Entry& entry, double& out) {
    if (entry.value.kind == yaml::Kind::integer) {
        out = static_cast<double>(entry.value.integer);
        const bool exact = entry.value.integer >= -kMostExact && entry.value.integer <= kMostExact;
        if (!exact) report(entry.value.place, in_quotes(entry.name) + " is too large");
        return exact;
    }
    if (entry.value.kind != yaml::Kind::real) return wrong(entry, "a number");
    out = entry.value.real;
    if (std::isfinite(out)) return true;
    report(entry.value.place, in_quotes(entry.name) + " must be a finite number");
    return false;
}

bool Reading::duration(const Entry& entry, Millis least, Millis& out) {
    const yaml::Kind kind = entry.value.kind;
    const bool is_text = kind == yaml::Kind::text;
    const auto parsed = is_text ? base::parse_duration(entry.value.text) : std::nullopt;
    if (!parsed) {
        std::string shown(to_string(kind));
        if (is_text || kind == yaml::Kind::integer) shown = in_quotes(entry.value.text);
        report(entry.value.place,
               in_quotes(entry.name) + " must be a duration, not " + shown,
               "Write numbers with units (ms, s, m, h, d, w or y), as in 90s or 1h30m");
        return false;
    }
    if (*parsed < least || *parsed > kLongestTime) {
        report(entry.value.place,
               in_quotes(entry.name) + " must be " +
                   (*parsed < least ? "at least " + std::to_string(least.count()) + "ms"
                                    : std::string("at most 10y")));
        return false;
    }
    out = *parsed;
    return true;
}

bool Reading::duration(const Entry& entry, Millis least, std::optional<Millis>& out) {
    Millis given{};
    if (!duration(entry, least, given)) return false;
    out = given;
    return true;
}

bool Reading::time(const Entry& entry, std::optional<Timestamp>& out) {
    std::string given;
    if (!text(entry, given)) return false;
    const auto instant = expr::parse_time(given);
    if (!instant) {
        report(entry.value.place,
               in_quotes(entry.name) + " must be a time, not " + in_quotes(given),
               "Write date, time and offset, as in 2026-12-24T18:00:00+01:00");
        return false;
    }
    out = from_unix_ms(instant->seconds * 1000 + instant->nanos / 1'000'000);
    return true;
}

bool Reading::check_name(std::string_view what, std::string_view name, Place place) {
    if (!is_name(name, "_")) {
        report(
            place,
            std::string(what) + " must be small letters, digits and _, not " + in_quotes(name),
            "It begins with a letter and has at most " + std::to_string(kMostName) + " characters");
        return false;
    }
    if (expr::Program::parse("a." + std::string(name))) return true;
    report(place, std::string(what) + " cannot be " + in_quotes(name) + ": expressions reserve it");
    return false;
}

bool Reading::name(const Entry& entry, std::string& out) {
    return text(entry, out) && check_name(in_quotes(entry.name), out, entry.value.place);
}

bool Reading::flow_name(const Entry& entry, std::string& out) {
    if (!text(entry, out)) return false;
    if (is_name(out, "_-")) return true;
    report(entry.value.place,
           in_quotes(entry.name) + " must be small letters, digits, - and _, not " + in_quotes(out),
           "It begins with a letter and has at most " + std::to_string(kMostName) + " characters");
    return false;
}

bool Reading::engine_name(const Entry& entry, std::string& out) {
    if (!text(entry, out)) return false;
    const bool control =
        std::ranges::any_of(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (!out.empty() && out.size() <= kMostEngineName && !control) return true;
    report(entry.value.place,
           in_quotes(entry.name) + " must have 1 to " + std::to_string(kMostEngineName) +
               " bytes and no control characters");
    return false;
}

bool Reading::description(const Entry& entry, std::string& out) {
    if (!text(entry, out)) return false;
    if (out.size() <= kMostDescription) return true;
    report(
        entry.value.place,
        in_quotes(entry.name) + " is longer than " + std::to_string(kMostDescription) + " bytes");
    return false;
}

bool Reading::integers(const Entry& entry, int least, int most, std::vector<int>& out) {
    if (!is_list(entry)) return false;
    bool good = true;
    for (const yaml::Value& item : entry.value.items) {
        std::int64_t one = 0;
        if (!integer({entry.name, item.place, item}, least, most, one)) {
            good = false;
        } else if (std::ranges::find(out, static_cast<int>(one)) == out.end()) {
            out.push_back(static_cast<int>(one));
        }
    }
    return good;
}

Place Reading::place_in(const yaml::Value& scalar, std::size_t byte) const {
    const expr::Origin origin = source_.inside(scalar);
    Place place = origin.place;
    for (const std::string_view c : expr::characters_of(scalar.text.substr(0, byte))) {
        origin.advance(place, c == "\n");
    }
    return place;
}

void Reading::refuse_unknown(const yaml::Value& object,
                             std::string_view what,
                             const std::vector<std::string_view>& known) {
    /// Names that other systems have for our fields.
    static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
        {"command", "exec"},
        {"cmd", "exec"},
        {"run", "script"},
        {"shell", "script"},
        {"depends_on", "needs"},
        {"depends", "needs"},
        {"dependencies", "needs"},
        {"requires", "needs"},
        {"when", "if"},
        {"condition", "if"},
        {"foreach", "map"},
        {"for_each", "map"},
        {"matrix", "map"},
        {"parallelism", "window"},
        {"retries", "retry"},
        {"cwd", "dir"},
        {"working_directory", "dir"},
        {"uses", "activity"},
        {"continue_on_error", "may_fail"},
        {"allow_failure", "may_fail"},
        {"inputs", "params"},
        {"parameters", "params"},
        {"args", "with"},
        {"environment", "env"},
        {"cron", "schedules"},
        {"schedule", "schedules"},
        {"on_failure", "on_fail"},
        {"always", "finally"},
        {"timezone", "zone"},
        {"tz", "zone"},
        {"outputs", "output"},
        {"max_attempts", "attempts"},
        {"backoff", "delay"}};
    for (const yaml::Key& key : object.keys) {
        if (std::ranges::find(known, key.name) != known.end()) continue;
        std::string advice = did_you_mean(key.name, known);
        if (key.name == "<<") advice = "There are no merge keys: write the fields";
        for (const auto& [theirs, ours] : kElsewhere) {
            if (!advice.empty() || theirs != key.name) continue;
            if (std::ranges::find(known, ours) != known.end()) {
                advice = "Here it is " + in_quotes(ours);
            }
        }
        report(key.place,
               "unknown field " + in_quotes(key.name) + " of " + std::string(what),
               std::move(advice));
    }
}

}  // namespace belay::flow
