"""Retention: for how long ended runs are kept."""

import os


def test_rules_are_shown_previewed_and_applied(world):
    for i in range(4):
        world.started("Waits", "--id", f"w{i}")
        world.belay("cancel", f"w{i}")
    assert "nothing is set" in world.belay("retention", "show").out
    preview = world.belay("retention", "preview", "--rule", "outcome=canceled,count=1", "--json").jsons()
    assert [(one["of"], one["definition"], one["roots"]) for one in preview] == [("instances", "Waits", 3)]
    asked = world.belay("retention", "set", "--rule", "outcome=canceled,count=2", status=4)
    assert "say --yes" in asked.err
    world.belay("retention", "set", "--rule", "outcome=canceled,count=2", "--executions", "age=7d", "--yes")
    shown = world.belay("retention", "show", "--json").jsons()
    assert [(one["of"], one["outcome"], one["max_count"], one["max_age_ms"]) for one in shown] == [
        ("instances", "canceled", 2, None),
        ("executions", None, None, 7 * 24 * 3600 * 1000),
    ]
    assert {one["set_by"] for one in shown} == {"ann"} and shown[0]["set_at"].endswith("Z")
    assert "by ann" in world.belay("retention", "show").out
    assert "Delete 2 instances" in world.belay("retention", "apply", status=4).err
    assert world.belay("retention", "apply", "--yes", "--json").json()["instances"] == 2
    assert [one["id"] for one in world.belay("list", "--json").jsons()] == ["w3", "w2"]
    assert world.belay("retention", "preview").out == "nothing would go\n"
    world.belay("retention", "clear", status=4)
    world.belay("retention", "clear", "--yes")
    assert world.belay("retention", "show", "--json").out == ""


def test_ages_are_written_alike_everywhere(world):
    world.started("Waits", "--id", "w1")
    path = os.path.join(world.directory, "rules.toml")
    for age, hours in (("2y", 2 * 365 * 24), ("3w", 3 * 7 * 24), ("1h30m", 1.5), ("100y", 100 * 365 * 24)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[[retention.instances]]\nmax_age = "{age}"\n')
        for rules in (["--rule", f"age={age}"], ["--file", path]):
            world.belay("retention", "set", *rules, "--yes")
            (rule,) = world.belay("retention", "show", "--json").jsons()
            assert rule["max_age_ms"] == hours * 3600 * 1000, (age, rules)
    with open(path, "w", encoding="utf-8") as file:
        file.write('[[retention.instances]]\nmax_age = "101y"\n')
    for rules in (["--rule", "age=101y"], ["--file", path]):
        world.belay("retention", "set", *rules, "--yes", status=2)


def test_rules_of_a_file(world):
    world.started("Waits", "--id", "w1")
    path = os.path.join(world.directory, "belay.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('store = "sqlite:runs.db"\n[[retention.instances]]\noutcome = "failed"\nmax_age = "90d"\n')
    world.belay("retention", "set", "--file", "belay.toml", "--yes", BELAY_STORE="")
    (rule,) = world.belay("retention", "show", "--json").jsons()
    assert rule["outcome"] == "failed" and rule["max_age_ms"] == 90 * 24 * 3600 * 1000
    assert "no rules" in world.belay("retention", "set", "--file", path, "--space", "x", "--yes", status=2).err
    with open(path, "a", encoding="utf-8") as file:
        file.write("max_ages = 7\n")
    assert "line" in world.belay("retention", "set", "--file", path, "--yes", status=2).err


def test_mistakes_in_rules(world):
    world.started("Waits", "--id", "w1")
    for rule in ("outcome=odd,age=1d", "age=x", "count=x", "definition=Waits", "keep,age=1d", "colour=red"):
        refused = world.belay("retention", "set", "--rule", rule, "--yes", status=2)
        assert f"the rule '{rule}'" in refused.err, refused.err
    world.belay("retention", "set", "--yes", status=2)
    world.belay("retention", "set", "--rule", "age=1d", "--rule", "age=2d", "--yes", status=2)
