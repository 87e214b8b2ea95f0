#!/usr/bin/env python3
"""Measures a build of the libraries core and sqlite and the example hello, from nothing, without a compiler cache.

usage: scripts/bench build [--json FILE]

*joined* is the preset release, as docs/guides/install.md installs it; *plain* compiles every file by itself, as a project does that
has the tree as a subdirectory. Memory is what all processes of the build had resident at once, at most, sampled 50 times a
second. The yardstick is the example alone, against libraries that are there.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = os.sysconf("SC_PAGE_SIZE")
HELLO = "belay-example-hello"
WAYS = {
    "joined": ["--preset", "release"],
    "plain": ["--preset", "release", "-DCMAKE_UNITY_BUILD=OFF", "-DBELAY_PRECOMPILE=OFF"],
}


def resident(session):
    """Bytes of all processes of a session."""
    total = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            after_name = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            if int(after_name[3]) == session:
                total += int(after_name[21]) * PAGE
        except OSError:
            continue  # It has ended meanwhile.
    return total


def measured(command, environment):
    """Seconds on the clock, seconds of all cores, and the most memory."""
    before = os.times()
    started = time.monotonic()
    most = 0
    with tempfile.TemporaryFile("w+") as log:
        build = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT,
                                 start_new_session=True)
        while build.poll() is None:
            most = max(most, resident(build.pid))
            time.sleep(0.02)
        if build.returncode != 0:
            log.seek(0)
            sys.exit(log.read()[-4000:] + f"\n{' '.join(command)} failed")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"seconds": time.monotonic() - started, "cpu_seconds": cpu, "peak_mb": most / 1e6}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench build", description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    figures = {}
    for way, options in WAYS.items():
        directory = Path(tempfile.mkdtemp(prefix="belay-build-"))
        try:
            subprocess.run(["cmake", *options, "-B", str(directory)], cwd=ROOT, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            build = ["cmake", "--build", str(directory), "--parallel", str(os.cpu_count()), "--target", HELLO]
            figures[f"build.{way}"] = measured(build, environment)
            os.utime(ROOT / "examples" / "hello.cpp")
            figures[f"build.{way}.hello_alone"] = measured(build, environment)
        finally:
            shutil.rmtree(directory)
    print(f"{'name':<28}{'seconds':>9}{'of cores':>10}{'most memory':>14}")
    for name, one in figures.items():
        print(f"{name:<28}{one['seconds']:>9.1f}{one['cpu_seconds']:>10.1f}{one['peak_mb']:>11.0f} MB")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"cores": os.cpu_count(), "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
