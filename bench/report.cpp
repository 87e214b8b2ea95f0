#include "report.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace belay::bench {

namespace {

using Member = std::pair<const char*, std::string>;

std::string json_object(const std::vector<Member>& members) {
    std::string text;
    for (const auto& [name, value] : members) {
        text += text.empty() ? "{" : ", ";
        text += json_string(name) + ": " + value;
    }
    return text + "}";
}

double ratio(double value, double limit) { return limit > 0 ? value / limit : 0; }

/// As it is printed: "0.53-0.59".
std::string spread(const Estimate& value) {
    const int digits = value.high < 1000 ? 2 : 0;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f-%.*f", digits, value.low, digits, value.high);
    return value.samples > 1 ? text : "-";
}

std::string json_verdict(Verdict verdict) {
    return verdict == Verdict::met      ? "\"met\""
           : verdict == Verdict::missed ? "\"missed\""
                                        : "\"unclear\"";
}

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

void Report::begin(Table table, const char* heading) {
    const Table before = std::exchange(printing_, table);
    if (table_ == nullptr || before == table) return;
    std::fprintf(table_, "%s%s\n", before == Table::none ? "" : "\n", heading);
}

Verdict Report::note(const std::string& name,
                     const Estimate& value,
                     const std::string& unit,
                     Wanted wanted,
                     double bar) {
    const Verdict verdict = judge(value, wanted, bar);
    std::string line = name + ": " + json_number(value.median) + " " + unit;
    if (value.samples > 1) {
        line += " (" + json_number(value.low) + " to " + json_number(value.high) + ")";
    }
    line += wanted == Wanted::at_least ? "; at least " : "; at most ";
    line += json_number(bar) + " is wanted";
    if (verdict == Verdict::missed) missed_.push_back(std::move(line));
    if (verdict == Verdict::unclear) unclear_.push_back(std::move(line));
    return verdict;
}

void Report::add(const Rate& rate) {
    begin(Table::rates,
          "name                           per second    p50 ms    p99 ms  raw per sec  ratio"
          "      spread    rows  commits");
    if (table_ != nullptr) {
        std::fprintf(table_,
                     "%-28s %12.0f %9.3f %9.3f %12.0f %6.2f %11s %7.2f %8.2f\n",
                     rate.name.c_str(),
                     rate.per_second,
                     rate.p50_ms,
                     rate.p99_ms,
                     rate.raw_per_second,
                     rate.ratio.median,
                     spread(rate.ratio).c_str(),
                     rate.rows,
                     rate.commits);
        std::fflush(table_);
    }
    last_ = rate.kind == Kind::latency ? rate.p50_ms : rate.per_second;
    std::vector<Member> members{{"name", json_string(rate.name)},
                                {"per_second", json_number(rate.per_second)},
                                {"p50_ms", json_number(rate.p50_ms)},
                                {"p99_ms", json_number(rate.p99_ms)},
                                {"raw_per_second", json_number(rate.raw_per_second)},
                                {"ratio", json_number(rate.ratio.median)},
                                {"ratio_low", json_number(rate.ratio.low)},
                                {"ratio_high", json_number(rate.ratio.high)},
                                {"slices", std::to_string(rate.ratio.samples)},
                                {"rows", json_number(rate.rows)},
                                {"commits", json_number(rate.commits)}};
    if (rate.least_ratio > 0 && rate.ratio.samples > 0) {
        const Verdict verdict =
            note(rate.name, rate.ratio, "of raw", Wanted::at_least, rate.least_ratio);
        members.emplace_back("least_ratio", json_number(rate.least_ratio));
        members.emplace_back("verdict", json_verdict(verdict));
    }
    objects_.push_back(json_object(members));
}

void Report::add(const Figure& figure) {
    begin(
        Table::figures,
        "name                                  value          spread          limit  ratio  unit");
    const double value = figure.value.median;
    if (table_ != nullptr) {
        const int digits = value < 1000 ? 2 : 0;
        std::fprintf(table_,
                     "%-28s %14.*f %15s %14.*f %6.2f  %s\n",
                     figure.name.c_str(),
                     digits,
                     value,
                     spread(figure.value).c_str(),
                     digits,
                     figure.limit,
                     ratio(value, figure.limit),
                     figure.unit.c_str());
        std::fflush(table_);
    }
    last_ = value;
    std::vector<Member> members{{"name", json_string(figure.name)},
                                {"value", json_number(value)},
                                {"low", json_number(figure.value.low)},
                                {"high", json_number(figure.value.high)},
                                {"slices", std::to_string(figure.value.samples)},
                                {"unit", json_string(figure.unit)},
                                {"limit", json_number(figure.limit)}};
    if (figure.kind != Figure::Limit::best) {
        const Wanted wanted =
            figure.kind == Figure::Limit::most ? Wanted::at_most : Wanted::at_least;
        const Verdict verdict = note(figure.name, figure.value, figure.unit, wanted, figure.limit);
        members.emplace_back("verdict", json_verdict(verdict));
    }
    objects_.push_back(json_object(members));
}

void Report::add(const Comparison& comparison) {
    begin(Table::comparisons,
          "name                               before          now  ratio      spread  measured as");
    const bool latency = comparison.kind == Kind::latency;
    const char* const measured = latency ? "latency" : "throughput";
    if (table_ != nullptr) {
        const int digits = comparison.now < 1000 ? 3 : 0;
        std::fprintf(table_,
                     "%-28s %12.*f %12.*f %6.3f %11s  %s\n",
                     comparison.name.c_str(),
                     digits,
                     comparison.before,
                     digits,
                     comparison.now,
                     comparison.ratio.median,
                     spread(comparison.ratio).c_str(),
                     measured);
        std::fflush(table_);
    }
    const double bar = latency ? kMostLatency : kLeastThroughput;
    const Verdict verdict = note(comparison.name,
                                 comparison.ratio,
                                 std::string("times the ") + measured + " of before",
                                 latency ? Wanted::at_most : Wanted::at_least,
                                 bar);
    objects_.push_back(json_object({{"name", json_string(comparison.name)},
                                    {"kind", json_string(measured)},
                                    {"before", json_number(comparison.before)},
                                    {"now", json_number(comparison.now)},
                                    {"ratio", json_number(comparison.ratio.median)},
                                    {"ratio_low", json_number(comparison.ratio.low)},
                                    {"ratio_high", json_number(comparison.ratio.high)},
                                    {"turns", std::to_string(comparison.ratio.samples)},
                                    {"limit", json_number(bar)},
                                    {"verdict", json_verdict(verdict)}}));
}

void Report::add(const OtherLoad& load) {
    char text[128];
    std::snprintf(text,
                  sizeof text,
                  "other programs used %.0f %% of all cores, and the host took %.0f %%",
                  load.programs * 100,
                  load.stolen * 100);
    if (table_ != nullptr) std::fprintf(table_, "\nmeanwhile %s\n", text);
    const bool disturbed = load.programs + load.stolen > kMostOtherLoad;
    if (disturbed && printing_ != Table::comparisons) unclear_.emplace_back(text);
    objects_.push_back(json_object({{"name", json_string("machine.other_load")},
                                    {"programs", json_number(load.programs)},
                                    {"stolen", json_number(load.stolen)}}));
}

std::string Report::json() const {
    std::string text = "[";
    for (const std::string& object : objects_) {
        text += (text.size() == 1 ? "\n  " : ",\n  ") + object;
    }
    return text + "\n]\n";
}

}  // namespace belay::bench
