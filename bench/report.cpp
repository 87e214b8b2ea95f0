#include "report.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

namespace belay::bench {

namespace {

using Member = std::pair<const char*, std::string>;

std::string json_object(std::initializer_list<Member> members) {
    std::string text;
    for (const auto& [name, value] : members) {
        text += text.empty() ? "{" : ", ";
        text += json_string(name) + ": " + value;
    }
    return text + "}";
}

double ratio(double value, double limit) { return limit > 0 ? value / limit : 0; }

}  // namespace

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    // Not printf: its decimal point is a matter of locale.
    char text[64];
    const auto [end, problem] =
        std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
    return problem == std::errc() ? std::string(text, end) : "null";
}

void Report::add(const Rate& rate) {
    if (!std::exchange(rates_begun_, true)) {
        std::printf("%-28s %12s %9s %9s %12s %6s %7s %8s\n",
                    "name",
                    "per second",
                    "p50 ms",
                    "p99 ms",
                    "raw per sec",
                    "ratio",
                    "rows",
                    "commits");
    }
    const double share = ratio(rate.per_second, rate.raw_per_second);
    std::printf("%-28s %12.0f %9.3f %9.3f %12.0f %6.2f %7.2f %8.2f\n",
                rate.name.c_str(),
                rate.per_second,
                rate.p50_ms,
                rate.p99_ms,
                rate.raw_per_second,
                share,
                rate.rows,
                rate.commits);
    std::fflush(stdout);
    if (share < rate.least_ratio) {
        missed_.push_back(rate.name + ": " + json_number(share) + " of raw; at least " +
                          json_number(rate.least_ratio) + " is wanted");
    }
    objects_.push_back(json_object({{"name", json_string(rate.name)},
                                    {"per_second", json_number(rate.per_second)},
                                    {"p50_ms", json_number(rate.p50_ms)},
                                    {"p99_ms", json_number(rate.p99_ms)},
                                    {"raw_per_second", json_number(rate.raw_per_second)},
                                    {"ratio", json_number(share)},
                                    {"rows", json_number(rate.rows)},
                                    {"commits", json_number(rate.commits)}}));
}

void Report::add(const Figure& figure) {
    if (!std::exchange(figures_begun_, true)) {
        std::printf("\n%-28s %14s %14s %6s  %s\n", "name", "value", "limit", "ratio", "unit");
    }
    const int digits = figure.value < 1000 ? 2 : 0;
    std::printf("%-28s %14.*f %14.*f %6.2f  %s\n",
                figure.name.c_str(),
                digits,
                figure.value,
                digits,
                figure.limit,
                ratio(figure.value, figure.limit),
                figure.unit.c_str());
    std::fflush(stdout);
    if (figure.kind == Figure::Limit::most && figure.value > figure.limit) {
        missed_.push_back(figure.name + ": " + json_number(figure.value) + " " + figure.unit +
                          "; at most " + json_number(figure.limit) + " is wanted");
    }
    objects_.push_back(json_object({{"name", json_string(figure.name)},
                                    {"value", json_number(figure.value)},
                                    {"unit", json_string(figure.unit)},
                                    {"limit", json_number(figure.limit)}}));
}

std::string Report::json() const {
    std::string text = "[";
    for (const std::string& object : objects_) {
        text += (text.size() == 1 ? "\n  " : ",\n  ") + object;
    }
    return text + "\n]\n";
}

}  // namespace belay::bench
