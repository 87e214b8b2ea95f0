"""Runs that have ended and are run again: resumed from a step, or from the beginning."""

import os

from flows import begun, ends, go, read, write
from harness import BELAY

import subprocess

FAILS_AT_SECOND = """belay: 1
name: demo
params:
  word: {type: string, default: hello}
steps:
  - id: first
    script: |
      echo "$WORD"
      echo first >> done
    env: {WORD: "${{ params.word }}"}
  - id: each
    needs: [first]
    map: "[1, 2, 3]"
    window: 1
    script: |
      echo "item $N" >> done
      [ "$N" != 3 ] || [ -e repaired ]
    env: {N: "${{ item }}"}
  - id: last
    needs: [each]
    script: |
      echo begun >> begun
      until [ -e go ]; do sleep 0.02; done
      echo last >> done
output: '{"said": steps.first.output, "of": run.attempt_of}'
"""


def belay(world, *words, status=0, **variables):
    return world.belay(*words, status=status, BELAY_STORE="", **variables)


def failed(world, *words):
    write(world, "demo.yaml", FAILS_AT_SECOND)
    belay(world, "run", "demo.yaml", *words, status=1)
    write(world, "done", "")
    write(world, "repaired", "")


def test_a_failed_flow_goes_on_from_what_failed(world):
    failed(world, "-p", "word=given")
    preview = belay(world, "resume", "demo-1", "--dry-run").out
    assert preview == "a run that resumes demo-1 keeps first and 2 items; runs each, last\n", preview
    go(world)
    ran = belay(world, "resume", "demo-1", "--wait")
    assert ran.out.startswith("demo-2 resumes demo-1: it keeps first and 2 items; runs each, last\n"), ran.out
    assert '{"said":"given","of":"demo-1"}' in ran.out, ran.out
    assert ran.out.index("first kept from demo-1") < ran.out.index("last started"), ran.out
    assert read(world, "done") == "item 3\nlast\n"
    graph = {step["id"]: step for step in belay(world, "graph", "demo-2", "--json").json()["lists"][0]["steps"]}
    assert graph["first"]["state"] == "completed" and graph["first"]["why"] == "kept from demo-1"
    assert "demo-2" in belay(world, "list", "--label", "resumed-from=demo-1").out


def test_chosen_steps_run_again(world):
    failed(world)
    go(world)
    belay(world, "resume", "demo-1", "--step", "first", "--wait", "--quiet")
    assert read(world, "done") == "first\nitem 1\nitem 2\nitem 3\nlast\n"
    write(world, "done", "")
    belay(world, "resume", "demo-2", "--step", "each[1]", "--wait", "--quiet")
    assert read(world, "done") == "item 2\nlast\n"
    refused = belay(world, "resume", "demo-2", status=2)
    assert "has completed: name the steps to run again" in refused.err, refused.err
    assert "'nowhere' is no step" in belay(world, "resume", "demo-2", "--step", "nowhere", status=2).err


def test_a_corrected_file_keeps_what_still_fits(world):
    failed(world)
    go(world)
    os.remove(os.path.join(world.directory, "repaired"))
    other = FAILS_AT_SECOND.replace("echo first >> done", "echo 1st >> done")
    write(world, "demo.yaml", other)
    refused = belay(world, "resume", "demo-1", "--file", "demo.yaml", status=2)
    assert "the step 'first' has ended, and is another one" in refused.err, refused.err
    write(world, "demo.yaml", FAILS_AT_SECOND.replace(' || [ -e repaired ]', " || true"))
    belay(world, "resume", "demo-1", "--file", "demo.yaml", "--wait", "--quiet")
    assert read(world, "done") == "item 3\nlast\n"


def test_killed_a_resumed_run_goes_on(world):
    failed(world)
    process = subprocess.Popen(
        [BELAY, "resume", "demo-1", "--wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=world.directory,
        env=world.environment(BELAY_STORE=""),
    )
    world.workers.append(process)
    begun(world)
    again = belay(world, "resume", "demo-1")
    assert again.out == "demo-2 resumes demo-1 already\n", again.out
    process.kill()
    ends(process, -9)
    go(world)
    joined = belay(world, "run", "demo.yaml")
    assert "run demo-2 goes on" in joined.out, joined.out
    assert read(world, "done") == "item 3\nlast\n"


def test_a_run_that_goes_on_is_not_resumed(world):
    write(world, "repaired", "")
    write(world, "demo.yaml", FAILS_AT_SECOND)
    process = subprocess.Popen(
        [BELAY, "run", "demo.yaml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=world.directory,
        env=world.environment(BELAY_STORE=""),
    )
    world.workers.append(process)
    begun(world)
    assert "once it has settled" in belay(world, "resume", "demo-1", status=4).err
    assert "once it has ended" in belay(world, "rerun", "demo-1", status=4).err
    go(world)
    ends(process, 0)


def test_a_rerun_runs_all_again_with_another_param(world):
    failed(world)
    go(world)
    belay(world, "resume", "demo-1", "--wait", "--quiet")
    write(world, "done", "")
    ran = belay(world, "rerun", "demo-2", "-p", "word=other", "--wait")
    assert '{"said":"other","of":"demo-2"}' in ran.out, ran.out
    assert read(world, "done") == "first\nitem 1\nitem 2\nitem 3\nlast\n"


def test_many_run_again_by_a_filter(world):
    for order in ("1", "2"):
        world.belay("start", "Nothing", order, "--id", f"job-{order}", "--label", "city=Ulm", "--create")
        world.belay("cancel", f"job-{order}")
    world.belay("start", "Nothing", "3", "--id", "job-3", "--label", "city=Ulm")
    preview = world.belay("rerun", "--label", "city=Ulm", "--dry-run").out
    assert preview.startswith("2 instances would run again: job-"), preview
    assert "say --yes" in world.belay("rerun", "--label", "city=Ulm", status=4).err
    done = world.belay("rerun", "--label", "city=Ulm", "--limit", "1", "--yes").out
    assert done == "1 instance run again\nmore match and were left\n", done
    assert world.belay("rerun", "--all", "--yes", "--json").json() == {
        "preview": False,
        "matched": 1,
        "rerun": 1,
        "there": 0,
        "before": 1,
        "refused": [],
        "more": False,
    }
    repeated = world.belay("rerun", "--all", "--yes").out
    assert repeated == "0 instances run again\n2 instances left out: run again or resumed before\n", repeated
    assert world.belay("rerun", "job-1", "--input", "9").out.endswith("started: it repeats job-1\n")
    assert "nothing says what" in world.belay("rerun", status=2).err
    assert "but not both" in world.belay("rerun", "job-1", "--all", status=2).err
    assert "is no run of a flow" in world.belay("resume", "job-1", status=2).err
    assert "has no params" in world.belay("rerun", "job-1", "-p", "a=b", status=2).err


def test_an_orchestration_goes_on_from_an_event(world):
    world.belay("start", "Nothing", "--id", "job-1", "--create")
    world.belay("cancel", "job-1")
    assert "has never begun" in world.belay("resume", "job-1", "--event", "7", status=2).err
    assert "--step is for flows" in world.belay("resume", "job-1", "--event", "7", "--step", "a", status=2).err
    world.worker()
    world.belay("start", "Changes", "--id", "c-1")
    world.belay("raise", "c-1", "go", "text:one")
    assert "hello youone" in world.belay("wait", "c-1").out
    entries = world.belay("show", "c-1", "--json").json()["timeline"]
    received = next(str(one["event"]) for one in entries if one["text"].startswith("MessageReceived"))
    said = world.belay("resume", "c-1", "--event", received, "--id", "c-2").out
    assert said == f"c-2 resumes c-1 before event {received}\n", said
    world.belay("raise", "c-2", "go", "text:two")
    assert "hello youtwo" in world.belay("wait", "c-2").out
    assert "c-2" in world.belay("list", "--label", "resumed-from=c-1").out


def test_an_orchestration_goes_on_from_an_event_of_an_earlier_execution(world):
    world.worker()
    world.belay("start", "Loop", "2", "--id", "l-1", "--create")
    world.belay("wait", "l-1")
    refused = world.belay("resume", "l-1", "--event", "2", "--execution", "2", status=2)
    assert "begins execution 2 with the turn of this event" in refused.err, refused.err
    assert "executions 1 to 3" in world.belay("resume", "l-1", "--event", "2", "--execution", "4", status=2).err
    assert "--execution is for an --event" in world.belay("resume", "l-1", "--execution", "2", status=2).err


def test_many_flows_are_resumed_by_a_filter(world):
    failed(world)
    os.remove(os.path.join(world.directory, "repaired"))
    belay(world, "run", "demo.yaml", "-p", "word=other", status=1)
    write(world, "repaired", "")
    many = ["resume", "--status", "failed", "--definition", "demo"]
    assert belay(world, *many, "--dry-run").out == "2 instances would be resumed: demo-1, demo-2\n"
    assert "say --yes" in belay(world, *many, status=4).err
    wrong = belay(world, *many, "--step", "nowhere", "--yes", status=4).out
    assert wrong.startswith("0 instances resumed\nnot 'demo-1': ") and "'nowhere' is no step" in wrong, wrong
    assert belay(world, *many, "--yes").out == "2 instances resumed\n"
    repeated = belay(world, *many, "--yes").out
    assert repeated == "0 instances resumed\n2 instances left out: run again or resumed before\n", repeated
    assert "is for one instance" in belay(world, *many, "--wait", status=2).err
    assert "nothing says what to resume" in belay(world, "resume", status=2).err
