#include "schedule/runner/spec.hpp"

#include "base/utc.hpp"
#include "json/writer.hpp"
#include "schedule/runner/rule.hpp"
#include "schedule/runner/spec_reader.hpp"
#include "schedule/runner/target.hpp"
#include "schedule/runner/words.hpp"

#include <algorithm>

namespace belay {

namespace schedule {

namespace {

void write_times(json::Writer& out, const ScheduleSpec& spec) {
    if (!spec.cron.empty()) out.field("cron", spec.cron);
    if (spec.every) out.field("every", duration_text(*spec.every));
    if (spec.at) out.field("at", base::utc(*spec.at));
    if (spec.zone != "UTC") out.field("zone", spec.zone);
    if (spec.starts) out.field("starts", base::utc(*spec.starts));
    if (spec.ends) out.field("ends", base::utc(*spec.ends));
    if (spec.jitter != Millis(0)) out.field("jitter", duration_text(spec.jitter));
}

}  // namespace

ScheduleSpec read_spec(std::string_view json, Problems& problems) {
    ScheduleSpec spec;
    const Result<json::Value> value = json::parse(json);
    if (!value) {
        problems.add(value.error().message());
        return spec;
    }
    StrictObject object(*value, problems);
    SpecReader reader(object, problems);
    reader.text("cron", spec.cron);
    spec.every = reader.duration("every");
    spec.at = reader.time("at");
    reader.text("zone", spec.zone);
    spec.starts = reader.time("starts");
    spec.ends = reader.time("ends");
    spec.jitter = reader.duration("jitter").value_or(spec.jitter);
    reader.choice("overlap", kOverlaps, spec.overlap);
    reader.choice("catch_up", kCatchUps, spec.catch_up);
    spec.catch_up_within = reader.duration("catch_up_within").value_or(spec.catch_up_within);
    reader.truth("pause_on_failure", spec.pause_on_failure);
    reader.text("description", spec.description);
    if (const json::Value* const target = object.field("target", json::Kind::object)) {
        read_target(*target, spec, problems);
    }
    object.finish();
    return spec;
}

}  // namespace schedule

Result<ScheduleSpec> ScheduleSpec::parse(std::string_view json) {
    schedule::Problems problems;
    ScheduleSpec spec = schedule::read_spec(json, problems);
    if (problems.empty()) schedule::check_spec(spec, problems);
    if (!problems.empty()) {
        return Error(Errc::invalid_argument, "the schedule cannot be used: " + problems.text());
    }
    return spec;
}

std::string ScheduleSpec::json() const {
    const ScheduleSpec usual;
    json::Writer out;
    out.open_object();
    schedule::write_times(out, *this);
    if (overlap != usual.overlap) {
        out.field("overlap", schedule::word_of(schedule::kOverlaps, overlap));
    }
    if (catch_up != usual.catch_up) {
        out.field("catch_up", schedule::word_of(schedule::kCatchUps, catch_up));
    }
    if (catch_up_within != usual.catch_up_within) {
        out.field("catch_up_within", schedule::duration_text(catch_up_within));
    }
    if (pause_on_failure) out.field("pause_on_failure", true);
    if (!description.empty()) out.field("description", description);
    schedule::write_target(out, *this);
    return out.close_object().str();
}

Result<void> ScheduleSpec::check() const {
    schedule::Problems problems;
    schedule::check_spec(*this, problems);
    if (problems.empty() && json().size() > schedule::kLongestSpec) {
        return Error(Errc::limit_exceeded,
                     "the schedule has more than " + std::to_string(schedule::kLongestSpec) +
                         " bytes as JSON");
    }
    if (problems.empty()) return {};
    return Error(Errc::invalid_argument, "the schedule cannot be used: " + problems.text());
}

Result<std::vector<Timestamp>> ScheduleSpec::next_times(Timestamp after, std::size_t count) const {
    schedule::Problems problems;
    const std::optional<schedule::Timing> timing = schedule::timing_of(*this, problems);
    if (!timing) {
        return Error(Errc::invalid_argument, "the schedule cannot be used: " + problems.text());
    }
    return schedule::due_between(*timing, after, Timestamp::max(), count);
}

}  // namespace belay
