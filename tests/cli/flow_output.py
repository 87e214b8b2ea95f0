"""Output of failed flows, runs in several stores, and what `belay flow check` says."""

from flows import flow, go, run, write

KID = """belay: 1
name: kid
params: {n: {type: integer}}
steps:
  - id: say
    script: 'echo "kid $N"; [ "$N" != 2 ]'
    env: {N: "${{ params.n }}"}
"""
PARENT = """belay: 1
name: par
steps:
  - {id: kids, map: "[1, 2]", window: 1, flow: kid, with: {n: "${{ item }}"}}
"""
SCHEDULES = """belay: 1
name: demo
schedules:
  - {name: a, cron: 0 25 * * *}
  - {name: b, cron: 0 3 * * *, zone: Europe/Brusels}
steps: [{id: a, set: 1}]
"""


def test_the_output_of_a_failed_child_is_named_and_found(world):
    write(world, "kid.yaml", KID)
    write(world, "par.yaml", PARENT)
    printed = run(world, "par.yaml", "--id", "it's", status=1).out
    assert "more: belay logs 'it'\\''s/kids-1' --step say" in printed, printed
    assert world.belay("logs", "it's/kids-1", "--step", "say", BELAY_STORE="").out == "kid 2\n"
    both = world.belay("logs", "it's", BELAY_STORE="").out
    assert both.splitlines() == ["kids-0/say | kid 1", "kids-1/say | kid 2"], both
    assert world.belay("logs", "it's", "--step", "kids[1]", BELAY_STORE="").out == "kid 2\n"


def test_a_failure_without_output_has_no_hint(world):
    write(world, "demo.yaml", "belay: 1\nname: demo\nsteps: [{id: a, wait: {event: e, timeout: 1ms}}]\n")
    assert "more:" not in run(world, "demo.yaml", status=1).out


def test_a_run_is_found_among_the_stores_of_several_flows(world):
    flow(world)
    write(world, "other.yaml", "belay: 1\nname: other\nsteps: [{id: a, script: echo of other}]\n")
    go(world)
    run(world, "demo.yaml")
    run(world, "other.yaml")
    assert "of other" in world.belay("logs", "other-1", BELAY_STORE="").out
    assert "completed" in world.belay("graph", "demo-1", BELAY_STORE="").out
    assert "completed" in world.belay("show", "demo-1", BELAY_STORE="").out
    assert "do not differ" in world.belay("flow", "diff", "other.yaml", BELAY_STORE="").out
    assert "has several" in world.belay("list", BELAY_STORE="", status=2).err


def test_a_file_that_is_missing_hides_no_mistake_of_the_others(world):
    flow(world, "belay: 1\nname: demo\nstebs: []\n")
    told = world.belay("flow", "check", "missing.yaml", "demo.yaml", "gone.yaml", "demo.yaml", status=2)
    assert told.out.count("demo.yaml:3:1:") == 2, told.out
    assert "missing.yaml" in told.err and "gone.yaml" in told.err, told.err


def test_schedules_are_checked_with_the_zones_of_the_machine(world):
    flow(world, SCHEDULES)
    problems = world.belay("flow", "check", "demo.yaml", "--json", status=9).json()["problems"]
    assert [(one["line"], one["column"]) for one in problems] == [(4, 21), (5, 38)], problems
    assert problems[0]["message"].startswith('bad cron expression "0 25 * * *": '), problems
    assert problems[1]["message"] == 'unknown time zone "Europe/Brusels"', problems
    assert problems[1]["advice"] == 'Did you mean "Europe/Brussels"?', problems
