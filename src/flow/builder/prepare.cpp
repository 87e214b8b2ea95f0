// The start of a flow that was built in C++.
#include "flow/builder/draft_state.hpp"
#include "flow/checks.hpp"
#include "flow/definition/code_type.hpp"
#include "flow/definition/params.hpp"
#include "flow/flow_code.hpp"
#include "flow/flow_schedule.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/code_values.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/client_options.hpp>
#include <belay/exceptions.hpp>
#include <belay/flow.hpp>

#include <stdexcept>
#include <utility>

namespace belay {

void add_flows(Registry& registry) { flow::add_flow_code(registry); }

namespace detail {

/// Adds what a definition says to options of a start. What the caller has set stays.
struct FlowDefaults {
    static void apply(const PreparedFlow& flow,
                      std::optional<Concurrency> key,
                      StartOptions& options) {
        const flow::Definition& main = flow.bundle.main_flow();
        options.document_ = flow.document;
        options.version_ = std::string(flow::kInterpreterVersion);
        options.on_fail_ = !main.on_fail.empty();
        for (const auto& [name, value] : main.labels) options.labels_.try_emplace(name, value);
        if (main.expires && !options.expires_) options.expires_ = main.expires;
        if (key && !options.concurrency_) options.concurrency_ = std::move(key);
        if (!options.rate_) options.rate_ = flow::rate_of(main);
    }
};

namespace {

using DraftsByName = std::map<std::string, const FlowDraft*>;

Error invalid(const std::string& flow, const std::string& why) {
    return Error(Errc::invalid_argument, "the flow '" + flow + "' has mistakes: " + why);
}

/// Returns the params of a run, as a map.
Result<expr::Value> params_of(const std::vector<FlowParam>& params,
                              const std::vector<Payload>& arguments) {
    flow::Fields fields;
    try {
        for (std::size_t i = 0; i < params.size(); ++i) {
            const auto type = flow::CodeType::parse(params[i].type);
            fields.emplace_back(params[i].name,
                                flow::value_of(arguments[i], type.value_or(flow::CodeType())));
        }
    } catch (const std::exception& problem) {
        return Error(Errc::invalid_argument, problem.what());
    }
    return expr::Value(flow::map_of(std::move(fields)));
}

/// Evaluates the key of the concurrency of runs; none if the flow has no such key.
Result<std::optional<Concurrency>> key_of(const flow::Definition& main, const expr::Value& params) {
    if (!main.concurrency) return std::optional<Concurrency>();
    const auto checked = flow::check_params(main, params);
    if (!checked) return invalid(main.name, flow::described(checked.error()));
    return flow::concurrency_of(main, *checked);
}

}  // namespace

void FlowDraft::collect(std::map<std::string, const FlowDraft*>& found) const {
    for (const auto& [name, flow] : state_->flows) {
        const auto [known, added] = found.emplace(name, flow.get());
        if (added) flow->collect(found);
    }
}

std::vector<std::string> FlowDraft::mistakes() const {
    std::vector<std::string> all = state_->mistakes;
    if (state_->output.empty()) all.emplace_back("it has no output: call output()");
    return all;
}

Result<std::shared_ptr<const PreparedFlow>> FlowDraft::prepared() const {
    {
        const MutexLock lock(state_->mutex);
        if (state_->prepared) return state_->prepared;
    }
    DraftsByName drafts;
    collect(drafts);
    drafts.insert_or_assign(name(), this);
    for (const auto& [name, draft] : drafts) {
        const std::vector<std::string> mistakes = draft->mistakes();
        if (!mistakes.empty()) return invalid(name, mistakes.front());
    }
    const auto find = [&](std::string_view wanted) -> std::optional<std::string> {
        const auto found = drafts.find(std::string(wanted));
        if (found == drafts.end()) return std::nullopt;
        return found->second->text();
    };
    auto bundle = flow::read_bundle(text(), find, flow::with_all_checks());
    if (!bundle) return invalid(name(), flow::described(bundle.error()));
    auto made = std::make_shared<PreparedFlow>();
    made->document = flow::document_of(*bundle);
    made->bundle = *std::move(bundle);
    const MutexLock lock(state_->mutex);
    state_->prepared = made;
    return state_->prepared;
}

Result<void> FlowDraft::check() const {
    const auto ready = prepared();
    if (!ready) return ready.error();
    return {};
}

Result<Payload> FlowDraft::input(const std::vector<Payload>& arguments) const {
    const Result<expr::Value> params = params_of(state_->params, arguments);
    if (!params) return params.error();
    return flow::start_input(*params);
}

Result<void> FlowDraft::prepare(StartOptions& options,
                                const std::vector<Payload>& arguments) const {
    const auto ready = prepared();
    if (!ready) return ready.error();
    const Result<expr::Value> params = params_of(state_->params, arguments);
    if (!params) return params.error();
    auto key = key_of((*ready)->bundle.main_flow(), *params);
    if (!key) return key.error();
    FlowDefaults::apply(**ready, *std::move(key), options);
    return {};
}

void FlowDraft::set_target(ScheduleSpec& schedule, const std::vector<Payload>& arguments) const {
    const auto ready = prepared();
    if (!ready) throw std::invalid_argument(ready.error().message());
    const Result<expr::Value> params = params_of(state_->params, arguments);
    if (!params) throw std::invalid_argument(params.error().message());
    const Result<void> set = flow::set_target((*ready)->bundle, *params, schedule);
    if (!set) throw std::invalid_argument(set.error().message());
}

std::map<std::string, std::string> FlowDraft::texts() const {
    DraftsByName drafts;
    collect(drafts);
    drafts.insert_or_assign(name(), this);
    std::map<std::string, std::string> texts;
    for (const auto& [name, draft] : drafts) texts.emplace(name, draft->text());
    return texts;
}

}  // namespace detail

}  // namespace belay
