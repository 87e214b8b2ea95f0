#include "flow/resume.hpp"

#include "flow/definition/params.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/resume_scope.hpp"
#include "flow/run_record.hpp"

#include <exception>
#include <utility>

namespace belay::flow {

namespace {

Result<void> check_resumable(const InstanceInfo& info) {
    const std::string& id = info.name.id;
    if (info.on_fail_of) {
        return Error(Errc::invalid_argument,
                     "'" + id + "' handles the failure of another run: resume that one");
    }
    if (info.parent) {
        return Error(Errc::has_parent,
                     "'" + id + "' is a part of '" + id.substr(0, id.find('/')) +
                         "': resume that run, and name the step: STEP/INNER");
    }
    if (is_terminal(info.status) && info.settled) return {};
    return Error(Errc::still_running,
                 "'" + id + "' is " +
                     (is_terminal(info.status) ? "still stopping its programs"
                                               : std::string(to_string(info.status))) +
                     "; a run is resumed once it has settled");
}

/// The params are those of the old run, and the corrected definition may want others.
Result<void> check_params_of(const Definition& definition, const expr::Value& params) {
    const auto checked = check_params(definition, params);
    if (checked) return {};
    return Error(Errc::invalid_argument,
                 "the params of the run do not fit the definition: " + described(checked.error()) +
                     "; start another run");
}

}  // namespace

Result<ResumePlan> plan_resume(Client& client, const ResumeWish& wish) {
    const auto info = client.inspect(wish.name);
    if (!info) return info.error();
    if (const auto fine = check_resumable(*info); !fine) return fine.error();
    const auto choice = read_choice(wish.steps);
    if (!choice) return choice.error();
    const auto old = bundle_of(client, *info);
    if (!old) return old.error();
    ResumePlan plan;
    plan.from = *info;
    plan.bundle = wish.corrected.value_or(*old);
    const auto drawn = draw_run(client, *info, *old);
    if (!drawn) return drawn.error();
    ResumeScope scope(client, *old, plan.bundle, info->name.id);
    if (const auto fine = scope.add_root(*drawn, *choice); !fine) return fine.error();
    const auto main = plan.bundle.flows.find(info->definition);
    const auto params = check_params_of(main->second, drawn->params);
    if (!params) return params.error();
    if (scope.again().empty() && info->status == Status::completed) {
        return Error(Errc::invalid_argument,
                     "'" + info->name.id +
                         "' has completed: name the steps to run again, or run all of it again");
    }
    RunInput input;
    input.params = drawn->params;
    input.resume = "";
    plan.input = encode_input(input);
    plan.document = Payload(PayloadCodec::json, write_bundle(plan.bundle, scope.kept_json()));
    plan.kept = scope.kept();
    plan.again = scope.again();
    plan.kept_items = scope.kept_items();
    return plan;
}

Result<StartResult> resume(Client& client, const ResumePlan& plan, RerunOptions options) {
    const InstanceInfo& from = plan.from;
    const auto main = plan.bundle.flows.find(from.definition);
    options.link(kResumeLabel).input(plan.input).document(plan.document);
    options.on_fail(main != plan.bundle.flows.end() && !main->second.on_fail.empty());
    // Two people may resume it at the same moment. Its steps must not run twice.
    options.key("resume " + std::to_string(from.run.key.value), KeyScope::while_active);
    return client.rerun(InstanceAddress(from.name, from.run), options);
}

Result<Payload> input_from_start(const InstanceInfo& info) {
    try {
        RunInput input = decode_input(info.input);
        input.resume.reset();
        return encode_input(input);
    } catch (const std::exception& problem) {
        return Error(Errc::corrupt,
                     "the params of '" + info.name.id + "' cannot be read: " + problem.what());
    }
}

}  // namespace belay::flow
