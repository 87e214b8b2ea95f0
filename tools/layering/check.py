#!/usr/bin/env python3
"""Checks that no file of a layer reaches a header of a layer it does not depend on.

usage: check.py <layers.txt> <layer>

layers.txt has one line per layer: its name, its directory, the layers it names. CMake writes it from the
belay_layer() calls. A dependency's dependencies are allowed too. Headers are followed through other headers,
so an arrow that goes round a corner is found. A layer named as public:<layer>, and those below it, may be
reached by their public headers only. The command line and the kit for tests are built like programs of users.

The public headers of src/a are include/belay/a.hpp and include/belay/a/; other public headers belong to all. The
name "tree" stands for the rules of all files: each file of src/ has a layer, no public header needs src/, and only
annotated mutexes are used.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from sources import ROOT, cpp_files, direct_includes, relative  # noqa: E402

PUBLIC = ROOT / "include" / "belay"
ANNOTATED = (PUBLIC / "detail" / "mutex.hpp", ROOT / "src" / "base" / "shared_mutex.hpp")
MUTE = re.compile(r"\bstd::(\w*mutex|condition_variable(_any)?|(shared|unique|scoped)_lock|lock_guard)\b")


def read_layers(path):
    directories = {}
    depends = {}
    uses = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, directory, *named = line.split()
        directories[name] = ROOT / directory
        uses[name] = [one.removeprefix("public:") for one in named if one.startswith("public:")]
        depends[name] = [one for one in named if not one.startswith("public:")]
    return directories, depends, uses


def layer_of(file, directories):
    """The layer with the deepest directory around `file`: src/store/memory is not part of src/store."""
    if file.is_relative_to(PUBLIC):
        file = ROOT / "src" / file.relative_to(PUBLIC).with_suffix("") / file.name
        fallback = "include"
    else:
        fallback = None
    around = [name for name, directory in directories.items() if file.is_relative_to(directory)]
    return max(around, key=lambda name: len(directories[name].parts), default=fallback)


def below(layers, depends):
    """The layers themselves, and all below them."""
    reached = set()
    waiting = list(layers)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += depends[name]
    return reached


def violations(file, allowed, public_only, directories):
    """Yields the chain of includes that leads from `file` to each header it must not reach."""
    chains = {file: [file]}
    waiting = [file]
    while waiting:
        current = waiting.pop(0)
        for included in direct_includes(current):
            if included in chains:
                continue
            chains[included] = [*chains[current], included]
            owner = layer_of(included, directories)
            if owner in allowed or (owner in public_only and included.is_relative_to(PUBLIC)):
                waiting.append(included)
            else:
                yield owner, chains[included]


def layer_problems(layer, directories, depends, uses):
    allowed = {layer, "include", *below(depends[layer], depends)}
    named = below(uses[layer], {name: depends[name] + uses[name] for name in depends})
    public_only = named - allowed
    for file in cpp_files("src", "include"):
        if layer_of(file, directories) != layer:
            continue
        for owner, chain in violations(file, allowed, public_only, directories):
            where = f"layer '{owner}'" if owner else "no layer"
            yield f"{relative(file)}: '{layer}' must not include {relative(chain[-1])} ({where})"
            yield from (f"    includes {relative(step)}" for step in chain[1:])


def tree_problems(directories):
    for file in cpp_files("src"):
        if layer_of(file, directories) is None:
            yield f"{relative(file)}: belongs to no layer"
    for file in cpp_files("include"):
        for included in direct_includes(file):
            if not included.is_relative_to(ROOT / "include"):
                yield f"{relative(file)}: a public header must not include {relative(included)}"
    for file in cpp_files("src", "include"):
        if file not in ANNOTATED:
            yield from mute_mutexes(file)


def mute_mutexes(file):
    """Clang's thread-safety analysis checks only what is said with our own types."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if found := MUTE.search(line.partition("//")[0]):
            yield f"{relative(file)}:{number}: {found[0]} does not say what it guards"
            yield "    write detail::Mutex, MutexLock, Condition and BELAY_GUARDED_BY of belay/detail/mutex.hpp,"
            yield "    or base::SharedMutex of base/shared_mutex.hpp"


def main():
    table, layer = sys.argv[1:]
    directories, depends, uses = read_layers(table)
    if layer == "tree":
        problems = list(tree_problems(directories))
    else:
        problems = list(layer_problems(layer, directories, depends, uses))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
