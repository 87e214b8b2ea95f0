#!/usr/bin/env python3
"""Runs clang-tidy over the sources of src/ and over the public headers, as .clang-tidy says.

usage: tidy.py <build directory>

Public headers are reached through a generated file that includes them all, and the sources of a layer through one that
includes them.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import checks  # noqa: E402
from sources import ROOT  # noqa: E402

TOOL = "clang-tidy-19"
ONLY_GCC = ("-Wno-subobject-linkage", "-Wno-maybe-uninitialized")


def arguments(entry, unit):
    """The compiler's own command line for another file, without the launcher in front of it and without what only g++
    understands: its precompiled headers and its own warnings."""
    words = shlex.split(entry["command"])
    while not Path(words[0]).name.startswith(("g++", "c++", "clang++")):
        words.pop(0)
    while "-include" in words:
        at = words.index("-include")
        del words[at : at + 2]
    return [str(unit) if word == entry["file"] else word for word in words if word not in ONLY_GCC]


def sources(entry):
    """The files that an entry compiles: itself, or those that the build has joined in it."""
    file = Path(entry["file"])
    if file.parent.name != "Unity":
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)]


def database(build):
    """Writes one file per layer that includes all of the layer's, and a compilation database of these files; returns
    its directory and its entries. Most of the time goes into headers: this way they are read once per layer."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    directory = build / "tidy"
    directory.mkdir(exist_ok=True)
    layers, commands = {}, []
    for entry, file in ((entry, file) for entry in entries for file in sources(entry)):
        if file == build / "public_headers" / "all.cpp":
            unit = file
        elif file.is_relative_to(ROOT / "src"):
            unit = directory / ("_".join(file.parent.relative_to(ROOT / "src").parts) + ".cpp")
        else:
            continue
        if unit not in layers:
            commands.append({"directory": entry["directory"], "file": str(unit), "arguments": arguments(entry, unit)})
        layers.setdefault(unit, []).append(file)
    for unit, files in layers.items():
        if unit.parent == directory:
            lines = (f'#include "{file.relative_to(ROOT / "src")}"  // NOLINT(bugprone-suspicious-include)\n' for file in files)
            unit.write_text("".join(lines), encoding="utf-8")
    (directory / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")
    return directory, commands


class Report:
    """A fault in a header shows up in every file that includes it: tell it once."""

    def __init__(self):
        self._told = set()

    def of(self, output):
        found = re.split(r"^(?=/\S+:\d+:\d+: (?:error|warning): )", output, flags=re.MULTILINE)
        faults = [fault for fault in found if fault.startswith("/")]
        fresh = [fault for fault in faults if fault.splitlines()[0] not in self._told]
        self._told.update(fault.splitlines()[0] for fault in fresh)
        told = len(faults) - len(fresh)
        text = re.sub(r"^\d+ warnings? generated\.$\n?", "", "".join(fresh or found[:1]), flags=re.MULTILINE)
        return text + (f"  {told} faults in headers, told above\n" if told else "") or output


def main():
    build = Path(sys.argv[1]).resolve()
    directory, entries = database(build)

    report = Report()

    def check(path):
        command = [TOOL, "--quiet", "-p", str(directory), str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return report.of(result.stdout + result.stderr) if result.returncode else ""

    # Flags differ between files only in what a file's own layer adds, so one set of settings serves all.
    flags = sorted({word for entry in entries for word in entry["arguments"] if word.startswith("-")})
    settings = [
        checks.version_of(TOOL, "--version"),
        checks.version_of("g++", "-dumpfullversion"),
        (ROOT / ".clang-tidy").read_text(encoding="utf-8"),
        *(flag.replace(str(ROOT), "") for flag in flags),
    ]
    cache = checks.PassCache("clang-tidy", settings)
    return checks.run("tidy", [Path(entry["file"]) for entry in entries], check, cache)


if __name__ == "__main__":
    sys.exit(main())
