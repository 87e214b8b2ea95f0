"""Deleting and pruning."""

from pathlib import Path


def test_delete_by_filter_says_how_many_first(world):
    for i in range(5):
        world.started("Waits", "--id", f"w{i}")
        if i < 3:
            world.belay("cancel", f"w{i}")
    assert world.belay("delete", "--status", "canceled", "--dry-run").out.startswith("3 instances would go")
    asked = world.belay("delete", "--status", "canceled", status=4)
    assert "Delete 3 instances" in asked.err
    deleted = world.belay("delete", "--status", "canceled", "--limit", "2", "--yes", "--json").json()
    assert deleted["instances"] == 2
    assert world.belay("delete", "--all", "--yes", "--json").json()["instances"] == 1
    assert [one["status"] for one in world.belay("list", "--json").jsons()] == ["pending", "pending"]
    world.belay("delete", "--status", "running", "--yes", status=2)
    world.belay("delete", status=2)
    world.belay("delete", "w3", "--status", "failed", "--yes", status=2)
    world.belay("delete", "--all", "--force", "--yes", status=2)
    world.belay("delete", "--older-than", "1h", "--yes")
    for never in (["--held"], ["--parent", "w3"]):
        assert "by a filter only" in world.belay("delete", *never, "--yes", status=2).err


def test_cancel_many_by_filter(world):
    for i in range(4):
        world.started("Waits", "--id", f"w{i}", "--label", f"half={i % 2}")
    world.started("Waits", "--id", "k1", "--key", "night")
    assert world.belay("cancel", "--all", "--dry-run").out == "5 instances would be canceled, 0 ending already\n"
    asked = world.belay("cancel", "--label", "half=0", status=4)
    assert "Cancel 2 instances?" in asked.err
    first = world.belay("cancel", "--definition", "Waits", "--prefix", "w", "--limit", "1", "--yes", "--json").json()
    assert (first["matched"], first["canceled"], first["remaining"]) == (1, 1, ["w1", "w2", "w3"])
    assert world.belay("cancel", "--label", "half=1", "--reason", "odd", "--yes").out == (
        "2 instances canceled, 0 ending already\n"
    )
    assert world.belay("show", "w1", "--json").json()["status"] == "canceled"
    by_key = world.belay("cancel", "--key", "night", "--yes", "--json").json()
    assert (by_key["canceled"], by_key["already_ending"]) == (1, 0)
    again = world.belay("cancel", "--key", "night", "--yes", "--json").json()
    assert (again["canceled"], again["already_ending"]) == (0, 1)
    assert [one["id"] for one in world.belay("list", "--status", "pending", "--json").jsons()] == ["w2"]
    world.belay("cancel", "--key", "nothing", "--yes", status=3)
    for senseless in (
        [],
        ["w2", "--status", "running"],
        ["w2", "--dry-run"],
        ["--status", "failed"],
        ["--all", "--request-id", "r"],
        ["--key", "night", "--tree", "w2"],
    ):
        world.belay("cancel", *senseless, "--yes", status=2)


def test_cancel_a_tree(world):
    world.started("Family", "--id", "f1")
    world.started("Waits", "--id", "w1")
    world.worker()
    world.until(lambda: world.belay("tree", "f1").out.count("running") == 3)
    done = world.belay("cancel", "--tree", "f1", "--yes", "--json").json()
    assert done["matched"] == 3 and done["canceled"] + done["already_ending"] == 3
    world.until(lambda: world.belay("tree", "f1").out.count("canceled") == 3)
    assert not world.belay("show", "w1", "--json").json()["status"].startswith("cancel")


def test_delete_exactly_these(world):
    world.started("Family", "--id", "f1")
    world.started("Waits", "--id", "w1")
    world.worker()
    world.until(lambda: world.belay("tree", "f1").out.count("running") == 3)
    world.belay("cancel", "f1")
    world.until(lambda: world.belay("tree", "f1").out.count("canceled") == 3)
    tree = [one["id"] for one in world.belay("tree", "f1", "--json").jsons()]
    assert "exactly 'f1/younger', 'f1/elder', 'f1' for good?" in world.belay(
        "delete", "--atomic", *reversed(tree), status=4
    ).err
    left_out = world.belay("delete", "--atomic", "f1/elder", "f1", "--yes", status=4)
    assert "'belay tree' shows the whole tree: name all of it" in left_out.err
    world.belay("delete", "--atomic", *tree, "--yes", status=2)  # A parent before its children.
    world.belay("delete", "--atomic", *reversed(tree), "w1", "--yes", status=4)  # One runs.
    assert [one["id"] for one in world.belay("tree", "f1", "--json").jsons()] == tree
    words = ("delete", "--atomic", *reversed(tree), "--yes", "--request-id", "r1", "--json")
    deleted = world.belay(*words).json()
    assert deleted["instances"] == 3
    assert world.belay(*words).json() == deleted
    world.belay("show", "f1", status=3)


def test_delete_by_id(world):
    world.started("Waits", "--id", "w1")
    refused = world.belay("delete", "w1", "--yes", status=4)
    assert "--force" in refused.err
    world.belay("delete", "nobody", "--yes", status=3)
    world.belay("delete", "w1", "--force", "--yes")
    world.belay("show", "w1", status=3)


def test_prune_old_executions(world):
    world.started("Loop", "4", "--id", "l1")
    world.worker()
    world.belay("wait", "l1")
    assert len(world.belay("history", "l1", "--all").out.split("execution ")) == 6
    pruned = world.belay("prune", "l1", "--keep-last", "2", "--yes", "--json").json()
    assert pruned["executions"] == 3
    world.belay("history", "l1", "--execution", "1", status=3)
    asked = world.belay("prune", "l1", "--keep-last", "1", status=4)
    assert "Remove 1 old execution of 'l1' for good?" in asked.err
    world.belay("prune", "--all", "--keep-last", "1", "--yes")
    world.belay("prune", "l1", "--keep-last", "1")  # Nothing to ask about.


def test_prune_by_filter_says_how_many_first(world):
    world.worker()
    for name, count in (("l1", "3"), ("l2", "2"), ("m1", "3")):
        world.started("Loop", count, "--id", name)
        world.belay("wait", name)
    words = ("prune", "--prefix", "l", "--keep-last", "1")
    assert world.belay(*words, "--dry-run").out == "5 executions of 2 instances would go\n"
    assert world.belay(*words, "--dry-run", "--limit", "1", "--json").json()["instances"] == 1
    asked = world.belay(*words, status=4)
    assert "Remove 5 old executions of 2 instances for good?" in asked.err
    pruned = world.belay(*words, "--yes", "--json").json()
    assert (pruned["instances"], pruned["executions"]) == (2, 5)
    assert world.belay("prune", "--all", "--keep-last", "1", "--dry-run", "--json").json()["executions"] == 3
    assert world.belay("prune", "m1", "--keep-last", "1", "--dry-run", "--json").json()["executions"] == 3
    world.belay("prune", "--status", "running", "--keep-last", "1")
    world.belay("prune", "--keep-last", "1", status=2)


def test_a_dry_run_deletes_nothing(world):
    world.started("Waits", "--id", "w1")
    world.belay("cancel", "w1")
    world.belay("delete", "w1", "--dry-run", "--yes", status=2)
    world.belay("delete", "w1", "--limit", "1", "--yes", status=2)
    world.belay("show", "w1")


def test_a_filter_is_said_once(world):
    refused = world.belay("delete", "--definition", "A", "--definition", "B", "--yes", status=2)
    assert "--definition is said twice" in refused.err


def test_a_repeated_deletion_answers_as_the_first(world):
    world.started("Waits", "--id", "w1")
    words = ("delete", "w1", "--force", "--yes", "--request-id", "r1", "--json")
    first = world.belay(*words).json()
    assert first["instances"] == 1
    assert world.belay(*words).json() == first


def test_reading_makes_no_file(world):
    directory = Path(world.directory)
    empty = directory / "empty.db"
    empty.touch()
    world.belay("list", "--store", f"sqlite:{empty}", status=5)
    world.belay("list", "--store", f"sqlite:{directory}", status=5)
    world.belay("compact", "--store", f"sqlite:{empty}", status=5)
    world.belay("compact", "--store", f"sqlite:{empty}", "--yes", status=5)
    world.belay("compact", "--store", f"sqlite:{directory}", status=5)
    world.belay("compact", status=5)
    assert empty.stat().st_size == 0
    assert [path.name for path in directory.glob("empty*")] == ["empty.db"]


def test_compact_asks_when_something_is_under_way(world):
    world.started("Sleeps", "--id", "s1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"
    asked = world.belay("compact", status=4)
    assert "Workers have 1 activity and " in asked.err, asked.err
    assert world.belay("compact", "--yes", "--json").json()["bytes_after"] > 0
    leases = world.belay("leases", "--json").jsons()
    assert [(one["name"], one["attempt"]) for one in leases] == [("Nap", 1)]
    world.belay("cancel", "s1")
    world.belay("wait", "s1", status=1)
    world.stop(worker)
    world.belay("compact")
