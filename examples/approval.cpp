// Waiting for a person, but not for ever: a request is approved, declined, or forgotten.
#include "embedded.hpp"
#include <belay/orchestration.hpp>

namespace {

using namespace std::chrono_literals;

inline constexpr belay::Definition<std::string(std::string)> Approval{"Approval"};

belay::Orchestration<std::string> approval(belay::OrchestrationContext ctx, std::string what) {
    ctx.set_custom_status("waiting for somebody to decide about " + what);
    // An event that came before the code asked for it is kept. The branch that is slower is let go.
    const auto first = co_await ctx.select(ctx.wait<std::string>("decision"), ctx.timer(500ms));
    if (first.index() == 1) co_return "nobody decided in time";
    co_return std::get<0>(first);
}

void ask() {
    belay::Registry registry;
    registry.add(Approval, approval);
    examples::Embedded embedded(registry);

    const auto laptop = embedded.start(Approval, "laptop", std::string("a laptop"));
    const auto yacht = embedded.start(Approval, "yacht", std::string("a yacht"));
    embedded.client().raise(laptop, "decision", "approved by ann").or_throw();
    for (const auto& name : {laptop, yacht}) {
        examples::say(name.id + ": " + embedded.wait(Approval, name).value());
    }
}

}  // namespace

int main() { return examples::run(ask); }
