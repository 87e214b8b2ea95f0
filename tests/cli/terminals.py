"""On a terminal: colours, widths, questions, and what is drawn live."""

import time


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
    assert "…" in lines[1]
    assert "ü" * 60 in world.belay("list").out  # Elsewhere nothing is cut.


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


def test_timeline_is_drawn(world):
    world.started("Sleeps", "--id", "s1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"
    time.sleep(0.05)
    shown = world.belay("show", "s1").out
    assert "Timeline of execution 1" in shown and "▶" in shown and "Nap" in shown
