#!/usr/bin/env python3
"""Looks for statements that g++ 12 miscompiles in coroutines, in every file of ours that awaits. Looks also for
results of an await that are dropped and must not be, which g++ does not warn of.

usage: run.py                       our own files; not where it is installed
       run.py -p DIR [FILE ...]     a project's: those of DIR/compile_commands.json, or the named ones, headers too;
                                    with --quiet it prints only faults
       run.py --self-test           likewise

With CMake, -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes compile_commands.json into the build directory. Needs
clang-query-19 (Debian: clang-tools-19); the project itself may be built by g++.

The patterns are in matchers.query. g++ gives no warning for most of them, so this is the only guard besides the
address sanitizer. A line that means it says so, there or on the line above: // coro-lint: allow <why>

--self-test checks the patterns themselves: each line marked BAD in selftest/bad.cpp must be reported under its
rule and nothing else, and nothing in selftest/good.cpp; by themselves, as parts of a larger file, and as the files of a
project built by g++.
"""

import argparse
import concurrent.futures
import functools
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Where it is installed, nothing is written beside it.
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "lib"))
import checks  # noqa: E402
from sources import INCLUDE_PATH, cpp_files  # noqa: E402

TOOL = "clang-query-19"
MATCHERS = HERE / "matchers.query"
SELF_TEST = HERE / "selftest"
COMPILE_FAIL = HERE.parents[1] / "tests" / "compile_fail"
FLAGS = ["-std=c++23", "-w", "-xc++", *(f"-I{directory}" for directory in INCLUDE_PATH)]


# The remedies of rules that have one of their own.
REMEDIES = {
    "condition-alone": "declare a variable: const bool yes = co_await ...; if (yes) ...",
    "dropped-result": "it may hold a failure: look at it, or write (void) before the co_await",
}


def rule_count():
    return len(re.findall(r"^let ", MATCHERS.read_text(encoding="utf-8"), re.MULTILINE))


def ask(how):
    """Returns the set of (file, line, rule) found, and what went wrong, if anything did."""
    command = [TOOL, "-f", str(MATCHERS), *how]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    # clang-query exits with 0 whatever happens: a file it could not read must not pass for a clean one.
    answered = re.search(r"^\d+ match(?:es)?\.$", result.stdout, re.MULTILINE)
    if result.returncode or not answered or " error: " in result.stderr:
        return set(), f"{TOOL} could not read it:\n{result.stderr}{result.stdout[-500:]}"
    found = re.findall(r'^(/.+?):(\d+):\d+: note: "([a-z-]+)" binds here', result.stdout, re.MULTILINE)
    return {(file, int(line), rule) for file, line, rule in found}, ""


def query(path, project=None):
    """Returns the set of (line, rule) found in `path`, and what went wrong, if anything did."""
    how = ["-p", str(project), "--extra-arg=-w", str(path)] if project else [str(path), "--", *FLAGS]
    found, trouble = ask(how)
    return {(line, rule) for file, line, rule in found if file == str(path)}, trouble


# Nearly all of the time goes into headers, so several files are read as one where that is possible.
TOGETHER = 8


def query_together(paths):
    """Returns what query() finds in each of these files, by file; nothing if they cannot be read as one."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as joined:
        for path in paths:
            joined.write(f'#line 1 "{path}"\n{path.read_text(encoding="utf-8")}\n')
        joined.flush()
        beside = sorted({f"-I{path.parent}" for path in paths})
        found, trouble = ask([joined.name, "--", *FLAGS, *beside])
    if trouble:
        return {}
    return {path: {(line, rule) for file, line, rule in found if file == str(path)} for path in paths}


def query_all(paths):
    """Returns the findings of query_together() in groups of files that lie side by side."""
    sources = [path for path in paths if path.suffix == ".cpp"]
    groups = []
    for _, beside in itertools.groupby(sources, key=lambda path: path.parent):
        files = list(beside)
        groups += [files[at : at + TOGETHER] for at in range(0, len(files), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {path: found for group in pool.map(query_together, groups) for path, found in group.items()}


def awaits(path):
    return path.is_file() and "co_await" in path.read_text(encoding="utf-8", errors="replace")


def allowed(lines, number):
    return any("coro-lint: allow " in line for line in lines[max(0, number - 2) : number])


def check(path, project=None, known=None):
    if project and path.is_file() and not awaits(path):
        return ""
    found, trouble = (known[path], "") if known and path in known else query(path, project)
    lines = path.read_text(encoding="utf-8").splitlines()
    reported = sorted((line, rule) for line, rule in found if not allowed(lines, line))
    hits = [f"  line {line}: {rule}" for line, rule in reported]
    rules = {rule for _, rule in reported}
    if rules - REMEDIES.keys():
        hits.append(f"  make the call in one statement and await it in the next ({MATCHERS} says why)")
    hits += [f"  {rule}: {remedy}" for rule, remedy in REMEDIES.items() if rule in rules]
    return "\n".join([trouble] * bool(trouble) + hits)


def awaiting_files():
    skipped = (SELF_TEST, COMPILE_FAIL)
    files = [file for file in cpp_files() if not any(file.is_relative_to(directory) for directory in skipped)]
    return [file for file in files if "co_await" in file.read_text(encoding="utf-8")]


# ---- The files of another project --------------------------------------------------------------

# These options beginning with -f or -W change the meaning of a file. The others are dropped: clang does not know all of
# g++'s options, and an unreadable file cannot be checked.
MEANT = {"-fno-exceptions", "-fno-rtti", "-fno-char8_t", "-funsigned-char", "-fopenmp"}


def for_clang(entry):
    """One entry of a compile database, so that clang takes it whoever was to compile it."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    kept = [one for one in arguments if not one.startswith(("-f", "-W")) or one in MEANT]
    # By its full name, as it will be asked for and reported.
    file = str((Path(entry["directory"]) / entry["file"]).resolve())
    kept = [file if one == entry["file"] else one for one in kept]
    return {"directory": entry["directory"], "file": file, "arguments": kept}


def check_project(name, directory, named, check_file=check, quiet=False):
    entries = json.loads((directory / "compile_commands.json").read_text(encoding="utf-8"))
    listed = {(Path(entry["directory"]) / entry["file"]).resolve() for entry in entries}
    files = sorted(Path(file).resolve() for file in named) or sorted(file for file in listed if awaits(file))
    if not files:
        print(f"{name}: no file in {directory / 'compile_commands.json'} awaits anything", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as copy:
        (Path(copy) / "compile_commands.json").write_text(json.dumps([for_clang(entry) for entry in entries]))
        return checks.run(name, files, functools.partial(check_file, project=copy), quiet=quiet)


def self_test_project():
    """The same files as a project that g++ compiles, with options that clang does not know."""
    with tempfile.TemporaryDirectory() as directory:
        entries = [
            {
                "directory": str(SELF_TEST),
                "file": file,
                "command": f"g++ -std=c++20 -fcoroutines -Wno-mismatched-new-delete -o {file}.o -c {file}",
            }
            for file in ("bad.cpp", "good.cpp")
        ]
        (Path(directory) / "compile_commands.json").write_text(json.dumps(entries))
        return check_project("coro-lint-self-test-project", Path(directory), [], self_test)


def self_test_together(path):
    """As a part of a file that is read for several."""
    known = query_together([path])
    return self_test(path, known=known) if known else "could not be read with others"


def self_test(path, project=None, known=None):
    marked = {
        (number, match[1])
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := re.search(r"// BAD: ([a-z-]+)$", line))
    }
    found, trouble = (known[path], "") if known else query(path, project)
    missed = [f"  line {line}: not reported: {rule}" for line, rule in sorted(marked - found)]
    false = [f"  line {line}: reported for nothing: {rule}" for line, rule in sorted(found - marked)]
    if path.name == "bad.cpp" and len({rule for _, rule in marked}) != rule_count():
        missed.append("  a rule of matchers.query has no example")
    return "\n".join([trouble] * bool(trouble) + missed + false)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", dest="project", metavar="DIR", type=Path, help="the directory of compile_commands.json")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="print only faults")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    if not options.project and not SELF_TEST.is_dir():
        parser.error("which project? -p DIR, where DIR has its compile_commands.json")
    if options.self_test:
        files = sorted(SELF_TEST.glob("*.cpp"))
        alone = checks.run("coro-lint-self-test", files, self_test)
        together = checks.run("coro-lint-self-test-together", files, self_test_together)
        return self_test_project() or alone or together
    if options.project:
        return check_project("coro-lint", options.project, options.files, quiet=options.quiet)
    if options.files:
        parser.error("files are checked with -p, as their project compiles them")
    settings = [checks.version_of(TOOL, "--version"), MATCHERS.read_text(encoding="utf-8"), *FLAGS[:3]]
    cache = checks.PassCache("coro-lint", settings)
    files = awaiting_files()
    known = query_all([file for file in files if not cache.entry(file).exists()])
    return checks.run("coro-lint", files, functools.partial(check, known=known), cache)


if __name__ == "__main__":
    sys.exit(main())
