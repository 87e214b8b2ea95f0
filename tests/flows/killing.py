"""belay run, killed at random, again and again until its flow has ended.

A round is one run of a flow. Its processes are killed with SIGKILL, alone or with their whole group, at moments that a seed chooses.
Steps leave lines in a file outside of the store, which is looked at in the end: see killed/effect.sh.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from harness import BELAY, SECONDS

FLOWS = Path(__file__).resolve().parent / "killed"
# The mark of all processes of a round, in their environment.
MARK = "BELAY_KILLED_IN"
NO_SUCH_RUN = 3
CANCELED = 8
MOST_KILLS = 10

WORKS = ["first", "each[0]", "each[1]", "each[2]", "each[3]", "each[4]", "again", "program", "inner", "last", "clean"]
WORKS_OUTPUT = {"letters": ["a", "b", "c", "d", "e"], "part": "abcde"}
# Fails once by itself, so one worker may run it twice.
FAILS_ONCE = "again"


class Budget:
    """The kills that are left to all rounds together, and what they have hit."""

    def __init__(self, kills):
        self.left, self.lock = kills, threading.Lock()
        self.kills = self.repeated = 0

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def is_spent(self):
        with self.lock:
            return self.left <= 0

    def count(self, kills, repeated):
        with self.lock:
            self.kills += kills
            self.repeated += repeated


class Effect:
    """A line of the file: a step was begun by a worker, or found another attempt running."""

    def __init__(self, line):
        self.what, self.step, attempt, worker = line.split()
        self.attempt, self.worker = int(attempt), int(worker)


class Process:
    """One `belay run` of a round, with its output in a file of its own."""

    def __init__(self, world, flow, number):
        self.output = os.path.join(world.directory, f"output-{number}")
        with open(self.output, "wb") as output:
            self.popen = subprocess.Popen(
                [BELAY, "run", f"{flow}.yaml", "--json"],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=world.directory,
                env=world.environment(BELAY_STORE="", **{MARK: world.directory}),
                start_new_session=True,
            )
        self.killed = False
        world.workers.append(self.popen)

    @property
    def pid(self):
        return self.popen.pid

    def ended(self):
        return self.popen.poll() is not None

    def kill(self, group):
        if group:
            os.killpg(self.pid, signal.SIGKILL)
        else:
            self.popen.kill()
        self.popen.wait()
        self.killed = True

    def printed(self):
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return file.read()

    def told(self):
        """The objects that it has printed; the last line may be cut."""
        for line in self.printed().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                pass

    def completed(self):
        """The steps that it has told people are completed."""
        for one in self.told():
            if one.get("type") == "step" and one["state"] == "completed":
                yield one["step"] + (f"[{one['item']}]" if "item" in one else "")


class Round:
    def __init__(self, world, flow, seed, budget):
        self.world, self.flow, self.budget = world, flow, budget
        self.random = random.Random(seed)
        self.run = f"{flow}-1"
        self.processes = []
        self.kills = 0
        for file in FLOWS.iterdir():
            shutil.copy(file, world.directory)
        os.mkdir(os.path.join(world.directory, "locks"))

    # ---- What is done --------------------------------------------------------------------------------------------

    def begin(self):
        process = Process(self.world, self.flow, len(self.processes))
        self.processes.append(process)
        return process

    def kill_until(self, over, most):
        """Kills one process after the other until `over` says so, or there are enough kills. Gives the one that lives, or None."""
        for _ in range(most):
            if over():
                return None
            process = self.begin()
            self.wait_for_a_moment(process)
            if process.ended() or not self.budget.take():
                return process
            self.kill(process)
        return None

    def kill(self, process):
        process.kill(group=self.random.random() < 0.5)
        self.kills += 1
        # The other half of the next processes begin while the programs of this one may still be ending.
        if self.random.random() < 0.5:
            self.nothing_survives()

    def wait_for_a_moment(self, process):
        """Until some more steps have begun, and a little longer; or for any time."""
        if self.random.random() < 0.7:
            wanted = len(self.effects()) + self.random.randint(1, 3)
            give_up = time.monotonic() + 5
            while len(self.effects()) < wanted and not process.ended() and time.monotonic() < give_up:
                time.sleep(0.005)
            time.sleep(self.random.uniform(0, 0.15))
        else:
            time.sleep(self.random.uniform(0, 0.8))

    def finish(self, status):
        """Lets the run go on until its end."""
        process = self.processes[-1] if self.processes and not self.processes[-1].ended() else None
        if process is None and not self.has_ended():
            process = self.begin()
        if process is not None:
            process.popen.wait(2 * SECONDS)
        last = self.processes[-1]
        ended_well = last.killed or last.popen.returncode == status
        assert ended_well, f"exit status {last.popen.returncode}, not {status}\n{last.printed()}"
        self.nothing_survives()

    # ---- What is seen --------------------------------------------------------------------------------------------

    def belay(self, *words, **options):
        store = f"sqlite:{self.world.directory}/.belay/{self.flow}.db"
        return self.world.belay(*words, BELAY_STORE=store, **options)

    def shown(self):
        """The run as `belay show` prints it, or None before it was started."""
        if not os.path.exists(os.path.join(self.world.directory, ".belay", f"{self.flow}.db")):
            return None
        ran = subprocess.run(
            [BELAY, "show", self.run, "--json", "--store", f"sqlite:.belay/{self.flow}.db"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=self.world.directory,
            env=self.world.environment(BELAY_STORE=""),
            check=False,
        )
        # Killed in the midst of making it, the store has no tables yet.
        return json.loads(ran.stdout) if ran.returncode == 0 else None

    def has_ended(self):
        shown = self.shown()
        return shown is not None and shown["status"] in ("completed", "failed", "canceled")

    def effects(self):
        path = os.path.join(self.world.directory, "effects")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [Effect(line) for line in file.read().splitlines()]

    def living(self):
        """The processes of this round, but for those that have ended and are not waited for."""
        found = []
        mark = f"{MARK}={self.world.directory}".encode()
        for entry in os.listdir("/proc"):
            try:
                if not entry.isdigit():
                    continue
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark not in file.read().split(b"\0"):
                        continue
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    found.append(f"{entry} {file.read().replace(bytes(1), b' ').decode()}")
            except OSError:
                pass
        return found

    def nothing_survives(self):
        """The programs of a dead worker, and all that they have started, end with it."""
        end = time.monotonic() + SECONDS
        left = self.living()
        while left and time.monotonic() < end:
            time.sleep(0.005)
            left = self.living()
        assert not left, f"these outlive their worker: {left}"

    # ---- What must be true ---------------------------------------------------------------------------------------

    def check(self, wanted):
        """`wanted`: the steps that must have had an effect. No other has."""
        effects = self.effects()
        overlaps = [one.step for one in effects if one.what == "overlap"]
        assert not overlaps, f"these began while an earlier attempt ran: {overlaps}"
        counts = Counter(one.step for one in effects)
        assert set(counts) == set(wanted), f"effects: {dict(counts)}"
        self.check_attempts(effects)
        self.check_told(effects)
        self.budget.count(self.kills, sum(count - 1 for step, count in counts.items() if step != FAILS_ONCE))
        ids = [one["id"] for one in self.belay("list", "--json").jsons() if one["definition"] == self.flow]
        assert [one for one in ids if "~" not in one] == [self.run], ids
        self.belay("doctor", "--json")

    def check_attempts(self, effects):
        """No attempt has two effects, and one worker does not run a step twice. Each worker but the last was killed in it."""
        seen = set()
        workers = {}
        order = {process.pid: number for number, process in enumerate(self.processes)}
        for one in effects:
            if one.step != FAILS_ONCE:
                assert (one.step, one.attempt) not in seen, f"attempt {one.attempt} of {one.step} had two effects"
                seen.add((one.step, one.attempt))
                before = workers.get(one.step)
                assert before is None or order[before] < order[one.worker], f"{one.step} ran twice without a kill between"
                assert before is None or self.processes[order[before]].killed, f"{one.step} ran again, and nobody was killed"
            workers[one.step] = one.worker

    def check_told(self, effects):
        """A step that people were told to be completed never runs again."""
        order = {process.pid: number for number, process in enumerate(self.processes)}
        for number, process in enumerate(self.processes):
            for step in process.completed():
                later = [one for one in effects if one.step == step and order[one.worker] > number]
                assert not later, f"{step} was told to be completed, and ran again"


def works(world, seed, budget):
    """A flow goes on where it was, however often it is killed, and ends completed."""
    one = Round(world, "works", seed, budget)
    one.kill_until(one.has_ended, one.random.randint(2, MOST_KILLS))
    one.finish(0)
    one.check(WORKS)
    shown = one.shown()
    assert shown["status"] == "completed", shown
    assert shown["output"]["value"] == WORKS_OUTPUT, shown
    states = {step["id"]: step["state"] for part in one.belay("graph", one.run, "--json").json()["lists"] for step in part["steps"]}
    assert states.pop("rare") == "skipped" and set(states.values()) == {"completed"}, states


def cancels(world, seed, budget):
    """A flow that is canceled between kills ends canceled, with its cleanup, however often that is killed."""
    one = Round(world, "cancels", seed, budget)
    begun = lambda: any(effect.step == "long" for effect in one.effects())  # noqa: E731
    living = one.kill_until(begun, 3)
    if living is None:
        living = one.begin()
    world.until(begun)
    if one.random.random() < 0.5:
        world.until(lambda: list(living.told()))  # From now on it hears signals.
        living.popen.send_signal(signal.SIGINT)
        world.until(lambda: any(told.get("type") == "canceling" for told in living.told()))
        before = None
    else:
        one.kill(living)
        one.nothing_survives()
        assert one.belay("cancel", one.run, "--reason", "enough", "--json").json()["changed"]
        before = len(one.effects())
    if living.ended():
        living = one.kill_until(one.has_ended, one.random.randint(1, 5))
    elif budget.take():
        one.wait_for_a_moment(living)
        if not living.ended():
            one.kill(living)
            one.kill_until(one.has_ended, one.random.randint(1, 4))
    one.finish(CANCELED)
    one.check(["first", "long", "undo_long", "undo", "clean"])
    shown = one.shown()
    assert shown["status"] == "canceled" and shown["cleanup"] == "done", shown
    later = {effect.step for effect in one.effects()[before:]} if before is not None else set()
    assert later <= {"undo_long", "undo", "clean"}, f"began after the cancel: {later}"
