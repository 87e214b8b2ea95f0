#!/usr/bin/env python3
"""Checks that sentences of comments begin with a verb or with the thing itself, for readers in a hurry.

usage: sentences.py [DIRECTORY...]      default: include, src and tests

Counts the sentences of each directory that begin with What, Who, Of, That, Whether or How. More than one in a hundred
fail, and all are printed: CONTRIBUTING.md, Comments.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from sources import cpp_files, relative  # noqa: E402

HARD = {"What", "Who", "Of", "That", "Whether", "How"}
MOST_PERCENT = 1
_LINE = re.compile(r"\s*//[/!<]*\s?(.*)")
_BEHIND_CODE = re.compile(r'(?<![:"\'/])//[/!<]*\s([^"]*)$')
_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\"(])")
_WORD = re.compile(r"\W*([A-Za-z]+)")


def comments(text):
    """Each comment with its first line: lines that follow each other are one, and an empty one divides them."""
    begin, lines = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        match = _LINE.match(line)
        if match and match[1].strip():
            begin = begin if lines else number
            lines.append(match[1].strip())
            continue
        if lines:
            yield begin, " ".join(lines)
            lines = []
        if not match and (behind := _BEHIND_CODE.search(line)):
            yield number, behind[1].strip()


def hard_sentences(path):
    """The number of sentences of a file, and those that begin with one of the words."""
    count, hard = 0, []
    for line, comment in comments(path.read_text(encoding="utf-8")):
        for sentence in _END.split(comment):
            if first := _WORD.match(sentence):
                count += 1
                if first[1] in HARD:
                    hard.append(f"{relative(path)}:{line}: {sentence[:100]}")
    return count, hard


def main():
    failed = False
    for directory in sys.argv[1:] or ["include", "src", "tests"]:
        found = [hard_sentences(path) for path in cpp_files(directory)]
        count = sum(number for number, _ in found)
        hard = [line for _, lines in found for line in lines]
        if 100 * len(hard) > MOST_PERCENT * count:
            failed = True
            print("\n".join(hard))
        print(f"{directory}: {len(hard)} of {count} sentences of comments begin with {', '.join(sorted(HARD))} "
              f"(at most {MOST_PERCENT} %)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
