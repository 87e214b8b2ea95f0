"""Runs one check over many files, on all cores, and remembers what passed.

A check that passed is not run again as long as the file, everything of ours that it includes, the tool and its
settings are the same. Only passes are remembered: a failure is always shown again.
"""

import concurrent.futures
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from sources import closure, relative

_KEEP_SECONDS = 30 * 24 * 3600


class PassCache:
    """Remembers passes under the user's cache directory, so a fresh clone profits as well."""

    def __init__(self, tool, settings):
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self._directory = base / "belay" / tool
        self._directory.mkdir(parents=True, exist_ok=True)
        self._settings = "\0".join(settings).encode()
        self._forget_old()

    def _forget_old(self):
        limit = time.time() - _KEEP_SECONDS
        for entry in self._directory.iterdir():
            if entry.stat().st_mtime < limit:
                entry.unlink(missing_ok=True)

    def entry(self, path):
        digest = hashlib.sha256(self._settings)
        for file in closure(path):
            digest.update(relative(file).encode() + b"\0" + file.read_bytes() + b"\0")
        return self._directory / digest.hexdigest()


def version_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run(name, files, check, cache=None, quiet=False):
    """Calls `check(file)`, which returns what is wrong with it or "", for each file; prints the counts, unless it is quiet.

    Returns the exit status for the process.
    """

    def one(path):
        entry = cache.entry(path) if cache else None
        if entry and entry.exists():
            entry.touch()
            return path, "", True
        problem = check(path)
        if entry and not problem:
            entry.touch()
        return path, problem, False

    failed = remembered = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, problem, hit in pool.map(one, files):
            remembered += hit
            if problem:
                failed += 1
                print(f"{name}: {relative(path)}\n{problem.rstrip()}\n", file=sys.stderr, flush=True)
    if not quiet:
        print(f"{name}: {len(files)} files, {remembered} of them unchanged since they passed")
        print(f"{name}: {len(files) - failed} passed, {failed} failed, 0 skipped", flush=True)
    return 1 if failed else 0
