// Shared by cases that select instances.
#pragma once

#include "conformance/case.hpp"
#include <belay/store/query.hpp>

#include <string>
#include <utility>
#include <vector>

namespace belay::conformance {

using Ids = std::vector<std::string>;

[[nodiscard]] inline Ids ids_of(const std::vector<InstanceBrief>& list) {
    Ids ids;
    for (const InstanceBrief& one : list) ids.push_back(one.name.id);
    return ids;
}

[[nodiscard]] inline Ids ids_of(const std::vector<InstanceMark>& list) {
    Ids ids;
    for (const InstanceMark& one : list) ids.push_back(one.instance.name.id);
    return ids;
}

/// In the namespace of the cases.
template <class Which>
[[nodiscard]] SelectInstances select(Which which, std::uint32_t max = 1000) {
    SelectInstances request;
    request.space = named("").space;
    request.which = std::move(which);
    request.max = max;
    return request;
}

/// Those of these that are there, running or not.
[[nodiscard]] inline SelectInstances select_named(Ids ids, std::uint32_t max = 1000) {
    SelectInstances request = select(SelectInstances::Any(), max);
    request.ids = std::move(ids);
    return request;
}

}  // namespace belay::conformance
