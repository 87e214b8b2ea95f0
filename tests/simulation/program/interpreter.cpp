#include "simulation/program/interpreter.hpp"

#include "simulation/process/code_watch.hpp"
#include "simulation/process/sim_executor.hpp"
#include "simulation/program/calls.hpp"
#include "simulation/world/large.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace belay::sim {

namespace {

/// The state that all statements of one execution share.
struct Frame {
    Frame(CodeAge age_, NodePtr program_, std::int64_t continuations_)
        : age(age_), patches(age_), program(std::move(program_)), continuations(continuations_) {}
    CodeAge age;
    PatchAnswers patches;
    NodePtr program;
    std::int64_t continuations;
    Timestamp latest{};     ///< The latest time that the code has seen.
    std::size_t lines = 0;  ///< The number that it has logged.
};
using FramePtr = std::shared_ptr<Frame>;

Orchestration<std::string> run_block(OrchestrationContext ctx,
                                     FramePtr frame,
                                     NodePtr block,
                                     std::string received);

void expect_not_early(const OrchestrationContext& ctx, Timestamp began, Millis delay) {
    expect_of_code(ctx.now() >= began + delay, "a timer never fires early", [&] {
        return ctx.instance_id() + " saw a timer of " + std::to_string(delay.count()) +
               " ms fire after " + std::to_string((ctx.now() - began).count());
    });
}

void expect_no_way_back(const OrchestrationContext& ctx, Frame& frame) {
    expect_of_code(ctx.now() >= frame.latest, "time never goes back for the code", [&] {
        return ctx.instance_id() + " went back by " +
               std::to_string((frame.latest - ctx.now()).count()) + " ms";
    });
    frame.latest = ctx.now();
}

/// Every message that code takes passes here, at once.
std::string message(const std::string& payload) {
    count_taken_message();
    return payload + " ";
}

// ---- Select and join ---------------------------------------------------------------------------

Orchestration<std::string> run_select(OrchestrationContext ctx,
                                      FramePtr frame,
                                      NodePtr node,
                                      std::string received) {
    const Timestamp began = ctx.now();
    const Millis delay(node->arg(1));
    std::size_t winner = 0;
    std::string got;
    switch (node->arg(0)) {
        case 0: {
            auto first = co_await ctx.select(call_of(ctx, *node), ctx.timer(delay));
            winner = first.index();
            break;
        }
        case 1: {
            auto first =
                co_await ctx.select(run_block(ctx, frame, node, received), ctx.timer(delay));
            winner = first.index();
            if (winner == 0) got = std::get<0>(first);
            break;
        }
        case 2: {
            auto first = co_await ctx.select(ctx.wait<std::string>(kEvents[0]), ctx.timer(delay));
            winner = first.index();
            if (winner == 0) got = message(std::get<0>(first));
            break;
        }
        case 3: {
            std::vector<Call<std::string>> calls;
            for (int i = 0; i < 3; ++i)
                calls.push_back(ctx.call(activity_of(*node, 1), std::to_string(i)));
            auto all = ctx.select(std::move(calls));
            (void)co_await std::move(all);
            break;
        }
        case 4: {
            std::vector<Orchestration<std::string>> helpers;
            for (int i = 0; i < 2; ++i) helpers.push_back(run_block(ctx, frame, node, received));
            auto all = ctx.select(std::move(helpers));
            auto first = co_await std::move(all);
            got = first.value();
            break;
        }
        case 5: {
            auto inner = ctx.select(call_of(ctx, *node), ctx.timer(delay));
            auto first =
                co_await ctx.select(std::move(inner), run_block(ctx, frame, node, received));
            if (first.index() == 1) got = std::get<1>(first);
            if (first.index() == 0) winner = std::get<0>(first).index();
            break;
        }
        case 6: {
            auto first = co_await ctx.select(retried_call(ctx, *node), ctx.timer(delay));
            winner = first.index();
            break;
        }
        default: {
            Future<std::string> work = ctx.start(call_of(ctx, *node));
            auto first = co_await ctx.select(work, ctx.timer(delay));
            winner = first.index();
            // Half of the programs wait on; the others let go of it here.
            if (winner == 1 && node->arg(1) % 2 == 0) (void)co_await std::move(work);
            break;
        }
    }
    if (winner == 1) expect_not_early(ctx, began, delay);
    co_return got;
}

Orchestration<std::string> run_join(OrchestrationContext ctx,
                                    FramePtr frame,
                                    NodePtr node,
                                    std::string received) {
    const Timestamp began = ctx.now();
    const Millis delay(node->arg(1));
    std::string got;
    switch (node->arg(0)) {
        case 0: {
            (void)co_await ctx.join(call_of(ctx, *node), ctx.timer(delay));
            expect_not_early(ctx, began, delay);
            break;
        }
        case 1: {
            auto both =
                co_await ctx.join(run_block(ctx, frame, node, received), call_of(ctx, *node));
            got = std::get<0>(both);
            break;
        }
        case 2: {
            std::vector<Call<std::string>> calls;
            for (int i = 0; i < 3; ++i)
                calls.push_back(ctx.call(activity_of(*node, 1), std::to_string(i)));
            auto all = ctx.join(std::move(calls));
            (void)co_await std::move(all);
            break;
        }
        case 3: {
            std::vector<Orchestration<std::string>> helpers;
            for (int i = 0; i < 2; ++i) helpers.push_back(run_block(ctx, frame, node, received));
            auto all = ctx.join(std::move(helpers));
            const std::vector<std::string> parts = co_await std::move(all);
            for (const std::string& part : parts) got += part;
            break;
        }
        default: {
            auto inner = ctx.select(call_of(ctx, *node), ctx.timer(delay));
            auto both = co_await ctx.join(std::move(inner), run_block(ctx, frame, node, received));
            got = std::get<1>(both);
            break;
        }
    }
    co_return got;
}

// ---- Messages, children, futures ---------------------------------------------------------------

Orchestration<std::string> run_wait(OrchestrationContext ctx, NodePtr node) {
    const auto which = static_cast<std::size_t>(node->arg(0)) % 2;
    auto wait = node->op == 'e' ? ctx.wait<std::string>(kEvents[which])
                                : ctx.receive<std::string>(kMailQueues[which]);
    if (node->arg(1) == 0) {
        const std::string payload = co_await std::move(wait);
        co_return message(payload);
    }
    const Timestamp began = ctx.now();
    const Millis delay(node->arg(1));
    auto first = co_await ctx.select(std::move(wait), ctx.timer(delay));
    if (first.index() == 0) co_return message(std::get<0>(first));
    expect_not_early(ctx, began, delay);
    co_return std::string();
}

/// A wait that goes on by itself. Its message is nobody's until the code asks for it, and goes to
/// another wait if it never does.
Orchestration<std::string> run_background_wait(OrchestrationContext ctx, NodePtr node) {
    const auto which = static_cast<std::size_t>(node->arg(0)) % 2;
    auto wait = node->arg(2) % 2 == 0 ? ctx.wait<std::string>(kEvents[which])
                                      : ctx.receive<std::string>(kMailQueues[which]);
    Future<std::string> pending = ctx.start(std::move(wait));
    co_await ctx.timer(Millis(node->arg(1)));
    if (node->arg(2) < 2) co_return std::string();
    auto first = co_await ctx.select(pending, ctx.timer(Millis(node->arg(1))));
    if (first.index() == 1) co_return std::string();
    co_return message(std::get<0>(first));
}

Orchestration<void> run_child(OrchestrationContext ctx, NodePtr node) {
    switch (node->arg(1)) {
        case 4: {
            auto call =
                child_with_options(ctx, *node, ChildOptions().parent_close(ParentClose::abandon));
            Future<std::string> child = ctx.start(std::move(call));
            if (node->arg(2) % 2 == 0) co_await ctx.timer(Millis(5));
            break;
        }
        case 5: {
            auto call =
                child_with_options(ctx, *node, ChildOptions().retry(child_policy_of(*node)));
            TryCall<std::string> attempt(std::move(call));
            (void)co_await std::move(attempt);
            break;
        }
        case 0: {
            (void)co_await child_of(ctx, *node);
            break;
        }
        case 1: {
            TryCall<std::string> attempt(child_of(ctx, *node));
            (void)co_await std::move(attempt);
            break;
        }
        case 2: {
            Future<std::string> child = ctx.start(child_of(ctx, *node));
            co_await ctx.timer(Millis(5));
            break;
        }
        default: {
            (void)co_await ctx.select(child_of(ctx, *node), ctx.timer(Millis(400)));
            break;
        }
    }
}

Orchestration<void> run_futures(OrchestrationContext ctx, NodePtr node) {
    std::vector<Future<std::string>> futures;
    for (std::int64_t i = 0; i < node->arg(0); ++i) {
        futures.push_back(ctx.start(ctx.call(kActivities[0], std::to_string(i))));
    }
    if (node->arg(1) == 0) {
        (void)co_await futures.front();
    } else {
        co_await ctx.timer(Millis(1));
    }
}

/// History does not say which of the two timeouts ended an attempt; the failure does.
void count_policy_timeout(const Failure& failure) {
    if (failure.kind != FailureKind::timeout) return;
    if (failure.message == "the attempt took longer than it may") {
        count_in_code(Feature::attempt_too_long);
    }
    if (failure.message == "the deadline for all attempts has passed") {
        count_in_code(Feature::deadline_passed);
    }
}

// ---- Statements without an answer --------------------------------------------------------------

void count_up(const OrchestrationContext& ctx, const std::string& key) {
    if (key == kTextKey) {
        const std::string before = ctx.value<std::string>(key).value_or("0");
        ctx.set_value(key, counting_text(std::stoll(before) + 1));
    } else {
        ctx.set_value(key, ctx.value<std::int64_t>(key).value_or(0) + 1);
    }
}

void change_value(const OrchestrationContext& ctx, const Node& node) {
    const std::string key = "v" + std::to_string(node.arg(0));
    if (node.arg(1) == 1) {
        ctx.clear_value(key);
    } else if (node.arg(1) == 2) {
        ctx.clear_values();
    } else {
        count_up(ctx, key);
    }
    const bool set = key == kTextKey ? ctx.value<std::string>(key).has_value()
                                     : ctx.value<std::int64_t>(key).has_value();
    expect_of_code(
        set == (node.arg(1) == 0), "code reads the key-values that it set", ctx.instance_id());
}

std::string take_messages(const OrchestrationContext& ctx, const Node& node) {
    const auto which = static_cast<std::size_t>(node.arg(0)) % 2;
    const bool events = node.arg(1) == 1;
    const std::size_t depth = events ? 0 : ctx.queue_depth(kMailQueues[which]);
    std::string got;
    std::size_t taken = 0;
    for (;;) {
        const auto next = events ? ctx.try_wait<std::string>(kEvents[which])
                                 : ctx.try_receive<std::string>(kMailQueues[which]);
        if (!next) break;
        ++taken;
        got += message(*next);
    }
    expect_of_code(events || taken == depth, "a queue is as deep as it says", [&] {
        return ctx.instance_id() + ": " + std::to_string(taken) + " of " + std::to_string(depth);
    });
    return got;
}

/// Sets a status, and logs its number in this execution. History has the statuses, so it says which
/// lines belong to a turn.
void say_where(const OrchestrationContext& ctx, Frame& frame, const Node& node) {
    ctx.set_custom_status(padded_by(node.arg(0), kAt + std::to_string(node.arg(0))));
    ctx.log().info(std::to_string(++frame.lines));
}

/// Several runs want the same one: the first gets it.
void start_alone(const OrchestrationContext& ctx, const Node& node) {
    Node program;
    auto call = std::make_shared<Node>();
    call->op = 'a';
    program.body.push_back(call);
    ctx.start_detached(
        kDefinitions[0],
        "w" + std::to_string(node.arg(0)) + "-" + std::string(root_of(ctx.instance_id())),
        to_text(program),
        std::string(),
        std::int64_t(1));
}

/// Both ways are recorded, and differ: a worker that goes the wrong one is found out at once.
Orchestration<void> run_patch(OrchestrationContext ctx, FramePtr frame, NodePtr node) {
    const std::string name = "p" + std::to_string(node->arg(0));
    const bool taken = frame->patches.ask(ctx, name);
    ctx.set_custom_status((taken ? kNewWay : kOldWay) + name);
    if (node->arg(1) == 0) co_return;
    if (taken) {
        co_await ctx.timer(Millis(1));
    } else {
        (void)co_await ctx.call(activity_of(*node, 0), input_of(*node));
    }
}

// ---- Statements --------------------------------------------------------------------------------

Orchestration<std::string> run_statement(OrchestrationContext ctx,
                                         FramePtr frame,
                                         NodePtr node,
                                         std::string received) {
    std::string got;
    switch (node->op) {
        case 'a': {
            auto call = call_of(ctx, *node, frame->age == CodeAge::broken ? kSpoiled : "");
            (void)co_await std::move(call);
            break;
        }
        case 't': {
            auto attempt = ctx.try_call(activity_of(*node, 0), input_of(*node));
            const auto result = co_await std::move(attempt);
            if (!result.ok() && result.failure().message.empty())
                throw std::logic_error("no reason");
            break;
        }
        case 'd': {
            const Timestamp began = ctx.now();
            co_await ctx.timer(Millis(node->arg(0)));
            expect_not_early(ctx, began, Millis(node->arg(0)));
            break;
        }
        case 's': got = co_await run_select(ctx, frame, node, received); break;
        case 'j': got = co_await run_join(ctx, frame, node, received); break;
        case 'e':
        case 'q': got = co_await run_wait(ctx, node); break;
        case 'b': got = co_await run_background_wait(ctx, node); break;
        case 'f': co_await run_futures(ctx, node); break;
        case 'c': co_await run_child(ctx, node); break;
        case 'r': ctx.on_rollback(activity_of(*node, 0), input_of(*node)); break;
        case 'u': say_where(ctx, *frame, *node); break;
        case 'o': {
            auto call = retried_call(ctx, *node);
            try {
                (void)co_await std::move(call);
            } catch (const OperationFailed& failed) {
                count_policy_timeout(failed.failure());
                throw;
            }
            break;
        }
        case 'v': change_value(ctx, *node); break;
        case 'k': ctx.set_custom_status(ctx.new_uuid()); break;
        case 'm': got = take_messages(ctx, *node); break;
        case 'p': co_await run_patch(ctx, frame, node); break;
        case 'w': start_alone(ctx, *node); break;
        case 'x': throw std::runtime_error("the program throws");
        case 'l': throw Canceled("the program gives up");
        case 'g': got = co_await run_block(ctx, frame, node, received); break;
        case 'h': {
            const auto shield = ctx.shield(Millis(node->arg(0)));
            got = co_await run_block(ctx, frame, node, received);
            break;
        }
        case 'y': {
            try {
                got = co_await run_block(ctx, frame, node, received);
            } catch (const std::exception&) {
            }
            break;
        }
        case 'z': {
            try {
                got = co_await run_block(ctx, frame, node, received);
            } catch (const Canceled&) {
            }
            break;
        }
        case 'n': {
            if (frame->continuations <= 0) break;
            // The message of a wait that is still open then is for the next execution.
            std::optional<Future<std::string>> open;
            if (node->arg(0) > 0) {
                const auto which = static_cast<std::size_t>(node->arg(1)) % 2;
                open.emplace(ctx.start(ctx.wait<std::string>(kEvents[which])));
                co_await ctx.timer(Millis(node->arg(0)));
            }
            auto next =
                ctx.continue_as_new(kDefinitions[0],
                                    as_input(to_text(*frame->program), frame->continuations - 1),
                                    received,
                                    frame->continuations - 1);
            if (node->arg(0) % 3 == 1) next.version("1");
            co_await std::move(next);
            break;
        }
        default: throw std::logic_error("no such statement");
    }
    co_return got;
}

Orchestration<std::string> run_block(OrchestrationContext ctx,
                                     FramePtr frame,
                                     NodePtr block,
                                     std::string received) {
    std::string got;
    for (const NodePtr& node : block->body) {
        const std::string more = co_await run_statement(ctx, frame, node, received + got);
        got += more;
        expect_no_way_back(ctx, *frame);
    }
    co_return got;
}

}  // namespace

Orchestration<std::string> run_program(OrchestrationContext ctx,
                                       CodeAge age,
                                       std::string program,
                                       std::string received,
                                       std::int64_t continuations) {
    const Timestamp began = ctx.now();
    const NodePtr root = parse_program(program);
    const FramePtr frame = std::make_shared<Frame>(age, root, continuations);
    const std::string got = co_await run_block(ctx, frame, root, received);
    // The time of its first turn shows at its end: if that turn was taken twice, this shows it.
    const std::int64_t ms = to_unix_ms(began);
    co_return padded_by(ms, received + got + " " + kBegan + std::to_string(ms));
}

}  // namespace belay::sim
