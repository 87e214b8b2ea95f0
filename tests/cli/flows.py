"""Flows as a user runs them: processes that are killed, interrupted, given other params, shown on terminals."""

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from fcntl import ioctl

from harness import BELAY, SECONDS

TWO_STEPS = """belay: 1
name: demo
params:
  word: {type: string, default: hello}
steps:
  - id: first
    script: |
      echo "$WORD from first"
      echo first >> done
    env: {WORD: "${{ params.word }}"}
  - id: second
    needs: [first]
    script: |
      echo begun >> begun
      until [ -e go ]; do sleep 0.02; done
      echo second >> done
      echo finished
output: '{"said": steps.first.output, "last": steps.second.output}'
"""


def write(world, name, text):
    with open(os.path.join(world.directory, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(world, name):
    path = os.path.join(world.directory, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def go(world):
    write(world, "go", "")


def run(world, *words, status=0, **variables):
    return world.belay("run", *words, status=status, BELAY_STORE="", **variables)


def begin(world, *words):
    """A run in a process that goes on beside."""
    process = subprocess.Popen(
        [BELAY, "run", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=world.directory,
        env=world.environment(BELAY_STORE=""),
    )
    world.workers.append(process)
    return process


def begun(world, count=1):
    world.until(lambda: read(world, "begun").count("begun") >= count)


def ends(process, status):
    printed = process.communicate(timeout=SECONDS)[0]
    assert process.returncode == status, f"{process.returncode}, not {status}\n{printed}"
    return printed


def flow(world, text=TWO_STEPS, name="demo.yaml"):
    write(world, name, text)
    return name


def test_a_flow_runs_and_is_told_in_lines(world):
    flow(world)
    go(world)
    ran = run(world, "demo.yaml")
    told = [re.sub(r"^\d\d:\d\d:\d\d ", "", line) for line in ran.lines()]
    told = [re.sub(r"in [\d.]+m?s", "in T", line) for line in told]
    assert told == [
        "run demo-1 started",
        "first started",
        "first | hello from first",
        "first completed in T",
        "second started",
        "second | finished",
        "second completed in T",
        "demo-1 completed in T",
        'output: {"said":"hello from first","last":"finished"}',
    ], ran.out


def test_the_store_stands_beside_the_pipeline_for_its_owner_only(world):
    flow(world)
    go(world)
    run(world, "demo.yaml")
    folder = os.path.join(world.directory, ".belay")
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert read(world, ".belay/.gitignore") == "*\n" and os.path.exists(os.path.join(folder, "demo.db"))
    assert "completed" in world.belay("graph", "demo-1", BELAY_STORE="").out


def test_after_an_end_the_same_command_starts_the_next_run(world):
    flow(world)
    go(world)
    assert "run demo-1 started" in run(world, "demo.yaml").out
    assert "run demo-2 started" in run(world, "demo.yaml").out


def test_killed_it_goes_on_where_it_was(world):
    flow(world)
    process = begin(world, "demo.yaml")
    begun(world)
    process.kill()
    process.wait(SECONDS)
    again = begin(world, "demo.yaml")
    begun(world, 2)
    go(world)
    printed = ends(again, 0)
    assert "run demo-1 goes on" in printed and "the file has changed" not in printed, printed
    assert read(world, "done") == "first\nsecond\n"


def test_terminated_it_leaves_without_a_cancel(world):
    for number in (signal.SIGTERM, signal.SIGHUP):
        flow(world)
        process = begin(world, "demo.yaml")
        begun(world)
        process.send_signal(number)
        printed = ends(process, 10)
        assert "goes on when the same command is given again" in printed
        os.remove(os.path.join(world.directory, "begun"))
        assert "demo-1" in world.belay("graph", "demo-1", BELAY_STORE="").out
    go(world)
    assert "run demo-1 goes on" in run(world, "demo.yaml").out


def test_interrupted_once_it_cancels_and_cleans_up(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: work
    script: |
      echo begun >> begun
      sleep 100
    on_cancel: {script: "echo cleaned >> cleaned"}
""",
    )
    process = begin(world, "demo.yaml")
    begun(world)
    process.send_signal(signal.SIGINT)
    printed = ends(process, 8)
    assert "canceling; Ctrl-C again leaves at once" in printed and "interrupted" in printed, printed
    assert read(world, "cleaned") == "cleaned\n"


def test_a_canceled_step_gets_the_stop_signal_that_it_names(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: work
    script: |
      trap 'echo interrupted >> asked; exit 1' INT
      trap 'echo terminated >> asked; exit 1' TERM
      echo begun >> begun
      while :; do sleep 0.02 || :; done
    stop_signal: INT
""",
    )
    process = begin(world, "demo.yaml")
    begun(world)
    world.belay("cancel", "demo-1", BELAY_STORE="")
    ends(process, 8)
    assert read(world, "asked") == "interrupted\n"


def test_interrupted_twice_it_leaves_at_once_and_cleans_up_later(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: work
    script: |
      echo begun >> begun
      sleep 100
    on_cancel:
      script: |
        echo begun >> begun
        until [ -e go ]; do sleep 0.02; done
        echo cleaned >> cleaned
""",
    )
    process = begin(world, "demo.yaml")
    begun(world)
    process.send_signal(signal.SIGINT)
    begun(world, 2)
    process.send_signal(signal.SIGINT)
    printed = ends(process, 10)
    assert "left; run demo-1 is canceled; go on with its cleanup, if there is any: " \
           "belay run demo.yaml --join demo-1" in printed, printed
    go(world)
    assert "it is being canceled" in run(world, "demo.yaml", "--join", "demo-1", status=8).out
    assert "run demo-1 has ended already" in run(world, "demo.yaml", "--join", "demo-1", status=8).out
    assert "cleaned" in read(world, "cleaned")


def test_a_canceled_run_that_still_stops_is_canceling_and_is_joined(world):
    # Nothing of it cleans up, so it ends in the commit of its cancel. Its program is slow to stop.
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: work
    script: |
      trap 'echo asked >> asked' TERM
      echo begun >> begun
      until [ -e go ]; do sleep 0.02 || true; done
""",
    )
    process = begin(world, "demo.yaml")
    begun(world)
    assert "demo-1 is canceling" in world.belay("cancel", "demo-1", BELAY_STORE="").out
    world.until(lambda: read(world, "asked"))
    assert "demo-1  canceling" in world.belay("graph", "demo-1", BELAY_STORE="").out
    drawn = world.belay("graph", "demo-1", "--json", BELAY_STORE="").json()
    work = drawn["lists"][0]["steps"][0]
    assert drawn["status"] == "canceling" and work["state"] == "canceling", drawn
    assert work["worker"] and work["canceled_at"] and "ended_at" not in work, drawn
    assert "canceling" in world.belay("list", BELAY_STORE="").out
    world.belay("wait", "demo-1", "--timeout", "10ms", status=6, BELAY_STORE="")
    again = begin(world, "demo.yaml")
    assert "run demo-1 goes on: it is being canceled" in again.stdout.readline()
    go(world)
    ends(process, 8)
    ends(again, 8)
    world.belay("wait", "demo-1", status=1, BELAY_STORE="")
    assert "canceling" not in world.belay("list", BELAY_STORE="").out


def test_one_step_is_canceled_and_the_rest_goes_on(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: dump
    map: "[1, 2]"
    items_may_fail: 1
    script: |
      echo begun >> begun
      until [ -e go ]; do sleep 0.02; done
""",
    )
    process = begin(world, "demo.yaml")
    begun(world, 2)

    def cancel(*words, status=0):
        return world.belay("cancel", "demo-1", *words, status=status, BELAY_STORE="").out

    assert cancel("--step", "dump[0]", "--by", "ann") == "dump[0] of demo-1 is being canceled\n"
    late = {"id": "demo-1", "step": "dump[0]", "state": "canceled", "changed": False}
    until = time.monotonic() + SECONDS
    while json.loads(cancel("--step", "dump[0]", "--json")) != late:
        assert time.monotonic() < until
    go(world)
    ends(process, 0)
    assert cancel("--step", "dump[1]") == "dump[1] of demo-1 is completed; it had ended before\n"
    cancel("--step", "nobody", status=3)
    cancel("--step", "dump", "--deadline", "1m", status=2)
    cancel("demo-2", "--step", "dump", status=2)


def test_other_params_are_refused_while_a_run_is_under_way(world):
    flow(world)
    process = begin(world, "demo.yaml")
    begun(world)
    refused = run(world, "demo.yaml", "-p", "word=bye", status=4).err
    assert 'word is "hello" there and "bye" here' in refused, refused
    assert "--join demo-1" in refused and "--new" in refused
    # The default, said in words, is the same param.
    same = begin(world, "demo.yaml", "-p", "word=hello")
    joined = begin(world, "demo.yaml", "--join", "demo-1")
    new = begin(world, "demo.yaml", "-p", "word=bye", "--new")
    begun(world, 2)
    go(world)
    assert "run demo-1 goes on" in ends(same, 0) and "run demo-1 goes on" in ends(joined, 0)
    assert "bye from first" in ends(new, 0)
    ends(process, 0)
    assert sorted(read(world, "done").split()) == ["first", "first", "second", "second"]


def test_only_a_run_of_the_same_flow_is_joined(world):
    flow(world)
    write(world, "other.yaml", "belay: 1\nname: other\nsteps: [{id: a, set: 1}]\n")
    go(world)
    world.belay("run", "demo.yaml", "--store", "sqlite:one.db")
    refused = world.belay("run", "other.yaml", "--join", "demo-1", "--store", "sqlite:one.db", status=4).err
    assert "'demo-1' is a run of 'demo', not of the flow 'other'" in refused, refused


def test_an_id_in_use_has_advice_that_belay_run_understands(world):
    flow(world)
    go(world)
    run(world, "demo.yaml", "--id", "mine")
    refused = run(world, "demo.yaml", "--id", "mine", status=4).err
    assert "--on-conflict" not in refused and "--join" in refused, refused


def test_params_come_from_a_file_and_from_words(world):
    flow(world)
    go(world)
    write(world, "params.json", '{"word": "file"}')
    assert "file from first" in run(world, "demo.yaml", "--params", "params.json").out
    assert "word from first" in run(world, "demo.yaml", "--params", "params.json", "-p", "word=word").out
    assert "unknown" in run(world, "demo.yaml", "-p", "wrod=x", status=2).err


def test_a_changed_file_is_told_and_the_run_keeps_its_own(world):
    flow(world)
    process = begin(world, "demo.yaml")
    begun(world)
    process.kill()
    process.wait(SECONDS)
    flow(world, TWO_STEPS.replace("echo finished", "echo changed"))
    go(world)
    printed = run(world, "demo.yaml").out
    assert "the file has changed since this run began" in printed and '"last":"finished"' in printed, printed
    assert '"last":"changed"' in run(world, "demo.yaml").out


def test_a_failure_is_told_with_the_end_of_its_errors(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: work
    retry: {attempts: 2, delay: 2s}
    script: |
      echo "no space left" >&2
      exit 3
on_fail:
  - id: tell
    script: echo "telling about $STEP"
    env: {STEP: "${{ failure.step }}"}
""",
    )
    printed = run(world, "demo.yaml", status=1).out
    assert "work failed, attempt 1 of 2: exit status 3: no space left; again in" in printed, printed
    assert "work failed, attempt 2 of 2: exit status 3: no space left" in printed
    assert "tell | telling about work" in printed and "tell completed" in printed
    assert "more: belay logs demo-1 --step work" in printed
    assert "no space left" in world.belay("logs", "demo-1", "--step", "work", BELAY_STORE="").out
    assert "demo-1 failed in" in printed and "\n    no space left\n" in printed


def test_the_time_of_a_run_has_an_exit_status_of_its_own(world):
    flow(world, "belay: 1\nname: demo\ntimeout: 300ms\nsteps:\n  - id: work\n    exec: [sleep, '100']\n")
    assert "demo-1 failed" in run(world, "demo.yaml", status=6).out


def test_all_mistakes_of_a_file_are_listed(world):
    flow(world, "belay: 1\nname: demo\nsteps:\n  - id: a\n    neds: [b]\n    exec: [ls]\n  - id: b\n    exce: [ls]\n")
    told = run(world, "demo.yaml", status=9).err
    assert re.search(r"^demo.yaml:5:5: .*neds", told, re.MULTILINE), told
    assert re.search(r"^demo.yaml:8:5: .*exce", told, re.MULTILINE), told
    assert not os.path.exists(os.path.join(world.directory, ".belay"))
    checked = world.belay("flow", "check", "demo.yaml", status=9)
    assert len([line for line in checked.lines() if line.startswith("demo.yaml:")]) >= 2, checked.out
    problems = world.belay("flow", "check", "demo.yaml", "--json", status=9).json()["problems"]
    assert {(one["line"], one["column"]) for one in problems} >= {(5, 5), (8, 5)}


def test_json_tells_each_change_and_at_last_the_outcome(world):
    flow(world)
    go(world)
    lines = run(world, "demo.yaml", "--json").jsons()
    assert lines[0]["type"] == "started" and lines[-1]["type"] == "outcome"
    assert lines[-1]["status"] == "completed" and lines[-1]["run"] == "demo-1"
    steps = [(one["step"], one["state"]) for one in lines if one["type"] == "step"]
    assert steps[-1] == ("second", "completed") and ("first", "completed") in steps
    assert [one["text"] for one in lines if one["type"] == "output"] == ["hello from first", "finished"]


def test_quiet_prints_only_the_output(world):
    flow(world)
    go(world)
    assert json.loads(run(world, "demo.yaml", "--quiet").out) == {"said": "hello from first", "last": "finished"}


def test_an_approval_is_answered_by_another_process(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: ask
    approval:
      prompt: "Really?"
      input: {limit: {type: integer, min: 1}}
  - id: act
    needs: [ask]
    exec: [echo, "limit ${{ steps.ask.output.values.limit }} by ${{ steps.ask.output.by }}"]
""",
    )

    def approve(*words, status=0):
        return world.belay("approve", "demo-1", *words, status=status, BELAY_STORE="")

    process = begin(world, "demo.yaml")
    while "belay approve demo-1 ask" not in process.stdout.readline():
        assert process.poll() is None
    assert "limit" in approve("ask", status=2).err
    approve("act", status=3)
    assert "delivered to demo-1" in approve("ask", "--value", "limit=7", "--by", "bob").out
    assert "limit 7 by bob" in ends(process, 0)
    assert "completed already" in approve("ask", "--value", "limit=8", status=4).err


def test_a_rejected_approval_fails_the_run(world):
    flow(world, 'belay: 1\nname: demo\nsteps:\n  - id: ask\n    approval: {prompt: "Really?"}\n')
    process = begin(world, "demo.yaml")
    while "belay approve demo-1 ask" not in process.stdout.readline():
        assert process.poll() is None
    world.belay("approve", "demo-1", "ask", "--reject", BELAY_STORE="")
    assert "refused by ann" in ends(process, 1)


def test_a_flow_starts_the_one_beside_it(world):
    flow(world, "belay: 1\nname: main\nsteps:\n  - id: child\n    flow: part\n    with: {n: 4}\n", "main.yaml")
    flow(
        world,
        "belay: 1\nname: part\nparams: {n: {type: integer}}\n"
        'steps:\n  - id: twice\n    set: "${{ params.n * 2 }}"\noutput: steps.twice.output\n',
        "part.yml",
    )
    assert json.loads(run(world, "main.yaml", "--quiet").out) == {"child": 8}
    flow(world, "belay: 1\nname: part\nsteps:\n  - id: x\n    exce: [ls]\n", "part.yml")
    assert re.search(r"^part.yml:5:5: ", run(world, "main.yaml", status=9).err, re.MULTILINE)


def test_the_graph_of_a_file_and_of_a_run(world):
    flow(world)
    drawn = world.belay("graph", "demo.yaml", BELAY_STORE="").lines()
    assert [line.split() for line in drawn] == [["●", "first"], ["●", "second"]], drawn
    go(world)
    run(world, "demo.yaml")
    assert "✓ second" in world.belay("graph", "demo-1", BELAY_STORE="").out
    world.belay("graph", "demo-1", "--svg", "demo.svg", BELAY_STORE="")
    assert read(world, "demo.svg").startswith("<svg") and "second" in read(world, "demo.svg")
    steps = world.belay("graph", "demo-1", "--json", BELAY_STORE="").json()["lists"][0]["steps"]
    assert all(step["began_at"] <= step["ended_at"] and step["attempt"] == 1 for step in steps), steps


def test_the_items_of_a_map_and_an_early_end_are_shown(world):
    flow(
        world,
        """belay: 1
name: demo
steps:
  - id: each
    map: "[1, 2, 3]"
    as: n
    set: "${{ n * 2 }}"
    end_flow: steps.each.output.size() == 3
  - id: rest
    needs: [each]
    script: "true"
""",
    )
    told = run(world, "demo.yaml").out
    assert "ended early by 'each': steps.each.output.size() == 3" in told, told
    items = world.belay("graph", "demo-1", "--items", "each", "--json", BELAY_STORE="").lines()
    assert [(json.loads(line)["item"], json.loads(line)["state"]) for line in items] == [
        (0, "completed"),
        (1, "completed"),
        (2, "completed"),
    ], items
    assert world.belay("graph", "demo-1", "--items", "each", BELAY_STORE="").out.startswith("ITEM")
    drawn = world.belay("graph", "demo-1", "--json", BELAY_STORE="").json()
    assert drawn["ended_by"] == "each" and "size() == 3" in drawn["ended_why"], drawn
    for command in ("graph", "show"):
        assert "ended early by 'each'" in world.belay(command, "demo-1", BELAY_STORE="").out
    assert world.belay("show", "demo-1", "--json", BELAY_STORE="").json()["ended_by"] == "each"


# ---- On a terminal -------------------------------------------------------------------------------------------------


class OnTerminal:
    """A run on a terminal that is read while it goes on."""

    def __init__(self, world, *words, rows=24, columns=80):
        self.master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            [BELAY, "run", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=world.directory,
            env=world.environment(BELAY_STORE="", NO_COLOR="1"),
            start_new_session=True,
        )
        os.close(slave)
        world.workers.append(self.process)
        self.printed = b""

    def text(self):
        return self.printed.decode(errors="replace")

    def read_until(self, condition):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not condition(self.text()):
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                break
            if not piece:
                break
            self.printed += piece
        assert condition(self.text()), self.text()

    def end(self, status):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                break
            if not piece:
                break
            self.printed += piece
        os.close(self.master)
        assert self.process.wait(SECONDS) == status, self.text()
        return self.text()


def test_a_terminal_shows_the_graph_and_gets_its_cursor_back(world):
    flow(world)
    shown = OnTerminal(world, "demo.yaml")
    shown.read_until(lambda text: "▶ second" in text)
    go(world)
    printed = shown.end(0)
    assert "✓ first" in printed and "✓ second" in printed and "demo-1 completed in" in printed
    assert printed.count("\x1b[?25l") == 1 and printed.rindex("\x1b[?25h") > printed.rindex("\x1b[?25l")
    assert "\x1b[2J" not in printed  # What stood on the terminal before stays.


def test_ctrl_c_on_a_terminal_cancels_and_restores_it(world):
    flow(world)
    shown = OnTerminal(world, "demo.yaml")
    begun(world)
    shown.process.send_signal(signal.SIGINT)
    printed = shown.end(8)
    assert "canceling; Ctrl-C again leaves at once" in printed and "\x1b[?25h" in printed
    assert "canceled by ann" in printed


def test_a_low_terminal_shows_the_steps_under_way(world):
    steps = "".join(f"  - id: s{i}\n    exec: [echo, s{i}]\n" for i in range(20))
    flow(world, TWO_STEPS.replace("steps:\n", "steps:\n" + steps, 1))
    shown = OnTerminal(world, "demo.yaml", rows=8, columns=50)
    shown.read_until(lambda text: "▶ second" in text and " of 22 steps ended" in text)
    go(world)
    shown.end(0)


def test_plain_is_lines_on_a_terminal_too(world):
    flow(world)
    go(world)
    shown = OnTerminal(world, "demo.yaml", "--plain")
    assert "\x1b" not in shown.end(0) and "first started" in shown.text()
