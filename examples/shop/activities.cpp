// The activities of the shop. One may run again if a worker died before its result was recorded. So
// the service knows each by a number that is the same for all attempts.
#include "activities.hpp"

#include "../embedded.hpp"
#include "handles.hpp"
#include <belay/activity.hpp>
#include <belay/exceptions.hpp>

#include <chrono>
#include <thread>

namespace shop {

namespace {

using namespace std::chrono_literals;
using belay::ActivityContext;

void tell(const std::string& line) { examples::say("    " + line); }

std::string reserve_stock(ActivityContext& ctx, Warehouse& warehouse, const Order& order) {
    const std::string hold = ctx.idempotency_key();
    const std::string missing = warehouse.reserve(hold, order);
    if (!missing.empty()) {
        throw belay::ApplicationError("OutOfStock", "there is too little of " + missing)
            .not_retryable();
    }
    for (const Item& item : order.items) tell("reserved " + describe(item));
    return hold;
}

std::string charge_card(ActivityContext& ctx, Bank& bank, const std::string& customer, int cents) {
    const std::string payment = ctx.idempotency_key();
    try {
        if (!bank.charge(payment, customer, cents)) {
            throw belay::ApplicationError("CardDeclined", "the card is declined").not_retryable();
        }
    } catch (const belay::ApplicationError&) {
        throw;
    } catch (const std::exception& problem) {
        tell("attempt " + std::to_string(ctx.attempt()) + ": " + problem.what());
        throw;  // The retry policy decides.
    }
    tell("charged  " + money(cents));
    return payment;
}

/// Takes its place on the packing table, and leaves it however packing ends.
class Place {
public:
    explicit Place(Warehouse& warehouse) : warehouse_(&warehouse) { ++warehouse_->on_the_table; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { --warehouse_->on_the_table; }

private:
    Warehouse* warehouse_;
};

void pack(ActivityContext& ctx, Warehouse& warehouse, const Item& item) {
    const Place place(warehouse);
    for (int packed = ctx.last_heartbeat<int>().value_or(0); packed < item.pieces; ++packed) {
        if (ctx.stop_requested()) throw belay::Stopped(ctx.stop_reason());
        std::this_thread::sleep_for(5ms);
        ctx.heartbeat(packed + 1);
    }
}

}  // namespace

void add_activities(belay::Registry& registry, Services& services) {
    registry.add(ReserveStock, [&services](ActivityContext& ctx, const Order& order) {
        return reserve_stock(ctx, services.warehouse, order);
    });
    registry.add(ReleaseStock, [&services](const std::string& hold) {
        services.warehouse.release(hold);
        tell("released what was reserved");
    });
    registry.add(ChargeCard,
                 [&services](ActivityContext& ctx, const std::string& customer, int cents) {
                     return charge_card(ctx, services.bank, customer, cents);
                 });
    registry.add(Refund, [&services](const std::string& payment) {
        services.bank.refund(payment);
        tell("refunded");
    });
    registry.add(Pack, [&services](ActivityContext& ctx, const Item& item) {
        pack(ctx, services.warehouse, item);
    });
    registry.add(HandOver, [](ActivityContext& ctx, const Item& item) {
        return item.article + " in " + ctx.instance_id();
    });
}

}  // namespace shop
