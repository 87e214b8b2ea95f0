"""Definitions that a store keeps, and tests of flows, on the command line."""

from flows import flow, go, read, run, write

DEMO_TESTS = """flow: demo.yaml
cases:
  - name: both steps
    steps: {first: {output: hi}, second: {output: done}}
    expect: {output: {said: hi, last: done}, steps: {second: completed}}
  - name: the first one fails
    steps: {first: {failed: no luck}}
    expect: {status: failed, failed_step: first, message: luck}
"""


def belay(world, *words, status=0):
    return world.belay(*words, status=status, BELAY_STORE="")


def kept(world, *words):
    return [(one["flow"], one["version"], one["runs"]) for one in belay(world, "flow", "list", *words, "--json").jsons()]


def two_versions(world):
    """Two runs of the first version, and one of the second."""
    go(world)
    text = open(os_path(world, flow(world)), encoding="utf-8").read()
    run(world, "demo.yaml")
    run(world, "demo.yaml", "-p", "word=other")
    write(world, "demo.yaml", text.replace("echo finished", "echo ended").replace("default: hello", "default: hullo"))
    run(world, "demo.yaml")
    return text


def os_path(world, name):
    return f"{world.directory}/{name}"


def test_the_store_lists_its_flows_with_their_versions_and_runs(world):
    two_versions(world)
    assert kept(world) == [("demo", 1, 2), ("demo", 2, 1)]
    assert kept(world, "demo") == kept(world) and kept(world, "other") == []
    lines = belay(world, "flow", "list").lines()
    assert lines[0].split() == ["FLOW", "VERSION", "RUNS", "SINCE", "DIGEST"] and len(lines) == 3, lines


def test_a_version_goes_with_its_last_run(world):
    two_versions(world)
    for run_id in ("demo-1", "demo-2"):
        belay(world, "delete", run_id, "--yes")
    assert kept(world) == [("demo", 2, 1)]


def test_a_kept_definition_is_shown_as_it_was_written(world):
    first = two_versions(world)
    assert belay(world, "flow", "show", "demo@1").out == first
    assert belay(world, "flow", "show", "demo").out == read(world, "demo.yaml")
    assert belay(world, "flow", "show", "demo@1", "--json").json()["sources"] == {"demo": first}
    assert "no version 7" in belay(world, "flow", "show", "demo@7", status=3).err
    assert "keeps no flow 'dmeo'" in belay(world, "flow", "show", "dmeo", status=3).err


def test_versions_and_files_are_compared_by_their_steps(world):
    first = two_versions(world)
    changed = ["param word changed: default", "step second changed: script"]
    assert belay(world, "flow", "diff", "demo@1", "demo@2", status=1).lines() == changed
    assert belay(world, "flow", "diff", "demo@1", "demo.yaml", status=1).lines() == changed
    assert "do not differ" in belay(world, "flow", "diff", "demo.yaml").out
    write(world, "demo.yaml", first + "  # at the end\n")
    assert belay(world, "flow", "diff", "demo@1", "demo.yaml").out != ""
    fields = belay(world, "flow", "diff", "demo.yaml", "--json", status=1).jsons()
    assert fields[1] == {"flow": "demo", "what": "step", "name": "second", "change": "changed", "fields": ["script"]}


def test_a_test_file_passes_and_runs_nothing(world):
    flow(world)
    write(world, "demo.test.yaml", DEMO_TESTS)
    passed = belay(world, "flow", "test", "demo.test.yaml")
    assert passed.lines() == ["passed  both steps", "passed  the first one fails", "2 passed, 0 failed"]
    assert read(world, "done") == "" and read(world, ".belay/.gitignore") == ""


def test_a_case_that_fails_names_each_difference_with_its_line(world):
    flow(world)
    write(world, "demo.test.yaml", DEMO_TESTS.replace("last: done", "last: over"))
    failed = belay(world, "flow", "test", "demo.test.yaml", status=1)
    assert failed.lines()[:2] == [
        "FAILED  both steps",
        '    demo.test.yaml:5:5: the output is {"said":"hi","last":"done"}; expected is {"said":"hi","last":"over"}',
    ], failed.out
    only = belay(world, "flow", "test", "demo.test.yaml", "--case", "the first one fails", "--json").jsons()
    assert [(one["case"], one["passed"], one["status"]) for one in only] == [("the first one fails", True, "failed")]


def test_all_mistakes_of_a_test_file_and_its_flow_are_listed(world):
    flow(world)
    write(world, "demo.test.yaml", DEMO_TESTS.replace("first: {output", "frist: {outptu"))
    refused = belay(world, "flow", "test", "demo.test.yaml", status=9).err
    assert refused.count("demo.test.yaml:4:") == 2 and 'Did you mean "first"?' in refused, refused
    write(world, "demo.yaml", "belay: 1\nname: demo\nstebs: []\n")
    refused = belay(world, "flow", "test", "demo.test.yaml", status=9).err
    assert "demo.yaml:3:1:" in refused and "demo.test.yaml:4:" in refused, refused


def test_a_test_file_with_mistakes_runs_no_case(world):
    flow(world)
    write(world, "demo.test.yaml", DEMO_TESTS.replace("first: {output", "frist: {output"))
    refused = belay(world, "flow", "test", "demo.test.yaml", status=9)
    assert "demo.test.yaml:4:13:" in refused.err and 'Did you mean "first"?' in refused.err, refused.err


BIG = """belay: 1
name: big
steps:
  - id: m
    map: lists.range(1200)
    set: item
output: steps.m.completed
"""


def test_lists_leave_out_the_children_of_a_large_map(world):
    write(world, "big.yaml", BIG)
    assert "output: 1200" in run(world, "big.yaml").out

    def listed(*words):
        return [one["id"] for one in belay(world, "list", *words, "--json").jsons()]

    children = ["big-1/m-1", "big-1/m-2"]
    assert listed() == ["big-1"]
    assert sorted(listed("--all-parts")) == ["big-1"] + children
    assert sorted(listed("--parent", "big-1")) == children
    assert [one["count"] for one in belay(world, "list", "--counts", "--json").jsons()] == [1]
    tree = belay(world, "tree", "big-1").out
    assert "m-1" in tree and "m-2" in tree
    belay(world, "delete", "--status", "completed", "--yes")
    assert listed("--all-parts") == []
