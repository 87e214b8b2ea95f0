#include "expr/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace belay::expr {

List sorted(const List& items, const List& keys) {
    // std::stable_sort of libstdc++ 12 warns under clang-19, so the position decides between
    // equals.
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const auto found = *compare(keys[a], keys[b]);
        return found < 0 || (found == 0 && a < b);
    });
    List made;
    made.reserve(items.size());
    for (const std::size_t at : order) made.push_back(items[at]);
    return made;
}

}  // namespace belay::expr
