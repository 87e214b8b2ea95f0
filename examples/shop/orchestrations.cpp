// The decisions of the shop. Clocks, files and globals are left to the activities.
#include "orchestrations.hpp"

#include "handles.hpp"
#include <belay/exceptions.hpp>
#include <belay/orchestration.hpp>

#include <utility>
#include <vector>

namespace shop {

namespace {

using namespace std::chrono_literals;

constexpr int kApprovedFrom = 100'000;  // In cents.

/// For services that may be away for a moment. A service that refuses throws an error that is not
/// retried: ApplicationError::not_retryable.
belay::RetryPolicy patiently() {
    return belay::RetryPolicy::exponential(20ms).attempts(5).max_delay(1min).jitter(0.2);
}

/// A helper: part of the run that awaits it. Throws if nobody approves in time.
belay::Orchestration<void> approved(belay::OrchestrationContext ctx,
                                    int cents,
                                    std::int64_t within_milliseconds) {
    ctx.set_custom_status("somebody has to approve " + money(cents));
    auto decision = ctx.select(ctx.wait<std::string>(kApproval),
                               ctx.timer(std::chrono::milliseconds(within_milliseconds)));
    const auto first = co_await std::move(decision);
    if (first.index() == 1) {
        throw belay::ApplicationError("NotApproved", "nobody approved it in time");
    }
    ctx.set_custom_status("approved by " + std::get<0>(first));
}

belay::Orchestration<std::string> place_order(belay::OrchestrationContext ctx,
                                              Order order,
                                              std::int64_t approval_milliseconds) {
    const auto options = belay::CallOptions().retry(patiently());

    // If the order fails or is canceled later, each step is undone, in reverse. A cancel in the
    // middle of a step must not take away its number, or nobody could undo it. So each step runs
    // under a shield until its compensation is registered. The cancel is let in before the next
    // shield.
    ctx.set_value(kStage, "reserving");
    {
        const auto shield = ctx.shield();
        const std::string hold = co_await ctx.call(ReserveStock.with(options), order);
        ctx.on_rollback(ReleaseStock.with(options), hold);
    }

    const int cents = price_of(order);
    if (cents >= kApprovedFrom) {
        ctx.set_value(kStage, "approval");
        co_await approved(ctx, cents, approval_milliseconds);
    }

    ctx.set_value(kStage, "paying");
    ctx.throw_if_canceled();
    {
        const auto shield = ctx.shield();
        const std::string payment =
            co_await ctx.call(ChargeCard.with(options), order.customer, cents);
        ctx.on_rollback(Refund.with(options), payment);
    }

    // A child for each parcel, all at once. A cancel of the order reaches them.
    ctx.set_value(kStage, "shipping");
    std::vector<belay::Call<std::string>> parcels;
    for (std::size_t i = 0; i < order.items.size(); ++i) {
        const auto named = belay::ChildOptions().id("parcel-" + std::to_string(i + 1));
        parcels.push_back(ctx.call(ShipParcel.with(named), order.items[i]));
    }
    const std::vector<std::string> numbers = co_await ctx.join(std::move(parcels));

    ctx.set_value(kStage, "done");
    std::string all;
    for (const std::string& number : numbers) all += (all.empty() ? "" : ", ") + number;
    co_return all;
}

belay::Orchestration<std::string> ship_parcel(belay::OrchestrationContext ctx, Item item) {
    co_await ctx.call(Pack, item);
    auto hand_over = ctx.call(HandOver.with(belay::CallOptions().retry(patiently())), item);
    co_return co_await std::move(hand_over);
}

}  // namespace

void add_orchestrations(belay::Registry& registry) {
    registry.add(PlaceOrder, place_order);
    registry.add(ShipParcel, ship_parcel);
}

}  // namespace shop
