"""Backups while workers run, and users who may only read."""

import os
import shutil
import subprocess

from harness import BELAY, SECONDS, Ran


def as_nobody(world, *words, status=0):
    """As a user whom file permissions bind, which root is not."""
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*drop, BELAY, *words],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd="/",
        env=world.environment(),
        check=False,
    )
    assert done.returncode == status, f"{words}: {done.returncode}, not {status}\n{done.stdout}{done.stderr}"
    return Ran(done.returncode, done.stdout, done.stderr)


def open_to_readers(world, *, directory=0o755):
    """Others may read the file, and whoever owns it may not write to it either: so it binds us without root, too."""
    os.chmod(world.directory, directory)
    for name in os.listdir(world.directory):
        os.chmod(os.path.join(world.directory, name), 0o444)


def test_who_may_only_read_lists_and_changes_nothing(world):
    world.started("Waits", "--id", "w1")
    worker = world.worker()
    world.until(lambda: world.belay("show", "w1", "--json").json()["waiting_for"])
    for directory in (0o755, 0o777):
        open_to_readers(world, directory=directory)
        before = sorted(os.listdir(world.directory))
        (one,) = as_nobody(world, "list", "--json").jsons()
        assert one["id"] == "w1" and one["status"] == "running", one
        assert as_nobody(world, "show", "w1").out.startswith("w1")
        assert as_nobody(world, "history", "w1").out
        assert as_nobody(world, "queues").out
        refused = as_nobody(world, "raise", "w1", "go", "text:x", status=5)
        assert f"this user may not write to '{world.file}'" in refused.err, refused.err
        assert sorted(os.listdir(world.directory)) == before
    world.stop(worker)
    assert as_nobody(world, "list", "--json").jsons()[0]["id"] == "w1"


def test_a_file_without_a_log_is_read_where_nothing_can_be_made(world):
    world.started("Waits", "--id", "w1")
    world.belay("backup", "copy.db")
    os.mkdir(os.path.join(world.directory, "archive"))
    world.file = shutil.move(os.path.join(world.directory, "copy.db"), os.path.join(world.directory, "archive"))
    os.chmod(world.directory, 0o755)
    os.chmod(world.file, 0o444)
    os.chmod(os.path.dirname(world.file), 0o555)
    try:
        (one,) = as_nobody(world, "list", "--json").jsons()
        assert one["id"] == "w1"
        assert os.listdir(os.path.dirname(world.file)) == ["copy.db"]
    finally:
        os.chmod(os.path.dirname(world.file), 0o755)


def test_a_backup_while_a_worker_runs_is_a_store(world):
    worker = world.worker()
    for number in range(5):
        world.started("Greet", "you", "--id", f"g{number}")
    made = world.belay("backup", "copy.db", "--json").json()
    copy = os.path.join(world.directory, "copy.db")
    assert made == {"file": "copy.db", "bytes": os.path.getsize(copy)}
    world.stop(worker)
    listed = world.belay("list", "--json", "--store", f"sqlite:{copy}").jsons()
    assert sorted(one["id"] for one in listed) == [f"g{number}" for number in range(5)]
    world.belay("doctor", "--store", f"sqlite:{copy}")


def test_a_backup_replaces_nothing(world):
    world.started("Waits", "--id", "w1")
    copy = os.path.join(world.directory, "copy.db")
    with open(copy, "w", encoding="utf-8") as file:
        file.write("theirs")
    refused = world.belay("backup", "copy.db", status=4)
    assert "'copy.db' is there already" in refused.err
    with open(copy, encoding="utf-8") as file:
        assert file.read() == "theirs"
    world.belay("backup", "none/copy.db", status=5)
    world.belay("backup", "other.db", "--store", "sqlite:missing.db", status=5)
    assert not [name for name in os.listdir(world.directory) if name.startswith((".belay", "other"))]
