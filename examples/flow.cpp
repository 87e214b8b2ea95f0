// A flow with typed steps: two warehouses are asked at once, the cheaper one ships, and the failure
// of a payment is handled in a run of its own. And a task: one activity, started on its own.
#include "embedded.hpp"
#include <belay/flow.hpp>
#include <belay/task.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

inline constexpr belay::Activity<std::int64_t(std::string, std::string)> AskPrice{"AskPrice"};
inline constexpr belay::Activity<std::string(std::string, std::int64_t)> Pay{"Pay"};
inline constexpr belay::Activity<std::string(std::string)> Pack{"Pack"};
inline constexpr belay::Activity<void(std::string, belay::FlowFailure)> Apologise{"Apologise"};

/// The customer, and the books that were ordered.
using Fulfil = belay::Flow<std::string(std::string, std::vector<std::string>)>;

Fulfil fulfil_order() {
    Fulfil flow("fulfil-order", "customer", "books");
    auto [customer, books] = flow.params();

    // Both begin at once: neither gets anything of the other.
    auto north = flow.step("ask_north", AskPrice, "north", customer);
    auto south = flow.step("ask_south", AskPrice, "south", customer);
    // These get outputs, and so they need the steps that have them.
    auto cheap = flow.step("pay_north", Pay, customer, north).when(north <= south);
    auto dear = flow.step("pay_south", Pay, customer, south).when(north > south);
    // One parcel for each book, at most two at a time, once one of the two has paid.
    auto parcels = flow.map(Pack, books).window(2).after(cheap, dear);
    parcels.retry(belay::FlowRetry(3).delay(10ms));

    flow.on_fail().step(Apologise, customer, flow.failure());
    flow.output(cheap.output_or(dear.output_or("nobody was paid")) + " for the last of " +
                customer + "'s parcels");
    return flow;
}

belay::Registry activities() {
    belay::Registry registry;
    belay::add_flows(registry);
    registry.add(AskPrice, [](std::string house, std::string) -> std::int64_t {
        return house == "north" ? 700 : 900;
    });
    registry.add(Pay, [](std::string customer, std::int64_t cents) {
        if (customer == "nobody") throw std::runtime_error("no such account");
        return "paid " + std::to_string(cents);
    });
    registry.add(Pack, [](std::string book) { return "parcel with " + book; });
    registry.add(Apologise, [](std::string customer, belay::FlowFailure failure) {
        examples::say("sorry, " + customer + ": " + failure.step + ": " + failure.message);
    });
    return registry;
}

void run_flow() {
    const belay::Registry registry = activities();
    examples::Embedded embedded(registry);
    const Fulfil flow = fulfil_order();
    const std::vector<std::string> books{"Emma", "Persuasion"};
    examples::say(embedded.client().start(flow, "ann", books).result());

    const auto run = embedded.client().start(flow, "nobody", books);
    const auto failed = run.wait().or_throw().outcome();
    const belay::InstanceName handler("default", belay::on_fail_id(run.id()));
    embedded.client().wait(handler).or_throw();
    examples::say("failed in the step " + failed.failure.where);

    belay::Task<std::string(std::string)> pack("pack-book", Pack);
    pack.retry(belay::FlowRetry(5)).timeout(30s);
    pack.when([](auto book) { return book != "1984"; });
    const auto options = belay::StartOptions().id("parcel-7").priority(3);
    examples::say(embedded.client().start(pack, options, "Emma").result());
}

}  // namespace

int main() { return examples::run(run_flow); }
