"""scripts/run, when everything is built: it compiles nothing, and the commands that it prints at its end work as printed.

`check` gives (name, problem) for each case, "" if it is well.
"""

import re

import rules

# The preset run would take minutes to build for this alone. Nothing but the name of the preset is different.
PRESET = "dev"
SECONDS = 120
_STEP = re.compile(r"(Building CXX|Linking CXX|Embedding) ")
# Of each demo: the lines that it must print, and the text that each command at its end prints.
DEMOS = {
    "flow": (["compile started", "killed with SIGKILL", "run build-test-release-1 goes on", "build-test-release-1 completed"],
             "completed"),
    "orders": (["order-7 completed", "order-8 canceled"], "order-"),
}


def printed_commands(lines):
    """The directory that it names, and the commands to type there."""
    for at, line in enumerate(lines):
        if match := re.fullmatch(r"The store is kept. Look at it, from (/.*):", line):
            commands = [line.strip() for line in lines[at + 1 :] if line.startswith("    ")]
            return match[1], commands
    return "", []


def check(root):
    for demo, (wanted, told_by_commands) in DEMOS.items():
        name = f"scripts/run {demo}"
        ran = rules.run_command(["env", f"BELAY_RUN_PRESET={PRESET}", "scripts/run", demo], root, SECONDS)
        yield name, ran.problem()
        steps = [line for line in ran.output if _STEP.search(line)]
        yield f"{name}, the second time", "\n".join(["it builds:", *steps]) if steps else ""
        missing = [text for text in wanted if not any(text in line for line in ran.output)]
        yield f"{name}, the demo", f"these do not happen: {missing}" if missing else ""

        directory, commands = printed_commands(ran.output)
        yield f"{name}, its last lines", "" if len(commands) >= 3 else "they print no three commands to type next"
        for command in commands:
            shown = rules.run_command(["bash", "-c", command], directory, SECONDS)
            told = any(told_by_commands in line for line in shown.output)
            yield command, shown.problem() or ("" if told else f"it does not print {told_by_commands!r}")
