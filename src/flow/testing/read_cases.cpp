#include "flow/testing/read_cases.hpp"

#include "flow/definition/params.hpp"
#include "flow/definition/reading.hpp"
#include "flow/testing/step_paths.hpp"
#include "yaml/reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace belay::flow {

namespace {

constexpr std::string_view kAnyStep = "*";

// ---- Results -----------------------------------------------------------------------------------

constexpr Field<GivenResult> kResultFields[] = {
    {"output",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         if (auto value = in.constant(entry.value)) result.output = *std::move(value);
     }},
    {"failed",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         std::string message;
         if (in.text(entry, message)) result.failure = std::move(message);
     }},
    {"exit",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         std::int64_t status = 0;
         if (in.integer(entry, 1, 255, status)) result.exit = static_cast<int>(status);
     }},
    {"fails",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         std::int64_t count = 0;
         if (in.integer(entry, 1, std::numeric_limits<std::uint32_t>::max(), count)) {
             result.fails = static_cast<std::uint32_t>(count);
         }
     }},
    {"retryable",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         (void)in.boolean(entry, result.retryable);
     }},
    {"hangs",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         (void)in.boolean(entry, result.hangs);
     }},
    {"takes",
     [](Reading& in, const Entry& entry, GivenResult& result) {
         (void)in.duration(entry, Millis(0), result.takes);
     }},
};

void finish(GivenResult& result) {
    const bool fails = result.failure || result.exit || result.fails > 0;
    if (!fails) return;
    if (!result.failure) {
        result.failure = result.exit ? "exited with " + std::to_string(*result.exit)
                                     : std::string("failed, as the test wants");
    }
}

void read_results(Reading& in, const Entry& entry, FlowCase& one) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        GivenResult result;
        result.place = entry.value.keys[i].place;
        if (!read_object<GivenResult>(
                in, entry.value.items[i], "a result", kResultFields, result)) {
            continue;
        }
        finish(result);
        one.results.emplace_back(entry.value.keys[i].name, std::move(result));
    }
}

// ---- Events ------------------------------------------------------------------------------------

void read_events(Reading& in, const Entry& entry, std::vector<GivenEvent>& out) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        if (auto value = in.constant(entry.value.items[i])) {
            const yaml::Key& key = entry.value.keys[i];
            out.push_back({key.name, *std::move(value), key.place});
        }
    }
}

// ---- Expectations ------------------------------------------------------------------------------

constexpr std::array<std::string_view, 4> kEnds{"completed", "failed", "canceled", "skipped"};
constexpr std::array<std::string_view, 5> kStates{
    "pending", "completed", "failed", "skipped", "canceled"};

void read_word(Reading& in,
               const Entry& entry,
               std::span<const std::string_view> words,
               std::string& out) {
    std::string given;
    if (!in.text(entry, given)) return;
    const std::vector<std::string_view> known(words.begin(), words.end());
    if (std::ranges::find(known, given) == known.end()) {
        in.report(
            entry.value.place, in_quotes(given) + " is no status", "Write " + listed(known, "or"));
        return;
    }
    out = std::move(given);
}

constexpr Field<ExpectedStep> kStepFields[] = {
    {"status",
     [](Reading& in, const Entry& entry, ExpectedStep& step) {
         read_word(in, entry, kStates, step.status);
     }},
    {"attempts",
     [](Reading& in, const Entry& entry, ExpectedStep& step) {
         std::int64_t count = 0;
         if (in.integer(entry, 0, std::numeric_limits<std::uint32_t>::max(), count)) {
             step.attempts = static_cast<std::uint32_t>(count);
         }
     }},
    {"output",
     [](Reading& in, const Entry& entry, ExpectedStep& step) {
         step.output = in.constant(entry.value);
     }},
};

void read_expected_steps(Reading& in, const Entry& entry, ExpectedEnd& expected) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        const yaml::Key& key = entry.value.keys[i];
        const yaml::Value& value = entry.value.items[i];
        ExpectedStep step;
        step.path = key.name;
        step.place = key.place;
        if (value.kind == yaml::Kind::map) {
            (void)read_object<ExpectedStep>(in, value, "an expected step", kStepFields, step);
        } else {
            read_word(in, {"status", key.place, value}, kStates, step.status);
        }
        expected.steps.push_back(std::move(step));
    }
}

constexpr Field<ExpectedEnd> kEndFields[] = {
    {"status",
     [](Reading& in, const Entry& entry, ExpectedEnd& expected) {
         read_word(in, entry, kEnds, expected.status);
     }},
    {"output",
     [](Reading& in, const Entry& entry, ExpectedEnd& expected) {
         expected.output = in.constant(entry.value);
     }},
    {"failed_step",
     [](Reading& in, const Entry& entry, ExpectedEnd& expected) {
         (void)in.text(entry, expected.failed_step);
     }},
    {"message",
     [](Reading& in, const Entry& entry, ExpectedEnd& expected) {
         (void)in.text(entry, expected.message);
     }},
    {"reason",
     [](Reading& in, const Entry& entry, ExpectedEnd& expected) {
         (void)in.text(entry, expected.reason);
     }},
    {"steps", read_expected_steps},
};

// ---- Cases -------------------------------------------------------------------------------------

constexpr Field<FlowCase> kCaseFields[] = {
    {"name",
     [](Reading& in, const Entry& entry, FlowCase& one) { (void)in.text(entry, one.name); },
     true},
    {"params",
     [](Reading& in, const Entry& entry, FlowCase& one) {
         if (!in.is_map(entry.value, in_quotes(entry.name))) return;
         if (auto value = in.constant(entry.value)) one.params = *std::move(value);
     }},
    {"steps", read_results},
    {"events",
     [](Reading& in, const Entry& entry, FlowCase& one) { read_events(in, entry, one.events); }},
    {"approvals",
     [](Reading& in, const Entry& entry, FlowCase& one) { read_events(in, entry, one.approvals); }},
    {"cancel_after",
     [](Reading& in, const Entry& entry, FlowCase& one) {
         (void)in.duration(entry, Millis(0), one.cancel_after);
     }},
    {"expect",
     [](Reading& in, const Entry& entry, FlowCase& one) {
         one.expected.place = entry.key;
         (void)read_object<ExpectedEnd>(
             in, entry.value, in_quotes("expect"), kEndFields, one.expected);
     }},
};

void read_case(Reading& in, const yaml::Value& value, std::vector<FlowCase>& out) {
    FlowCase one;
    one.place = value.place;
    one.expected.place = value.place;
    if (!read_object<FlowCase>(in, value, "a case", kCaseFields, one)) return;
    if (std::ranges::find(out, one.name, &FlowCase::name) != out.end()) {
        in.report(value.place, "two cases have the name " + in_quotes(one.name));
    }
    out.push_back(std::move(one));
}

constexpr Field<FlowCases> kFileFields[] = {
    {"flow",
     [](Reading& in, const Entry& entry, FlowCases& file) { (void)in.text(entry, file.flow); },
     true},
    {"cases",
     [](Reading& in, const Entry& entry, FlowCases& file) {
         if (!in.is_list(entry)) return;
         for (const yaml::Value& item : entry.value.items) read_case(in, item, file.cases);
     },
     true},
};

void check_path(const StepPaths& paths,
                const std::string& path,
                base::Place place,
                Problems& problems) {
    const std::string problem = paths.problem_of(path);
    if (!problem.empty()) problems.push_back({place, problem});
}

}  // namespace

ReadCases read_cases(std::string_view text) {
    ReadCases read;
    std::vector<yaml::Mistake> twice;
    const auto document = yaml::read(text, twice);
    if (!document) {
        read.problems.push_back(problem_of(document.error()));
        return read;
    }
    const ReadOptions options;
    Reading in(text, options);
    for (const yaml::Mistake& key : twice) in.report(key.place, key.message, key.advice);
    (void)read_object<FlowCases>(in, *document, "the test file", kFileFields, read.file);
    sort_problems(in.problems);
    read.problems = std::move(in.problems);
    return read;
}

Problems check_cases(const FlowCases& cases, const Bundle& bundle) {
    const StepPaths paths(bundle);
    Problems problems;
    for (const FlowCase& one : cases.cases) {
        const auto params = check_params(bundle.main_flow(), one.params, one.place);
        if (!params) problems.insert(problems.end(), params.error().begin(), params.error().end());
        for (const auto& [path, result] : one.results) {
            if (path != kAnyStep) check_path(paths, path, result.place, problems);
        }
        for (const GivenEvent& approval : one.approvals) {
            check_path(paths, approval.name, approval.place, problems);
        }
        for (const ExpectedStep& step : one.expected.steps) {
            check_path(paths, step.path, step.place, problems);
        }
    }
    sort_problems(problems);
    return problems;
}

}  // namespace belay::flow
