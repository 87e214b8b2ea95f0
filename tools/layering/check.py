#!/usr/bin/env python3
"""Checks that no file of a layer reaches a header of a layer it does not depend on.

usage: check.py <layers.txt> <layer>

layers.txt has one line per layer: its name, its directory, the layers it names. CMake writes it from the
belay_layer() calls. A dependency's dependencies are allowed too. Headers are followed through other headers,
so an arrow that goes round a corner is found.

The public headers of src/a are include/belay/a.hpp and include/belay/a/; other public headers belong to all. The
name "tree" stands for what holds everywhere: each file of src/ has a layer, no public header needs src/.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from sources import ROOT, cpp_files, direct_includes, relative  # noqa: E402

PUBLIC = ROOT / "include" / "belay"


def read_layers(path):
    directories = {}
    depends = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, directory, *named = line.split()
        directories[name] = ROOT / directory
        depends[name] = named
    return directories, depends


def layer_of(file, directories):
    """The layer with the deepest directory around `file`: src/store/memory is not part of src/store."""
    if file.is_relative_to(PUBLIC):
        file = ROOT / "src" / file.relative_to(PUBLIC).with_suffix("") / file.name
        fallback = "include"
    else:
        fallback = None
    around = [name for name, directory in directories.items() if file.is_relative_to(directory)]
    return max(around, key=lambda name: len(directories[name].parts), default=fallback)


def below(layer, depends):
    reached = set()
    waiting = list(depends[layer])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += depends[name]
    return reached


def violations(file, allowed, directories):
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
            if owner in allowed:
                waiting.append(included)
            else:
                yield owner, chains[included]


def layer_problems(layer, directories, depends):
    allowed = {layer, "include", *below(layer, depends)}
    for file in cpp_files("src", "include"):
        if layer_of(file, directories) != layer:
            continue
        for owner, chain in violations(file, allowed, directories):
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


def main():
    table, layer = sys.argv[1:]
    directories, depends = read_layers(table)
    if layer == "tree":
        problems = list(tree_problems(directories))
    else:
        problems = list(layer_problems(layer, directories, depends))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
