#include "simulation/checks/run_records.hpp"

#include <string>

namespace belay::sim {

namespace {

std::optional<Payload> value_of(const RunRecord::Values& values, const std::string& key) {
    const auto found = values.values.find(key);
    return found == values.values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool RunRecord::ended_as(const Outcome& told) const { return outcome == told; }

bool RunRecord::had(std::uint64_t version, const std::optional<Payload>& status) const {
    if (version == 0) return !status.has_value();
    return version <= statuses.size() && status == statuses[version - 1].payload;
}

std::optional<Millis> RunRecord::differs_since(std::uint64_t seen) const {
    if (seen == statuses.size()) return std::nullopt;
    // A version that it does not have yet was seen of another run.
    return seen < statuses.size() ? statuses[seen].set_at : began_at;
}

bool RunRecord::had_value(const std::string& key,
                          const std::optional<Payload>& value,
                          Millis since) const {
    for (std::size_t i = values.size(); i-- > 0;) {
        if (value_of(values[i], key) == value) return true;
        if (values[i].set_at < since) return false;
    }
    return false;
}

std::optional<Millis> RunRecord::value_differs_since(const std::string& key,
                                                     const std::optional<Payload>& known) const {
    std::optional<Millis> since;
    for (std::size_t i = values.size(); i-- > 0 && value_of(values[i], key) != known;) {
        since = values[i].set_at;
    }
    return since;
}

void RunRecords::follow(Violations& violations, const memory::Run& run, Millis now) {
    const auto [at, fresh] = records_.try_emplace(run.ref);
    RunRecord& record = at->second;
    if (fresh) record.began_at = now;
    if (record.values.empty()) record.values.push_back({{}, now});
    if (run.settled && !record.settled_at) record.settled_at = now;
    const bool stops = run.status == Status::canceled && run.about.document && !run.settled;
    if (run.ended() && !stops && !record.shown_over_at) record.shown_over_at = now;
    if (record.outcome) return;
    follow_status(violations, record, run, now);
    if (run.key_values != record.values.back().values) {
        record.values.push_back({run.key_values, now});
    }
    if (!run.ended()) return;
    record.outcome = run.outcome;
    record.over_at = now;
}

void RunRecords::follow_status(Violations& violations,
                               RunRecord& record,
                               const memory::Run& run,
                               Millis now) {
    if (run.custom_status_version == record.statuses.size() + 1 && run.custom_status) {
        record.statuses.push_back({*run.custom_status, now});
        return;
    }
    violations.expect(run.custom_status_version == record.statuses.size() &&
                          record.had(run.custom_status_version, run.custom_status),
                      "each custom status has the next version",
                      [&] {
                          return run.about.name.id + " is at version " +
                                 std::to_string(run.custom_status_version) + " after " +
                                 std::to_string(record.statuses.size());
                      });
}

void RunRecords::note_gone(RunRef run, Millis now) {
    RunRecord& record = records_[run];
    record.gone = true;
    if (!record.over_at) record.over_at = now;
    if (!record.settled_at) record.settled_at = now;
    if (!record.shown_over_at) record.shown_over_at = now;
}

const RunRecord* RunRecords::find(RunRef run) const {
    const auto found = records_.find(run);
    return found == records_.end() ? nullptr : &found->second;
}

}  // namespace belay::sim
