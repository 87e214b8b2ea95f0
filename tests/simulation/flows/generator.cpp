#include "simulation/flows/generator.hpp"

#include "simulation/flows/document.hpp"
#include "simulation/flows/scripts.hpp"
#include "simulation/program/interpreter.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace belay::sim {

namespace {

/// The kinds of outputs that expressions know.
enum class Output : std::uint8_t { scripted, number, list, other };

/// A step of the list that is being made.
struct MadeStep {
    std::string id;
    Output output = Output::other;
};

/// A list of steps of a definition.
struct ListStyle {
    std::string list;    ///< "steps"
    std::string prefix;  ///< Of the ids of steps.
    std::size_t least = 1;
    std::size_t most = 2;
    bool is_main = false;  ///< It is "steps".
};

std::string inserted(const std::string& expression) { return "${{ " + expression + " }}"; }

/// Makes one definition.
class Maker {
public:
    Maker(Rng& rng, std::string name, std::vector<std::string> sub_flows)
        : rng_(rng), name_(std::move(name)), sub_flows_(std::move(sub_flows)) {}

    std::string make() {
        Tree flow;
        flow.set("belay", Tree::number(1)).set("name", name_).set("params", params());
        if (rng_.percent(20)) flow.set("timeout", std::string("1d"));
        if (rng_.percent(15)) flow.set("defaults", Tree().set("retry", retry()));
        const bool is_root = name_ == kMainFlow;
        flow.set("steps", steps({"steps", "s", 2, is_root ? 7U : 4U, true}));
        const std::vector<MadeStep> main = std::exchange(made_, {});
        if (is_root && rng_.percent(60)) flow.set("on_fail", steps({"on_fail", "f"}));
        made_.clear();
        before_ = main;
        if (rng_.percent(45)) flow.set("finally", steps({"finally", "z"}));
        made_.clear();
        if (rng_.percent(35)) flow.set("on_cancel", steps({"on_cancel", "c"}));
        if (rng_.percent(50)) flow.set("output", output(main));
        return rng_.percent(50) ? flow.json() : flow.yaml();
    }

private:
    static Tree params() {
        Tree params;
        params.set("n", Tree().set("type", std::string("integer")));
        Tree items;
        items.set("type", std::string("list")).set("of", std::string("integer"));
        items.set("default", Tree::numbers({4, 5}));
        params.set("items", std::move(items));
        return params;
    }

    Tree output(const std::vector<MadeStep>& steps) {
        Tree fields;
        fields.set("n", inserted("params.n"));
        for (const MadeStep& step : steps) {
            if (rng_.percent(50)) fields.set(step.id, inserted(guarded(step)));
        }
        return fields;
    }

    // ---- Expressions ---------------------------------------------------------------------------

    /// A number, if the step has completed.
    static std::string value_of(const MadeStep& step) {
        const std::string output = "steps." + step.id + ".output";
        switch (step.output) {
            case Output::scripted: return output + ".n";
            case Output::number: return output;
            case Output::list: return output + ".size()";
            case Output::other: break;
        }
        return "(" + output + " == null ? 0 : 1)";
    }

    /// A number, in whatever way the step has ended.
    std::string guarded(const MadeStep& step) {
        const std::string status = "steps." + step.id + ".status";
        return "(" + status + " == \"completed\" ? " + value_of(step) + " : -size(" + status + "))";
    }

    /// A number from what the step under way can see.
    std::string some_number() {
        std::string number = rng_.percent(70) ? "params.n" : std::to_string(rng_.between(0, 9));
        if (list_.list == "on_fail" && rng_.percent(50)) number = "size(failure.step)";
        if (!before_.empty() && !list_.is_main) {
            number = rng_.percent(50) ? "size(outcome.status)" : guarded(rng_.pick(before_));
        }
        if (!needed_.empty() && rng_.percent(70)) number += " + " + value_of(rng_.pick(needed_));
        if (!ordered_.empty() && rng_.percent(60)) number += " - " + guarded(rng_.pick(ordered_));
        if (rng_.per_mille(30)) number = "100 / (params.n - " + std::to_string(rng_.below(4)) + ")";
        return number;
    }

    std::string some_condition() {
        if (!ordered_.empty() && rng_.percent(40)) {
            return "steps." + rng_.pick(ordered_).id + ".status == \"completed\"";
        }
        // A condition that is always false is refused.
        return "(params.n + " + some_number() + ") % 3 != 0";
    }

    // ---- Steps ---------------------------------------------------------------------------------

    Tree steps(ListStyle style) {
        list_ = std::move(style);
        std::vector<Tree> trees;
        const auto count = static_cast<std::size_t>(rng_.between(
            static_cast<std::int64_t>(list_.least), static_cast<std::int64_t>(list_.most)));
        for (std::size_t i = 0; i < count; ++i) trees.push_back(step(i));
        // The order of the text says nothing.
        if (rng_.percent(30)) std::ranges::reverse(trees);
        return Tree::list(std::move(trees));
    }

    Tree step(std::size_t number) {
        Tree step;
        MadeStep made{list_.prefix + std::to_string(number)};
        step.set("id", made.id);
        order(step);
        if (rng_.percent(20)) step.set("if", some_condition());
        act(step, made);
        needed_.clear();
        ordered_.clear();
        made_.push_back(std::move(made));
        return step;
    }

    void order(Tree& step) {
        std::vector<std::string> needs;
        std::vector<std::string> after;
        for (const MadeStep& one : made_) {
            const std::size_t kind = rng_.below(100);
            if (kind < 30) {
                needs.push_back(one.id);
                needed_.push_back(one);
            } else if (kind < 45) {
                after.push_back(one.id);
                ordered_.push_back(one);
            }
        }
        if (!needs.empty()) step.set("needs", Tree::texts(needs));
        if (!after.empty()) step.set("after", Tree::texts(after));
    }

    void act(Tree& step, MadeStep& made) {
        const std::size_t kind = rng_.below(100);
        if (kind < 55) {
            call(step, made);
        } else if (kind < 67) {
            set_value(step, made);
        } else if (kind < 74) {
            step.set("sleep", std::to_string(rng_.between(1, 400)) + "ms");
            clean_up(step);
        } else if (kind < 86 && list_.is_main) {
            wait(step, made);
        } else if (list_.is_main && !sub_flows_.empty()) {
            start(step, made);
        } else {
            call(step, made);
        }
    }

    void call(Tree& step, MadeStep& made) {
        made.output = Output::scripted;
        const bool is_map = map(step, made);
        const std::string activity = some_activity();
        step.set("activity", activity);
        Tree with;
        with.set("key", inserted("step.key"));
        with.set("in", inserted(is_map && rng_.percent(60) ? "item + index" : some_number()));
        step.set("with", std::move(with));
        if (activity != kSureActivity && rng_.percent(75)) step.set("retry", retry());
        allow_failure(step, activity == kSureActivity ? 5 : 50);
        if (rng_.percent(20)) {
            step.set("queue", std::string(kQueues[1]));
        } else if (rng_.percent(10)) {
            step.set("session", std::string("s0"));
        }
        if (rng_.percent(20)) step.set("priority", Tree::number(rng_.between(-1, 1)));
        // Never over: handlers that hang end with the fault phase.
        if (rng_.percent(20)) step.set("timeout", std::string("1d"));
        clean_up(step);
        if (!is_map) end_flow(step, "steps." + made.id + ".output.n >= 5");
    }

    std::string some_activity() {
        const std::size_t kind = rng_.below(100);
        if (kind < 50) return kSureActivity;
        if (kind < 75) return kFlakyActivity;
        return kind < 93 ? kShakyActivity : kDoomedActivity;
    }

    void set_value(Tree& step, MadeStep& made) {
        made.output = Output::number;
        if (list_.is_main && rng_.per_mille(20)) {
            // More items than one run takes.
            made.output = Output::list;
            step.set("map", "lists.range(" + std::to_string(rng_.between(1'001, 1'200)) + ")");
            step.set("set", inserted("item + index"));
            return;
        }
        const bool is_map = map(step, made);
        step.set("set", inserted(is_map && rng_.percent(60) ? "item * index" : some_number()));
        end_flow(step, "params.n % 2 == 0");
    }

    void wait(Tree& step, MadeStep& made) {
        Tree wait;
        if (rng_.percent(70)) {
            wait.set("event", kSentEvent + made.id);
        } else {
            static const std::vector<std::string> kThen{"fail", "skip", "complete"};
            wait.set("event", kNeverEvent + made.id);
            wait.set("timeout", std::to_string(rng_.between(1, 900)) + "ms");
            wait.set("on_timeout", rng_.pick(kThen));
            allow_failure(step, 60);
        }
        step.set("wait", std::move(wait));
        clean_up(step);
    }

    void start(Tree& step, MadeStep& made) {
        const bool is_map = map(step, made);
        step.set("flow", rng_.pick(sub_flows_));
        Tree with;
        with.set("n", inserted(is_map ? "item + index" : some_number()));
        if (rng_.percent(50)) with.set("items", inserted("params.items"));
        step.set("with", std::move(with));
        if (rng_.percent(40)) step.set("retry", retry());
        allow_failure(step, 60);
        clean_up(step);
    }

    bool map(Tree& step, MadeStep& made) {
        if (!rng_.percent(25)) return false;
        made.output = Output::list;
        step.set("map", some_list());
        if (rng_.percent(70)) step.set("window", Tree::number(rng_.between(1, 3)));
        if (rng_.percent(60)) {
            step.set("items_may_fail",
                     rng_.percent(30) ? Tree::truth(true) : Tree::number(rng_.between(0, 2)));
        }
        return true;
    }

    Tree some_list() {
        for (const MadeStep& step : needed_) {
            if (step.output == Output::scripted && rng_.percent(70)) {
                return Tree::text("steps." + step.id + ".output.list");
            }
        }
        const std::size_t kind = rng_.below(100);
        if (kind < 30) return Tree::numbers({3, 1, 2});
        if (kind < 40) return Tree::numbers({});
        if (kind < 60) return Tree::text("lists.range(" + std::to_string(rng_.between(1, 6)) + ")");
        return Tree::text("params.items");
    }

    Tree retry() {
        Tree retry;
        retry.set("attempts", Tree::number(rng_.between(1, 4)));
        retry.set("delay", std::to_string(rng_.between(1, 120)) + "ms");
        if (rng_.percent(40)) retry.set("factor", Tree::number(1));
        if (rng_.percent(40)) retry.set("max_delay", std::string("150ms"));
        return retry;
    }

    void allow_failure(Tree& step, unsigned percent) {
        if (rng_.percent(percent)) step.set("may_fail", Tree::truth(true));
    }

    void clean_up(Tree& step) {
        if (!rng_.percent(30)) return;
        Tree action;
        action.set("activity", std::string(kUndoActivity));
        action.set("with", Tree().set("key", inserted("step.key")));
        step.set("on_cancel", std::move(action));
    }

    void end_flow(Tree& step, const std::string& condition) {
        if (list_.is_main && rng_.percent(8)) step.set("end_flow", condition);
    }

    Rng& rng_;
    std::string name_;
    std::vector<std::string> sub_flows_;
    ListStyle list_{};
    std::vector<MadeStep> made_{};     ///< The steps of the list under way so far.
    std::vector<MadeStep> before_{};   ///< Those of "steps", for the lists that see them.
    std::vector<MadeStep> needed_{};   ///< By the step under way.
    std::vector<MadeStep> ordered_{};  ///< Before it, and not needed.
};

}  // namespace

FlowTexts random_flows(Rng& rng) {
    FlowTexts texts;
    texts.by_name[kLeafFlow] = Maker(rng, kLeafFlow, {}).make();
    texts.by_name[kPartFlow] = Maker(rng, kPartFlow, {kLeafFlow}).make();
    texts.by_name[kMainFlow] = Maker(rng, kMainFlow, {kLeafFlow, kPartFlow}).make();
    return texts;
}

std::string random_params(Rng& rng) {
    Tree params;
    params.set("n", Tree::number(rng.between(0, 9)));
    std::vector<long long> items;
    const std::size_t count = rng.below(5);
    for (std::size_t i = 0; i < count; ++i) items.push_back(rng.between(0, 9));
    if (rng.percent(80)) params.set("items", Tree::numbers(items));
    return params.json();
}

}  // namespace belay::sim
