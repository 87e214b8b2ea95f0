#include "histories/flow_scenarios.hpp"

#include "flow/flow_start.hpp"
#include "flow/interpreter/picture.hpp"
#include "flow/interpreter/waits.hpp"
#include "flow/resume.hpp"
#include "flow/steps/requests.hpp"
#include "histories/code.hpp"
#include "histories/definitions.hpp"
#include <belay/exceptions.hpp>
#include <belay/schedules.hpp>
#include <belay/testing/world.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace belay::histories {

namespace {

using namespace std::chrono_literals;
using flow::FlowPicture;

using AnyActivity = Activity<Payload(Payload)>;
using AnyFlow = Definition<Payload(Payload)>;

constexpr const char* kLargest = "flow-large";

Payload json(std::string text) { return Payload(PayloadCodec::json, std::move(text)); }

std::optional<std::string> definition_named(std::string_view name) {
    if (name == "part") return kPart;
    if (name == "waits") return kWaits;
    return std::nullopt;
}

flow::Bundle bundle_of(const char* text) {
    auto bundle = flow::read_bundle(text, definition_named);
    if (!bundle) throw std::logic_error("a flow that is recorded has mistakes");
    return *std::move(bundle);
}

/// Answers programs, requests and activities without doing anything.
class FlowScenario {
public:
    explicit FlowScenario(const char* text)
        : bundle_(bundle_of(text)), world_(code(), testing::WorldOptions().cold_replay(false)) {
        world_.replace(
            flow::kRunProgram, [](ActivityContext& ctx, const flow::ProgramRequest& request) {
                const bool fails = request.program.size() > 1 && request.program[1] == "db2";
                if (fails) throw std::runtime_error("no such database");
                if (request.output == flow::OutputForm::lines) return json(R"(["a","b"])");
                return json("\"dump of " + request.step + ", " + std::to_string(ctx.attempt()) +
                            "\"");
            });
        world_.replace(flow::kSendHttp, [](const flow::HttpRequest& request) {
            return json(R"({"status":200,"headers":{},"body":")" + request.method + "\"}");
        });
        world_.replace(AnyActivity("Work"), [](const Payload& input) { return input; });
        world_.replace(AnyActivity("Undo"), [](const Payload& input) { return input; });
        world_.replace(AnyActivity("Flaky"), [](const Payload& input) { return input; });
        world_.replace(AnyActivity("Flaky"), testing::fails_first(2, "not yet"));
        world_.replace(AnyActivity("Broken"), testing::fails_always("no luck"));
        world_.replace(AnyActivity("Long"), testing::never_answers());
    }

    InstanceName start(const std::string& params = "{}") {
        const AnyFlow definition(bundle_.main);
        StartOptions options = flow::start_options(bundle_, "ann");
        return world_.start_with(definition, options.id(bundle_.main + "-1"), json(params));
    }
    void wait(const InstanceName& run) { (void)world_.wait(AnyFlow(bundle_.main), run); }
    void raise(const InstanceName& run, const std::string& event, const char* text) {
        world_.raise(run, event, json(text));
    }
    /// From now on no program fails.
    void repair() {
        world_.replace(flow::kRunProgram,
                       [](ActivityContext& /*ctx*/, const flow::ProgramRequest& request) {
                           return json("\"dump of " + request.program.at(1) + "\"");
                       });
    }
    testing::World& world() { return world_; }

private:
    flow::Bundle bundle_;
    testing::World world_;
};

using Recorded = std::map<std::string, std::string>;

InstanceName below(const InstanceName& run, const std::string& path) {
    return InstanceName{run.space, run.id + "/" + path};
}

void record_steps(Recorded& recorded) {
    FlowScenario scenario(kSteps);
    const InstanceName run = scenario.start(R"({"usual":2})");
    scenario.world().run_until_idle();
    scenario.raise(run, "ready", R"({"by":"bob"})");
    scenario.world().advance(2h);
    recorded["flow-steps-running"] = scenario.world().exported(run);
    const std::string event = flow::approval_event("ask", std::nullopt);
    scenario.raise(run, event, R"({"approved":true,"by":"eve","role":"guest"})");
    scenario.raise(
        run, event, R"({"approved":true,"by":"ann","role":"operator","values":{"limit":21}})");
    scenario.wait(run);
    recorded["flow-steps"] = scenario.world().exported(run);
    recorded["flow-part"] = scenario.world().exported(below(run, "part"));
}

void record_failed(Recorded& recorded) {
    FlowScenario scenario(kFails);
    const InstanceName run = scenario.start();
    scenario.wait(run);
    scenario.world().run_until_idle();
    recorded["flow-failed"] = scenario.world().exported(run);
    recorded["flow-on-fail"] = scenario.world().exported(below(run, "~on-fail"));
}

void record_canceled(Recorded& recorded) {
    FlowScenario scenario(kCanceled);
    const InstanceName run = scenario.start();
    scenario.world().run_until_idle();
    scenario.world().cancel(run, "no longer needed", "ann");
    scenario.wait(run);
    recorded["flow-canceled"] = scenario.world().exported(run);
    recorded["flow-canceled-part"] = scenario.world().exported(below(run, "child"));
}

void record_one(Recorded& recorded, const std::string& name, const char* text) {
    FlowScenario scenario(text);
    const InstanceName run = scenario.start();
    scenario.wait(run);
    recorded[name] = scenario.world().exported(run);
    // The second of its children has one item.
    if (name == kLargest) {
        recorded[name + "-items"] = scenario.world().exported(below(run, "each-2"));
    }
}

void record_resumed(Recorded& recorded) {
    FlowScenario scenario(kResumed);
    const InstanceName run = scenario.start();
    scenario.wait(run);
    scenario.repair();
    Client& client = scenario.world().client();
    const auto plan = flow::plan_resume(client, flow::ResumeWish{run, {}, {}}).or_throw();
    const auto again = flow::resume(client, plan, RerunOptions().id("resumed-2")).or_throw();
    scenario.wait(again.instance.name);
    recorded["flow-resumed"] = scenario.world().exported(again.instance.name);
}

void add_line(std::string& lines, const std::string& place, const flow::Progress& progress) {
    lines.append(place).append(" ").append(to_string(progress.status));
    if (progress.attempts > 1) {
        lines.append(", ").append(std::to_string(progress.attempts)).append(" attempts");
    }
    if (progress.failure) lines.append(": ").append(progress.failure->message);
    lines.append("\n");
}

}  // namespace

void record_flows(Recorded& recorded) {
    record_steps(recorded);
    record_failed(recorded);
    record_canceled(recorded);
    record_resumed(recorded);
    record_one(recorded, "flow-early", kEarly);
    record_one(recorded, "flow-late", kLate);
    record_one(recorded, kLargest, kLarge);
}

void record_schedule(Recorded& recorded) {
    testing::World world(code());
    Schedules schedules(world.client());
    ScheduleSpec spec;
    spec.cron = "15 3 * * *";
    spec.zone = "Europe/Brussels";
    spec.jitter = 5min;
    spec.target(Part, 0);
    (void)schedules.create("nightly", spec, ScheduleNote().by("ann")).or_throw();
    world.run_until_idle();
    world.advance(50h);
    (void)schedules.pause("nightly", ScheduleNote().by("ann").why("too slow")).or_throw();
    world.advance(24h);
    (void)schedules.resume("nightly").or_throw();
    spec.cron.clear();
    spec.zone = "UTC";
    spec.every = 6h;
    spec.overlap = Overlap::queue;
    (void)schedules.update("nightly", spec).or_throw();
    world.advance(13h);
    (void)schedules.run_now("nightly").or_throw();
    world.run_until_idle();
    recorded["schedule"] = world.exported(InstanceName{"default", "belay.schedule.nightly"});
}

std::string states_of(const std::string& exported) {
    const Result<FlowPicture> picture = flow::picture_of(exported);
    if (!picture) throw std::runtime_error(picture.error().describe());
    std::string lines;
    for (const flow::ListPicture& list : picture->lists) {
        for (const flow::StepPicture& step : list.steps) {
            const std::string place = std::string(to_string(list.name)) + " " + step.id;
            add_line(lines, place, step);
            for (const flow::ItemPicture& item : step.items) {
                add_line(lines, place + "[" + std::to_string(item.item) + "]", item);
            }
            for (const flow::ChunkPicture& chunk : step.chunks) {
                lines.append(place).append(" in ").append(chunk.child).append("\n");
            }
        }
    }
    return lines;
}

}  // namespace belay::histories
