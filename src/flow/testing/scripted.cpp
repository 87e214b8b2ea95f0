#include "flow/testing/scripted.hpp"

#include "expr/value_json.hpp"
#include "flow/interpreter/interpreter.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/steps/requests.hpp"
#include <belay/context.hpp>
#include <belay/exceptions.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace belay::flow {

namespace {

constexpr std::string_view kCall = "flow-test.call.";
constexpr const char* kCleanup = "flow-test.cleanup";
/// The member of the input of an activity that has the number of the item.
constexpr const char* kItem = "$item";

// ---- Which step calls --------------------------------------------------------------------------

/// The step that an activity belongs to, and the exit statuses that it repeats; empty: all.
struct Caller {
    std::string step;
    std::optional<std::uint64_t> item{};
    std::vector<int> retry_only{};
};

template <class Request>
Caller caller_in(const Payload& input) {
    auto [request] = belay::detail::decode_arguments<Request>(input);
    Caller caller{std::move(request.step), request.item};
    if constexpr (std::is_same_v<Request, ProgramRequest>) {
        caller.retry_only = std::move(request.retry_only);
    }
    return caller;
}

Caller caller_of(const std::string& activity, const Payload& input) {
    if (activity == kRunProgram.name()) return caller_in<ProgramRequest>(input);
    if (activity == kSendHttp.name()) return caller_in<HttpRequest>(input);
    Caller caller{activity.substr(kCall.size())};
    const expr::Value value = value_of(input);
    const expr::Value* const item = value.is(expr::Kind::map) ? value.map().find(kItem) : nullptr;
    if (item != nullptr && item->is(expr::Kind::integer)) {
        caller.item = static_cast<std::uint64_t>(item->integer());
    }
    return caller;
}

/// "deploy[1]/push[2]" is "deploy/push".
std::string without_items(const std::string& path) {
    std::string plain;
    bool inside = false;
    for (const char c : path) {
        if (c == '[') inside = true;
        if (!inside) plain += c;
        if (c == ']') inside = false;
    }
    return plain;
}

bool repeats(const Caller& caller, const GivenResult& given) {
    if (!given.exit || caller.retry_only.empty()) return true;
    return std::ranges::find(caller.retry_only, *given.exit) != caller.retry_only.end();
}

}  // namespace

std::string json_text(const expr::Value& value) {
    Result<std::string> text = expr::to_json(value);
    return text ? std::move(*text) : std::string("null");
}

// ---- Results -----------------------------------------------------------------------------------

const GivenResult* GivenResults::exactly(const std::string& path) const {
    for (const auto& [name, result] : case_->results) {
        if (name == path) return &result;
    }
    return nullptr;
}

const GivenResult* GivenResults::of_path(const std::string& path) const {
    if (const GivenResult* const one = exactly(path)) return one;
    if (path.ends_with(']')) {
        if (const auto* const all = exactly(path.substr(0, path.rfind('[')))) return all;
    }
    return exactly(without_items(path));
}

const GivenResult* GivenResults::find(const std::string& prefix,
                                      const std::string& step,
                                      std::optional<std::uint64_t> item) const {
    const GivenResult* const found = of_path(prefix + step_name(step, item));
    return found != nullptr ? found : exactly("*");
}

ActivityResult result_of(const GivenResult& given, std::uint32_t attempt, bool may_repeat) {
    const bool fails = given.failure && (given.fails == 0 || attempt <= given.fails);
    if (!fails) return json_payload(given.output);
    return Failure{.message = *given.failure,
                   .attempt = attempt,
                   .type = given.exit ? "exit" : "",
                   .retryable = given.retryable && may_repeat};
}

// ---- The executor ------------------------------------------------------------------------------

ActivityResult ScriptedExecutor::missing_result(const std::string& path) {
    if (std::ranges::find(missing_, path) == missing_.end()) missing_.push_back(path);
    return Failure{.message = "the case gives no result for it", .retryable = false};
}

void ScriptedExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) {
    const ActivityDetails& about = task->details();
    if (about.name == kCleanup) return done(json_payload(expr::Value()));
    const Caller caller = caller_of(about.name, task->input());
    const auto run = results_.paths().run_of(kCaseRun, about.instance.id);
    const std::string prefix = run ? run->prefix : "";
    const GivenResult* const given = results_.find(prefix, caller.step, caller.item);
    if (given == nullptr) {
        return done(missing_result(prefix + step_name(caller.step, caller.item)));
    }
    ActivityResult result = result_of(*given, about.attempt, repeats(caller, *given));
    if (!given->hangs && given->takes == Millis(0)) return done(std::move(result));
    Pending pending{std::move(task), std::move(done), std::nullopt, std::move(result)};
    if (!given->hangs) pending.until = clock_.monotonic() + given->takes;
    pending_.push_back(std::move(pending));
}

void ScriptedExecutor::finish(std::vector<Pending>::iterator at, ActivityResult result) {
    const Done done = std::move(at->done);
    pending_.erase(at);
    done(std::move(result));
}

void ScriptedExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    const auto at = std::ranges::find(pending_, task, &Pending::task);
    if (at == pending_.end()) return;
    task->request_stop(reason);
    finish(at, Failure{.message = "stopped"});
}

bool ScriptedExecutor::abort(const std::shared_ptr<ActivityTask>& task) {
    const auto at = std::ranges::find(pending_, task, &Pending::task);
    if (at != pending_.end()) finish(at, Failure{.message = "stopped"});
    return true;
}

bool ScriptedExecutor::step() {
    const Millis now = clock_.monotonic();
    const auto due = std::ranges::find_if(
        pending_, [&](const Pending& one) { return one.until && *one.until <= now; });
    if (due == pending_.end()) return false;
    finish(due, std::move(due->result));
    return true;
}

std::optional<Millis> ScriptedExecutor::next_due() const {
    std::optional<Millis> next;
    for (const Pending& one : pending_) {
        if (one.until && (!next || *one.until < *next)) next = one.until;
    }
    return next;
}

// ---- Definitions -------------------------------------------------------------------------------

namespace {

void script(Step& step) {
    if (step.on_cancel) step.on_cancel->action = Call{kCleanup};
    if (!std::holds_alternative<Call>(step.action)) return;
    step.action = Call{std::string(kCall).append(step.id)};
    if (!step.map) return;
    auto index = expr::Program::parse("index");
    if (index) step.with.emplace_back(kItem, Form(expr::Template::of(*std::move(index))));
}

std::shared_ptr<const Definition> scripted_flow(Definition flow) {
    for (std::vector<Step>* const list :
         {&flow.steps, &flow.on_fail, &flow.finally, &flow.on_cancel}) {
        for (Step& step : *list) script(step);
    }
    return std::make_shared<const Definition>(std::move(flow));
}

/// The run of a sub-flow that has a result of its own.
Orchestration<Payload> give_result(OrchestrationContext ctx,
                                   GivenResult given,
                                   std::uint32_t attempt) {
    if (given.takes > Millis(0)) co_await ctx.timer(given.takes);
    if (given.hangs) {
        auto never = ctx.wait<void>("flow-test.never");
        co_await std::move(never);
    }
    ActivityResult result = result_of(given, attempt);
    if (const auto* const failure = std::get_if<Failure>(&result)) throw OperationFailed(*failure);
    co_return std::get<Payload>(std::move(result));
}

OrchestrationHandler handler_with(const std::shared_ptr<const Definition>& flow,
                                  const GivenResults& results) {
    return [usual = handler_of(flow), &results](
               OrchestrationContext ctx,
               const Payload& input) -> std::unique_ptr<belay::detail::Root> {
        const auto run = results.paths().run_of(kCaseRun, ctx.instance_id());
        const GivenResult* const given =
            run && !run->path.empty() ? results.of_path(run->path) : nullptr;
        if (given == nullptr) return usual(std::move(ctx), input);
        return std::make_unique<belay::detail::RootOf<Payload>>(
            give_result(std::move(ctx), *given, run->attempt));
    };
}

}  // namespace

ScriptedFlows scripted(const Bundle& bundle) {
    ScriptedFlows flows;
    for (const auto& [name, flow] : bundle.flows) flows.emplace(name, scripted_flow(flow));
    return flows;
}

void register_scripted(Registry& registry,
                       const ScriptedFlows& flows,
                       const GivenResults& results) {
    std::set<std::string> activities{
        std::string(kRunProgram.name()), std::string(kSendHttp.name()), kCleanup};
    for (const auto& [name, flow] : flows) {
        registry.add_orchestration(name, RegisteredOrchestration{"1", handler_with(flow, results)});
        for (const std::vector<Step>* const list :
             {&flow->steps, &flow->on_fail, &flow->finally, &flow->on_cancel}) {
            for (const Step& step : *list) {
                if (const auto* const call = std::get_if<Call>(&step.action)) {
                    activities.insert(call->activity);
                }
            }
        }
    }
    for (const std::string& activity : activities) {
        registry.add_activity(
            activity,
            ActivityHandler::Function([](ActivityContext&, const Payload&) { return Payload(); }));
    }
}

}  // namespace belay::flow
