// A terminal that a test reads and types into.
#pragma once

#include "cli/app.hpp"
#include "support/manual_clock.hpp"

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

class FakeTerminal {
public:
    [[nodiscard]] Exit run(const std::vector<std::string>& words) {
        out.str("");
        err.str("");
        const Environment environment{
            .variable =
                [this](const std::string& name) {
                    const auto found = variables.find(name);
                    return found == variables.end() ? std::nullopt
                                                    : std::optional<std::string>(found->second);
                },
            .directory = "/nowhere"};
        return cli::run(
            words, terminal, environment, [this](const StoreUrl&, Opening) { return store; });
    }

    support::ManualClock clock;
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in;
    std::map<std::string, std::string> variables{{"BELAY_STORE", "sqlite:test.db"},
                                                 {"USER", "ann"}};
    std::shared_ptr<Store> store;
    Terminal terminal{
        .out = out, .err = err, .in = in, .clock = clock, .pause = [](Millis) { return true; }};
};

}  // namespace belay::cli
