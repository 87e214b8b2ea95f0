# Running cases and counting them. Every function adds a line "passed failed skipped" to the file $TALLY.
# shellcheck shell=bash

_tally() { printf '%d %d %d\n' "$1" "$2" "$3" >>"$TALLY"; }

# run_ctest <preset> <label> [ctest argument...]: the tests of a label; a GoogleTest program counts as its cases.
run_ctest() {
    local preset=$1 label=$2 reports
    shift 2
    reports=$(mktemp -d)
    GTEST_OUTPUT="json:$reports/" \
        ctest --preset "$preset" --label-regex "^$label\$" --parallel "$(nproc)" \
        --output-junit "$reports/ctest.xml" "$@" || true
    scripts/lib/count-cases.py "$reports" >>"$TALLY"
    rm -r "$reports"
}

# run_program <command> [argument...]: a program that does its own counting.
#
# A line "N passed, N failed, N skipped" of it, with or without "name:" before, is counted and not shown: the closing line
# of the suite says it. A program without such a line is one case.
run_program() {
    local status=0 line last=$TALLY.program
    : >"$last"
    "$@" 2>&1 | while IFS= read -r line; do
        if [[ $line =~ ^([A-Za-z0-9_-]+:\ )?([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
            printf '%s\n' "${BASH_REMATCH[*]:2}" >"$last"
        else
            printf '%s\n' "$line"
        fi
    done || status=$?

    local passed failed skipped
    if read -r passed failed skipped <"$last"; then
        ((status == 0 || failed > 0)) || failed=1
    else
        passed=$((status == 0)) failed=$((status != 0)) skipped=0
    fi
    ((status == 0)) || say "exit status $status: $*"
    _tally "$passed" "$failed" "$skipped"
}

# fail_case <message>: a case that failed before it could run.
fail_case() {
    say "$*"
    _tally 0 1 0
}

# close_suite <suite>: prints the one closing line; fails when a case failed or nothing ran.
close_suite() {
    local suite=$1 passed failed skipped
    read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$TALLY")
    if ((passed + failed == 0)); then
        say "nothing ran, which counts as a failure"
        failed=1
    fi
    say "$suite: $passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}
