"""The C++ files of this repository, and which of our own files each of them includes."""

import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIRECTORIES = ("include", "src", "tests", "examples", "bench", "tools")
SUFFIXES = (".cpp", ".hpp")
INCLUDE_PATH = (ROOT / "src", ROOT / "include", ROOT / "tests", ROOT)

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


def cpp_files(*directories):
    """Every C++ file under the given directories of the repository (by default all of them), sorted."""
    found = []
    for directory in directories or DIRECTORIES:
        found += [p for p in (ROOT / directory).rglob("*") if p.suffix in SUFFIXES and p.is_file()]
    return sorted(found)


def relative(path):
    """As it is called in the repository; a file elsewhere is called by its full name."""
    path = Path(path)
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


@functools.cache
def direct_includes(path):
    """Our own files that `path` includes; what is found nowhere in the repository is a system header."""
    found = []
    for name in _INCLUDE.findall(path.read_text(encoding="utf-8")):
        for directory in (path.parent, *INCLUDE_PATH):
            candidate = (directory / name).resolve()
            if candidate.is_file() and candidate.is_relative_to(ROOT):
                found.append(candidate)
                break
    return tuple(found)


def closure(path):
    """`path` and every file of ours that it includes, directly or not, sorted."""
    seen = {path}
    waiting = [path]
    while waiting:
        for included in direct_includes(waiting.pop()):
            if included not in seen:
                seen.add(included)
                waiting.append(included)
    return sorted(seen)
