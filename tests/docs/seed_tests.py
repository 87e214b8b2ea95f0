"""tests/seed-tests.md: every test that the seeds name has a row, and the tests of ours in that row run and pass.

`check` gives (line, problem) for each case, "" if it is well: one for each name and one for each test of ours.
"""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from documents import Document

LANGUAGE = "seed-tests"  # Of the blocks that list the names.
REMOVED = "removed"
NOT_HERE = "does not apply"  # The third column says why.
PROGRAM_SECONDS = 120
# A case of the store contract, `Memory/Conformance.Area_Case`: the part before the slash is the store.
_CONTRACT = "Conformance."
# A test with the store as its parameter, `Stores/Suite.Test/memory`: a row names it `Suite.Test`.
_WITH_STORES = "Stores/"
# Tested by the contract alone: one stands in front of a store, no program uses the judge, and one records the rows of rules.
_CONTRACT_ONLY = {"coded", "naive", "namedrows"}
_TEST = re.compile(r"`([A-Za-z_]\w*\.\w+)`")


@dataclass
class Row:
    line: int
    name: str
    tests: list
    removed: bool


def check(path, programs):
    """`programs` are the GoogleTest programs in which the tests may be."""
    names, rows = _names(path), _rows(path)
    yield from _check_names(names, rows)
    yield from _check_rows(names, rows)
    yield from _check_tests(rows, programs)


# ---- The document ------------------------------------------------------------------------------------------------


def _names(path):
    """The lines of the blocks that list the names, as (line, name)."""
    blocks = [block for block in Document(path).blocks if block.language == LANGUAGE]
    return [(n, text.strip()) for b in blocks for n, text in enumerate(b.lines, b.line + 1) if text.strip()]


def _rows(path):
    """The rows of all tables with three columns, but for their heads."""
    rows = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        head = number < len(lines) and re.fullmatch(r"[|:\s-]+", lines[number])
        if not line.startswith("|") or head or re.fullmatch(r"[|:\s-]+", line) or len(cells) != 3:
            continue
        name, tests, _ = cells
        rows.append(Row(number, name.replace("`", ""), _TEST.findall(tests), tests in (REMOVED, NOT_HERE)))
    return rows


def _check_names(names, rows):
    if not names:
        yield 1, f"no block `{LANGUAGE}` lists the names of the seeds"
    seen = set()
    for line, name in names:
        count = sum(row.name == name for row in rows)
        if name in seen:
            yield line, f"'{name}' is listed twice"
        elif count != 1:
            yield line, f"'{name}' has {count or 'no'} rows in the tables; it must have one"
        else:
            yield line, ""
        seen.add(name)


def _check_rows(names, rows):
    """Only what is wrong: a row that is well counts with its name."""
    listed = {name for _, name in names}
    for row in rows:
        if row.name not in listed:
            yield row.line, f"'{row.name}' is in no list of the seeds' names"
        if not row.tests and not row.removed:
            yield row.line, f"'{row.name}' is mapped to no test, and neither '{REMOVED}' nor '{NOT_HERE}'"


# ---- The tests ---------------------------------------------------------------------------------------------------


@dataclass
class Program:
    """A GoogleTest program, the tests it has, and what became of those that were run: "" or what is wrong."""

    path: Path
    tests: set
    wanted: set = field(default_factory=set)
    ran: dict = field(default_factory=dict)


def _check_tests(rows, paths):
    programs = [Program(path, _tests_in(path)) for path in paths]
    places = {}  # Test of ours: the programs and full names under which it must run.
    for name in {test for row in rows for test in row.tests}:
        places[name] = _places_of(name, programs)
        for program, full_name in places[name]:
            program.wanted.add(full_name)
    for program in programs:
        if program.wanted:
            program.ran = _run(program)
    told = set()
    for row in rows:
        for name in row.tests:
            if name not in told:
                told.add(name)
                yield row.line, _problem_of(name, places[name])


def _tests_in(program):
    listed = subprocess.run(
        [program, "--gtest_list_tests"], stdout=subprocess.PIPE, encoding="utf-8", timeout=PROGRAM_SECONDS, check=True
    ).stdout
    tests, suite = set(), ""
    for line in listed.splitlines():
        text = line.split("#")[0].rstrip()
        if text.startswith("  "):
            tests.add(suite + text.strip())
        else:
            suite = text
    return tests


def _places_of(name, programs):
    """One test, or one of each store, also of a store that does not have it: there it is missed."""
    if name.startswith(_CONTRACT):
        return [(program, f"{store}/{name}") for program, store in _contract_stores(programs)]
    plain = [(program, name) for program in programs if name in program.tests]
    prefix = f"{_WITH_STORES}{name}/"
    found = [(program, test) for program in programs for test in sorted(program.tests) if test.startswith(prefix)]
    if not found:
        return plain
    stores = {store.split("_")[0].lower() for _, store in _contract_stores(programs)} - _CONTRACT_ONLY
    missed = sorted({prefix + store for store in stores} - {test for _, test in found})
    return plain + found + [(found[0][0], test) for test in missed]


def _contract_stores(programs):
    """The stores on which the contract is tested, as (program, store); `Sqlite_ShortLog` is one with other settings."""
    return [
        (program, store)
        for program in programs
        for store in sorted({test.split("/")[0] for test in program.tests if f"/{_CONTRACT}" in test})
    ]


def _run(program):
    """Runs the tests that are wanted. A program that does not end well has passed nothing."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        # Settings of the caller for GoogleTest, say a shard or a filter, are not for these.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GTEST_")}
        arguments = ["--gtest_filter=" + ":".join(sorted(program.wanted)), f"--gtest_output=json:{report}"]
        try:
            ended = subprocess.run(
                [program.path, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=PROGRAM_SECONDS,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return dict.fromkeys(program.wanted, f"{program.path.name} did not end in time")
        ran = _results(json.loads(report.read_text(encoding="utf-8"))) if report.exists() else {}
    if ended.returncode != 0 and not any(ran.values()):
        problem = f"{program.path.name} ended with exit status {ended.returncode}"
        return dict.fromkeys(program.wanted, "\n".join([problem, *ended.stdout.splitlines()[-10:]]))
    return ran


def _results(report):
    results = {}
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            failures = "\n".join(failure["failure"] for failure in case.get("failures", []))
            if failures:
                problem = f"failed\n{failures}"
            elif case["status"] == "NOTRUN":
                problem = "was not run: it is disabled"
            else:
                problem = "" if case["result"] == "COMPLETED" else f"was not run to its end: {case['result'].lower()}"
            results[f"{suite['name']}.{case['name']}"] = problem
    return results


def _problem_of(name, places):
    if not places:
        return f"there is no test {name} in any program; was it renamed, or disabled?"
    problems = []
    for program, full_name in places:
        if full_name not in program.tests:
            problems.append(f"there is no test {full_name} in {program.path.name}; was it renamed, or disabled?")
        elif program.ran.get(full_name, "was not run"):
            problems.append(f"{full_name} {program.ran.get(full_name, 'was not run')}")
    return "\n".join(problems)
