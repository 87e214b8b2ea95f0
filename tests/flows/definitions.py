"""The schema of flows, read by another program than ours: editors rely on it."""

import copy
import json
import os
import re
import shutil

import yaml
from harness import ROOT
from jsonschema import Draft202012Validator

SCHEMA = json.loads((ROOT / "src" / "flow" / "definition" / "flow.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FOLDERS = [ROOT / "examples" / "flows", ROOT / "tests" / "flows"]


class Plain(yaml.SafeLoader):
    """YAML 1.2, as Belay and editors read it: `no` and dates are texts, and 010 is ten."""

    yaml_implicit_resolvers = {}

    def number(self, node):
        text = node.value
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)


for tag, pattern, begins in [
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
]:
    Plain.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), begins)
Plain.add_constructor("tag:yaml.org,2002:int", Plain.number)

# What is changed in every-field.yaml, and the place of the value that the schema must refuse. `None` takes the field away.
WRONG = {
    "an unknown field": (["nmae"], "x", []),
    "an unknown field of a step": (["steps", 1, "comand"], ["ls"], ["steps", 1]),
    "an unknown field of retry": (["steps", 1, "retry", "tries"], 3, ["steps", 1, "retry"]),
    "an unknown field of defaults": (["defaults", "env"], {}, ["defaults"]),
    "no version": (["belay"], None, []),
    "another version": (["belay"], 2, ["belay"]),
    "no name": (["name"], None, []),
    "no steps": (["steps"], [], ["steps"]),
    "a step without an id": (["steps", 1, "id"], None, ["steps", 1]),
    "a step without a kind": (["steps", 0, "set"], None, ["steps", 0]),
    "a step with two kinds": (["steps", 1, "script"], "ls", ["steps", 1]),
    "an id that is no name": (["steps", 1, "id"], "a b", ["steps", 1, "id"]),
    "a program that is a text": (["steps", 1, "exec"], "ls -l", ["steps", 1, "exec"]),
    "a window without a map": (["steps", 1, "window"], 3, ["steps", 1]),
    "a window of none": (["steps", 0, "window"], 0, ["steps", 0, "window"]),
    "a field of another kind": (["steps", 0, "stdin"], "x", ["steps", 0]),
    "a signal of another kind": (["steps", 2, "stop_signal"], "INT", ["steps", 2]),
    "an unknown signal": (["steps", 1, "stop_signal"], "SIGINT", ["steps", 1, "stop_signal"]),
    "an unknown form of output": (["steps", 1, "output"], "xml", ["steps", 1, "output"]),
    "a duration without a unit": (["timeout"], "10 parsecs", ["timeout"]),
    "two inputs of an activity": (["steps", 3, "with"], {"a": 1}, ["steps", 3]),
    "a wrong type of a param": (["params", "count", "type"], "int", ["params", "count", "type"]),
    "no attempts": (["steps", 1, "retry", "attempts"], 0, ["steps", 1, "retry", "attempts"]),
    "a schedule at two times": (["schedules", 0, "every"], "1h", ["schedules", 0]),
}


def read(path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader=Plain)  # noqa: S506: it makes plain values only


def changed(definition, path, value):
    result = copy.deepcopy(definition)
    at = result
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return result


def test_the_schema_is_one_of_draft_2020_12(_):
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(SCHEMA)


def test_all_definitions_fit_the_schema(_):
    files = [file for folder in FOLDERS for file in sorted(folder.glob("*.yaml"))]
    assert {file.parent for file in files} == set(FOLDERS), files
    for file in files:
        problems = [f"{file.name}: {error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(read(file))]
        assert not problems, "\n".join(problems)


def test_words_that_yaml_once_took_for_others_are_texts(_):
    assert yaml.load("[no, on, 2026-12-24, 12:30, 010, 1.10, 0x1F, ~]", Loader=Plain) == [  # noqa: S506
        "no", "on", "2026-12-24", "12:30", 10, 1.1, 31, None,
    ]


def test_wrong_definitions_are_refused_by_the_schema_and_by_belay(world):
    definition = read(ROOT / "tests" / "flows" / "every-field.yaml")
    shutil.copy(ROOT / "tests" / "flows" / "prune-old.yaml", world.directory)
    for name, (place, value, refused) in {"none": ([], None, None), **WRONG}.items():
        given = changed(definition, place, value) if place else definition
        errors = {tuple(error.absolute_path) for error in VALIDATOR.iter_errors(given)}
        assert errors == (set() if refused is None else {tuple(refused)}), f"{name}: {errors}"
        with open(os.path.join(world.directory, "every-field.json"), "w", encoding="utf-8") as file:
            json.dump(given, file)
        checked = world.belay("flow", "check", "every-field.json", status=0 if refused is None else 9, BELAY_STORE="")
        assert refused is None or checked.out + checked.err, name
