#!/usr/bin/env python3
"""Checks that one file does not compile, and that the compiler says what to write instead.

usage: check.py <file.cpp> [directory]
       check.py --precompile <directory>     compiles the public headers there, for all files that are checked after it

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

HEADERS = ROOT / "include" / "belay"

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


def run(compiler, *arguments):
    command = [COMPILERS[compiler][0], "-std=c++20", f"-I{ROOT / 'include'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def precompiled(compiler, directory):
    """Where a compiler keeps the headers. g++ is told the header, and takes what was compiled from it beside it."""
    return directory / ("headers.hpp.gch" if compiler == "gcc" else "headers.hpp.pch")


def precompile(directory):
    """Most of the time of a case goes into the public headers, so they are compiled once for all cases: those that a
    program sees without asking for nlohmann-json."""
    directory.mkdir(parents=True, exist_ok=True)
    header = directory / "headers.hpp"
    names = sorted(path.relative_to(HEADERS.parent) for path in HEADERS.glob("*.hpp") if path.name != "json.hpp")
    header.write_text("".join(f"#include <{name}>\n" for name in names), encoding="utf-8")
    status = 0
    for compiler in COMPILERS:
        file = precompiled(compiler, directory)
        file.unlink(missing_ok=True)
        if shutil.which(COMPILERS[compiler][0]):
            done = run(compiler, "-x", "c++-header", "-o", str(file), str(header))
            if done.returncode != 0:
                print(f"{compiler}: the public headers do not compile:\n{done.stderr}")
                status = 1
    return status


def compile_file(compiler, file, flags, directory):
    common = []
    if directory and precompiled(compiler, directory).exists():
        common = ["-include", str(directory / "headers.hpp")]
    return run(compiler, *COMPILERS[compiler][1:], *common, *flags, str(file))


def problems(compiler, file, wanted, directory):
    flags = wanted.get("FLAGS", "").split()
    control = compile_file(compiler, file, [*flags, "-DBELAY_CONTROL"], directory)
    if control.returncode != 0:
        yield f"{compiler}: the control (BELAY_CONTROL) does not compile:\n{control.stderr}"
    result = compile_file(compiler, file, flags, directory)
    if result.returncode == 0:
        yield f"{compiler}: it compiles, but must not"
    elif not re.search(wanted["EXPECT"], result.stderr):
        yield f"{compiler}: no message matches /{wanted['EXPECT']}/:\n{result.stderr}"


def main():
    if sys.argv[1] == "--precompile":
        return precompile(Path(sys.argv[2]))
    file = Path(sys.argv[1])
    directory = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    wanted = directives(file.read_text(encoding="utf-8"))
    if "EXPECT" not in wanted:
        print(f"{file}: the first line must be '// EXPECT: <regular expression>'")
        return 1
    status = 0
    for compiler in wanted.get("COMPILERS", "gcc clang").split():
        if not shutil.which(COMPILERS[compiler][0]):
            print(f"{compiler}: not installed, so not tried")
            continue
        for problem in problems(compiler, file, wanted, directory):
            print(problem)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
