"""On a terminal: colours, widths, questions, and what is drawn live."""

import json
import signal
import sqlite3
import subprocess
import time

from harness import BELAY


def test_colours_only_on_a_terminal(world):
    world.started("Waits", "--id", "w1")
    assert "\x1b[" not in world.belay("list").out
    assert "\x1b[1m" in world.on_terminal("list")[1]
    assert "\x1b[" not in world.on_terminal("list", NO_COLOR="1")[1]
    assert "\x1b[" not in world.on_terminal("list", TERM="dumb")[1]


def test_tables_fit_the_width(world):
    world.started("Waits", "--id", "ü" * 60)
    _, printed = world.on_terminal("list", columns=70, NO_COLOR="1")
    lines = printed.replace("\r", "").splitlines()
    assert len(lines) == 2 and all(len(line) <= 70 for line in lines), printed
    assert "ü…ü" in lines[1]
    assert "ü" * 60 in world.belay("list").out  # Elsewhere nothing is cut.


def test_every_table_fits_60_columns_and_ids_are_whole(world):
    made = world.started("Fails")
    world.started("Family", "--id", "family-of-some-length", "--key", "the-key-of-the-family")
    world.started("Sleeps", "--id", "s1", "--owner", "somebody-else")
    world.worker()
    world.belay("wait", made, status=1)
    world.until(lambda: world.belay("tree", "family-of-some-length").out.count("running") == 3)
    world.until(lambda: world.belay("leases").out.count("s1"))
    tables = [
        ["list"],
        ["list", "-o", "+custom-status,labels,owner,version"],
        ["tree", "family-of-some-length"],
        ["show", made],
        ["show", "family-of-some-length"],
        ["history", made],
        ["queues"],
        ["leases"],
        ["keys"],
        ["limits"],
        ["dead-letters"],
        ["held"],
    ]
    for words in tables:
        status, printed = world.on_terminal(*words, columns=60, NO_COLOR="1")
        lines = printed.replace("\r", "").splitlines()
        assert status == 0 and all(len(line) <= 60 for line in lines), printed
    printed = world.on_terminal("list", columns=60, NO_COLOR="1")[1]
    assert len(made) == 20 and made in printed and "family-of-some-length" in printed, printed
    assert "\r\n  (application) it broke" in printed, printed


def test_a_question_before_what_cannot_be_undone(world):
    world.started("Waits", "--id", "w1")
    refused = world.belay("delete", "w1", "--force", status=4)
    assert "say --yes" in refused.err
    status, printed = world.on_terminal("delete", "w1", "--force", typed="n\n")
    assert status == 4 and "Delete 'w1' for good, running or not? [y/N]" in printed
    assert world.status("w1") == "pending"
    status, printed = world.on_terminal("delete", "w1", "--force", typed="y\n")
    assert status == 0 and "deleted 1 instance" in printed
    world.belay("show", "w1", status=3)


def test_watch_redraws_on_a_terminal_until_the_end(world):
    world.started("Greet", "bob", "--id", "g1")
    world.worker()
    status, printed = world.on_terminal("watch", "g1", "--interval", "10ms", columns=100)
    assert status == 0 and "\x1b[H\x1b[2J" in printed and "hello bob" in printed


def test_watch_appends_lines_elsewhere(world):
    world.started("Loop", "2", "--id", "l1")
    world.worker()
    lines = world.belay("watch", "l1", "--interval", "10ms").lines()
    assert lines and "ExecutionEnded completed 0" in lines[-1]
    world.started("Fails", "--id", "f1")
    events = world.belay("watch", "f1", "--json", "--interval", "10ms", status=1).jsons()
    assert events[-1]["type"] == "ExecutionEnded" and events[-1]["failure"]["kind"] == "application"


def test_watch_ends_with_the_run_that_it_watched(world):
    world.started("Waits", "--id", "w1")
    world.worker()
    world.until(lambda: world.belay("show", "w1", "--json").json()["waiting_for"])
    for last in ("event", "line"):
        command = [BELAY, "watch", "w1", "--interval", "10ms", "--json"]
        watching = subprocess.Popen(command, stdout=subprocess.PIPE, env=world.environment(), text=True)
        world.workers.append(watching)
        if last == "event":
            assert watching.stdout.readline()
            world.belay("start", "Waits", "--id", "w1", "--on-conflict", "replace", "--delay", "1h", "--yes")
        else:  # It is pending, and ends without an event.
            world.until(lambda: has_handler(watching.pid, signal.SIGINT))
            world.belay("start", "Waits", "--id", "w1", "--on-conflict", "replace", "--yes")
        printed = watching.communicate(timeout=30)[0].splitlines()
        assert watching.returncode == 1
        end = json.loads(printed[-1])
        assert end.get("type") == "ExecutionEnded" if last == "event" else end["status"] == "canceled", printed
    assert world.status("w1") in ("pending", "running")


def test_watch_tells_an_end_without_an_event(world):
    world.started("Waits", "--id", "w1")
    world.belay("cancel", "w1", "--reason", "wrong size")
    assert "canceled by ann (user): wrong size" in world.belay("watch", "w1", status=1).lines()[-1]
    world.started("Waits", "--id", "w2")
    world.worker()
    world.until(lambda: world.belay("show", "w2", "--json").json()["waiting_for"])
    world.belay("terminate", "w2", "--yes")
    lines = world.belay("watch", "w2", status=1).lines()
    assert "ExecutionStarted" in lines[0] and "cleanup terminated" in lines[-1], lines
    assert world.belay("watch", "w2", "--json", status=1).jsons()[-1]["status"] == "canceled"


def test_watch_many_prints_a_line_for_each_change(world):
    for i in range(3):
        world.started("Greet", "bob", "--id", f"g{i}")
    world.started("Waits", "--id", "w1")
    world.worker()
    for i in range(3):
        world.belay("wait", f"g{i}")
    world.belay("raise", "w1", "go", "text:now")
    lines = world.belay("watch", "g0", "w1", "--interval", "10ms").lines()
    assert "g0  completed: hello bob" in lines[0] and "w1  completed: now" in lines[-1], lines
    changes = world.belay("watch", "--definition", "Greet", "--json", "--interval", "10ms").jsons()
    assert sorted(one["id"] for one in changes if one["status"] == "completed") == ["g0", "g1", "g2"]


def test_watch_many_on_a_terminal(world):
    world.started("Greet", "bob", "--id", "g1")
    world.started("Fails", "--id", "f1")
    world.worker()
    status, printed = world.on_terminal("watch", "g1", "f1", "--interval", "10ms", columns=100)
    assert status == 1 and "2 of 2 instances ended" in printed and "hello bob" in printed


def has_handler(pid, number):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        mask = next(line for line in status if line.startswith("SigCgt:"))
    return int(mask.split()[1], 16) >> (number - 1) & 1


def test_watch_is_ended_by_the_keyboard(world):
    world.started("Waits", "--id", "w1")
    for words in (["w1"], ["--definition", "Waits"]):
        command = [BELAY, "watch", *words, "--interval", "10ms", "--json"]
        watching = subprocess.Popen(command, stdout=subprocess.PIPE, env=world.environment(), text=True)
        world.until(lambda: has_handler(watching.pid, signal.SIGINT))
        watching.send_signal(signal.SIGINT)
        printed = watching.communicate(timeout=30)[0]
        assert watching.returncode == 0 and (words == ["w1"] or '"id":"w1"' in printed)


def test_watch_shows_what_it_can_of_a_history_that_cannot_be_read(world):
    world.started("Waits", "--id", "w1")
    world.worker()
    world.until(lambda: world.belay("show", "w1", "--json").json()["waiting_for"])
    file = sqlite3.connect(world.file)
    file.execute("update history set bytes = x'ff00ff'")
    file.commit()
    file.close()
    world.belay("terminate", "w1", "--yes")
    lines = world.belay("watch", "w1", status=1).lines()
    assert "its history cannot be read" in lines[0] and "canceled" in lines[-1], lines
    status, printed = world.on_terminal("watch", "w1", columns=100)
    assert status == 1 and "canceled" in printed, printed


def test_timeline_is_drawn(world):
    world.started("Sleeps", "--id", "s1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"
    time.sleep(0.05)
    shown = world.belay("show", "s1").out
    assert "Timeline of execution 1" in shown and "▶" in shown and "Nap" in shown
