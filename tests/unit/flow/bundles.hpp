// Flows from texts, in a world of virtual time.
#pragma once

#include "flow/definition/bundle.hpp"
#include "flow/flow_code.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::flow::test {

using Texts = std::map<std::string, std::string, std::less<>>;

/// Reads a flow and all that it starts.
inline Bundle bundle_of(const std::string& main, const Texts& others = {}) {
    const auto find = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = others.find(name);
        if (found == others.end()) return std::nullopt;
        return found->second;
    };
    auto bundle = read_bundle(main, find);
    if (bundle) return *std::move(bundle);
    ADD_FAILURE() << described(bundle.error());
    return {};
}

inline expr::Value params_of(Fields fields) { return expr::Value(map_of(std::move(fields))); }

/// A world whose worker runs flows.
class BundleWorld : public ::testing::Test {
protected:
    explicit BundleWorld(Registry registry = Registry())
        : world(with_flows(std::move(registry)), testing::WorldOptions()) {}

    Result<StartResult> start(const Bundle& bundle,
                              const expr::Value& params,
                              const std::string& id) {
        Result<FlowStart> start = flow_start(bundle, params, "ann");
        if (!start) return start.error();
        return world.client().start(start->flow, start->input, start->options.id(id));
    }
    InstanceInfo info(const std::string& id) {
        return world.client().inspect(InstanceName{"default", id}).or_throw();
    }
    Status status(const std::string& id) { return world.status(InstanceName{"default", id}); }

    testing::World world;

private:
    static Registry with_flows(Registry registry) {
        add_flow_code(registry);
        return registry;
    }
};

}  // namespace belay::flow::test
