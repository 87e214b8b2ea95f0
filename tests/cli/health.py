"""`doctor` and `bench`, as an operator runs them. tests/unit/cli/doctor_test.cpp tests each check."""

import os
import sqlite3


def results(world, *words, status=0):
    return {one["check"]: one["result"] for one in world.belay("doctor", "--json", *words, status=status).jsons()}


def test_a_file_that_is_well(world):
    world.started("Waits", "--id", "w1")
    found = results(world)
    assert list(found) == [
        *("file", "permissions", "file-system", "disk-space", "lock", "foreign-programs", "files", "schema"),
        *("integrity", "log", "clock", "leases", "ready", "code", "turns", "held", "pauses", "dead-letters", "stopping"),
    ]
    assert "fault" not in found.values()
    assert "it is a file of Belay" in world.belay("doctor").out


def test_a_file_that_is_not_there_is_not_made(world):
    assert results(world, status=1)["file"] == "fault"
    assert os.listdir(world.directory) == []


def test_other_programs_are_named(world):
    world.started("Waits", "--id", "w1")
    foreign = sqlite3.connect(world.file)
    foreign.execute("select count(*) from run").fetchone()
    told = world.belay("doctor").out
    assert f"({os.getpid()})" in told, told
    world.belay("doctor", "--strict", status=1)
    foreign.close()
    assert results(world)["foreign-programs"] == "ok"


def test_a_worker_is_no_foreign_program(world):
    world.started("Waits", "--id", "w1")
    world.worker()
    assert results(world)["foreign-programs"] == "ok"


def test_bench_leaves_nothing_behind(world):
    figures = world.belay("bench", "--runs", "20", "--json", BELAY_STORE="").json()
    assert figures["runs"] == 20 and figures["runs_per_second"] > 0
    assert os.listdir(world.directory) == []
