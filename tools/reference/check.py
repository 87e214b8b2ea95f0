#!/usr/bin/env python3
"""Finds public declarations without a comment, in the XML that doxygen made of the public headers.

usage: tools/reference/check.py DIR

These need a comment: every class, struct, enumeration, alias and concept of namespace belay, and every public function.
Overloads in one place share the comment of the first. A data member needs none if its struct has one.
These need none: destructors, moves, functions that are = default or = delete, and functions for the engine's own use. The
latter have types of belay::detail or of a coroutine in their signature.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

COMPOUNDS = ("class", "struct", "union", "concept", "namespace")
MEMBERS = ("function", "typedef", "enum")
# Their names are the compiler's or the engine's, not ours to explain.
ENGINE_NAMES = {"promise_type", "Value", "result_type", "completion", "take"}
# Said once, where the thing is explained: how values are coded, and that a request names its answer.
SAID_ELSEWHERE = {("function", "encode"), ("function", "decode"), ("typedef", "Answer")}
ENGINE_TYPES = ("detail::", "coroutine_handle")


def text_of(element, *names):
    return "".join("".join(child.itertext()) for name in names for child in element.findall(name)).strip()


def is_documented(element):
    return bool(text_of(element, "briefdescription", "detaileddescription"))


def place_of(element):
    location = element.find("location")
    return (location.get("file"), int(location.get("line"))) if location is not None else ("?", 0)


def is_ours_to_explain(member):
    """Returns true for a public declaration that a person has written."""
    if member.get("prot") != "public" or member.get("kind") not in MEMBERS:
        return False
    name = text_of(member, "name")
    if name in ENGINE_NAMES or name.startswith("~") or (member.get("kind"), name) in SAID_ELSEWHERE:
        return False
    arguments = text_of(member, "argsstring").replace(" ", "")
    if "=default" in arguments or "=delete" in arguments or "&&other" in arguments:
        return False
    types = text_of(member, "type") if member.get("kind") == "typedef" else arguments
    return not any(name in types for name in ENGINE_TYPES)


def members_of(compound):
    """Its public members, by kind and name: overloads together."""
    groups = {}
    for member in compound.iter("memberdef"):
        if is_ours_to_explain(member):
            groups.setdefault((member.get("kind"), text_of(member, "name")), []).append(member)
    return groups.values()


def compounds_of(directory):
    for path in sorted(Path(directory).glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().findall("compounddef"):
            name = text_of(compound, "compoundname")
            if compound.get("kind") in COMPOUNDS and name.startswith("belay") and "detail" not in name:
                yield name, compound


def undocumented(directory):
    """The place and the name of each."""
    for name, compound in compounds_of(directory):
        if compound.get("prot") not in (None, "public"):
            continue
        if compound.get("kind") != "namespace" and not is_documented(compound):
            yield place_of(compound), name
        for overloads in members_of(compound):
            if not any(is_documented(member) for member in overloads):
                yield place_of(overloads[0]), f"{name}::{text_of(overloads[0], 'name')}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    names = [name for name, _ in compounds_of(sys.argv[1])]
    if not names:
        print(f"{sys.argv[1]} describes nothing of ours", file=sys.stderr)
        return 1
    found = sorted(set(undocumented(sys.argv[1])))
    for (file, line), name in found:
        print(f"include/{file}:{line}: {name} has no comment")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
