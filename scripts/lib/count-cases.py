#!/usr/bin/env python3
"""Prints "passed failed skipped" for one run of ctest.

usage: count-cases.py <directory with ctest.xml and the reports of the GoogleTest programs>

A GoogleTest program counts as its cases, any other test as one. A program is a failure if it dies before it can report,
has no cases, or reports success but ends badly (a leak found at exit, a crash in a destructor).
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def cases(report):
    """Counts the cases of one GoogleTest program."""
    passed = failed = skipped = 0
    for suite in json.loads(report.read_text(encoding="utf-8"))["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                failed += 1
            elif case["status"] == "NOTRUN" or case["result"] == "SKIPPED":
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def cases_before_death(test):
    """Counts what a program printed before it died; the case it died in is one failure more."""
    printed = test.findtext("system-out") or ""
    passed = len(re.findall(r"^\[       OK \] ", printed, re.MULTILINE))
    failed = len(re.findall(r"^\[  FAILED  \] .*\(\d+ ms\)$", printed, re.MULTILINE))
    skipped = len(re.findall(r"^\[  SKIPPED \] .*\(\d+ ms\)$", printed, re.MULTILINE))
    return passed, failed + 1, skipped


def count(test, directory):
    """Counts what one entry of ctest stands for."""
    outcome = test.get("status")
    report = directory / f"{test.get('name')}.json"
    if outcome == "disabled" or test.find("skipped") is not None:
        return 0, 0, 1
    if not report.exists():
        return (1, 0, 0) if outcome == "run" else cases_before_death(test)
    passed, failed, skipped = cases(report)
    ended_well = outcome == "run" and passed + failed + skipped > 0
    if not ended_well and failed == 0:
        failed = 1
    return passed, failed, skipped


def main():
    directory = Path(sys.argv[1])
    file = directory / "ctest.xml"
    tests = xml.parse(file).getroot().findall("testcase") if file.exists() else []
    print(*(sum(column) for column in zip((0, 0, 0), *(count(test, directory) for test in tests))))


if __name__ == "__main__":
    main()
