// belay-sim: the whole engine in one thread per seed, under faults. See README.md.
#include "simulation/world/runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace belay::sim;

constexpr std::size_t kShownLines = 40;
/// With fewer seeds than this, a fault or a feature may be missing by chance.
constexpr std::uint64_t kSeedsForEverything = 100;
constexpr std::uint64_t kSeedsForRare = 5'000;
constexpr std::uint64_t kSeedsForRareOfFlows = 1'000;

struct Arguments {
    Campaign campaign{};
    std::optional<std::uint64_t> seed{};
};

[[noreturn]] void usage() {
    std::fprintf(stderr,
                 "usage: belay-sim [--seeds N] [--first S] [--seed N] [--time-limit SECONDS] "
                 "[--threads N] [--store memory|sqlite] [--workload programs|flows] "
                 "[--judge-every N]\n");
    std::exit(2);
}

std::uint64_t number(const char* text) {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0') usage();
    return value;
}

StoreKind store_kind(std::string_view name) {
    if (name != "memory" && name != "sqlite") usage();
    return name == "sqlite" ? StoreKind::sqlite : StoreKind::memory;
}

Workload workload(std::string_view name) {
    if (name != "programs" && name != "flows") usage();
    return name == "flows" ? Workload::flows : Workload::programs;
}

/// The options of a command line for the same kind of world.
std::string world_options(const Campaign& campaign) {
    std::string options;
    if (campaign.store == StoreKind::sqlite) options += " --store sqlite";
    if (campaign.workload == Workload::flows) options += " --workload flows";
    return options;
}

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    arguments.campaign.threads = std::max(1U, std::thread::hardware_concurrency());
    for (int i = 1; i < argc; i += 2) {
        const std::string_view option = argv[i];
        if (i + 1 == argc) usage();
        if (option == "--store") {
            arguments.campaign.store = store_kind(argv[i + 1]);
            continue;
        }
        if (option == "--workload") {
            arguments.campaign.workload = workload(argv[i + 1]);
            continue;
        }
        const std::uint64_t value = number(argv[i + 1]);
        if (option == "--seeds") {
            arguments.campaign.count = value;
        } else if (option == "--first") {
            arguments.campaign.first = value;
        } else if (option == "--seed") {
            arguments.seed = value;
        } else if (option == "--time-limit") {
            arguments.campaign.seconds = static_cast<double>(value);
        } else if (option == "--judge-every") {
            arguments.campaign.judge_every = value;
        } else if (option == "--threads") {
            arguments.campaign.threads = static_cast<unsigned>(std::max<std::uint64_t>(1, value));
        } else {
            usage();
        }
    }
    return arguments;
}

void print_violation(std::uint64_t seed, const Violation& violation) {
    std::printf("seed %llu breaks: %s\n  %s\n",
                static_cast<unsigned long long>(seed),
                violation.invariant.c_str(),
                violation.detail.c_str());
}

SeedResult run_traced(std::uint64_t seed, const Campaign& campaign) {
    return run_seed(seed, true, campaign.store, true, campaign.workload);
}

void print_failure(std::uint64_t seed, const Violation& violation, const Campaign& campaign) {
    // Deterministic, so it fails the same way with the trace on, or earlier: then the judge
    // compares more often.
    const SeedResult again = run_traced(seed, campaign);
    print_violation(seed, again.violation.value_or(violation));
    const std::size_t from =
        again.trace.size() > kShownLines ? again.trace.size() - kShownLines : 0;
    for (std::size_t i = from; i < again.trace.size(); ++i) {
        std::printf("  %s\n", again.trace[i].c_str());
    }
    std::printf("  replay with: belay-sim --seed %llu%s\n\n",
                static_cast<unsigned long long>(seed),
                world_options(campaign).c_str());
    std::fflush(stdout);
}

void show(std::string_view name, std::uint64_t count) {
    std::printf("%12llu  %.*s\n",
                static_cast<unsigned long long>(count),
                static_cast<int>(name.size()),
                name.data());
}

void print_features(const Totals& totals, Workload workload) {
    std::printf("features:\n");
    for (std::size_t i = 0; i < kFeatureKinds && workload == Workload::programs; ++i) {
        const auto feature = static_cast<Feature>(i);
        show(to_string(feature), totals.features.of(feature));
    }
    for (std::size_t i = 0; i < kFlowFeatures && workload == Workload::flows; ++i) {
        const auto feature = static_cast<FlowFeature>(i);
        show(to_string(feature), totals.flows.of(feature));
    }
}

void print_totals(const Totals& totals, const Campaign& campaign) {
    std::printf("faults:\n");
    for (std::size_t i = 0; i < kFaultKinds; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (possible(fault, campaign.store)) show(to_string(fault), totals.faults.of(fault));
    }
    print_features(totals, campaign.workload);
    std::printf("work:\n");
    show("steps", totals.steps);
    show("commits", totals.commits);
    show("instances started by operators", totals.instances);
    show("runs deleted", totals.deleted);
    show("executions pruned", totals.pruned);
    show("dead letters sent again", totals.redriven);
    show("dead letters thrown away", totals.discarded);
    show("runs held by operators", totals.held);
    show("worlds judged by the naive store", totals.judged_worlds);
    show("commits and claims judged", totals.judged);
    show("waits answered when they began", totals.waits.at_once);
    show("waits answered by notification", totals.waits.by_notice);
    show("waits answered by poll", totals.waits.by_poll);
    show("waits answered with a custom status", totals.waits.of_status);
    show("waits answered with a key-value", totals.waits.of_value);
    show("waits answered with a settled run", totals.waits.settled);
    show("waits through continue-as-new", totals.waits.continued);
    show("waits for runs that were gone", totals.waits.gone);
    show("turns committed", totals.runtime.turns_committed);
    show("turns refused", totals.runtime.turns_refused);
    show("turns of residents", totals.runtime.resident_turns);
    show("turns replayed from history", totals.runtime.cold_replays);
    show("activities begun", totals.runtime.activities_begun);
    show("completions accepted", totals.runtime.activities_completed);
    show("completions refused", totals.runtime.completions_refused);
    show("handlers asked to stop", totals.runtime.stops_requested);
    show("turns fused", totals.runtime.fused_turns);
    show("activities handed over", totals.runtime.handed_over);
    show("handlers abandoned", totals.runtime.abandoned);
    show("leases renewed", totals.runtime.renewals);
    show("leases lost", totals.runtime.leases_lost);
    show("claims given back for want of code", totals.runtime.unregistered);
    show("poisoned", totals.runtime.poisoned);
}

int run_one(std::uint64_t seed, const Campaign& campaign) {
    const SeedResult result = run_traced(seed, campaign);
    for (const std::string& line : result.trace) std::printf("%s\n", line.c_str());
    if (result.violation) print_violation(seed, *result.violation);
    std::printf("seed %llu: %llu steps, %llu commits, %llu faults, %lld ms of virtual time\n",
                static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(result.steps),
                static_cast<unsigned long long>(result.commits),
                static_cast<unsigned long long>(result.faults.total()),
                static_cast<long long>(result.virtual_ms));
    std::printf("simulation: %d passed, %d failed, 0 skipped\n",
                result.violation ? 0 : 1,
                result.violation ? 1 : 0);
    return result.violation ? 1 : 0;
}

/// Turns of flows end: see World::prepare_flows.
bool is_expected(Fault fault, const Campaign& campaign) {
    const bool flows = campaign.workload == Workload::flows;
    return possible(fault, campaign.store) && !(flows && fault == Fault::endless_turn);
}

bool everything_happened(const Totals& totals, const Campaign& campaign) {
    bool all = true;
    const auto never = [&](std::string_view what) {
        std::printf("never happened: %s\n", std::string(what).c_str());
        all = false;
    };
    for (std::size_t i = 0; i < kFaultKinds; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (totals.faults.of(fault) == 0 && is_expected(fault, campaign)) never(to_string(fault));
    }
    const bool programs = campaign.workload == Workload::programs;
    for (std::size_t i = 0; i < kFlowFeatures && !programs; ++i) {
        const auto feature = static_cast<FlowFeature>(i);
        if (is_rare(feature) && totals.passed < kSeedsForRareOfFlows) continue;
        if (totals.flows.of(feature) == 0) never(to_string(feature));
    }
    for (std::size_t i = 0; i < kFeatureKinds && programs; ++i) {
        const auto feature = static_cast<Feature>(i);
        if (is_rare(feature) && totals.passed < kSeedsForRare) continue;
        if (totals.features.of(feature) == 0) never(to_string(feature));
    }
    const bool judges = campaign.judge_every > 0;
    if (judges && totals.judged_worlds == 0) never("a world that is judged by the naive store");
    return all;
}

int run_many(Campaign campaign) {
    campaign.on_failure = [&](std::uint64_t seed, const SeedResult& result) {
        print_failure(seed, *result.violation, campaign);
    };
    campaign.on_progress = [](const Totals& totals) {
        std::fprintf(stderr,
                     "%llu seeds, %llu failed\n",
                     static_cast<unsigned long long>(totals.passed + totals.failed),
                     static_cast<unsigned long long>(totals.failed));
    };
    Totals totals = run_campaign(campaign);
    print_totals(totals, campaign);
    if (totals.passed >= kSeedsForEverything && !everything_happened(totals, campaign)) {
        ++totals.failed;
    }
    std::printf("simulation: %llu passed, %llu failed, %llu skipped\n",
                static_cast<unsigned long long>(totals.passed),
                static_cast<unsigned long long>(totals.failed),
                static_cast<unsigned long long>(totals.skipped));
    return totals.failed == 0 && totals.passed > 0 ? 0 : 1;
}

/// An assertion of the engine ends the program: say which seeds to look at.
void on_crash(int signal) {
    const std::string text =
        "crashed while running seed" + seeds_under_way() + "; replay with: belay-sim --seed N\n";
    (void)!write(STDOUT_FILENO, text.data(), text.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Arguments arguments = parse(argc, argv);
    std::signal(SIGABRT, on_crash);
    std::signal(SIGSEGV, on_crash);
    return arguments.seed ? run_one(*arguments.seed, arguments.campaign)
                          : run_many(arguments.campaign);
}
