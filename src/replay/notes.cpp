// What the code does that nothing comes back of: it is decided at once, from what history holds.
#include "model/plain.hpp"
#include "replay/execution.hpp"
#include <belay/exceptions.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace belay::replay {

// ---- Random numbers ----------------------------------------------------------------------------

std::uint64_t Execution::random_bits() {
    if (dead_) return 0;
    if (!random_) {
        const auto* const recorded = next_in_history<model::RandomSeeded>();
        const model::RandomSeeded seed = recorded != nullptr ? *recorded : identity_.seed;
        record(seed);
        random_.emplace(seed.high, seed.low);
    }
    return random_->next();
}

// ---- Messages ----------------------------------------------------------------------------------

std::optional<Payload> Execution::try_take(MessageKind kind, const std::string& name) {
    if (dead_) return std::nullopt;
    const Channel channel(kind, name);
    auto from = received_.find(channel);
    if (from == received_.end() && take_early(kind, name)) from = received_.find(channel);
    if (from == received_.end()) return std::nullopt;
    check_room();
    std::pair<std::uint64_t, Payload> taken = take_first(from);
    record(model::MessageTaken{kind, name});
    return std::move(taken.second);
}

/// Takes in the next message of a channel that came with this turn and is not applied yet. On
/// replay history shows that one was: what the turn brought later is behind another input.
bool Execution::take_early(MessageKind kind, const std::string& name) {
    if (waiting_.contains(Channel(kind, name))) return false;  // It is for who waits.
    // One too many ends the code where it is applied, and not while it runs.
    if (received_count_ >= limits_.buffered_messages) return false;
    std::optional<model::MessageReceived> early;
    if (replaying_) {
        const auto* const next = next_in_history<model::MessageReceived>();
        if (next != nullptr && next->channel == kind && next->name == name) early = *next;
    } else if (announced_) {
        for (Announced& one : *announced_) {
            if (one.is_taken || one.message->kind != kind || one.message->name != name) continue;
            one.is_taken = true;
            early = model::MessageReceived{kind, name, one.message->payload};
            break;
        }
    }
    if (!early) return false;
    record(*early);
    on(*early);
    return true;
}

std::size_t Execution::depth(MessageKind kind, const std::string& name) {
    while (!dead_ && take_early(kind, name)) {
    }
    const auto from = received_.find(Channel(kind, name));
    return from == received_.end() ? 0 : from->second.size();
}

// ---- Detached starts ---------------------------------------------------------------------------

void Execution::start_detached(detail::OperationSpec spec, bool shielded) {
    if (dead_) return;
    refuse_if_canceled(shielded);
    check_limits(spec);
    require_name("an instance's id", spec.child_id, limits_.name_bytes);
    if (spec.child_id.find('/') != std::string::npos) {
        throw std::invalid_argument("the id '" + spec.child_id +
                                    "' of a run on its own has a '/', which is kept for children");
    }
    model::DetachedStarted event{
        std::move(spec.name), std::move(spec.child_id), std::move(spec.input), {}, {}};
    if (spec.terms) {
        event.version = std::move(spec.terms->version);
        event.labels = std::move(spec.terms->labels);
    }
    record(std::move(event));
}

// ---- Key-values --------------------------------------------------------------------------------

void Execution::set_value(const std::string& key, Payload value) {
    if (dead_) return;
    check_room();
    require_name("a key", key, limits_.name_bytes);
    require(model::check_plain("the value of a key", value));
    if (value.bytes.size() > limits_.key_value_bytes) {
        throw LimitExceeded("the value of key '" + key + "' is " +
                            std::to_string(value.bytes.size()) + " bytes; at most " +
                            std::to_string(limits_.key_value_bytes) + " are allowed");
    }
    const auto before = values_.find(key);
    if (before == values_.end() && values_.size() >= limits_.key_values) {
        throw LimitExceeded("there are " + std::to_string(limits_.key_values) +
                            " key-values, and no more are allowed: clear some before '" + key +
                            "' is set");
    }
    std::size_t bytes = values_bytes_ + value.bytes.size();
    bytes = before == values_.end() ? bytes + key.size() : bytes - before->second.bytes.size();
    if (bytes > limits_.key_values_bytes) {
        throw LimitExceeded("with key '" + key + "' all key-values are " + std::to_string(bytes) +
                            " bytes; at most " + std::to_string(limits_.key_values_bytes) +
                            " are allowed");
    }
    values_bytes_ = bytes;
    values_.insert_or_assign(key, value);
    record(model::KeyValueSet{key, std::move(value)});
}

const Payload* Execution::value(const std::string& key) const noexcept {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
}

void Execution::clear_value(const std::string& key) {
    if (dead_) return;
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    check_room();
    values_bytes_ -= key.size() + found->second.bytes.size();
    values_.erase(found);
    record(model::KeyValueCleared{key});
}

void Execution::clear_values() {
    if (dead_ || values_.empty()) return;
    check_room();
    values_.clear();
    values_bytes_ = 0;
    record(model::KeyValuesCleared());
}

// ---- Patches -----------------------------------------------------------------------------------

bool Execution::patched(const std::string& name) {
    if (dead_) return false;
    if (const auto known = patches_.find(name); known != patches_.end()) return known->second;
    require_name("a patch's name", name, limits_.name_bytes);
    const bool taken = mark(model::PatchMarked{name}, name);
    patches_.emplace(name, taken);
    return taken;
}

void Execution::retire_patch(const std::string& name) {
    if (dead_ || patches_.contains(name)) return;
    require_name("a patch's name", name, limits_.name_bytes);
    (void)mark(model::PatchRetired{name}, name);
    patches_.emplace(name, true);
}

/// On replay history decides which mark it is, and whether there is one.
bool Execution::mark(model::Event fresh, const std::string& name) {
    const model::Event* const recorded = mark_in_history(name);
    if (replaying_ && recorded == nullptr) {
        patch_in_doubt_ = true;
        return false;
    }
    if (recorded != nullptr) fresh = *recorded;
    record(std::move(fresh));
    return true;
}

const model::Event* Execution::mark_in_history(const std::string& name) const noexcept {
    for (std::size_t ahead = 0;; ++ahead) {
        const model::Event* const event = in_history(ahead);
        if (const auto* const retired = std::get_if<model::PatchRetired>(event)) {
            if (retired->name == name) return event;
            continue;
        }
        const auto* const marked = std::get_if<model::PatchMarked>(event);
        return marked != nullptr && marked->name == name ? event : nullptr;
    }
}

void Execution::pass_retired(const model::Event* next) {
    for (;;) {
        const model::Event* const event = in_history(0);
        const auto* const retired = std::get_if<model::PatchRetired>(event);
        if (retired == nullptr || (next != nullptr && *next == *event)) return;
        patches_.emplace(retired->name, true);
        patch_in_doubt_ = true;
        ++position_;
        recorded_.push_back(*event);
    }
}

// ---- Logging -----------------------------------------------------------------------------------

void Execution::log(LogLevel level, std::string_view message) noexcept {
    if (dead_ || replaying_ || log_ == nullptr || !*log_) return;
    try {
        (*log_)(LogRecord{level,
                          message,
                          identity_.name,
                          identity_.execution,
                          identity_.definition,
                          identity_.version,
                          now_});
    } catch (...) {  // NOLINT(bugprone-empty-catch): what a log does is no part of the run.
    }
}

}  // namespace belay::replay
