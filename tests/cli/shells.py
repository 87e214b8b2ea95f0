"""Completion, in the shells themselves."""

import os
import subprocess

from harness import BIN


def script(world, shell):
    path = os.path.join(world.directory, shell)
    with open(path, "w", encoding="utf-8") as file:
        file.write(world.belay("completion", shell).out)
    return path


def shell_says(world, *command):
    path = f"{BIN}:{os.environ['PATH']}"
    environment = world.environment(PATH=path)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=30, env=environment, cwd=world.directory, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def some_ids(world):
    """Among them one that is dangerous as code, and one that bash takes apart."""
    for instance in ("order-1", "order-2", "night:7", "$(touch owned)"):
        world.started("Waits", "--id", instance)


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


def test_bash_completes_ids(world):
    path = script(world, "bash")
    some_ids(world)

    def completed(line, *words):
        quoted = " ".join(f"'{word}'" for word in words)
        code = (
            f"source {path}; COMP_LINE='{line}'; COMP_POINT={len(line)}; COMP_WORDS=({quoted});"
            f" COMP_CWORD={len(words) - 1}; _belay; printf '%s\n' \"${{COMPREPLY[@]}}\""
        )
        return shell_says(world, "bash", "-c", code)

    assert completed("belay show ord", "belay", "show", "ord") == ["order-1", "order-2"]
    assert completed("belay prune order-1", "belay", "prune", "order-1") == ["order-1"]
    assert completed("belay cancel --tree order-2", "belay", "cancel", "--tree", "order-2") == ["order-2"]
    assert completed("belay show night:", "belay", "show", "night", ":", "") == ["7"]
    assert "\\$\\(touch\\ owned\\)" in " ".join(completed("belay show ", "belay", "show", ""))
    assert completed("belay show --space other o", "belay", "show", "--space", "other", "o") == []
    elsewhere = ["belay", "show", "--store", "sqlite", ":", "nothing.db", "o"]
    assert completed("belay show --store sqlite:nothing.db o", *elsewhere) == []
    assert not os.path.exists(os.path.join(world.directory, "owned"))


def test_zsh_completes_ids(world):
    path = script(world, "zsh")
    some_ids(world)
    stubs = 'compdef() { }; compadd() { shift; print -rl -- "$@" }'

    def completed(prefix, *words):
        quoted = " ".join(f"'{word}'" for word in words)
        code = f"{stubs}; source {path}; words=({quoted}); CURRENT={len(words)}; PREFIX='{prefix}'; _belay_ids"
        return shell_says(world, "zsh", "-f", "-c", code)

    assert completed("ord", "belay", "show", "ord") == ["order-1", "order-2"]
    assert completed("", "belay", "show", "") == ["$(touch", "owned)", "night:7", "order-1", "order-2"]
    assert completed("o", "belay", "show", "--space", "other", "o") == []
    assert not os.path.exists(os.path.join(world.directory, "owned"))


def test_fish_completes_ids(world):
    path = script(world, "fish")
    some_ids(world)

    def completed(line):
        return shell_says(world, "fish", "-N", "-c", f"source {path}; complete -C '{line}'")

    assert completed("belay show ord") == ["order-1", "order-2"]
    assert completed("belay cancel --tree night")[0] == "night:7"
    assert completed("belay show --space other o") == []
    assert not os.path.exists(os.path.join(world.directory, "owned"))
