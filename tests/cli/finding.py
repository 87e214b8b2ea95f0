"""Finding instances, and understanding one."""

import json
import re
import sqlite3
import subprocess

from harness import BELAY, SECONDS


def test_lists_by_filters_and_pages(world):
    for i in range(7):
        world.started("Waits", "--id", f"w{i}", "--owner", "shop" if i % 2 else "mill", "--label", f"n={i}")
    world.started("Greet", "x", "--id", "g0", "--space", "other")
    world.belay("cancel", "w3")

    def ids(*words):
        return sorted(one["id"] for one in world.belay("list", "--json", *words).jsons())

    assert ids() == [f"w{i}" for i in range(7)]
    assert ids("--status", "canceled") == ["w3"]
    assert ids("--owner", "shop") == ["w1", "w3", "w5"]
    assert ids("--label", "n=5") == ["w5"]
    assert ids("--label", "n=text:5") == []
    assert ids("--label", "n=5", "--label", "n=5") == ["w5"]
    assert ids("--label", "n=5", "--label", "n=6") == []
    assert ids("--prefix", "w6") == ["w6"]
    assert ids("--space", "other") == ["g0"]
    assert ids("--definition", "Greet") == []
    seen, cursor = [], []
    while True:
        page = world.belay("list", "--json", "--limit", "3", "--sort", "id", *cursor)
        seen += [one["id"] for one in page.jsons()]
        if "--after" not in page.err:
            break
        cursor = ["--after", page.err.split("--after ")[1].strip()]
    assert seen == [f"w{i}" for i in range(7)]
    world.belay("list", "--after", "nonsense", status=2)
    counts = {(one["status"], one["count"]) for one in world.belay("list", "--counts", "--json").jsons()}
    assert counts == {("pending", 6), ("canceled", 1)}
    assert world.belay("list", "--counts", "--status", "running", "--json").jsons() == []
    counts = world.belay("list", "--counts", "--status", "pending", "--owner", "shop", "--json").jsons()
    assert [(one["definition"], one["count"]) for one in counts] == [("Waits", 2)]
    world.belay("list", "--counts", "--limit", "3", status=2)
    world.belay("list", "--older-than", "1h", "--after", "x", status=2)


def test_json_is_shown_as_json(world):
    world.started("Waits", "--id", "w1")
    world.belay("raise", "w1", "go", '{"text": "gift",\n"n": [1]}')
    world.worker()
    world.belay("wait", "w1", status=1)
    assert 'MessageReceived event go {"text": "gift", "n": [1]}' in world.belay("history", "w1").out
    entries = world.belay("show", "w1", "--json").json()["timeline"]
    assert any('go {"text": "gift"' in entry["text"] for entry in entries), entries


def test_the_detail_of_a_failure_is_shown(world):
    world.started("Compiles", "--id", "c1")
    world.started("Waits", "--id", "w1")
    world.worker()
    waited = world.belay("wait", "c1", status=1).out
    assert waited.startswith("failed (application) exit status 1")
    assert "\n  main.c:1: error\n  main.c:2: error\n" in waited, waited
    shown = world.belay("show", "c1").out
    assert "\n    main.c:1: error\n    main.c:2: error\n" in shown, shown
    assert shown.count("main.c:1: error") == 1, shown


def test_logs_are_what_activities_wrote(world):
    world.started("Compiles", "--id", "c1")
    world.started("Sleeps", "--id", "s1")
    world.worker()
    world.belay("wait", "c1", status=1)
    assert world.belay("logs", "c1").out == "main.c\nmain.c:1: \x1b[31merror\x1b[0m\n"
    pieces = world.belay("logs", "c1", "--json").jsons()
    assert [one["stream"] for one in pieces] == ["out", "err"], pieces
    assert {one["source"] for one in pieces} == {"Compile"}
    follower = subprocess.Popen(
        [BELAY, "logs", "s1", "--follow"], env=world.environment(), stdout=subprocess.PIPE, text=True
    )
    assert follower.stdout.readline() == "zzz\n", "while it runs"
    world.belay("cancel", "s1")
    assert follower.communicate(timeout=SECONDS)[0] == "who is there?\n"
    assert follower.returncode == 0
    world.belay("logs", "c1", "--step", "Nap", status=3)
    world.belay("delete", "c1", "--yes")
    world.belay("logs", "c1", status=3)


def test_lists_the_custom_status(world):
    world.started("Sleeps", "--id", "s1")
    world.started("Greet", "x", "--id", "g1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"
    world.belay("wait", "g1")
    assert world.belay("list", "-o", "id,custom-status", "--sort", "-custom-status").lines() == [
        "ID  CUSTOM STATUS",
        "s1  napping",
        "g1",
    ]
    listed = world.belay("list", "-o", "custom-status", "--json", "--sort", "id").jsons()
    assert "custom_status" not in listed[0] and listed[1]["custom_status"]["value"] == "napping"


def test_tree_of_a_family(world):
    world.started("Family", "--id", "f1")
    world.worker()
    world.until(lambda: world.belay("tree", "f1").out.count("running") == 3)
    took = r"  [0-9.]+m?s\n"
    drawn = rf"f1  running  Family{took}├─ /elder  running  Waits{took}└─ /younger  running  Waits{took}"
    assert re.fullmatch(drawn, world.belay("tree", "f1").out), world.belay("tree", "f1").out
    assert re.fullmatch(drawn, world.belay("tree", "f1/elder", "--root").out)
    assert {one["definition"] for one in world.belay("tree", "f1", "--json").jsons()} == {"Family", "Waits"}
    parents = [(one["id"], one["parent"]) for one in world.belay("tree", "f1", "--json").jsons()]
    assert parents == [("f1", None), ("f1/elder", "f1"), ("f1/younger", "f1")]
    shown = world.belay("show", "f1").out
    assert "child 'f1/elder'" in shown and "#1 child /elder " in shown, shown
    world.belay("delete", "f1/elder", "--yes", status=4)
    world.belay("delete", "f1", "--yes", status=4)
    world.belay("cancel", "f1")
    world.belay("wait", "f1", status=1)


def test_tree_that_is_deep_or_has_a_long_id(world):
    world.started("Descends", "150", "--id", "r")
    long_id = "x" * 254
    world.started("Descends", "2", "--id", long_id)
    world.worker()
    for root, size in [("r", 151), (long_id, 3)]:
        world.until(lambda: world.belay("tree", root).out.count("running") == size)
        tree = world.belay("tree", root, "--json").jsons()
        ids = [one["id"] for one in tree]
        assert [one["parent"] for one in tree] == [None, *ids[:-1]]
        assert all(one.startswith(root + "/") for one in ids[1:])
        bottom = ids[-1]
        assert "//" in bottom
        assert world.belay("tree", bottom, "--root").out.startswith(f"{root}  running")
        shown = world.belay("show", bottom, "--json").json()
        assert (shown["id"], shown["root"]) == (bottom, root)
        assert [one["id"] for one in world.belay("list", "--parent", ids[-2], "--json").jsons()] == [bottom]
        assert len(world.belay("list", "--prefix", root + "/", "--limit", "1000", "--json").jsons()) == size - 1
        world.belay("delete", root, "--yes", status=4)
    world.belay("cancel", "--tree", "r", "--yes")
    world.belay("raise", bottom, "go", "up")
    world.belay("wait", "r", status=1)
    world.belay("wait", long_id)
    world.until(lambda: world.belay("tree", "r").out.count("canceled") == 151)
    for root, size in [("r", 151), (long_id, 3)]:
        assert world.belay("delete", root, "--yes", "--json").json()["instances"] == size
    assert world.belay("list", "--json").jsons() == []


def test_queues_show_what_waits(world):
    world.started("Waits", "--id", "w1")
    depths = world.belay("queues", "--json").json()
    assert depths["ready"] == 1 and depths["oldest_ready"]
    assert "ready for a turn" in world.belay("queues").out


def test_keys_and_the_runs_they_belong_to(world):
    for i in range(3):
        world.started("Waits", "--id", f"w{i}", "--key", f"k{i}", "--owner", "shop")
    world.started("Greet", "x", "--id", "g", "--key", "k1", "--key-scope", "while-active")

    def keys(*words):
        return [(one["owner"], one["definition"], one["key"]) for one in world.belay("keys", "list", "--json", *words).jsons()]

    assert keys() == [("default", "Greet", "k1")] + [("shop", "Waits", f"k{i}") for i in range(3)]
    assert keys("--definition", "Greet") == [("default", "Greet", "k1")]
    assert keys("--owner", "shop", "--prefix", "k1") == [("shop", "Waits", "k1")]
    page = world.belay("keys", "list", "--limit", "3")
    assert "k2" not in page.out
    rest = world.belay("keys", "list", "--after", page.err.split("--after ")[1].strip())
    assert "k2" in rest.out and "k1" not in rest.out
    world.belay("cancel", "g")
    world.belay("delete", "w0", "--force", "--yes")
    by_key = {one["key"]: one for one in world.belay("keys", "list", "--owner", "shop", "--json").jsons()}
    assert by_key["k0"]["deleted"] and by_key["k0"]["taken"] and not by_key["k1"]["deleted"]
    assert "deleted" in world.belay("keys", "list").out and "the key is free" in world.belay("keys", "list").out
    world.belay("keys", "list", "--after", "nonsense", status=2)


def test_held_instances_are_released_or_failed(world):
    for instance in ("c1", "c2"):
        world.started("Changes", "--id", instance)
    first = world.worker("1")
    world.until(lambda: all(world.belay("show", c, "--json").json()["waiting_for"] for c in ("c1", "c2")))
    world.stop(first)
    second = world.worker("2")
    world.belay("raise", "c1", "go", "!")
    world.belay("raise", "c2", "go", "!")
    world.until(lambda: len(world.belay("held", "list", "--json").jsons()) == 2)
    cut_off = world.belay("held", "list", "--limit", "1")
    assert cut_off.err.startswith("there are more: --after ")
    cursor = cut_off.err.split()[-1]
    assert len(world.belay("held", "list", "--after", cursor, "--json").jsons()) == 1
    listed = world.belay("held", "list").out
    assert "Hello" in listed and "Bye" in listed, listed
    assert "\n      history: ActivityScheduled" in listed, listed
    drawn = world.on_terminal("held", columns=60, NO_COLOR="1")[1].replace("\r", "").splitlines()
    assert all(len(line) <= 60 for line in drawn) and len(drawn) > len(listed.splitlines()), drawn
    assert "held" in world.belay("list").out
    world.stop(second)
    world.belay("held", "fail", "c2", status=4)
    world.belay("held", "fail", "c2", "--reason", "code is gone", "--yes")
    assert "code is gone" in world.belay("wait", "c2", status=1).out
    world.worker("1")
    world.belay("held", "release", "c1")
    assert world.belay("wait", "c1").out == "completed: hello you!\n"
    world.belay("held", "release", "c1", status=4)


def test_dead_letters(world):
    world.started("Waits", "--id", "w1")
    assert world.belay("dead-letters", "list", "--json").jsons() == []
    file = sqlite3.connect(world.file)
    for letter in (b"first", b"second"):
        file.execute(
            "insert into dead_letter (run, shard, kind, execution, command, name, codec, flags, bytes, reason, at)"
            " select key, shard, 7, 0, 0, 'go', 2, 0, ?, 'by hand', created_at from run",
            (letter,),
        )
    file.commit()
    file.close()
    cut_off = world.belay("dead-letters", "list", "--limit", "1", "--json")
    letter = cut_off.json()["letter"]
    assert cut_off.err == f"there are more: --after {letter}\n"
    assert len(world.belay("dead-letters", "list", "--after", str(letter), "--json").jsons()) == 1
    assert world.belay("dead-letters", "list", "--after", str(2**40), "--json").jsons() == []
    world.belay("dead-letters", "list", "--after", "x", status=2)
    assert world.belay("dead-letters", "list", "--space", "shop", "--json").jsons() == []
    nobody = world.belay("dead-letters", "redrive", str(letter), "--to", "nobody", status=3)
    assert "'belay list' shows the instances" in nobody.err
    file = sqlite3.connect(world.file)
    file.execute("update dead_letter set run = 12345 where letter = ?", (letter,))
    file.commit()
    assert "with --to ID, or discard it" in world.belay("dead-letters", "redrive", str(letter), status=3).err
    file.execute("update dead_letter set run = (select key from run) where letter = ?", (letter,))
    file.commit()
    file.close()
    first, second = world.belay("dead-letters", "list", "--space", "default", "--json").jsons()
    assert first["instance"] == "w1" and first["payload"]["value"] == "first" and first["reason"] == "by hand"
    assert "by hand" in world.belay("dead-letters", "list").out
    world.belay("dead-letters", "discard", str(second["letter"]), status=4)
    world.belay("dead-letters", "discard", str(second["letter"]), "--yes")
    assert "sent to w1" in world.belay("dead-letters", "redrive", str(first["letter"])).out
    assert world.belay("dead-letters", "list", "--json").jsons() == []
    world.worker()
    assert world.belay("wait", "w1").out == "completed: first\n"
    assert "shows which there are" in world.belay("dead-letters", "redrive", "7", status=3).err
    world.belay("dead-letters", "discard", "7", "--yes", status=3)
    world.belay("dead-letters", "discard", "x", "--yes", status=2)


def test_json_is_one_document_a_line(world):
    world.started("Waits", 'json:{"a":\n1}', "--id", "w1")
    for words in (["show", "w1"], ["list"], ["queues"], ["history", "w1"], ["doctor"], ["version"]):
        for line in world.belay(*words, "--json").lines():
            assert isinstance(json.loads(line), dict), words
