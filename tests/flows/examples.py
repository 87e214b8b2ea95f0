"""The flows of examples/flows, by the commands that are printed in them."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from harness import BIN, ROOT, SECONDS

EXAMPLES = ROOT / "examples" / "flows"


def printed_commands(name):
    """The commands in the comment that a file begins with, without what is said about them."""
    found = []
    for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if command := re.match(r"#     (belay .*?)(?:   .*)?$", line):
            found.append(command[1])
    return found


def command(name, param=""):
    """The printed command with this param; without one, the command without params."""
    found = [one for one in printed_commands(name) if (param in one if param else " -p " not in one)]
    assert len(found) == 1, f"{name} prints {printed_commands(name)}"
    return found[0]


def environment(world):
    return world.environment(BELAY_STORE="", PATH=f"{BIN}:{os.environ['PATH']}")


def copy_examples(world):
    for file in EXAMPLES.iterdir():
        shutil.copy(file, world.directory)


def begun(world, typed):
    process = subprocess.Popen(
        shlex.split(typed),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=world.directory,
        env=environment(world),
    )
    world.workers.append(process)
    return process


def run(world, typed, status=0):
    process = begun(world, typed)
    printed = process.communicate(timeout=2 * SECONDS)[0]
    assert process.returncode == status, f"{typed}: {process.returncode}, not {status}\n{printed}"
    return printed


def output(printed):
    return json.loads(re.search(r"^output: (.*)$", printed, re.MULTILINE)[1])


def test_each_example_prints_a_command_and_has_no_mistake(world):
    copy_examples(world)
    names = sorted(file.name for file in EXAMPLES.iterdir())
    assert names
    for name in names:
        commands = printed_commands(name)
        assert commands and all(name in one for one in commands), f"{name} prints {commands}"
        run(world, f"belay flow check {name}")


def test_build_test_release_packs_what_it_has_built(world):
    copy_examples(world)
    printed = run(world, command("build-test-release.yaml"))
    assert "announce | release 1.0.0: out/1.0.0/release.tar.gz" in printed, printed
    assert "the port is in use" in printed, printed
    assert output(printed)["version"] == "1.0.0"
    printed = run(world, command("build-test-release.yaml", "version=2.0.0"))
    package = output(printed)["package"]
    assert package["bytes"] == os.path.getsize(os.path.join(world.directory, package["file"]))
    packed = subprocess.run(
        ["tar", "-tzf", package["file"]], cwd=world.directory, capture_output=True, text=True, check=True
    )
    assert {f"lib/{name}.sum" for name in ("base", "parser", "engine", "shell")} <= set(packed.stdout.split())


def test_backup_dumps_every_database(world):
    copy_examples(world)
    printed = run(world, command("backup.yaml", "keep=3"))
    told = output(printed)
    assert told["dumps"] == 5, printed
    dumps = Path(world.directory, "backups", told["set"])
    names = ["audit", "customers", "invoices", "orders", "stock"]
    assert (dumps / "catalog").read_text(encoding="utf-8").split() == [f"{name}.gz" for name in names]
    for name in names:
        assert gzip.decompress((dumps / f"{name}.gz").read_bytes()).count(b"\n") == 5000


def question(process):
    """Reads until a step asks. Gives the command that answers, as it is printed."""
    end = time.monotonic() + SECONDS
    printed = []
    while time.monotonic() < end:
        line = process.stdout.readline()
        printed.append(line)
        if found := re.search(r"Answer: (belay approve .*)$", line):
            return found[1]
        assert line, "".join(printed)
    raise AssertionError("nobody was asked")


def rows(world):
    with open(os.path.join(world.directory, "table.csv"), encoding="utf-8") as file:
        return file.read().splitlines()


def test_etl_asks_only_if_there_are_many_rows(world):
    copy_examples(world)
    printed = run(world, command("etl-with-approval.yaml"))
    assert "Answer:" not in printed and output(printed) == {"loaded": 100}, printed
    process = begun(world, command("etl-with-approval.yaml", "rows=5000"))
    run(world, question(process))
    printed = process.communicate(timeout=SECONDS)[0]
    assert process.returncode == 0 and output(printed) == {"loaded": 5000}, printed
    assert len(rows(world)) == 5000 and rows(world)[-1] == "5000,25000000"
    assert not os.path.exists(os.path.join(world.directory, "stage"))


def test_etl_that_is_refused_leaves_the_table_as_it_was(world):
    copy_examples(world)
    run(world, command("etl-with-approval.yaml"))
    process = begun(world, command("etl-with-approval.yaml", "rows=5000"))
    run(world, question(process) + " --reject")
    printed = process.communicate(timeout=SECONDS)[0]
    assert process.returncode == 1 and "refused by ann" in printed, printed
    assert len(rows(world)) == 100 and not os.path.exists(os.path.join(world.directory, "stage"))
