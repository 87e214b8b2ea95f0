// A sort that keeps equal elements in their order.
#pragma once

#include <list>
#include <vector>

namespace belay::base {

/// std::stable_sort of libstdc++ 12 uses a function that clang-19 reports as deprecated.
template <class Element, class Less>
void sort_stably(std::vector<Element>& elements, Less less) {
    std::list<Element> list(elements.begin(), elements.end());
    list.sort(less);
    elements.assign(list.begin(), list.end());
}

}  // namespace belay::base
