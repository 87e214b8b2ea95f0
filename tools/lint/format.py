#!/usr/bin/env python3
"""Checks the format of every C++ file, or with --apply brings them into it."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import checks  # noqa: E402
from sources import cpp_files  # noqa: E402

TOOL = "clang-format-19"


def check(path):
    result = subprocess.run([TOOL, "--dry-run", "-Werror", str(path)], capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    places = result.stderr.count("error: ")
    return f"  {places} places, the first of them below; scripts/format puts them right\n" + "\n".join(
        result.stderr.splitlines()[:3]
    )


def main():
    files = cpp_files()
    if sys.argv[1:] == ["--apply"]:
        return subprocess.run([TOOL, "-i", *map(str, files)], check=False).returncode if files else 0
    return checks.run("format", files, check)


if __name__ == "__main__":
    sys.exit(main())
