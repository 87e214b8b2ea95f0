#include "expr/patterns.hpp"

#include <re2/re2.h>

#include <cstdint>

namespace belay::expr {

namespace {

/// The memory that one pattern may take, compiled.
constexpr std::int64_t kMostPattern = 1024 * 1024;

}  // namespace

std::expected<bool, std::string> matches_pattern(std::string_view text, std::string_view pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMostPattern);
    const re2::RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
    if (!compiled.ok()) return std::unexpected("the pattern is wrong: " + compiled.error());
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled);
}

}  // namespace belay::expr
