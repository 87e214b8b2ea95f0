"""Completion, in the shells themselves."""

import os
import subprocess


def script(world, shell):
    path = os.path.join(world.directory, shell)
    with open(path, "w", encoding="utf-8") as file:
        file.write(world.belay("completion", shell).out)
    return path


def shell_says(world, *command):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=30, env=world.environment(), cwd=world.directory, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_bash(world):
    path = script(world, "bash")

    def completed(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        code = f"source {path}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _belay; echo ${{COMPREPLY[@]}}"
        return shell_says(world, "bash", "-c", code)

    assert completed("belay", "can") == ["cancel"]
    assert completed("belay", "held", "") [:3] == ["list", "release", "fail"]
    assert completed("belay", "start", "--on-conflict", "re") == ["replace"]
    assert completed("belay", "--json", "cancel", "--re") == ["--reason", "--request-id"]
    assert completed("belay", "delete", "--at") == ["--atomic"]
    assert completed("belay", "compact", "--y") == ["--yes"]
    assert completed("belay", "completion", "z") == ["zsh"]


def test_zsh(world):
    shell_says(world, "zsh", "-n", script(world, "zsh"))


def test_fish(world):
    path = script(world, "fish")

    def completed(line):
        return shell_says(world, "fish", "-N", "-c", f"source {path}; complete -C '{line}'")

    assert "cancel" in completed("belay can")
    assert "release" in completed("belay held re")
    assert "use-existing" in completed("belay start --on-conflict use")
