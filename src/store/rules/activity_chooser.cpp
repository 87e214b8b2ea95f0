#include "store/rules/activity_chooser.hpp"

#include <algorithm>

namespace belay::store {

ActivityChooser::Verdict ActivityChooser::look_at(const std::string& queue,
                                                  const QueuedActivity& one) {
    if (one.since() > now_) {
        // It was put in line before the clock was set back.
        wait(one.since() - now_);
        return Verdict::passes;
    }
    if (one.is_late(now_)) {
        late_.push_back(one.place.activity);
        return Verdict::passes;
    }
    // Room in the queue is checked first: nobody can take an activity of a full queue.
    if (admission_.is_full(queue)) {
        (void)admission_.has_room(queue, one.key);
        return Verdict::ends;
    }
    if (!names_.has(one.name)) {
        pass_over(queue, one);
        return Verdict::passes;
    }
    const Millis rest = Timestamp::max() - now_;
    const Timestamp until = now_ + std::min(request_.lease, rest);
    return admission_.admit(queue, one.key, one.session, until) ? Verdict::takes : Verdict::passes;
}

/// Marks the first activity of its name that nothing else keeps waiting. The first mark is due when
/// it has been in line for `patience`, the next after twice that, and so on.
void ActivityChooser::pass_over(const std::string& queue, const QueuedActivity& one) {
    auto& seen = seen_[queue];
    if (one.is_leased || seen.contains(one.name) ||
        admission_.must_wait(queue, one.key, one.session)) {
        return;
    }
    seen.emplace(one.name);
    const Millis waited = now_ - one.free_since();
    Millis due = std::max(request_.patience, Millis(1));
    std::uint32_t marks = 0;
    for (; marks < one.unregistered || due <= waited; ++marks) {
        if (due > Millis::max() / 2) return;
        due *= 2;
    }
    if (marks > one.unregistered) without_code_.push_back(WithoutCode{one.place.activity, marks});
    wait(due - waited);
}

ReadyIn ActivityChooser::ready_in() const {
    const ReadyIn admitted = admission_.ready_in();
    if (!admitted || !ready_in_) return admitted ? admitted : ready_in_;
    return std::min(*admitted, *ready_in_);
}

}  // namespace belay::store
