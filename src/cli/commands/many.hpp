// Commands that change many instances: those that were found are changed piece by piece.
#pragma once

#include "cli/context.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace belay::cli {

/// Calls `change` with the filter narrowed down to at most `size` of these ids, and with the number
/// of ids so far. An instance that does not match any more is left alone.
template <class Change>
void for_each_piece(const InstanceFilter& filter,
                    const std::vector<std::string>& ids,
                    std::uint32_t size,
                    Change change) {
    for (std::size_t at = 0; at < ids.size(); at += size) {
        const std::size_t end = std::min(at + size, ids.size());
        InstanceFilter piece = filter;
        piece.limit(size).ids({ids.begin() + static_cast<std::ptrdiff_t>(at),
                               ids.begin() + static_cast<std::ptrdiff_t>(end)});
        change(piece, end);
    }
}

}  // namespace belay::cli
