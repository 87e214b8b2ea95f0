#include "flow/interpreter/map_run.hpp"

#include "base/utf8.hpp"
#include "expr/value_json.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>

namespace belay::flow {

using expr::Kind;
using expr::Value;

namespace {

/// The bytes of a message in the list of failed items, so that many of them stay small.
constexpr std::size_t kShortMessage = 512;

Value short_variable(Failure failure) {
    failure.message = base::shortened(std::move(failure.message), kShortMessage);
    failure.detail.clear();
    return value_of(failure);
}

const Value& field(const Value& output, std::string_view name, Kind kind) {
    const Value* const value = output.is(Kind::map) ? output.map().find(name) : nullptr;
    if (value == nullptr || !value->is(kind)) {
        throw DecodeError("the output of the items has no '" + std::string(name) + "'");
    }
    return *value;
}

std::uint64_t count_in(const Value& output, std::string_view name) {
    return static_cast<std::uint64_t>(field(output, name, Kind::integer).integer());
}

}  // namespace

MapRun::MapRun(expr::List items,
               std::uint64_t from,
               std::optional<std::uint64_t> may_fail,
               bool keeps_results)
    : items_(std::move(items)), from_(from), may_fail_(may_fail), keeps_results_(keeps_results) {
    if (keeps_results_) results_.resize(items_.size());
}

std::uint64_t MapRun::room() const noexcept {
    if (!has_items()) return 0;
    const std::uint64_t left = items_.size() - next_;
    if (!most_bytes_) return left;
    const std::uint64_t all = left + under_way_;
    const std::uint64_t ended = next_ - under_way_;
    const std::uint64_t most = keeps_results_ ? std::min(all, 2 * ended + 1) : all;
    const std::size_t free = *most_bytes_ - std::min(*most_bytes_, bytes_);
    const std::uint64_t that_fit =
        largest_ == 0 ? most : std::min<std::uint64_t>(most, free / largest_);
    return that_fit - std::min(that_fit, under_way_);
}

bool MapRun::may_go_on() const noexcept { return has_items() && under_way_ > 0; }

AtGate MapRun::next_turn() {
    idle_.push_back(std::make_shared<Gate>());
    return AtGate(idle_.back());
}

void MapRun::wake_runners() {
    // When nothing is under way, no further end wakes them: all must see that it is over.
    std::uint64_t count = may_go_on() ? room() : idle_.size();
    for (; count > 0 && !idle_.empty(); --count) {
        const std::shared_ptr<Gate> gate = std::move(idle_.front());
        idle_.pop_front();
        gate->open();
    }
}

void MapRun::count_bytes(const expr::Value& value) {
    if (!most_bytes_) return;
    const auto json = expr::to_json(value);
    const std::size_t bytes = json ? json->size() + 1 : 0;
    bytes_ += bytes;
    largest_ = std::max(largest_, bytes);
}

std::optional<std::uint64_t> MapRun::take() noexcept {
    if (room() == 0) return std::nullopt;
    ++under_way_;
    return from_ + next_++;
}

void MapRun::put(std::uint64_t number, const StepEnd& end) {
    --under_way_;
    if (end.is_completed()) {
        ++completed_;
        if (keeps_results_) {
            count_bytes(end.output());
            results_[static_cast<std::size_t>(number - from_)] = end.output();
        }
    } else if (end.is_skipped()) {
        ++skipped_;
    } else {
        if (may_fail_ && failed_.size() == *may_fail_ && !has_failed()) {
            failure_ = end.failure();
            failed_gate_->open();
        }
        failed_.emplace_back(number, short_variable(end.failure()));
        count_bytes(failed_.back().second);
    }
    wake_runners();
}

std::uint64_t MapRun::put_chunk(const expr::Value& output) {
    const std::uint64_t items = count_in(output, "items");
    completed_ += count_in(output, "completed");
    skipped_ += count_in(output, "skipped");
    for (const Value& failed : field(output, "failed", Kind::list).list()) {
        failed_.emplace_back(count_in(failed, "item"), failed);
    }
    if (!keeps_results_) return items;
    const expr::List& results = field(output, "output", Kind::list).list();
    of_chunks_.insert(of_chunks_.end(), results.begin(), results.end());
    return items;
}

std::optional<std::uint64_t> MapRun::may_still_fail() const noexcept {
    if (!may_fail_) return std::nullopt;
    return *may_fail_ - std::min<std::uint64_t>(*may_fail_, failed_.size());
}

expr::List MapRun::results() const {
    expr::List all = of_chunks_;
    for (const auto& result : results_) {
        if (result) all.push_back(*result);
    }
    return all;
}

Fields MapRun::counts() const {
    auto by_number = failed_;
    std::ranges::sort(by_number, {}, [](const auto& entry) { return entry.first; });
    expr::List failed;
    failed.reserve(by_number.size());
    for (auto& [number, variable] : by_number) failed.push_back(std::move(variable));
    Fields fields;
    fields.emplace_back("items", integer_of(completed_ + skipped_ + failed.size()));
    fields.emplace_back("completed", integer_of(completed_));
    fields.emplace_back("skipped", integer_of(skipped_));
    fields.emplace_back("failed", Value(std::move(failed)));
    return fields;
}

StepEnd MapRun::end() const {
    if (failure_) {
        Failure failure = *failure_;
        if (may_fail_.value_or(0) > 0) {
            if (!failure.detail.empty()) failure.detail += "\n";
            failure.detail += std::to_string(failed_.size()) + " items have failed; " +
                              std::to_string(*may_fail_) + " may";
        }
        return StepEnd::failed(std::move(failure));
    }
    Fields fields = counts();
    Value output;
    if (keeps_results_) {
        output = Value(results());
        fields.emplace_back("output", output);
    }
    StepEnd end = StepEnd::completed(std::move(output));
    end.more = Value(map_of(std::move(fields)));
    return end;
}

expr::Value MapRun::as_chunk() const {
    Fields fields = counts();
    if (keeps_results_) fields.emplace_back("output", Value(results()));
    return Value(map_of(std::move(fields)));
}

}  // namespace belay::flow
