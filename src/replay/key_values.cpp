#include "replay/key_values.hpp"

#include "model/payload_check.hpp"
#include "replay/checks.hpp"
#include <belay/exceptions.hpp>

#include <utility>

namespace belay::replay {

void KeyValues::set(const std::string& key, Payload value) {
    journal_.check_room();
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
    std::size_t bytes = bytes_ + value.bytes.size();
    bytes = before == values_.end() ? bytes + key.size() : bytes - before->second.bytes.size();
    if (bytes > limits_.key_values_bytes) {
        throw LimitExceeded("with key '" + key + "' all key-values are " + std::to_string(bytes) +
                            " bytes; at most " + std::to_string(limits_.key_values_bytes) +
                            " are allowed");
    }
    bytes_ = bytes;
    values_.insert_or_assign(key, value);
    journal_.record(model::KeyValueSet{key, std::move(value)});
}

const Payload* KeyValues::find(const std::string& key) const noexcept {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
}

void KeyValues::clear(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    journal_.check_room();
    bytes_ -= key.size() + found->second.bytes.size();
    values_.erase(found);
    journal_.record(model::KeyValueCleared{key});
}

void KeyValues::clear_all() {
    if (values_.empty()) return;
    journal_.check_room();
    values_.clear();
    bytes_ = 0;
    journal_.record(model::KeyValuesCleared());
}

void KeyValues::take_over(Values values) {
    values_ = std::move(values);
    for (const auto& [key, value] : values_) bytes_ += key.size() + value.bytes.size();
}

}  // namespace belay::replay
