#include "store/rules/hand_over.hpp"

#include "store/rules/capability.hpp"

namespace belay::store {

namespace {

/// The most names and lanes that a turn looks at before it hands activities over.
constexpr std::uint32_t kMostAsked = 64;

}  // namespace

bool HandOvers::allow(const NewActivity& wanted) {
    if (rows_.has_pauses() && rows_.is_paused(PauseKind::queue, wanted.queue)) return false;
    const NewActivity::HandOver& to = *wanted.hand_over;
    if (!admission_ || holder_ != to.token.holder) {
        holder_ = to.token.holder;
        admission_.emplace(rows_, to.token.holder, to.sessions, rows_.now());
    }
    return !would_overtake(wanted.queue, to.names.get()) &&
           admission_->admit(wanted.queue,
                             wanted.fairness_key,
                             SessionKey{run_.name.space, wanted.session},
                             later(rows_.now(), to.lease));
}

bool HandOvers::would_overtake(const std::string& queue, const std::vector<std::string>* names) {
    rows_.promote_activities();
    if (rows_.is_queue_empty(queue)) return false;
    if (names == nullptr) return true;
    const NameFilter filter(names);
    // A process that lacks a name must not take room either for which others wait.
    const bool limited = rows_.limits_of(queue) != nullptr;
    std::uint32_t seen = 0;
    for (auto name = rows_.name_in_line(queue, ""); name; name = rows_.name_in_line(queue, *name)) {
        if (++seen > kMostAsked) return true;
        if (!limited && !filter.has(*name)) continue;
        for (auto key = rows_.lane_in_line(queue, *name, std::nullopt); key;
             key = rows_.lane_in_line(queue, *name, key)) {
            if (++seen > kMostAsked || admission_->has_room(queue, *key)) return true;
        }
    }
    return false;
}

}  // namespace belay::store
