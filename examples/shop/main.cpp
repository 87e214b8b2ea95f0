// A small web-shop: five orders, and what becomes of each.
//
//     belay-example-shop          in memory
//     belay-example-shop FILE     in a new SQLite file, to look at with `belay` afterwards
//
//     order.hpp            the values, and how they are stored
//     handles.hpp          name and signature of every orchestration and activity
//     orchestrations.cpp   the decisions
//     activities.cpp       the work
//     services.hpp         stand-ins for the warehouse and the bank
#include "../embedded.hpp"
#include "activities.hpp"
#include "handles.hpp"
#include "orchestrations.hpp"
#include "services.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using examples::say;
using shop::Order;

/// The client's side of the shop.
class Counter {
public:
    explicit Counter(belay::Store& store) : client_(store) {}

    void place(const std::string& id, const Order& order, std::chrono::milliseconds approval = 1h) {
        say(id + " of " + order.customer);
        const auto options = belay::StartOptions().id(id).label("customer", order.customer);
        const auto patience = std::int64_t(approval.count());
        client_.start(shop::PlaceOrder, options, order, patience).or_throw();
    }
    /// Waits until somebody is asked, and answers.
    void approve(const std::string& id, const std::string& who) {
        (void)client_.wait_for_status(id, 0, 1min).or_throw();
        say("    " + client_.custom_status<std::string>(id).or_throw().value_or("?"));
        client_.raise(id, shop::kApproval, who).or_throw();
    }
    /// Waits until one of its parcels is being packed, and cancels the order.
    void cancel_while_packing(const std::string& id, const std::string& who) {
        wait_until([&] {
            const auto seen = client_.describe(id + "/parcel-1");  // Not there before it is
                                                                   // started.
            return seen && !seen->awaits.empty() && seen->awaits.front().progress.has_value();
        });
        const auto stage = client_.value<std::string>(id, shop::kStage).or_throw();
        say("    " + who + " cancels; it is at: " + stage.value_or("?"));
        client_.cancel(id, belay::CancelOptions().by(who).reason("too many")).or_throw();
    }
    /// Waits for its end, and for whatever of it is still stopping, and tells.
    void tell_end(const std::string& id) {
        const auto ended = client_.wait_until_settled(shop::PlaceOrder, id, 1min).or_throw();
        const belay::Outcome& outcome = ended.outcome();
        if (ended.completed()) {
            say("  completed: " + ended.value());
        } else if (outcome.status == belay::Status::canceled) {
            say("  canceled by " + outcome.cancel.by + ", cleanup " +
                std::string(to_string(outcome.cleanup)));
        } else {
            say("  failed: " + outcome.failure.type + ", " + outcome.failure.message);
        }
    }

private:
    template <class Condition>
    static void wait_until(const Condition& condition) {
        while (!condition()) std::this_thread::sleep_for(2ms);
    }

    belay::Client client_;
};

std::unique_ptr<belay::Store> open_store(int argc, char** argv) {
    if (argc < 2) return belay::make_memory_store(belay::system_clock());
    return belay::make_sqlite_store(argv[1]).or_throw();
}

void run_shop(belay::Store& store) {
    shop::Services services{
        shop::Warehouse({{"kettle", 10}, {"lamp", 10}, {"sofa", 3}, {"pencil", 20'000}}),
        shop::Bank()};
    belay::Registry registry;
    shop::add_orchestrations(registry);
    shop::add_activities(registry, services);
    belay::Worker worker(store, registry);
    Counter counter(worker.store());

    services.bank.lose_next_answer();
    counter.place("order-1", Order{"ann", {{"kettle", 2, 1999}, {"lamp", 1, 4500}}});
    counter.tell_end("order-1");

    counter.place("order-2", Order{"bob", {{"sofa", 1, 240'000}}});
    counter.approve("order-2", "the clerk");
    counter.tell_end("order-2");

    counter.place("order-3", Order{"carl", {{"sofa", 2, 240'000}}}, 50ms);
    counter.tell_end("order-3");

    services.bank.decline("dora");
    counter.place("order-4", Order{"dora", {{"lamp", 1, 4500}}});
    counter.tell_end("order-4");

    counter.place("order-5", Order{"eve", {{"pencil", 10'000, 5}}});
    counter.cancel_while_packing("order-5", "eve");
    counter.tell_end("order-5");

    // Failed and canceled orders leave nothing behind, and each payment was made once.
    const shop::Warehouse& warehouse = services.warehouse;
    say("in stock: " + std::to_string(warehouse.pieces("kettle")) + " kettles, " +
        std::to_string(warehouse.pieces("lamp")) + " lamps, " +
        std::to_string(warehouse.pieces("sofa")) + " sofas, " +
        std::to_string(warehouse.pieces("pencil")) + " pencils");
    say("on the packing table: " + std::to_string(warehouse.on_the_table.load()));
    say("earned: " + shop::money(services.bank.balance()));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::unique_ptr<belay::Store> store = open_store(argc, argv);
        run_shop(*store);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
