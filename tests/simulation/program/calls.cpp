#include "simulation/program/calls.hpp"

#include "simulation/process/sim_executor.hpp"
#include "simulation/world/labels.hpp"
#include "simulation/world/large.hpp"

#include <utility>

namespace belay::sim {

namespace {

const Work& kShip = kActivities[1];
const Work& kBill = kActivities[2];
const Program& kBeta = kDefinitions[1];

RetryPolicy attempts_of(const Node& node) {
    const Millis delay(1 + node.arg(2) % 50);
    switch (node.arg(1)) {
        case 0: return RetryPolicy::fixed(delay);
        case 1: return std::move(RetryPolicy::exponential(delay).jitter(0.5).attempts(4));
        case 2:
            return std::move(RetryPolicy::linear(delay, delay)
                                 .attempt_timeout(Millis(1 + node.arg(2)))
                                 .attempts(2));
        default:
            return std::move(RetryPolicy::exponential(delay, 1.5)
                                 .deadline(Millis(1 + 2 * node.arg(2)))
                                 .unlimited_attempts());
    }
}

/// The activity decides which failures are final: `is_final` knows them, too.
RetryPolicy policy_of(const Node& node) {
    RetryPolicy policy = attempts_of(node);
    const std::string_view name = activity_of(node, 0).name();
    if (name == kShip.name()) policy.not_on(FailureKind::timeout);
    if (name == kBill.name()) policy.not_on(kDeclined);
    return policy;
}

bool is_usually_final(const Failure& failure) {
    return !failure.retryable ||
           (failure.kind != FailureKind::application && failure.kind != FailureKind::timeout &&
            failure.kind != FailureKind::infrastructure);
}

const char* key_number(std::int64_t number) {
    return kFairnessKeys[static_cast<std::size_t>(number) % kFairnessKeys.size()];
}

const Program& definition_of(const Node& node) {
    return kDefinitions[static_cast<std::size_t>(node.arg(0)) % kDefinitions.size()];
}

constexpr std::int64_t kChildContinuations = 1;

std::string child_program(const Node& node) {
    Node program;
    program.body = node.body;
    return as_input(to_text(program), kChildContinuations);
}

}  // namespace

const Work& activity_of(const Node& node, std::size_t arg) {
    return kActivities[static_cast<std::size_t>(node.arg(arg)) % kActivities.size()];
}
std::string input_of(const Node& node) {
    return padded_by(node.arg(1) + node.arg(2), to_text(node).substr(0, 12));
}

Call<std::string> call_of(const OrchestrationContext& ctx,
                          const Node& node,
                          const std::string& before) {
    const auto options = CallOptions()
                             .queue(kQueues[static_cast<std::size_t>(node.arg(1)) % kQueues.size()])
                             .fairness_key(key_number(node.arg(0) + node.arg(1)));
    return ctx.call(activity_of(node, 0).with(options), before + input_of(node));
}

Call<std::string> retried_call(const OrchestrationContext& ctx, const Node& node) {
    const Millis time(1 + node.arg(2));
    const auto is = [&](std::int64_t one_of) { return node.arg(2) % one_of == 0; };
    auto options = CallOptions()
                       .queue(kQueues[static_cast<std::size_t>(node.arg(1)) % kQueues.size()])
                       .priority(static_cast<std::int32_t>(node.arg(0)) - 1)
                       // Not by a remainder that decides about another option.
                       .fairness_key(key_number(node.arg(2) / 8))
                       .schedule_to_start(is(3) ? time : Millis(60'000))
                       .start_to_close(is(5) ? time : Millis(60'000))
                       .retry(policy_of(node));
    if (is(7)) options.heartbeat_timeout(2 * time);
    if (is(2)) options.session("s" + std::to_string(node.arg(0) % 2));
    return ctx.call(activity_of(node, 0).with(options), input_of(node));
}

bool is_final(std::string_view activity, const Failure& failure) {
    return is_usually_final(failure) ||
           (activity == kShip.name() && failure.kind == FailureKind::timeout) ||
           (activity == kBill.name() && failure.type == kDeclined);
}

RetryPolicy child_policy_of(const Node& node) {
    RetryPolicy policy = RetryPolicy::fixed(Millis(20));
    policy.attempts(2);
    if (definition_of(node).name() == kBeta.name()) policy.also_on(FailureKind::canceled);
    return policy;
}

bool is_final_of_child(std::string_view definition, const Failure& failure) {
    if (definition == kBeta.name() && failure.kind == FailureKind::canceled) {
        return !failure.retryable;
    }
    return is_usually_final(failure);
}

Call<std::string> child_of(const OrchestrationContext& ctx, const Node& node) {
    auto call =
        ctx.call(definition_of(node), child_program(node), std::string(), kChildContinuations);
    if (node.arg(2) < 2) return call;
    return std::move(call).id("k" + std::to_string(node.arg(2)));
}

Call<std::string> child_with_options(const OrchestrationContext& ctx,
                                     const Node& node,
                                     ChildOptions options) {
    if (node.arg(2) == 3) options.version(kFirstVersion);
    if (node.arg(2) >= 2) options.id("k" + std::to_string(node.arg(2)));
    return ctx.call(definition_of(node).with(std::move(options.label(kOf, ctx.instance_id()))),
                    child_program(node),
                    std::string(),
                    kChildContinuations);
}

}  // namespace belay::sim
