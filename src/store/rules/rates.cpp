#include "store/rules/rates.hpp"

#include "store/rules/ending.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::store {

Timestamp room_from(Rows& rows, const RateId& id, const RateOfStarts& rate) {
    const std::optional<RatePlace> last = rows.last_rate_place(id);
    if (!last) return rows.now();
    Timestamp at = std::max(rows.now(), last->at);
    if (last->number >= rate.count) {
        const std::optional<RatePlace> first =
            rows.find_rate_place(id, last->number + 1 - rate.count);
        if (first) at = std::max(at, later(first->at, rate.per));
    }
    return at;
}

void take_place(Rows& rows, const RateId& id, const RateOfStarts& rate, Timestamp at) {
    const std::optional<RatePlace> last = rows.last_rate_place(id);
    const std::uint64_t number = last ? last->number + 1 : 1;
    rows.insert_rate_place(id, RatePlace{number, at, later(at, rate.per)});
    if (number > rate.count) rows.erase_rate_places(id, number - rate.count);
}

void drop(Change& change, Run& run, const RateOfStarts& rate) {
    CancelRecord record;
    record.source = CancelSource::policy;
    record.reason = "dropped: more than " + in_words(rate);
    cancel_run(change, run, std::move(record), change.stop.cancel_deadline);
}

std::string in_words(const RateOfStarts& rate) {
    return std::to_string(rate.count) + (rate.count == 1 ? " run within " : " runs within ") +
           std::to_string(rate.per.count()) + " ms";
}

}  // namespace belay::store
