#!/usr/bin/env python3
"""Makes docs/reference/flow.md of the schema of flows.

usage: tools/reference/flow.py            writes the page
       tools/reference/flow.py --check    fails if the page is not what it would write
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "src" / "flow" / "definition" / "flow.schema.json"
PAGE = ROOT / "docs" / "reference" / "flow.md"

HEAD = """# The fields of flows

Made of the schema of flows by `tools/reference/flow.py`; do not edit. [Flows](../guides/flows.md) is the guide. A field that is not listed
is an error. Editors know the fields too: see [In an editor](../guides/flows.md#in-an-editor).
"""

# The objects, in the order of the page, with their headings.
OBJECTS = ["step", "exec", "script", "http", "wait", "approval", "activity", "on_cancel", "retry", "param", "secret",
           "defaults", "concurrency", "rate", "schedule"]
# Named by what they are, not shown as objects.
SIMPLE = {"id": "a name", "flow_name": "the name of a flow", "duration": "a duration", "time": "a time", "cel": "an expression",
          "template": "a text", "engine_name": "a text", "env": "names and texts", "code_type": "a type"}
TYPES = {"string": "a text", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list",
         "object": "a map"}


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def name_of(reference):
    return reference.rsplit("/", 1)[1]


def kind(schema, defs):
    """Returns in a few words what a value is."""
    if "$ref" in schema:
        name = name_of(schema["$ref"])
        if name in SIMPLE:
            return SIMPLE[name]
        return f"[{name}](#{name.replace('_', '_')})"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types == ["array"] and "items" in schema:
        return "a list of " + kind(schema["items"], defs)
    if types == ["object"] and "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
        return "a map of " + kind(schema["additionalProperties"], defs)
    if len(types) > 3:
        return "a value"
    return ", ".join(TYPES[one] for one in types) or "a value"


def bounds(schema):
    found = []
    for key, words in [("minimum", "at least"), ("maximum", "at most"), ("maxItems", "at most"), ("maxProperties", "at most"),
                       ("maxLength", "at most")]:
        if key not in schema or (key == "minimum" and schema[key] == 0):
            continue
        unit = {"maxItems": " of them", "maxProperties": " of them", "maxLength": " characters"}.get(key, "")
        found.append(f"{words} {schema[key]:,}{unit}")
    return "; ".join(found)


def description(schema, defs):
    text = schema.get("description") or defs.get(name_of(schema.get("$ref", "/")), {}).get("description", "")
    limits = bounds(schema)
    return cell(text + (f" {limits[0].upper()}{limits[1:]}." if limits else ""))


def table(schema, defs):
    required = set(schema.get("required", []))
    lines = ["| field | value | |", "| --- | --- | --- |"]
    for name, field in schema["properties"].items():
        shown = f"**`{name}`**" if name in required else f"`{name}`"
        lines.append(f"| {shown} | {cell(kind(field, defs))} | {description(field, defs)} |")
    return lines


def page():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    defs = schema["$defs"]
    lines = [HEAD, "Fields in bold are required.", "", "## The definition", "", schema["description"], "", *table(schema, defs)]
    for name in OBJECTS:
        one = defs[name]
        lines += ["", f"## {name}", "", one.get("description", "")]
        if "properties" in one:
            lines += ["", *table(one, defs)]
        elif one.get("type") == "array":
            lines[-1] += " It is " + kind(one, defs) + "."
    missing = {key for key, one in defs.items() if "properties" in one} - set(OBJECTS)
    if missing:
        sys.exit(f"tools/reference/flow.py: OBJECTS lacks {sorted(missing)}")
    lines += ["", "## Simple values", "", "| value | |", "| --- | --- |"]
    for name, words in SIMPLE.items():
        one = defs[name]
        pattern = one.get("pattern")
        text = cell(one["description"]) + (f" `{cell(pattern)}`" if pattern else "")
        lines.append(f"| {words} (`{name}`) | {text} |")
    return "\n".join(lines) + "\n"


def main():
    made = page()
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
            sys.exit(f"{PAGE.relative_to(ROOT)} is not what the schema says: run tools/reference/flow.py")
        return
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
