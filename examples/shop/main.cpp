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
        check(client_.start(shop::PlaceOrder, options, order, std::int64_t(approval.count())));
    }
    /// Waits until somebody is asked, and answers.
    void approve(const std::string& id, const std::string& who) {
        wait_until([&] { return check(client_.inspect(named(id))).custom_status.has_value(); });
        const auto asked = check(client_.inspect(named(id))).custom_status;
        say("    " + belay::Codec<std::string>::decode(asked.value()));
        check(client_.raise(named(id), shop::kApproval, who));
    }
    /// Waits until one of its parcels is being packed, and cancels the order.
    void cancel_while_packing(const std::string& id, const std::string& who) {
        const belay::InstanceName parcel = named(id + "/parcel-1");
        wait_until([&] {
            const auto seen = client_.describe(parcel);  // Not there before it is started.
            return seen && !seen->awaits.empty() && seen->awaits.front().progress.has_value();
        });
        const auto stage = check(client_.value<std::string>(named(id), shop::kStage));
        say("    " + who + " cancels; it is at: " + stage.value_or("?"));
        check(client_.cancel(named(id), belay::CancelOptions().by(who).reason("too many")));
    }
    /// Waits for its end, and for whatever of it is still stopping, and tells.
    void tell_end(const std::string& id) {
        const auto ended = check(client_.wait(shop::PlaceOrder, named(id), 1min));
        wait_until([&] { return check(client_.inspect(named(id))).settled; });
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
    template <class T>
    static T check(belay::Result<T> result) {
        return examples::Embedded::check(std::move(result));
    }
    static belay::InstanceName named(const std::string& id) { return {"default", id}; }
    template <class Condition>
    static void wait_until(const Condition& condition) {
        while (!condition()) std::this_thread::sleep_for(2ms);
    }

    belay::Client client_;
};

std::unique_ptr<belay::Store> open_store(int argc, char** argv) {
    if (argc < 2) return belay::make_memory_store(belay::system_clock());
    return examples::Embedded::check(belay::make_sqlite_store(argv[1]));
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
