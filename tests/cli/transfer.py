"""Instances that leave a file and come into another."""

import json
import os


def test_an_instance_moves_to_another_file(world):
    world.started("Greet", "x", "--id", "g1", "--label", "tier=3")
    world.worker()
    world.belay("wait", "g1")
    world.belay("export", "g1", "--output", "g1.json")
    path = os.path.join(world.directory, "g1.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert world.belay("export", "g1").out == text
    document = world.belay("export", "g1", "--json")
    assert document.out.count("\n") == 1 and document.json() == json.loads(text)
    assert not os.path.exists(path + ".part")

    other = {"BELAY_STORE": "sqlite:other.db"}
    world.belay("import", "g1.json", status=5, **other)
    assert world.belay("import", "g1.json", "--create", **other).out == "g1 imported: completed\n"
    assert world.belay("export", "g1", **other).out == text
    assert world.belay("history", "g1", **other).out == world.belay("history", "g1").out
    assert [one["id"] for one in world.belay("list", "--label", "tier=3", "--json", **other).jsons()] == ["g1"]
    again = world.belay("import", "-", input=text, status=4, **other)
    assert "--id NAME" in again.err
    copy = world.belay("import", "-", "--id", "g2", "--space", "archive", "--json", input=text, **other).json()
    assert (copy["id"], copy["space"], copy["status"]) == ("g2", "archive", "completed")
    world.belay("delete", "g1", "--yes", **other)
    world.belay("import", "g1.json", **other)


def test_a_file_is_not_written_over_unasked(world):
    world.started("Waits", "--id", "w1")
    world.belay("export", "w1", "--output", "w1.json")
    assert "is there" in world.belay("export", "w1", "--output", "w1.json", status=4).err
    told = world.belay("export", "w1", "--output", "w1.json", "--yes", "--json").json()
    assert told["file"] == "w1.json" and told["bytes"] > 0
    world.belay("export", "w1", "--output", "no/such/directory.json", status=5)
    world.belay("export", "nobody", status=3)


def test_what_cannot_be_imported(world):
    world.started("Waits", "--id", "w1")
    text = world.belay("export", "w1").out
    running = world.belay("import", "-", "--id", "w2", input=text, status=4)
    assert "only what has ended" in running.err and "export it again" in running.err
    world.belay("cancel", "w1")
    text = world.belay("export", "w1").out
    broken = world.belay("import", "-", "--id", "w2", input=text.replace('"canceled"', '"cancelled"'), status=2)
    assert "'instance.status' is 'cancelled'" in broken.err, broken.err
    world.belay("import", "-", input="{", status=2)
    world.belay("import", "nothing.json", status=2)
