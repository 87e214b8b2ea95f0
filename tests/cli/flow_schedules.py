"""Schedules of flows, and the worker that keeps them: `belay work` is killed, and each tick still starts one run."""

import json
import os
import signal
import subprocess

from flows import read, write
from harness import BELAY, SECONDS

TICKING = """belay: 1
name: ticking
params:
  word: {type: string, default: tick}
schedules:
  - {name: fast, every: 1s, overlap: allow, catch_up: all, params: {word: tock}}
steps:
  - id: say
    script: echo "$WORD" >> said
    env: {WORD: "${{ params.word }}"}
"""


def begin(world, *words):
    """A worker that works."""
    process = subprocess.Popen(
        [BELAY, "work", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=world.directory,
        env=world.environment(BELAY_STORE=""),
    )
    world.workers.append(process)
    return process


def stopped(process):
    process.send_signal(signal.SIGTERM)
    printed = process.communicate(timeout=SECONDS)[0]
    assert process.returncode == 0, printed
    return printed


def belay(world, *words, status=0):
    return world.belay(*words, status=status, BELAY_STORE="")


def runs(world, name, status="completed"):
    words = ["list", "--label", f"belay.schedule={name}", "--status", status, "--json"]
    return [run["id"] for run in belay(world, *words).jsons()]


def each_tick_once(world, name, shown):
    """The id of a run has its tick. A second run of a tick would have another kind of id."""
    ids = sorted(runs(world, name))
    assert len(ids) == shown["fired"] and shown["refused"] == 0, shown
    seconds = [int(one[-3:-1]) for one in ids]
    assert all(one.startswith(name + "-2") and one.endswith("Z") for one in ids), ids
    assert all(b == (a + 1) % 60 for a, b in zip(seconds, seconds[1:])), ids


def test_a_schedule_of_a_flow_starts_each_tick_once_across_kills_of_the_worker(world):
    write(world, "ticking.yaml", TICKING)
    first = begin(world, "ticking.yaml")
    world.until(lambda: read(world, "said").count("tock") >= 2)
    first.kill()
    first.wait(SECONDS)
    before = read(world, "said").count("tock")
    second = begin(world, "ticking.yaml")
    world.until(lambda: read(world, "said").count("tock") >= before + 4)
    belay(world, "schedules", "pause", "ticking-fast")
    world.until(lambda: belay(world, "schedules", "show", "ticking-fast", "--json").json()["state"] == "paused")
    shown = belay(world, "schedules", "show", "ticking-fast", "--json").json()
    world.until(lambda: len(runs(world, "ticking-fast")) == shown["fired"])
    assert "unchanged" in stopped(second)
    each_tick_once(world, "ticking-fast", shown)


def test_of_two_workers_on_one_store_each_tick_starts_one_run(world):
    write(world, "ticking.yaml", TICKING)
    workers = [begin(world, "ticking.yaml")]
    world.until(lambda: read(world, "said"))  # The worker makes the store.
    workers.append(begin(world, "ticking.yaml"))
    world.until(lambda: len(runs(world, "ticking-fast")) >= 5)
    belay(world, "schedules", "pause", "ticking-fast")
    world.until(lambda: belay(world, "schedules", "show", "ticking-fast", "--json").json()["state"] == "paused")
    shown = belay(world, "schedules", "show", "ticking-fast", "--json").json()
    world.until(lambda: len(runs(world, "ticking-fast")) == shown["fired"])
    for worker in workers:
        stopped(worker)
    each_tick_once(world, "ticking-fast", shown)
    assert read(world, "said").count("tock") == shown["fired"]


def test_a_schedule_keeps_the_flow_as_it_was_when_it_was_added(world):
    write(world, "ticking.yaml", TICKING)
    belay(world, "schedules", "add", "mine", "--every", "1s", "--flow", "ticking.yaml", "-p", "word=first")
    write(world, "ticking.yaml", TICKING.replace('echo "$WORD"', 'echo "changed $WORD"'))
    worker = begin(world, "--allow-exec")
    world.until(lambda: len(runs(world, "mine")) >= 1)
    stopped(worker)
    assert set(read(world, "said").split("\n")) == {"first", ""}


def test_a_schedule_cannot_be_added_with_params_that_its_flow_refuses(world):
    write(world, "ticking.yaml", TICKING)
    words = ["schedules", "add", "mine", "--every", "1s", "--flow", "ticking.yaml"]
    refused = belay(world, *words, "-p", "wort=x", status=2)
    assert "wort" in refused.err
    assert "--definition" in belay(world, *words, "--definition", "X", status=2).err


def test_apply_adds_updates_and_names_what_is_gone(world):
    write(world, "ticking.yaml", TICKING)

    def applied():
        return {one["name"]: one["result"] for one in belay(world, "schedules", "apply", "ticking.yaml", "--json").jsons()}

    assert applied() == {"ticking-fast": "added"}
    # Before a worker has seen it, and so before an update has been taken.
    assert applied() == {"ticking-fast": "unchanged"}
    write(world, "ticking.yaml", TICKING.replace("name: fast, ", ""))
    assert applied() == {"ticking-1": "added", "ticking-fast": "not in the file"}
    belay(world, "schedules", "remove", "ticking-fast", "--yes")
    assert applied() == {"ticking-1": "unchanged"}


def test_a_worker_without_a_file_runs_no_programs_unless_it_is_told_to(world):
    write(world, "ticking.yaml", TICKING)
    belay(world, "schedules", "apply", "ticking.yaml")
    careful = begin(world)
    world.until(lambda: len(runs(world, "ticking-fast", "running")) >= 1)
    assert "runs no programs" in stopped(careful)
    assert read(world, "said") == ""
    trusting = begin(world, "--allow-exec")
    world.until(lambda: "tock" in read(world, "said"))
    stopped(trusting)


def test_several_files_need_a_store_that_they_share(world):
    for name in ("one", "two"):
        write(world, f"{name}.yaml", TICKING.replace("ticking", name))
    refused = belay(world, "work", "one.yaml", "two.yaml", status=2)
    assert "--store" in refused.err
    worker = begin(world, "one.yaml", "two.yaml", "--store", f"sqlite:{world.file}")
    names = ("one-fast", "two-fast")

    def shown():
        listed = world.belay("schedules", "list", "--json", status=0).jsons() if os.path.exists(world.file) else []
        return {one["name"] for one in listed if one["fired"] > 0} == set(names)

    world.until(shown)
    lines = stopped(worker)
    assert all(f"schedule {name}: added" in lines for name in names), lines


def test_belay_run_keeps_no_schedules(world):
    write(world, "ticking.yaml", TICKING)
    belay(world, "schedules", "apply", "ticking.yaml")
    belay(world, "run", "ticking.yaml")
    listed = [json.loads(line) for line in belay(world, "schedules", "list", "--json").lines()]
    assert [one["fired"] for one in listed] == [0]
