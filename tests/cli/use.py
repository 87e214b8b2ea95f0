"""The first steps of a new user, and the answers to the shell."""

import os
import subprocess

from harness import BELAY


def test_start_wait_and_look(world):
    world.started("Greet", "bob", "--id", "g1", "--label", "tier=3", "--owner", "shop")
    world.worker()
    assert world.belay("wait", "g1", "--timeout", "20s").out == "completed: hello bob\n"
    waited = world.belay("wait", "g1", "--json").json()
    assert waited == {
        "id": "g1",
        "space": "default",
        "status": "completed",
        "output": {"codec": "text", "value": "hello bob"},
    }
    shown = world.belay("show", "g1", "--json").json()
    assert shown["definition"] == "Greet" and shown["started_by"] == "ann" and shown["owner"] == "shop"
    assert shown["labels"] == {"tier": 3} and shown["input"] == {"codec": "text", "value": "bob"}
    assert [entry["kind"] for entry in shown["timeline"]][-1] == "ended"
    events = world.belay("history", "g1", "--json").jsons()
    assert [e["type"] for e in events if e["type"] != "TurnStarted"] == [
        "ExecutionStarted",
        "ActivityScheduled",
        "CommandCompleted",
        "ExecutionEnded",
    ]
    assert events[-1]["output"]["value"] == "hello bob"


def test_exit_codes(world):
    world.belay("wait", "x", status=5)  # There is no file, and none is made.
    assert os.listdir(world.directory) == []
    world.started("Waits", "--id", "w1")
    world.belay("wait", "w1", "--timeout", "50ms", status=6)
    world.belay("wait", "w2", status=3)
    world.belay("start", "Waits", "--id", "w1", status=4)
    world.belay("wait", status=2)
    world.belay("nonsense", status=2)
    world.belay("cancel", "w1")
    world.belay("wait", "w1", status=1)
    world.belay("raise", "w1", "go", status=4)
    world.belay("list", status=5, BELAY_STORE="sqlite:/does/not/exist/x.db")
    world.belay("list", status=2, BELAY_STORE="postgres://somewhere")
    world.belay("list", status=2, BELAY_STORE="")
    with open(os.path.join(world.directory, "text"), "w", encoding="utf-8") as file:
        file.write("x" * 1000)
    world.belay("list", status=5, BELAY_STORE="sqlite:text")


def test_a_failed_run_is_told_without_its_control_characters(world):
    world.started("Fails", "--id", "f1")
    world.worker()
    waited = world.belay("wait", "f1", status=1)
    assert "it broke\\x1b[31m" in waited.out and "\x1b" not in waited.out
    for words in (["show", "f1"], ["list"], ["history", "f1"], ["show", "f1", "--json"]):
        assert "\x1b" not in world.belay(*words).out, words


def test_errors_of_scripts_are_json(world):
    world.started("Waits", "--id", "w1")
    refused = world.belay("start", "Waits", "--id", "w1", "--json", status=4)
    assert refused.out == ""
    assert '"error":{"kind":"refused"' in refused.err


def test_values_from_files_and_the_standard_input(world):
    path = os.path.join(world.directory, "order.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"id": 7}\n')
    world.started("Waits", f"@{path}", "--id", "a")
    assert world.belay("show", "a", "--json").json()["input"] == {"codec": "json", "value": {"id": 7}}
    world.belay("start", "Waits", "@-", "text:7", "--id", "b", input="piped")
    parts = world.belay("show", "b", "--json").json()["input"]["value"]
    assert [part["value"] for part in parts] == ["piped", "7"]


def test_a_start_is_done_once(world):
    first = world.started("Waits", "--key", "k1")
    again = world.belay("start", "Waits", "--key", "k1", "--json").json()
    assert again["id"] == first and not again["created"] and again["by_key"]
    world.belay("keys", "free", "Waits", "k1", "--yes")
    assert world.started("Waits", "--key", "k1") != first


def test_a_replacement_is_asked_first(world):
    words = ("start", "Waits", "--id", "w1", "--on-conflict", "replace")
    world.belay(*words, "--create")
    refused = world.belay(*words, status=4)
    assert "'w1' is pending. Cancel it" in refused.err and "say --yes" in refused.err
    status, printed = world.on_terminal(*words, typed="n\n", columns=100)
    assert status == 4 and "[y/N]" in printed
    status, printed = world.on_terminal(*words, typed="y\n", columns=100)
    assert status == 0 and "w1 started" in printed
    world.belay(*words, "--yes")
    world.belay("cancel", "w1")
    world.belay(*words)


def test_the_store_from_a_file(world):
    world.started("Waits", "--id", "w1", "--space", "shop")
    with open(os.path.join(world.directory, "belay.toml"), "w", encoding="utf-8") as file:
        file.write('store = "sqlite:runs.db"  # beside this file\nspace = "shop"\n')
    assert "w1" in world.belay("list", BELAY_STORE="").out
    with open(os.path.join(world.directory, "belay.toml"), "a", encoding="utf-8") as file:
        file.write("speed = 7\n")
    assert "belay.toml, line 3" in world.belay("list", BELAY_STORE="", status=2).err
    os.remove(os.path.join(world.directory, "belay.toml"))
    os.mkdir(os.path.join(world.directory, "belay.toml"))
    assert "belay.toml' is there and cannot be read" in world.belay("list", status=5).err
    world.belay("list", "--space", "shop")


def test_encrypted_payloads_are_shown_to_those_who_have_the_key(world):
    keys = os.path.join(world.directory, "keys")
    with open(keys, "w", encoding="utf-8") as file:
        file.write("7 " + "0123456789abcdef" * 4 + "\n")
    os.chmod(keys, 0o644)
    assert "chmod 600" in world.belay("list", BELAY_KEYS=keys, status=5).err
    os.chmod(keys, 0o600)
    world.belay("start", "Waits", "a-secret", "--id", "w1", "--create", BELAY_KEYS=keys)
    assert "a-secret" in world.belay("show", "w1", BELAY_KEYS=keys).out
    shown = world.belay("show", "w1").out
    assert "encrypted (key 7)" in shown and "a-secret" not in shown
    assert world.belay("show", "w1", "--json").json()["input"]["encrypted_with"] == 7
    for name in os.listdir(world.directory):
        with open(os.path.join(world.directory, name), "rb") as file:
            assert b"a-secret" not in file.read(), name


def test_a_reader_that_goes_away_is_no_crash(world):
    for i in range(3):
        world.started("Waits", "--id", f"w{i}")
    shell = f"'{BELAY}' list --json --all; echo $? >&2"
    process = subprocess.Popen(
        ["bash", "-c", f"({shell}) | true; exit ${{PIPESTATUS[0]}}"],
        env=world.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    _, err = process.communicate(timeout=30)
    assert err.strip() in ("0", ""), err


def test_output_that_cannot_be_written_is_trouble(world):
    world.started("Waits", "--id", "w1")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([BELAY, "list"], stdout=full, stderr=subprocess.PIPE, env=world.environment(), check=False)
    assert done.returncode == 5 and b"could not be written" in done.stderr
