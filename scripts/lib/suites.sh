# The test suites, when they run, and the time they may take. No other place lists them.
# docs/internals/testing.md shows the same table; scripts/test lint compares the two.
# shellcheck shell=bash

# suite | runs with | seconds on two cores | what it proves
#
# "runs with": `default` is plain scripts/test and --all, `all` is --all only, `named` is when asked for by name.
# Seconds are for a built dev tree; a suite with a preset of its own includes building that preset from nothing.
suite_table() {
    cat <<'TABLE'
build|step|560|everything compiles with g++, the public headers as C++20, each layer links alone
unit|default|38|each part by itself
conformance|default|48|every rule of the store contract, on every store
simulation|default|270|the whole engine under seeded faults keeps its invariants, on memory and on a file whose disk fails; flows end as a plain interpreter says
compile_fail|default|110|wrong use does not compile, and the message says what to write
layering|default|8|dependencies between layers point down only
format|default|32|the source is formatted, and sentences of comments begin plainly
crash|all|50|killed, stopped and out of disk, real processes keep what was promised
cli|default|18|the command line as a user runs it: real processes, terminals and shells, on SQLite files
flow|all|65|flows that are killed at random go on where they were, and the examples of flows run as printed
integration|all|40|the hot statements of the store contract on a real PostgreSQL
lint|all|330|clang-tidy, and the coroutine hazards of g++ 12
docs|default|85|what the documentation shows is true
model|all|43|the race at the centre, checked exhaustively
fuzz|all|84|every decoder of stored or foreign bytes takes whatever it is given
asan|all|540|no memory error, leak or undefined behaviour, compiled by clang
asan-gcc|all|270|the same where there are coroutines, compiled by g++
tsan|all|330|no data race where there are threads
clang|all|140|the programs build and run when clang optimises
release|all|75|the programs build and run when g++ optimises
install|all|400|a project outside the tree builds against what is installed, with both compilers
mutation|named|1800|the tests notice when the engine is broken on purpose
TABLE
}

# Prints one column of a suite's row; fails when there is no such suite.
_suite_column() {
    local suite=$1 column=$2
    suite_table | awk -F'|' -v suite="$suite" -v column="$column" \
        '$1 == suite && $2 != "step" { print $column; found = 1 } END { exit !found }'
}

suite_exists() { _suite_column "$1" 1 >/dev/null; }

budget_of() { suite_table | awk -F'|' -v name="$1" '$1 == name { print $3 }'; }

default_suites() { suite_table | awk -F'|' '$2 == "default" { print $1 }'; }

all_suites() { suite_table | awk -F'|' '$2 == "default" || $2 == "all" { print $1 }'; }

# Seconds that CI may take; CI_LIMIT is what it must stay below.
CI_LIMIT=3600
ci_budget() { suite_table | awk -F'|' '$2 != "named" { sum += $3 } END { print sum }'; }

# The table as docs/internals/testing.md shows it.
suite_table_markdown() {
    printf '| suite | runs with | budget | what it proves |\n|---|---|---|---|\n'
    suite_table | awk -F'|' '{ printf "| `%s` | %s | %d s | %s |\n", $1, $2, $3, $4 }'
    printf '\nThe budgets of `scripts/test --all` add up to %d minutes.\n' $(($(ci_budget) / 60))
}
