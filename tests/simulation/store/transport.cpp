#include "simulation/store/transport.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

std::string number(const StoreCall& call) { return "#" + std::to_string(call.serial) + " "; }

}  // namespace

void Transport::send(EndpointNo sender,
                     std::string what,
                     std::function<void()> apply,
                     std::function<void(std::optional<Error>)> answer) {
    auto call = std::make_unique<StoreCall>();
    call->serial = ++last_serial_;
    call->sender = sender;
    call->what = std::move(what);
    if (planner_) call->plan = planner_(sender);
    call->apply_at = time_.now() + call->plan.until_applied;
    call->apply = std::move(apply);
    call->answer = std::move(answer);
    trace_.line(sender, [&] { return number(*call) + "sends " + call->what; });
    calls_.push_back(std::move(call));
}

void Transport::apply(StoreCall& call) {
    BELAY_ASSERT(!call.applied);
    call.applied = true;
    call.answer_at = time_.now() + call.plan.until_answered;
    if (call.plan.apply) {
        call.apply();
    } else {
        trace_.line("store", [&] { return number(call) + "does not arrive: " + call.what; });
    }
    if (!call.sender_lives) remove(call);
}

void Transport::answer(StoreCall& call) {
    BELAY_ASSERT(call.applied);
    std::optional<Error> instead;
    if (call.plan.answer_with) instead = Error(*call.plan.answer_with, "as the simulation wants");
    trace_.line(call.sender, [&] {
        return number(call) + "is answered" +
               (instead ? " " + std::string(to_string(instead->code())) : std::string());
    });
    // Answering may send: the call must be out of the list by then.
    const std::function<void(std::optional<Error>)> tell = std::move(call.answer);
    remove(call);
    tell(std::move(instead));
}

void Transport::deliver(std::size_t notice) {
    const Notice one = std::move(notices_[notice]);
    notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(notice));
    trace_.line(one.receiver, [&] { return "hears: " + one.what; });
    one.deliver();
}

void Transport::cut_off(EndpointNo sender, const std::function<bool(const StoreCall&)>& keep) {
    std::erase_if(calls_, [&](const std::unique_ptr<StoreCall>& call) {
        if (call->sender != sender || !call->sender_lives) return false;
        call->sender_lives = false;
        call->answer = nullptr;
        return call->applied || !keep(*call);
    });
    std::erase_if(notices_, [&](const Notice& notice) { return notice.receiver == sender; });
}

void Transport::hurry() {
    const Millis soon = time_.now() + Millis(5);
    for (const auto& call : calls_) {
        call->apply_at = std::min(call->apply_at, soon);
        call->answer_at = std::min(call->answer_at, soon);
        call->plan.until_answered = Millis(0);
    }
}

std::optional<Millis> Transport::next_due() const {
    std::optional<Millis> due;
    const auto consider = [&](Millis at) { due = due ? std::min(*due, at) : at; };
    for (const auto& call : calls_) consider(call->applied ? call->answer_at : call->apply_at);
    for (const Notice& notice : notices_) consider(notice.deliver_at);
    return due;
}

void Transport::remove(const StoreCall& call) {
    std::erase_if(calls_,
                  [&](const std::unique_ptr<StoreCall>& one) { return one.get() == &call; });
}

}  // namespace belay::sim
