"""The tools of the cases: a directory with a file, the command line, workers, and terminals."""

import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "dev" / "bin"
BELAY = str(BIN / "belay")
SECONDS = 30


class Ran:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def lines(self):
        return self.out.splitlines()

    def json(self):
        return json.loads(self.out)

    def jsons(self):
        return [json.loads(line) for line in self.lines()]


class World:
    """One file, and what is done with it. Everything that was started ends with it."""

    def __enter__(self):
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.directory = tempfile.mkdtemp(prefix="belay-cli-", dir=memory)
        self.file = os.path.join(self.directory, "runs.db")
        self.workers = []
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.kill()
            worker.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def environment(self, **more):
        plain = {"PATH": os.environ["PATH"], "HOME": self.directory, "USER": "ann", "TERM": "xterm"}
        return {**plain, "BELAY_STORE": f"sqlite:{self.file}", **more}

    def belay(self, *words, status=0, input="", **variables):
        """Runs it without a terminal, and demands the exit status."""
        done = subprocess.run(
            [BELAY, *words],
            input=input,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=self.directory,
            env=self.environment(**variables),
            check=False,
        )
        assert done.returncode == status, f"{words}: {done.returncode}, not {status}\n{done.stdout}{done.stderr}"
        return Ran(done.returncode, done.stdout, done.stderr)

    def begun(self, *words):
        """One that goes on beside what is done next."""
        process = subprocess.Popen(
            [BELAY, *words], stdout=subprocess.PIPE, text=True, cwd=self.directory, env=self.environment()
        )
        self.workers.append(process)
        return process

    def worker(self, *arguments):
        """A worker process that is ready."""
        process = subprocess.Popen(
            [str(BIN / "belay-cli-worker"), self.file, *arguments], stdout=subprocess.PIPE, text=True
        )
        self.workers.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    def stop(self, worker):
        worker.send_signal(signal.SIGTERM)
        worker.wait(SECONDS)

    def until(self, condition):
        """Asks until it is true; gives what it said."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            answer = condition()
            if answer:
                return answer
            time.sleep(0.01)
        raise AssertionError("did not happen in time")

    def started(self, definition, *words):
        """Starts a run, with the file if it is not there, and gives its id."""
        return self.belay("start", definition, *words, "--create", "--json").json()["id"]

    def status(self, instance):
        return self.belay("show", instance, "--json").json()["status"]

    def on_terminal(self, *words, typed="", columns=60, **variables):
        """Runs it on a terminal of this width; gives the exit status and all that was printed."""
        master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        process = subprocess.Popen(
            [BELAY, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=self.directory,
            env=self.environment(**variables),
            start_new_session=True,
        )
        os.close(slave)
        if typed:
            os.write(master, typed.encode())
        printed = b""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            printed += piece
        os.close(master)
        return process.wait(SECONDS), printed.decode()
