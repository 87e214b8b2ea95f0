"""Workers that die, that never end, and whose files are taken away."""

import os
import subprocess
import threading

from harness import BIN, SECONDS


def doomed(world):
    """A worker process that is ready, with leases of an hour. Its reports of itself go into a file."""
    with open(os.path.join(world.directory, "errors"), "a", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [str(BIN / "belay-cli-doomed-worker"), world.file, os.path.join(world.directory, "marks")],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    world.workers.append(process)
    assert process.stdout.readline() == "ready\n"
    return process


def read(world, name):
    path = os.path.join(world.directory, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def first_attempt(world):
    """Until the program of the first attempt and its child run."""
    world.until(lambda: read(world, "marks").endswith("\n"))


def ends_with_its_second_attempt(world):
    # The second attempt says which processes of the first it has seen running, before it says that it is done.
    waited = world.belay("wait", "l1", "--timeout", f"{SECONDS}s")
    assert waited.out == "completed: done\n", waited.out
    assert len(read(world, "marks").splitlines()) == 2, read(world, "marks")


def test_a_program_ends_with_its_whole_group_before_a_later_worker_runs_it_again(world):
    world.started("Leaves", "--id", "l1")
    worker = doomed(world)
    first_attempt(world)
    worker.kill()
    worker.wait()
    doomed(world)
    ends_with_its_second_attempt(world)


def test_a_program_ends_with_its_whole_group_before_a_living_worker_runs_it_again(world):
    world.started("Leaves", "--id", "l1")
    worker = doomed(world)
    first_attempt(world)
    doomed(world)
    worker.kill()
    ends_with_its_second_attempt(world)


def test_a_worker_with_an_endless_turn_ends_when_it_is_told_to(world):
    world.started("Spins", "--id", "s1")
    worker = doomed(world)
    assert worker.stdout.readline() == "Spins began\n"
    world.stop(worker)
    assert worker.returncode == 0, worker.returncode


def start_until(world, acknowledged, enough, prefix):
    """Starts runs, and keeps the ids that were acknowledged. Others may have failed."""
    number = 0
    while not enough.is_set():
        number += 1
        words = ["start", "Greet", "you", "--id", f"{prefix}-{number}"]
        done = subprocess.run(
            [str(BIN / "belay"), *words],
            capture_output=True,
            cwd=world.directory,
            env=world.environment(),
            timeout=SECONDS,
            check=False,
        )
        if done.returncode == 0:
            acknowledged.append(words[-1])


def test_a_worker_whose_index_is_removed_under_load_refuses_to_go_on(world):
    world.started("Greet", "first", "--id", "first")
    worker = doomed(world)
    acknowledged = []
    enough = threading.Event()
    loaders = [threading.Thread(target=start_until, args=(world, acknowledged, enough, name)) for name in "abc"]
    for loader in loaders:
        loader.start()
    try:
        world.until(lambda: len(acknowledged) >= 20)
        os.remove(world.file + "-shm")
        world.until(lambda: f"{world.file}-shm was " in read(world, "errors"))
        before = len(acknowledged)
        world.until(lambda: len(acknowledged) >= before + 20)
    finally:
        enough.set()
        for loader in loaders:
            loader.join()
    files = [one for one in world.belay("doctor", "--json", status=1).jsons() if one["check"] == "files"]
    assert files[0]["result"] == "fault" and f"({worker.pid})" in files[0]["says"], files
    worker.kill()
    worker.wait()
    assert "end it, and start it again" in read(world, "errors")
    doomed(world)
    for one in acknowledged:
        assert world.belay("wait", one, "--timeout", f"{SECONDS}s").out == "completed: hello you\n"
    checks = {one["check"]: one["result"] for one in world.belay("doctor", "--json").jsons()}
    assert checks["integrity"] == "ok" and checks["files"] == "ok", checks
