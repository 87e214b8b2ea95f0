// Flows, beside orchestrations in C++ that do the same.
#pragma once

#include "report.hpp"

#include <cstdint>

namespace belay::bench {

void run_flow_group(Report& report);

/// Runs a flow with a map of so many items, whose results nobody uses, so many times.
void run_flow_maps(std::uint32_t items, std::uint32_t times);

}  // namespace belay::bench
