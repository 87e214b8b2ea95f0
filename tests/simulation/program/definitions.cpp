// All definitions and activities, and the code of them that a process has.
#include "simulation/process/code_watch.hpp"
#include "simulation/process/sim_executor.hpp"
#include "simulation/program/interpreter.hpp"

namespace belay::sim {

namespace {

void expect_version(const OrchestrationContext& ctx, const char* version) {
    expect_of_code(ctx.version() == version, "a run stays on its version", [&] {
        return ctx.instance_id() + " of version " + ctx.version() + " is run by code of version " +
               version;
    });
}

template <CodeAge kCodeAge>
Orchestration<std::string> interpret_first(OrchestrationContext ctx,
                                           std::string program,
                                           std::string received,
                                           std::int64_t continuations) {
    expect_version(ctx, kFirstVersion);
    co_return co_await run_program(ctx, kCodeAge, program, received, continuations);
}

/// The same code under another version.
template <CodeAge kCodeAge>
Orchestration<std::string> interpret_second(OrchestrationContext ctx,
                                            std::string program,
                                            std::string received,
                                            std::int64_t continuations) {
    expect_version(ctx, kSecondVersion);
    co_return co_await run_program(ctx, kCodeAge, program, received, continuations);
}

template <CodeAge kCodeAge>
void register_definitions(Registry& registry, const Code& code) {
    for (std::size_t i = 0; i < kDefinitions.size(); ++i) {
        if (!code.definitions[i]) continue;
        registry.add(kDefinitions[i], interpret_first<kCodeAge>, kFirstVersion);
        if (!code.second_version) continue;
        registry.add(kDefinitions[i], interpret_second<kCodeAge>, kSecondVersion);
    }
}

}  // namespace

std::string wanted_version(const std::string& id) {
    switch (id.back() % 5) {
        case 0: return kFirstVersion;
        case 1: return kSecondVersion;
        default: return {};
    }
}

Payload program_input(const std::string& program, std::int64_t continuations) {
    return detail::encode_arguments<std::string, std::string, std::int64_t>(
        as_input(program, continuations), std::string(), continuations);
}

std::string describe(const Code& code) {
    Code all;
    all.age = code.age;
    std::string text = code == all ? "" : ", without all code";
    if (code.age != Code().age) text += ", its code is " + std::string(to_string(code.age));
    return text;
}

void register_code(Registry& registry, const Code& code) {
    switch (code.age) {
        case CodeAge::before_patches:
            register_definitions<CodeAge::before_patches>(registry, code);
            break;
        case CodeAge::with_patches:
            register_definitions<CodeAge::with_patches>(registry, code);
            break;
        case CodeAge::patches_retired:
            register_definitions<CodeAge::patches_retired>(registry, code);
            break;
        case CodeAge::patches_removed:
            register_definitions<CodeAge::patches_removed>(registry, code);
            break;
        case CodeAge::broken: register_definitions<CodeAge::broken>(registry, code); break;
    }
    for (std::size_t i = 0; i < kActivities.size(); ++i) {
        if (!code.activities[i]) continue;
        registry.add(kActivities[i], [](ActivityContext& context, const std::string& input) {
            return simulated_work(context, input);
        });
    }
}

}  // namespace belay::sim
