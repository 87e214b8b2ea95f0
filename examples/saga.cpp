// A saga: three bookings. If the third one fails, the bookings before it are undone in reverse.
#include "embedded.hpp"
#include <belay/orchestration.hpp>

#include <stdexcept>
#include <vector>

namespace {

inline constexpr belay::Activity<std::string(std::string)> Book{"Book"};
inline constexpr belay::Activity<void(std::string)> Unbook{"Unbook"};
inline constexpr belay::Definition<void(std::string)> Trip{"Trip"};

belay::Orchestration<void> trip(belay::OrchestrationContext ctx, std::string car) {
    const std::vector<std::string> wanted{"flight", "hotel", car};
    for (const std::string& what : wanted) {
        ctx.throw_if_canceled();           // Under a shield nothing else would see a cancel.
        const auto shield = ctx.shield();  // A cancel waits until the booking is known.
        const std::string booking = co_await ctx.call(Book, what);
        ctx.on_rollback(Unbook, booking);  // Runs if this run fails or is canceled.
    }
}

std::string book(const std::string& what) {
    if (what == "no car") throw std::runtime_error("no car is left");
    examples::say("  booked   " + what);
    return what;
}

void saga() {
    belay::Registry registry;
    registry.add(Trip, trip);
    registry.add(Book, book);
    registry.add(Unbook, [](const std::string& what) { examples::say("  unbooked " + what); });
    examples::Embedded embedded(registry);
    for (const char* car : {"car", "no car"}) {
        const std::string id = std::string("trip with ") + car;
        examples::say(id);
        const auto ended = embedded.wait(Trip, embedded.start(Trip, id, std::string(car)));
        examples::say(ended.completed() ? "  completed"
                                        : "  failed: " + ended.outcome().failure.message);
    }
}

}  // namespace

int main() { return examples::run(saga); }
