// The check that a document can be true.
#pragma once

#include "document/document.hpp"
#include "document/node.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace belay::document {

/// Throws a Damage for the first contradiction between the instance, its executions, their times
/// and their history.
void check_document(const Document& document, const Limits& limits);

/// The part of the check for the history of one execution.
void check_history(const Document& document, std::size_t index);

/// Throws a Damage unless `holds`.
inline void expect(bool holds, const std::string& place, const std::string& what) {
    if (!holds) throw Damage(Errc::invalid_argument, "'" + place + "' " + what);
}

/// Throws a Damage unless the time is in the years 1970 to 9999. Nobody can have recorded any
/// other.
inline void expect_possible(Timestamp at, const std::string& place) {
    constexpr std::int64_t kEndOf9999 = 253'402'300'799'999;
    expect(at >= Timestamp() && at <= from_unix_ms(kEndOf9999),
           place,
           "is no time between the years 1970 and 9999");
}

}  // namespace belay::document
