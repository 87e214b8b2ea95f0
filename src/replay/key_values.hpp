// The key-values of one execution.
//
//   state    event       next     recorded
//   absent   set         set      KeyValueSet
//   absent   clear       absent   nothing
//   set      set         set      KeyValueSet
//   set      clear       absent   KeyValueCleared
//   any      clear_all   absent   KeyValuesCleared, once for all keys; nothing if all are absent
//
// An execution that continues as new hands them on to the next one.
#pragma once

#include "replay/journal.hpp"
#include <belay/limits.hpp>
#include <belay/payload.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace belay::replay {

class KeyValues {
public:
    using Values = std::map<std::string, Payload, std::less<>>;

    KeyValues(const Limits& limits, Journal& journal) noexcept
        : limits_(limits), journal_(journal) {}

    /// Throws LimitExceeded, or std::invalid_argument for an invalid name or value.
    void set(const std::string& key, Payload value);
    /// Returns null if the key is absent.
    [[nodiscard]] const Payload* find(const std::string& key) const noexcept;
    void clear(const std::string& key);
    void clear_all();

    /// Takes over the values of the previous execution.
    void take_over(Values values);
    [[nodiscard]] const Values& all() const noexcept { return values_; }

private:
    const Limits& limits_;
    Journal& journal_;
    Values values_;
    std::size_t bytes_ = 0;  // The size of all keys and values.
};

}  // namespace belay::replay
