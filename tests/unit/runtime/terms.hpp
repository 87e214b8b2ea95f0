// A world in which activities have terms: how long they may wait, take and be silent.
#pragma once

#include "store/forwarding_store.hpp"
#include "world.hpp"
#include <belay/store/operations.hpp>

#include <functional>

namespace belay::runtime_tests {

/// Code for `Main` whose result says of a failure what it was.
inline Orchestration<std::string> tries_one_step(OrchestrationContext ctx, std::string input) {
    try {
        co_return co_await ctx.call(Work, input);
    } catch (const OperationFailed& failed) {
        co_return std::string(to_string(failed.failure().kind)) + ": " + failed.failure().message;
    }
}

/// Gives every activity the same terms.
class TermsStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        for (Transition& transition : batch) {
            for (Part& part : transition.parts) {
                auto* const turn = std::get_if<Turn>(&part);
                if (turn == nullptr) continue;
                for (NewActivity& activity : turn->activities) set(activity);
            }
        }
        inner().commit(std::move(batch), std::move(done));
    }

    std::function<void(NewActivity&)> set = [](NewActivity&) {};
};

class TermsWorld : public World {
protected:
    /// They use the store below, which is gone before those of the base.
    ~TermsWorld() override { processes.clear(); }

    /// It claims all it begins: what is handed over has the terms it was called with.
    Process& add(Registry registry, Policy policy = Policy()) {
        processes.push_back(
            std::make_unique<Process>(terms,
                                      clock,
                                      std::move(registry),
                                      RuntimeOptions().share_commits(false).policy(policy)));
        return *processes.back();
    }
    static Registry no_activities() {
        Registry registry;
        registry.add(Main, tries_one_step);
        return registry;
    }
    /// With an activity that ends when it is asked to.
    static Registry obedient() {
        Registry registry = no_activities();
        registry.add(Work, [](ActivityContext& context, const std::string& input) -> std::string {
            if (context.stop_requested()) throw Stopped(context.stop_reason());
            return "did " + input;
        });
        return registry;
    }
    std::string output(const InstanceName& name) { return info(name).outcome->output.bytes; }
    static detail::Heartbeats& beats(Process& process, std::size_t index = 0) {
        return process.executor.at(index).task->heartbeats();
    }
    std::string progress() {
        const auto rows = queue();
        return rows.at(0).progress ? rows.at(0).progress->bytes : "";
    }

    TermsStore terms{store};
};

}  // namespace belay::runtime_tests
