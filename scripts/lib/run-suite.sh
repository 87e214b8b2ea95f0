# The work of each suite. A suite never stops half way: a part that cannot run counts as failed.
# shellcheck shell=bash

# Seeds for the simulator: the full run and the one with other compilers. Under sanitizers, where a seed takes forty
# times as long, simulation_test brings forty of its own, and only files are added.
FULL_SEEDS=8000
# On the SQLite store a seed takes ten times as long.
FILE_SEEDS=400
# Worlds of flows.
FLOW_SEEDS=1500
OPTIMISED_SEEDS=500
SANITISED_FILE_SEEDS=10

# Sanitizer reports name files and lines only when they find the symbolizer.
SYMBOLIZER=/usr/bin/llvm-symbolizer-19
export ASAN_OPTIONS=${ASAN_OPTIONS:-external_symbolizer_path=$SYMBOLIZER}
export TSAN_OPTIONS=${TSAN_OPTIONS:-external_symbolizer_path=$SYMBOLIZER}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-external_symbolizer_path=$SYMBOLIZER:print_stacktrace=1}

# run_suite <suite> [argument...]: runs it, prints its closing line, fails when it failed.
run_suite() {
    local suite=$1
    say "== $suite"
    SUITE_STARTED=$SECONDS
    : >"$TALLY"
    "suite_${suite//-/_}" "${@:2}"
    say_time "$suite" $((SECONDS - SUITE_STARTED))
    close_suite "$suite"
}

say_time() {
    local what=$1 seconds=$2 budget note=
    budget=$(budget_of "$what")
    ((seconds <= budget)) || note=", OVER BUDGET"
    say "$what took $seconds s of $budget s$note"
}

# limited <suite> <command>...: runs a program, and kills it when it takes three times the suite's budget, for then
# it hangs. Tests under ctest have a limit of their own.
limited() {
    local suite=$1
    shift
    run_program timeout --kill-after=10 $((3 * $(budget_of "$suite"))) "$@"
}

# dev_built: builds the dev preset once for all suites that use it, on a budget of its own.
DEV_BUILD=
dev_built() {
    if [[ -z $DEV_BUILD ]]; then
        local started=$SECONDS
        DEV_BUILD=failed
        if build_preset dev; then DEV_BUILD=done; fi
        say_time build $((SECONDS - started))
        SUITE_STARTED=$SECONDS
    fi
    [[ $DEV_BUILD == done ]]
}

dev_suite() {
    if dev_built; then run_ctest dev "$@"; else fail_case "the dev preset does not build"; fi
}

suite_unit() { dev_suite unit "$@"; }
suite_conformance() { dev_suite conformance "$@"; }
suite_layering() { dev_suite layering "$@"; }

# These need the build configured, not built.
suite_compile_fail() {
    if configure_preset dev; then
        run_ctest dev compile_fail "$@"
    else
        fail_case "the dev preset does not configure"
    fi
}

suite_format() {
    run_program tools/lint/format.py
    run_program tools/lint/sentences.py
}

suite_lint() {
    if configure_preset dev; then
        run_program tools/lint/tidy.py build/dev
    else
        fail_case "the dev preset does not configure"
    fi
    run_program tools/coro-lint/run.py --self-test
    run_program tools/coro-lint/run.py
    run_program check_documented_suites
    run_program tests/mutation/run --check
}

# docs/internals/testing.md must show the table of scripts/lib/suites.sh, and CI must fit into its time.
check_documented_suites() {
    local documented
    documented=$(sed -n '/<!-- suites -->/,/<!-- end -->/p' docs/internals/testing.md | sed '1d;$d')
    if [[ $documented != "$(suite_table_markdown)" ]]; then
        say "docs/internals/testing.md: replace what is between the suites markers by the output of scripts/test --list"
        return 1
    fi
    if (($(ci_budget) >= CI_LIMIT)); then
        say "scripts/lib/suites.sh: the budgets add up to $(ci_budget) s, more than CI may take"
        return 1
    fi
}

# The seeds run in the optimised build, which keeps the engine's own assertions. Given arguments, only they count:
# scripts/test simulation --seed 7 replays one seed.
suite_simulation() {
    if (($# == 0)); then
        dev_suite simulation
    fi
    if build_preset release --target belay-sim; then
        if (($# > 0)); then
            limited simulation build/release/bin/belay-sim "$@"
        else
            limited simulation build/release/bin/belay-sim --seeds "$FULL_SEEDS"
            limited simulation build/release/bin/belay-sim --store sqlite --seeds "$FILE_SEEDS"
            limited simulation build/release/bin/belay-sim --workload flows --seeds "$FLOW_SEEDS"
        fi
    else
        fail_case "the release preset does not build belay-sim"
    fi
}

# Two sanitizers run the tests that can find something with them; asan runs them all.
# With g++ the compiler itself is the suspect, where there are coroutines.
COROUTINE_TESTS="coro_test executors_test histories_test replay_lifetime_test replay_scale_test replay_test runtime_test
    simulation_test testing_test worker_test"
# Data races need threads.
THREAD_TESTS="base_test client_test coro_test executors_test finding_test flow_steps_test management_test memory_conformance_test
    runtime_test sqlite_conformance_test store_coded_test store_memory_test store_sqlite_test testing_test worker_test"

# sanitised_suite <preset> <tests, or nothing for all> [argument...]: builds them in the preset and runs them there.
sanitised_suite() {
    local preset=$1 tests only=()
    read -r -d '' -a tests <<<"$2" || true
    shift 2
    if ((${#tests[@]} > 0)); then only=(--tests-regex "^($(IFS='|' && printf '%s' "${tests[*]}"))\$"); fi
    if build_preset "$preset" ${tests:+--target "${tests[@]}"}; then
        run_ctest "$preset" '(unit|conformance|simulation)' "${only[@]}" "$@"
    else
        fail_case "the $preset preset does not build"
    fi
}

suite_asan() {
    sanitised_suite asan "" "$@"
    limited asan build/asan/bin/belay-sim --store sqlite --seeds "$SANITISED_FILE_SEEDS"
}
suite_asan_gcc() { sanitised_suite asan-gcc "$COROUTINE_TESTS" "$@"; }
suite_tsan() { sanitised_suite tsan "$THREAD_TESTS" "$@"; }

# optimised_suite <suite> <preset> <target>...: builds what people run, optimised, and runs it. The tests themselves run
# under sanitizers, which find more; here it is the optimiser that is looked at.
optimised_suite() {
    local suite=$1 preset=$2 program
    shift 2
    if ! build_preset "$preset" --target "$@"; then
        fail_case "the $preset preset does not build"
        return
    fi
    local scratch
    scratch=$(mktemp -d)
    for program in "$ROOT"/build/"$preset"/bin/belay-example-*; do limited "$suite" env -C "$scratch" "$program"; done
    rm -rf "$scratch"
    limited "$suite" "build/$preset/bin/belay-sim" --seeds "$OPTIMISED_SEEDS"
}

suite_clang() { optimised_suite clang release-clang belay-sim examples; }
suite_release() { optimised_suite release release belay-sim belay-bench examples; }

# script_suite <suite> [argument...]: a suite with a runner of its own, tests/<suite>/run.
script_suite() {
    local suite=$1 script=tests/$1/run
    if [[ -x $script ]]; then
        limited "$suite" "$script" "${@:2}"
    else
        fail_case "$script does not exist"
    fi
}

suite_fuzz() {
    if build_preset asan --target fuzzers; then
        script_suite fuzz "$@"
    else
        fail_case "the asan preset does not build"
    fi
}

# The program starts and kills its own workers; arguments are its own, as --kills 1000.
suite_crash() {
    if dev_built; then limited crash build/dev/bin/belay-crash "$@"; else fail_case "the dev preset does not build"; fi
}

# It runs the command line, so building it must not count as its time.
suite_cli() {
    if dev_built; then script_suite cli "$@"; else fail_case "the dev preset does not build"; fi
}

# The flows are run by the command line. Arguments are of the runner, as --kills 1000.
suite_flow() {
    if ! dev_built; then
        fail_case "the dev preset does not build"
        return
    fi
    limited flow tests/flows/run "$@"
    (($# > 0)) || limited flow tests/flows/cel/run
}

suite_integration() { limited integration tests/trial/postgres/run; }
# All combinations take many times as long as those that CI has, and that the budget is for.
suite_install() {
    if [[ ${1:-} == --every ]]; then
        run_program timeout --kill-after=10 3600 tests/install/run --every
    else
        script_suite install "$@"
    fi
}
suite_model() { script_suite model "$@"; }
suite_mutation() { script_suite mutation "$@"; }

# It runs the examples, so building them must not count as its time.
suite_docs() {
    if dev_built; then script_suite docs "$@"; else fail_case "the dev preset does not build"; fi
}
