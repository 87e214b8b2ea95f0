#include "session.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

namespace trial {

Settings& settings() {
    static Settings settings;
    return settings;
}

Counts& counts() {
    static Counts counts;
    return counts;
}

void check(bool good, const std::string& what) {
    ++(good ? counts().passed : counts().failed);
    std::printf("  %s %s\n", good ? "ok    " : "FAILED", what.c_str());
}

std::string contents_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Session::Session() : Connection(settings().address) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(settings().sql_directory / "statements")) {
        if (entry.path().extension() == ".sql") {
            prepare(entry.path().stem(), contents_of(entry.path()));
        }
    }
    server_times_ = "/proc/" + execute("select pg_backend_pid()")[0][0] + "/schedstat";
}

Number Session::number(const std::string& sql) {
    const Rows rows = execute(sql);
    return rows.empty() || rows[0][0].empty() ? -1 : std::stoll(rows[0][0]);
}

double Session::processor_time() {
    std::ifstream in(server_times_);
    double nanoseconds = 0;
    in >> nanoseconds;
    return nanoseconds / 1e6 + 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string text(Number value) { return std::to_string(value); }

std::string array_of(const std::vector<Number>& values) {
    Array array;
    for (const Number value : values) {
        array.add(value);
    }
    return array.text();
}

std::string same(Number value, std::size_t count) {
    return array_of(std::vector<Number>(count, value));
}

std::string commit_id(Number a, Number b) {
    char id[64];
    std::snprintf(id,
                  sizeof id,
                  "00000000-0000-0000-%04x-%012llx",
                  static_cast<unsigned>(a),
                  static_cast<unsigned long long>(b));
    return id;
}

std::vector<int> verdicts_in(const std::vector<Step>& steps, const std::vector<Rows>& results) {
    std::vector<int> verdicts;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string& name = steps[i].statement;
        if (name == "turn_guard" || name == "turn_cte" || name == "turn_function" ||
            name == "ack_activities" || name == "renew_activities" || name == "cancel" ||
            name == "start_answer") {
            for (const auto& row : results[i]) {
                verdicts.push_back(std::stoi(row[1]));
            }
        }
    }
    return verdicts;
}

Batch in_one(const std::vector<Step>& steps) {
    return {steps, [steps](const std::vector<Rows>& results) {
                return Batch::Decision{verdicts_in(steps, results), {}};
            }};
}

std::vector<int> commit(Session& session, const std::vector<Step>& steps) {
    return verdicts_in(steps, session.run(steps));
}

std::vector<int> commit(Session& session, const Batch& batch) {
    const Batch::Decision decision = batch.decide(session.run(batch.first));
    if (!decision.second.empty()) {
        session.run(decision.second);
    }
    return decision.verdicts;
}

void set_up(Session& session, Number first, Number last) {
    session.run({{"setup_runs", {text(kShard), text(first), text(last)}}});
}

}  // namespace trial
