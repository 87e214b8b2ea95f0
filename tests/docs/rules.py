"""The rules for a document. `check` yields (line, problem) for each case, with "" as the problem if it is well."""

import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from documents import Document

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 60
COMPILER = ["g++", "-std=c++20", "-fsyntax-only", f"-I{REPOSITORY / 'include'}", "-xc++", "-"]

# Not ours: what is built, and what git keeps.
_NOT_OURS = {"build", ".git", ".cache"}


def check(document, root):
    for block in document.blocks:
        yield from _check_block(block, root)
    for link in document.links:
        if not re.match(r"[a-z][a-z0-9+.-]*:|//", link.text, re.IGNORECASE):
            yield link.line, _problem_of_link(link.text, document, root)
    for span in document.spans:
        path = _path_in(span.text, root)
        if path:
            yield span.line, "" if _exists(path, root) else f"there is no {path}"


def _check_block(block, root):
    known = {"console": _check_console, "cpp": _check_cpp}
    if not block.closed:
        yield block.line, "the block is not closed"
    elif block.language in known:
        yield from known[block.language](block, root)


# ---- console -----------------------------------------------------------------------------------------------------


@dataclass
class Ran:
    """A command that has run."""

    status: int
    output: list
    timed_out: bool = False

    def problem(self):
        if self.timed_out:
            return "\n".join(["did not end in time", *self.shown()])
        if self.status == 0:
            return ""
        died = f"was ended by {signal.Signals(-self.status).name}" if self.status < 0 else ""
        return "\n".join([died or f"ended with exit status {self.status}", *self.shown()])

    def shown(self, most=30):
        left_out = [f"({len(self.output) - most} lines before)"] if len(self.output) > most else []
        return left_out + self.output[-most:]


def run_command(command, root, seconds=COMMAND_SECONDS):
    """Runs it from `root` without input; both streams are its output. Processes that it leaves behind are ended with it."""
    process = subprocess.Popen(
        command,
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )
    timed_out = False
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end_group(process)
        output, _ = process.communicate()
    return Ran(process.returncode, output.splitlines(), timed_out)


def _end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


@dataclass
class Step:
    """One command of a block, and what it should print."""

    line: int
    command: str
    expected: list


def _steps(block):
    """The commands of a block; None if it begins with something else."""
    steps = []
    for number, line in enumerate(block.lines, block.line + 1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:].strip(), []))
        elif not steps:
            return None
        elif steps[-1].command.endswith("\\") and not steps[-1].expected:
            steps[-1].command = steps[-1].command[:-1] + line.strip().removeprefix("> ")
        else:
            steps[-1].expected.append(line.rstrip())
    return steps


def _check_console(block, root):
    steps = _steps(block)
    if block.marks not in ([], ["no-run"]):
        yield block.line, f"unknown mark '{' '.join(block.marks)}'; console knows: no-run"
    elif not steps:
        yield block.line, "a console block begins with '$ ' and a command"
    elif block.marks:
        yield block.line, _problem_of_names(steps, root)
    else:
        for step in steps:
            yield step.line, _problem_of_step(step, root)


def _problem_of_names(steps, root):
    """A command that is not run must at least name something that is there."""
    names = [path for step in steps for word in _words(step.command) if (path := _path_in(word, root))]
    missing = [name for name in names if not _exists(name, root)]
    if missing:
        return f"there is no {', '.join(missing)}"
    return "" if names else "a block that is not run must name a script of the repository"


def _words(command):
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()


def _problem_of_step(step, root):
    ran = run_command(["bash", "-c", step.command], root)
    problem = ran.problem()
    if problem:
        return f"`{step.command}` {problem}"
    actual = _without_blank_end([line.rstrip() for line in ran.output])
    expected = _without_blank_end(step.expected)
    # A command that is shown without output is only expected to succeed.
    missing = _first_mismatch(expected, actual) if expected else None
    if missing is None:
        return ""
    return "\n".join([f"`{step.command}` does not print what is shown", missing, "it prints:", *ran.shown()])


def _first_mismatch(expected, actual):
    """None if they match. `...` alone on a line stands for any number of lines."""
    positions = {0}  # How much of `actual` may have been used up so far.
    for line in expected:
        if line.strip() == "...":
            positions = set(range(min(positions), len(actual) + 1))
            continue
        positions = {at + 1 for at in positions if at < len(actual) and actual[at] == line}
        if not positions:
            return f"not found, or not in its place: {line}"
    return None if len(actual) in positions else "it prints more than is shown; `...` stands for the rest"


def _without_blank_end(lines):
    end = len(lines)
    while end > 0 and not lines[end - 1]:
        end -= 1
    return lines[:end]


# ---- cpp ---------------------------------------------------------------------------------------------------------


def _check_cpp(block, root):
    if not block.marks:
        yield block.line, _problem_of_compiling(block)
    elif len(block.marks) == 1 and block.marks[0].startswith("file="):
        yield block.line, _problem_of_quoting(block, block.marks[0].removeprefix("file="), root)
    elif block.marks != ["fragment"]:
        yield block.line, f"unknown mark '{' '.join(block.marks)}'; cpp knows: file=<path>, fragment"


def _problem_of_compiling(block):
    source = f'#line {block.line + 1} "block"\n' + "\n".join(block.lines) + "\n"
    result = subprocess.run(COMPILER, input=source, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    errors = [line for line in result.stderr.splitlines() if "error: " in line] or result.stderr.splitlines()
    return "\n".join(["does not compile as C++20 (mark it file=<path>, or fragment)", *errors[:5]])


def _problem_of_quoting(block, name, root):
    path = (root / name).resolve()
    if not path.is_file() or not path.is_relative_to(root):
        return f"there is no {name}"
    wanted = _normalised(block.lines)
    there = _normalised(path.read_text(encoding="utf-8").splitlines(), strip_ends=False)
    if not wanted:
        return "the block is empty"
    # The place where most of it is, to say what is different there.
    agreeing, begin = max((_agreeing(wanted, there, at), -at) for at in range(len(there) + 1))
    if agreeing == len(wanted):
        return ""
    if agreeing == 0:
        return f"its first line is not in {name}: {wanted[0]}"
    at = agreeing - begin
    has = there[at] if at < len(there) else "(ends)"
    return f"is not as in {name}, line {at + 1}\nshown: {wanted[agreeing]}\nthere: {has}"


def _agreeing(wanted, there, begin):
    count = 0
    while count < len(wanted) and begin + count < len(there) and wanted[count] == there[begin + count]:
        count += 1
    return count


def _normalised(lines, strip_ends=True):
    lines = [" ".join(line.split()) for line in lines]
    while strip_ends and lines and not lines[0]:
        lines.pop(0)
    return _without_blank_end(lines) if strip_ends else lines


# ---- Links and paths ---------------------------------------------------------------------------------------------


def _problem_of_link(target, document, root):
    name, _, heading = target.partition("#")
    base = root if name.startswith("/") else document.path.parent
    path = (base / name.lstrip("/")).resolve() if name else document.path
    if not path.is_relative_to(root) or not path.exists():
        return f"the link {target} leads nowhere"
    if heading and path.suffix == ".md":
        headings = document.headings if path == document.path else Document(path).headings
        if heading not in headings:
            return f"the link {target} leads to no heading there"
    return ""


def _path_in(text, root):
    """The path that a code span or a word of a command begins with, if it looks like one of this repository."""
    word = (text.split() or [""])[0].removeprefix("./").rstrip(".,;:")
    word = re.sub(r":\d+(:\d+)?$", "", word)
    top, slash, rest = word.partition("/")
    ours = slash and rest and top not in _NOT_OURS and (root / top).is_dir()
    return word if ours and top not in ("", ".", "..") else ""


def _exists(path, root):
    """`<name>` stands for any name, `*` and `**` for what they stand for in a shell."""
    pattern = re.sub(r"<[^>/]*>", "*", path).rstrip("/")
    if any(c in pattern for c in "*?["):
        return next(root.glob(pattern), None) is not None
    return (root / pattern).exists()
