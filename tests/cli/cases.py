"""Runs cases: functions test_* of modules, each with a World of its own, some at once."""

import importlib
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

from harness import World


def of_modules(modules, wanted):
    """The functions test_*, by name: all, or those whose names contain one of the texts."""
    for module in modules:
        for name, function in vars(importlib.import_module(module)).items():
            full = f"{module}.{name}"
            if name.startswith("test_") and (not wanted or any(text in full for text in wanted)):
                yield full, function


def run(case):
    """Gives the name, and what went wrong."""
    name, function = case
    try:
        with World() as world:
            function(world)
        return name, ""
    except AssertionError:
        return name, traceback.format_exc(limit=-3)
    except Exception:  # noqa: BLE001: whatever it is, the case failed
        return name, traceback.format_exc()


def run_all(cases, at_once, last=None):
    """Runs what an iterable gives, which is asked for the next case when there is room, and `last` after all of them. Prints the
    failures and the line of a suite. Gives the exit status."""
    waiting, lock = iter(cases), threading.Lock()

    def work(_):
        done = []
        while True:
            with lock:
                case = next(waiting, None)
            if case is None:
                return done
            done.append(run(case))

    with ThreadPoolExecutor(at_once) as pool:
        results = [result for part in pool.map(work, range(at_once)) for result in part]
    if last and results:
        results.append(run(last))
    failed = [(name, problem) for name, problem in results if problem]
    for name, problem in failed:
        print(f"{name} failed\n{problem}", flush=True)
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed, 0 skipped", flush=True)
    return 1 if failed or not results else 0
