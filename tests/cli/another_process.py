"""The command line and workers in other processes, on one file."""


def test_a_cancel_reaches_work_that_another_process_runs(world):
    world.started("Sleeps", "--id", "s1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"
    leases = world.belay("leases", "--json").jsons()
    assert [(one["id"], one["name"], one["worker"]) for one in leases] == [("s1", "Nap", "test worker")]
    world.belay("cancel", "s1", "--by", "bob", "--reason", "wrong size")
    # The run goes on with its cleanup while the handler stops.
    told = {worker.stdout.readline(), worker.stdout.readline()}
    assert told == {"Nap stopped: canceled\n", "Undo s1\n"}, told
    waited = world.belay("wait", "s1", "--timeout", "20s", status=1)
    assert waited.out == "canceled by bob (user): wrong size; cleanup done\n"
    shown = world.belay("show", "s1", "--json").json()
    assert shown["cancel"]["by"] == "bob" and shown["cancel"]["reason"] == "wrong size"


def test_progress_of_an_activity_is_shown(world):
    world.started("Sleeps", "--id", "s1")
    worker = world.worker()
    assert worker.stdout.readline() == "Nap began\n"

    def progress():
        awaited = world.belay("show", "s1", "--json").json()["waiting_for"]
        return [one for one in awaited if "progress" in one]

    (nap,) = world.until(progress)
    assert nap["name"] == "Nap" and nap["progress"] == {"codec": "text", "value": "turning over"}
    assert nap["progress_at"] >= nap["since"], nap
    assert "\n    says turning over (" in world.belay("show", "s1").out


def test_the_values_of_a_run_are_shown(world):
    world.started("Sleeps", "--id", "s1")
    assert world.worker().stdout.readline() == "Nap began\n"
    assert world.belay("show", "s1", "--json").json()["values"] == {"pillows": {"codec": "integer", "value": 2}}
    shown = [line.split() for line in world.belay("show", "s1").lines()]
    assert ["value", "pillows", "=", "2"] in shown, shown


def test_terminate_and_forced_deletion_stop_it_too(world):
    worker = world.worker()
    for verb, words in (("terminate", []), ("delete", ["--force"])):
        world.started("Sleeps", "--id", verb)
        assert worker.stdout.readline() == "Nap began\n"
        world.belay(verb, verb, *words, "--yes")
        assert worker.stdout.readline() == "Nap stopped: canceled\n"
    assert "cleanup terminated" in world.belay("wait", "terminate", status=1).out
    world.belay("show", "delete", status=3)


def test_events_reach_what_waits_for_them(world):
    world.started("Waits", "--id", "w1")
    world.worker()
    waiting = world.until(lambda: world.belay("show", "w1", "--json").json()["waiting_for"])
    assert [(one["kind"], one["name"]) for one in waiting] == [("event", "go")]
    world.belay("raise", "w1", "go", "text:now", "--request-id", "r1")
    world.belay("raise", "w1", "go", "text:now", "--request-id", "r1")
    assert world.belay("wait", "w1").out == "completed: now\n"


def test_a_wait_hears_of_the_end_from_another_process(world):
    world.started("Waits", "--id", "w1")
    world.worker()
    world.until(lambda: world.status("w1") == "running")
    waiting = world.begun("wait", "w1", "--timeout", "20s")
    world.belay("raise", "w1", "go", "x")
    assert waiting.communicate(timeout=20)[0] == "completed: x\n" and waiting.returncode == 0
