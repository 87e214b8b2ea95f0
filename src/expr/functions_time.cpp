// Parts of times and durations. The clock is not among them: an expression has no current time.
#include "base/utf8.hpp"
#include "expr/function_types.hpp"
#include "expr/functions.hpp"
#include "expr/times.hpp"

#include <cstdint>
#include <string>

namespace belay::expr {

namespace {

template <auto Part>
Outcome part_of_time(Arguments a, Budget& /*budget*/) {
    Span zone;
    if (a.size() == 2) {
        const auto known = parse_zone(a[1].text());
        if (!known) {
            return failed("unknown time zone \"" + base::printable(a[1].text(), 40) +
                          "\": write UTC or an offset like +01:00");
        }
        zone = *known;
    }
    return Value(static_cast<std::int64_t>(Part(calendar(a[0].timestamp(), zone))));
}

template <auto Part>
void add_part(FunctionTable& table, std::string_view name) {
    table.method(name, {kTime}, kInt, part_of_time<Part>);
    table.method(name, {kTime, kText}, kInt, part_of_time<Part>);
}

/// Whole units in a duration, cut off towards zero.
template <std::int64_t Seconds>
Outcome units_of_span(Arguments a, Budget& /*budget*/) {
    const Span span = a[0].duration();
    const bool minus = span.seconds < 0;
    const std::int64_t whole = (minus ? negated(span) : span).seconds / Seconds;
    return Value(minus ? -whole : whole);
}

}  // namespace

void add_time_functions(FunctionTable& table) {
    add_part<[](const Calendar& c) { return c.year; }>(table, "getFullYear");
    add_part<[](const Calendar& c) { return c.month; }>(table, "getMonth");
    add_part<[](const Calendar& c) { return c.day + 1; }>(table, "getDate");
    add_part<[](const Calendar& c) { return c.day; }>(table, "getDayOfMonth");
    add_part<[](const Calendar& c) { return c.day_of_week; }>(table, "getDayOfWeek");
    add_part<[](const Calendar& c) { return c.day_of_year; }>(table, "getDayOfYear");
    add_part<[](const Calendar& c) { return c.hours; }>(table, "getHours");
    add_part<[](const Calendar& c) { return c.minutes; }>(table, "getMinutes");
    add_part<[](const Calendar& c) { return c.seconds; }>(table, "getSeconds");
    add_part<[](const Calendar& c) { return c.milliseconds; }>(table, "getMilliseconds");
    table.method("getHours", {kSpan}, kInt, units_of_span<3600>);
    table.method("getMinutes", {kSpan}, kInt, units_of_span<60>);
    table.method("getSeconds", {kSpan}, kInt, units_of_span<1>);
    table.method("getMilliseconds", {kSpan}, kInt, [](Arguments a, Budget&) -> Outcome {
        const Span span = a[0].duration();
        const Span size = span.seconds < 0 ? negated(span) : span;
        return Value(static_cast<std::int64_t>(size.nanos / 1'000'000) *
                     (span.seconds < 0 ? -1 : 1));
    });
}

}  // namespace belay::expr
