#!/usr/bin/env python3
"""Checks that one file does not compile, and that the compiler says what to write instead.

usage: check.py <file.cpp>

The file is C++20 and sees the public headers. It begins with comments that say what is expected:

    // EXPECT: regular expression that must match the compiler's messages
    // COMPILERS: gcc              (optional: only these; otherwise gcc and clang)
    // FLAGS: -Werror=unused       (optional: more compiler arguments)

With BELAY_CONTROL defined, the same file must compile: there it holds the right way to write the thing. So a
case cannot pass because of a typing error or a missing header.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# g++ finds some faults of coroutines only when it generates code. Source lines are kept out of the messages,
# so that the expression cannot match the code that it is about.
COMPILERS = {
    "gcc": ["g++", "-S", "-o", "/dev/null", "-fno-diagnostics-show-caret"],
    "clang": ["clang++-19", "-fsyntax-only", "-fno-caret-diagnostics"],
}


def directives(text):
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"// (EXPECT|COMPILERS|FLAGS): (.+)", line)
        if not match:
            break
        found[match[1]] = match[2]
    return found


def compile_file(compiler, file, flags):
    command = [*COMPILERS[compiler], "-std=c++20", f"-I{ROOT / 'include'}", *flags, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def problems(compiler, file, wanted):
    flags = wanted.get("FLAGS", "").split()
    control = compile_file(compiler, file, [*flags, "-DBELAY_CONTROL"])
    if control.returncode != 0:
        yield f"{compiler}: the control (BELAY_CONTROL) does not compile:\n{control.stderr}"
    result = compile_file(compiler, file, flags)
    if result.returncode == 0:
        yield f"{compiler}: it compiles, but must not"
    elif not re.search(wanted["EXPECT"], result.stderr):
        yield f"{compiler}: no message matches /{wanted['EXPECT']}/:\n{result.stderr}"


def main():
    file = Path(sys.argv[1])
    wanted = directives(file.read_text(encoding="utf-8"))
    if "EXPECT" not in wanted:
        print(f"{file}: the first line must be '// EXPECT: <regular expression>'")
        return 1
    status = 0
    for compiler in wanted.get("COMPILERS", "gcc clang").split():
        if not shutil.which(COMPILERS[compiler][0]):
            print(f"{compiler}: not installed, so not tried")
            continue
        for problem in problems(compiler, file, wanted):
            print(problem)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
