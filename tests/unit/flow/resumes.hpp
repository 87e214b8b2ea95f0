// Flows that are run from their documents, and resumed.
#pragma once

#include "expr/value_json.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/interpreter.hpp"
#include "flow/interpreter/picture.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/resume.hpp"
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow::test {

using Texts = std::map<std::string, std::string, std::less<>>;

inline Bundle bundle_from(const Texts& texts, const std::string& main) {
    const auto find = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = texts.find(name);
        if (found == texts.end()) return std::nullopt;
        return found->second;
    };
    auto bundle = read_bundle(texts.find(main)->second, find);
    if (!bundle) throw std::invalid_argument(described(bundle.error()));
    return *std::move(bundle);
}

/// The activity "Work" gives back its input, and fails for inputs whose member `name` is broken.
class Resumes : public ::testing::Test {
public:
    explicit Resumes(const testing::WorldOptions& options = testing::WorldOptions())
        : world_(registry(), options) {
        world_.replace(Activity<Payload(Payload)>("Work"), [this](const Payload& input) {
            const expr::Value value = expr::parse_json(input.bytes).or_throw();
            const expr::Value* const name = value.map().find("name");
            const std::string shown = name != nullptr ? text_of(*name) : "";
            if (broken_.contains(shown)) throw std::runtime_error(shown + " is broken");
            return input;
        });
    }

    void breaks(const std::string& name) { broken_.insert(name); }
    void repairs() { broken_.clear(); }

    InstanceName start(const Bundle& bundle, std::string input = "{}", std::string id = "run-1") {
        main_ = bundle.main;
        StartOptions options = start_options(bundle, "ann");
        return world_.start_with(belay::Definition<Payload(Payload)>(main_),
                                 options.id(std::move(id)),
                                 Payload(PayloadCodec::json, std::move(input)));
    }
    /// Runs a flow until its end, under the id "run-1".
    std::string run(const Bundle& bundle, std::string input = "{}") {
        return ended(start(bundle, std::move(input)));
    }
    std::string ended(const InstanceName& name) {
        const belay::Definition<Payload(Payload)> handle(main_);
        return shown(world_.wait(handle, name).outcome());
    }
    static std::string shown(const Outcome& outcome) {
        if (outcome.status == Status::completed) return outcome.output.bytes;
        if (outcome.status == Status::canceled) return "canceled: " + outcome.cancel.reason;
        return outcome.failure.where + ": " + outcome.failure.message;
    }

    static ResumeWish wish(const std::string& id, std::vector<std::string> steps = {}) {
        return ResumeWish{InstanceName{"default", id}, std::move(steps), {}};
    }
    ResumePlan planned(const ResumeWish& wish) {
        return plan_resume(world_.client(), wish).or_throw();
    }
    std::string refusal(const ResumeWish& wish) {
        const auto plan = plan_resume(world_.client(), wish);
        EXPECT_FALSE(plan.ok());
        return plan.ok() ? "" : std::string(plan.error().message());
    }
    /// Resumes a run under another id until its end.
    std::string resumed(const ResumeWish& wish, const std::string& id = "run-2") {
        calls_before_ = world_.calls_of("Work").size();
        const auto started = resume(world_.client(), planned(wish), RerunOptions().id(id));
        if (!started) return std::string(started.error().message());
        EXPECT_TRUE(started->created);
        return ended(started->instance.name);
    }
    /// Returns the names with which "Work" was called since the last `resumed` began.
    std::vector<std::string> new_calls() {
        std::vector<std::string> names;
        const auto calls = world_.calls_of("Work");
        for (std::size_t i = calls_before_; i < calls.size(); ++i) {
            const expr::Value value = expr::parse_json(calls[i].input.bytes).or_throw();
            const expr::Value* const name = value.map().find("name");
            names.push_back(name != nullptr ? text_of(*name) : "");
        }
        return names;
    }
    FlowPicture picture(const std::string& id) {
        return picture_of(world_.exported(InstanceName{"default", id})).or_throw();
    }
    testing::World& world() { return world_; }

private:
    static Registry registry() {
        Registry registry;
        registry.set_interpreter(interpreter());
        return registry;
    }

    std::set<std::string> broken_;
    testing::World world_;
    std::string main_;
    std::size_t calls_before_ = 0;
};

using Names = std::vector<std::string>;

}  // namespace belay::flow::test
