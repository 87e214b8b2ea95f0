// Short words for making flows and running them in a world of virtual time.
#pragma once

#include "expr/value_json.hpp"
#include "flow/interpreter/interpreter.hpp"
#include "flow/interpreter/picture.hpp"
#include "flow/steps/requests.hpp"
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow::test {

inline Form form(std::string_view text) {
    auto parsed = expr::Template::parse(text);
    if (!parsed) throw std::invalid_argument(to_string(parsed.error()));
    if (parsed->is_plain()) return Form(expr::Value(std::string(text)));
    return Form(*std::move(parsed));
}

inline expr::Program program(std::string_view source) {
    auto parsed = expr::Program::parse(source);
    if (!parsed) throw std::invalid_argument(to_string(parsed.error()));
    return *std::move(parsed);
}

/// Makes a definition. Modifiers apply to the step that was added last.
class Flow {
public:
    explicit Flow(std::string name) { made_.name = std::move(name); }

    Flow& step(std::string id, Action action) {
        list_->push_back(Step{.id = std::move(id), .place = {}, .action = std::move(action)});
        return *this;
    }
    Flow& call(std::string id, std::string activity = "Work") {
        return step(std::move(id), Call{std::move(activity)});
    }
    Flow& set(std::string id, std::string_view value) {
        return step(std::move(id), Set{form(value)});
    }
    Flow& sleep(std::string id, std::string_view length) {
        return step(std::move(id), Sleep{form(length)});
    }
    Flow& needs(std::initializer_list<std::string_view> ids) {
        for (const std::string_view id : ids) last().needs.push_back(position(id));
        return *this;
    }
    Flow& after(std::initializer_list<std::string_view> ids) {
        for (const std::string_view id : ids) last().after.push_back(position(id));
        return *this;
    }
    Flow& only_if(std::string_view condition) {
        last().condition = program(condition);
        return *this;
    }
    Flow& with(std::string name, std::string_view value) {
        last().with.emplace_back(std::move(name), form(value));
        return *this;
    }
    Flow& map(std::string_view over, std::uint32_t window = 16, std::uint32_t may_fail = 0) {
        last().map = MapOver{.over = program(over), .window = window, .items_may_fail = may_fail};
        return *this;
    }
    Flow& may_fail() {
        last().may_fail = true;
        return *this;
    }
    Flow& retry(std::uint32_t attempts, Millis delay = Millis(1'000)) {
        last().retry.attempts = attempts;
        last().retry.delay = delay;
        return *this;
    }
    Flow& ends_if(std::string_view condition) {
        last().end_flow = program(condition);
        return *this;
    }
    Flow& on_cancel(std::string activity) {
        last().on_cancel = OnCancel{.action = Call{std::move(activity)}};
        return *this;
    }
    Flow& output(std::string_view value) {
        made_.output = form(value);
        return *this;
    }
    /// Further steps are those of the handler.
    Flow& finally() { return use(made_.finally); }
    Flow& canceled() { return use(made_.on_cancel); }
    Flow& failed() { return use(made_.on_fail); }

    Step& last() { return list_->back(); }
    Definition& raw() { return made_; }
    [[nodiscard]] std::shared_ptr<const Definition> made() const {
        return std::make_shared<const Definition>(made_);
    }

private:
    Flow& use(std::vector<Step>& list) {
        list_ = &list;
        return *this;
    }
    [[nodiscard]] std::size_t position(std::string_view id) const {
        const auto found = std::ranges::find(*list_, id, &Step::id);
        if (found == list_->end()) throw std::invalid_argument(std::string(id));
        return static_cast<std::size_t>(found - list_->begin());
    }

    Definition made_;
    std::vector<Step>* list_ = &made_.steps;
};

inline testing::WorldOptions quick() { return testing::WorldOptions().cold_replay(false); }

/// A world in which flows run. The activity "Work" gives back its input.
class FlowWorld {
public:
    explicit FlowWorld(const Flow& flow,
                       const testing::WorldOptions& options = testing::WorldOptions())
        : FlowWorld({flow.made()}, options) {}
    explicit FlowWorld(std::vector<std::shared_ptr<const Definition>> flows,
                       const testing::WorldOptions& options = testing::WorldOptions())
        : flows_(std::move(flows)), world_(registry_of(flows_), options) {
        does("Work", [](const expr::Value& input) { return input; });
    }

    using Code = std::function<expr::Value(const expr::Value&)>;

    void does(const std::string& activity, Code code) {
        const Activity<Payload(Payload)> handle{activity};
        world_.replace(handle, [code = std::move(code)](const Payload& input) {
            const expr::Value output = code(expr::parse_json(input.bytes).or_throw());
            return Payload(PayloadCodec::json, expr::to_json(output).or_throw());
        });
    }
    void fails(const std::string& activity, std::uint32_t times = 1'000'000) {
        const Activity<Payload(Payload)> handle{activity};
        world_.replace(handle, testing::fails_first(times, "no luck"));
    }
    void hangs(const std::string& activity) {
        const Activity<Payload(Payload)> handle{activity};
        world_.replace(handle, testing::never_answers());
    }

    InstanceName start(std::string_view input = "{}", std::string id = "run") {
        const belay::Definition<Payload(Payload)> handle{flows_.front()->name};
        return world_.start_with(handle,
                                 StartOptions().id(std::move(id)),
                                 Payload(PayloadCodec::json, std::string(input)));
    }
    Outcome wait(const InstanceName& name) {
        const belay::Definition<Payload(Payload)> handle{flows_.front()->name};
        return world_.wait(handle, name).outcome();
    }
    Outcome run(std::string_view input = "{}") { return wait(start(input)); }
    /// Runs the flow, and returns its output, or "step: message" of its failure.
    std::string result(std::string_view input = "{}") { return shown(run(input)); }

    static std::string shown(const Outcome& outcome) {
        if (outcome.status == Status::completed) return outcome.output.bytes;
        if (outcome.status == Status::canceled) return "canceled: " + outcome.cancel.reason;
        return outcome.failure.where + ": " + outcome.failure.message;
    }

    void raise(const InstanceName& name, const std::string& event, std::string json) {
        world_.raise(name, event, Payload(PayloadCodec::json, std::move(json)));
    }
    /// Returns the inputs of the calls of an activity, as JSON.
    [[nodiscard]] std::vector<std::string> calls(std::string_view activity = "Work") const {
        std::vector<std::string> inputs;
        for (const auto& call : world_.calls_of(activity)) inputs.push_back(call.input.bytes);
        return inputs;
    }
    [[nodiscard]] FlowPicture picture(const InstanceName& name) {
        return picture_of(flows_.front(), world_.exported(name)).or_throw();
    }
    /// Returns the states of all steps: "a:completed b:skipped".
    [[nodiscard]] std::string states(const InstanceName& name) {
        std::string text;
        for (const ListPicture& list : picture(name).lists) {
            for (const StepPicture& step : list.steps) {
                if (!text.empty()) text += " ";
                text.append(step.id).append(":").append(to_string(step.status));
            }
        }
        return text;
    }
    testing::World& world() { return world_; }

private:
    static Registry registry_of(const std::vector<std::shared_ptr<const Definition>>& flows) {
        Registry registry;
        for (const auto& flow : flows) {
            registry.add_orchestration(flow->name, RegisteredOrchestration{"1", handler_of(flow)});
        }
        return registry;
    }

    std::vector<std::shared_ptr<const Definition>> flows_;
    testing::World world_;
};

}  // namespace belay::flow::test
