// A small program to be tested with the kit.
#pragma once

#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/testing/world.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace belay::testing_tests {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Problem;
using testing::World;
using testing::WorldOptions;

inline constexpr Activity<std::string(std::string, int)> Charge{"Charge"};
inline constexpr Activity<void(std::string)> Refund{"Refund"};
inline constexpr Definition<std::string(std::string)> Checkout{"Checkout"};

/// Returns the Problem that a call throws, or a text that says that it threw none.
template <class Call>
std::string problem_of(Call&& call) {
    try {
        std::forward<Call>(call)();
    } catch (const Problem& problem) {
        return problem.what();
    }
    return "(no problem)";
}

/// Charges, and waits thirty days before it says so.
inline Orchestration<std::string> patient_checkout(OrchestrationContext ctx, std::string order) {
    ctx.on_rollback(Refund, order);
    const std::string payment = co_await ctx.call(Charge, order, 7);
    co_await ctx.timer(30 * 24h);
    co_return "paid " + payment;
}

}  // namespace belay::testing_tests
