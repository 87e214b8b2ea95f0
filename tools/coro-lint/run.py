#!/usr/bin/env python3
"""Looks for statements that g++ 12 miscompiles in coroutines, in every file of ours that awaits.

usage: run.py [--self-test]

The patterns are in matchers.query. g++ gives no warning for most of them, so this is the only guard besides the
address sanitizer. A line that means it says so, there or on the line above: // coro-lint: allow <why>

--self-test checks the patterns themselves: each line marked BAD in selftest/bad.cpp must be reported under its
rule and nothing else, and nothing in selftest/good.cpp.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import checks  # noqa: E402
from sources import INCLUDE_PATH, cpp_files  # noqa: E402

TOOL = "clang-query-19"
MATCHERS = HERE / "matchers.query"
SELF_TEST = HERE / "selftest"
COMPILE_FAIL = HERE.parents[1] / "tests" / "compile_fail"
FLAGS = ["-std=c++23", "-w", "-xc++", *(f"-I{directory}" for directory in INCLUDE_PATH)]


def rule_count():
    return len(re.findall(r"^match ", MATCHERS.read_text(encoding="utf-8"), re.MULTILINE))


def query(path):
    """Returns the set of (line, rule) found in `path`, and what went wrong, if anything did."""
    command = [TOOL, "-f", str(MATCHERS), str(path), "--", *FLAGS]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    # clang-query exits with 0 whatever happens: a file it could not read must not pass for a clean one.
    answered = len(re.findall(r"^\d+ match(?:es)?\.$", result.stdout, re.MULTILINE))
    if result.returncode or answered != rule_count() or " error: " in result.stderr:
        return set(), f"{TOOL} could not read it:\n{result.stderr}{result.stdout[-500:]}"
    pattern = re.escape(str(path)) + r':(\d+):\d+: note: "([a-z-]+)" binds here'
    return {(int(line), rule) for line, rule in re.findall(pattern, result.stdout)}, ""


def allowed(lines, number):
    return any("coro-lint: allow " in line for line in lines[max(0, number - 2) : number])


def check(path):
    found, trouble = query(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    hits = [f"  line {line}: {rule}" for line, rule in sorted(found) if not allowed(lines, line)]
    if hits:
        hits.append("  make the call in one statement and await it in the next (tools/coro-lint/matchers.query says why)")
    return "\n".join([trouble] * bool(trouble) + hits)


def awaiting_files():
    skipped = (SELF_TEST, COMPILE_FAIL)
    files = [file for file in cpp_files() if not any(file.is_relative_to(directory) for directory in skipped)]
    return [file for file in files if "co_await" in file.read_text(encoding="utf-8")]


def self_test(path):
    marked = {
        (number, match[1])
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := re.search(r"// BAD: ([a-z-]+)$", line))
    }
    found, trouble = query(path)
    missed = [f"  line {line}: not reported: {rule}" for line, rule in sorted(marked - found)]
    false = [f"  line {line}: reported for nothing: {rule}" for line, rule in sorted(found - marked)]
    if path.name == "bad.cpp" and len({rule for _, rule in marked}) != rule_count():
        missed.append("  a rule of matchers.query has no example")
    return "\n".join([trouble] * bool(trouble) + missed + false)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return checks.run("coro-lint-self-test", sorted(SELF_TEST.glob("*.cpp")), self_test)
    settings = [checks.version_of(TOOL, "--version"), MATCHERS.read_text(encoding="utf-8"), *FLAGS[:3]]
    return checks.run("coro-lint", awaiting_files(), check, checks.PassCache("coro-lint", settings))


if __name__ == "__main__":
    sys.exit(main())
