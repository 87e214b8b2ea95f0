"""docs/reference/cli.md says something about every command and option, and every exit status."""

import re
import subprocess

from harness import BIN, ROOT, SECONDS

MANUAL = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def commands_in(help_text):
    listed = re.search(r"\nCommands:\n(.*?)\n\n", help_text, re.DOTALL)
    return re.findall(r"^  ([a-z-]+)", listed[1], re.MULTILINE) if listed else []


def paths(world, *path):
    help_text = world.belay(*path, "--help").out
    below = commands_in(help_text)
    if not below:
        yield " ".join(path), help_text
    for name in below:
        yield from paths(world, *path, name)


def test_every_command_is_in_the_manual(world):
    for path, help_text in paths(world):
        assert f"belay {path}" in MANUAL, f"docs/reference/cli.md does not show belay {path}"
        assert "Examples:" in help_text, path


def test_every_exit_status_is_in_the_manual(world):
    for number in range(11):
        assert f"| {number} |" in MANUAL, number


def sessions():
    """(command, lines it prints) of the blocks `session`, in order."""
    for block in re.findall(r"^```session\n(.*?)^```$", MANUAL, re.DOTALL | re.MULTILINE):
        command, expected = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected
                command, expected = line[2:], []
            else:
                expected.append(line.rstrip())
        yield command, expected


def matches(expected, actual):
    """`...` stands for anything in a line, alone on a line for any lines; spaces align columns."""
    if not expected:
        return not actual
    first, *rest = expected
    if first.strip() == "...":
        return any(matches(rest, actual[skipped:]) for skipped in range(len(actual) + 1))
    if not actual:
        return False
    pattern = r"\s+".join(".*".join(map(re.escape, word.split("..."))) for word in first.split())
    return bool(re.fullmatch(r"\s*" + pattern + r"\s*", actual[0])) and matches(rest, actual[1:])


def test_the_session_of_the_manual(world):
    environment = world.environment(BELAY_STORE="sqlite:orders.db")
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    for command, expected in sessions():
        if command.endswith(" &"):
            background = subprocess.Popen(
                command[:-2].split(), cwd=world.directory, env=environment, stdout=subprocess.DEVNULL
            )
            world.workers.append(background)
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=world.directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        actual = [line.rstrip() for line in done.stdout.splitlines()]
        assert done.returncode == 0, f"$ {command}\n{done.stdout}exit status {done.returncode}"
        assert not expected or matches(expected, actual), f"$ {command}\n{done.stdout}\ndocs/reference/cli.md shows {expected}"
