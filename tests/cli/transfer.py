"""Instances that leave a file and come into another."""

import json
import os
import stat
import threading


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


def test_an_import_leaves_existing_instances_alone(world):
    world.started("Waits", "--id", "w1")
    text = world.belay("export", "w1").out

    def path(name):
        return os.path.join(world.directory, name)

    def content(name):
        with open(path(name), encoding="utf-8") as file:
            return file.read()

    def mode(name):
        return stat.S_IMODE(os.stat(path(name)).st_mode)

    with open(path("w1.json.part"), "w", encoding="utf-8") as file:
        file.write("mine")
    world.belay("export", "w1", "--output", "w1.json")
    assert content("w1.json") == text and content("w1.json.part") == "mine"
    assert mode("w1.json") == 0o600
    os.chmod(path("w1.json"), 0o640)
    os.symlink("w1.json", path("link"))
    world.belay("export", "w1", "--output", "link", "--yes")
    assert os.path.islink(path("link")) and mode("w1.json") == 0o640
    os.symlink("not-yet.json", path("dangling"))
    world.belay("export", "w1", "--output", "dangling")
    assert os.path.islink(path("dangling")) and content("not-yet.json") == text
    world.belay("export", "w1", "--output", "/dev/null")
    os.mkfifo(path("pipe"))
    got = []
    reader = threading.Thread(target=lambda: got.append(content("pipe")))
    reader.start()
    world.belay("export", "w1", "--output", "pipe")
    reader.join()
    assert got == [text] and stat.S_ISFIFO(os.stat(path("pipe")).st_mode)
    world.belay("export", "w1", "--output", ".", status=5)
    assert not [name for name in os.listdir(world.directory) if name.startswith(".belay-export")]


def test_whatever_code_has_done_can_be_imported(world):
    world.started("Greet", "x", "--id", "greet")
    world.started("Fails", "--id", "fails")
    world.started("Loop", "4", "--id", "loop")
    world.started("Family", "--id", "family")
    world.started("Sleeps", "--id", "sleeps")
    world.started("Waits", "--id", "waits")
    world.worker()
    world.until(lambda: world.belay("tree", "family").out.count("running") == 3)
    world.until(lambda: world.status("sleeps") == "running" and world.status("waits") == "running")
    world.belay("raise", "family/elder", "go", "yes")
    world.belay("wait", "family/elder")
    for ended in ("family", "sleeps"):
        world.belay("cancel", ended, "--by", "ann", "--reason", "enough")
    world.belay("terminate", "waits", "--yes")
    for instance in ("greet", "fails", "loop", "family", "family/elder", "family/younger", "sleeps", "waits"):
        world.until(lambda: world.status(instance) in ("completed", "failed", "canceled"))
        text = world.belay("export", instance).out
        world.belay("import", "-", "--id", "copy-of-" + instance.replace("/", "-"), input=text)


def test_a_request_that_was_undone_is_told(world):
    world.started("Greet", "x", "--id", "g1")
    world.worker()
    world.belay("wait", "g1")
    text = world.belay("export", "g1").out
    ask = ("import", "-", "--id", "g2", "--request-id", "r1")
    world.belay(*ask, input=text)
    assert world.belay(*ask, "--json", input=text).json()["deleted"] is False
    world.belay("delete", "g2", "--yes")
    assert "was deleted since" in world.belay(*ask, input=text, status=4).err
    assert '"deleted":true' in world.belay(*ask, "--json", input=text, status=4).out


def test_unimportable_files_are_refused(world):
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
    assert "is a directory" in world.belay("import", ".", status=2).err
    other = {"BELAY_STORE": "sqlite:never.db"}
    world.belay("import", "-", "--create", input="{", status=2, **other)
    assert "'a/b'" in world.belay("import", "-", "--create", "--id", "a/b", input=text, status=2, **other).err
    assert not os.path.exists(os.path.join(world.directory, "never.db"))
