#!/usr/bin/env python3
"""Checks that the headers that most programs include stay light.

usage: header_weight.py

Each bound is a little above what the header needs today. Raise one only for something that every user of the header
needs: declare a type instead of including its header, or move what few need to a header of its own.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from sources import ROOT, closure  # noqa: E402

PUBLIC = ROOT / "include" / "belay"
# Our own headers, itself included, and their lines.
BOUNDS = {"client.hpp": (30, 3800), "worker.hpp": (19, 1600)}


def main():
    failed = False
    for name, (most_headers, most_lines) in BOUNDS.items():
        reached = closure(PUBLIC / name)
        lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in reached)
        heavy = len(reached) > most_headers or lines > most_lines
        failed |= heavy
        print(f"{'TOO HEAVY' if heavy else 'fine'}: belay/{name} reaches {len(reached)} headers (at most {most_headers}) "
              f"with {lines} lines (at most {most_lines})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
