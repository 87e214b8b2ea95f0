// Flows from texts, run by processes that can die, on a clock that stands still.
#pragma once

#include "expr/value_json.hpp"
#include "flow/interpreter/values.hpp"
#include "unit/flow/bundles.hpp"
#include "unit/runtime/world.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow::test {

/// Each activity is begun by the process that claims it, and ends when the test says so.
class FlowProcesses : public runtime_tests::World {
protected:
    using Process = runtime_tests::Process;

    /// A process that runs flows. The activity "Work" gives back its input, "Bad" fails for good,
    /// and "Throws" throws a number.
    Process& flow_process(const RuntimeOptions& options = RuntimeOptions()) {
        Registry registry;
        add_flow_code(registry);
        registry.add(Activity<Payload(Payload)>{"Work"},
                     [](const Payload& input) { return Payload(PayloadCodec::json, input.bytes); });
        registry.add(Activity<Payload(Payload)>{"Bad"}, [](const Payload&) -> Payload {
            throw ApplicationError("Bad", "no luck").not_retryable();
        });
        registry.add(Activity<Payload(Payload)>{"Throws"}, [](const Payload&) -> Payload {
            throw 42;  // NOLINT: activities of users may do so.
        });
        return process(std::move(registry), options);
    }

    InstanceName start_flow(const std::string& text,
                            const std::string& id = "run",
                            const Texts& others = {}) {
        const FlowStart flow = flow_start(bundle_of(text, others), expr::Value(), "ann").or_throw();
        StartOptions options = flow.options;
        EXPECT_TRUE(client.start(flow.flow, flow.input, options.id(id)).ok());
        return {"default", id};
    }
    Outcome outcome(const InstanceName& name) { return client.outcome(name).or_throw(); }

    /// The number of activities of this name that a process has begun.
    static std::size_t begun(const Process& process, const std::string& activity) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < process.executor.count(); ++i) {
            if (process.executor.at(i).task->details().name == activity) ++count;
        }
        return count;
    }
    /// Ends the activity of a process that was begun last.
    void finish_last(Process& process) {
        process.executor.finish(process.executor.count() - 1);
        settle();
    }
};

}  // namespace belay::flow::test
