"""scripts/run, when everything is built: it compiles nothing, and the commands that it prints at its end work as printed.

`check` gives (name, problem) for each case, "" if it is well.
"""

import re

import rules

# The preset run would take minutes to build for this alone. Nothing but the name of the preset is different.
PRESET = "dev"
SECONDS = 120
_STEP = re.compile(r"(Building CXX|Linking CXX|Embedding) ")


def printed_commands(lines):
    """The directory that it names, and the commands to type there."""
    for at, line in enumerate(lines):
        if match := re.fullmatch(r"The store is kept. Look at it, from (/.*):", line):
            commands = [line.strip() for line in lines[at + 1 :] if line.startswith("    ")]
            return match[1], commands
    return "", []


def check(root):
    ran = rules.run_command(["env", f"BELAY_RUN_PRESET={PRESET}", "scripts/run"], root, SECONDS)
    yield "scripts/run", ran.problem()
    steps = [line for line in ran.output if _STEP.search(line)]
    yield "scripts/run, the second time", "\n".join(["it builds:", *steps]) if steps else ""
    missing = [text for text in ["order-7 completed", "order-8 canceled"] if not any(text in line for line in ran.output)]
    yield "scripts/run, the demo", f"these do not happen: {missing}" if missing else ""

    directory, commands = printed_commands(ran.output)
    yield "scripts/run, its last lines", "" if len(commands) >= 3 else "they print no three commands to type next"
    for command in commands:
        shown = rules.run_command(["bash", "-c", command], directory, SECONDS)
        told = any(f"order-{number}" in line for line in shown.output for number in (7, 8))
        yield command, shown.problem() or ("" if told else "it prints nothing about the orders")
