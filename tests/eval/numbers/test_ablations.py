"""One agent in several settings of a condition. tables_of_experiment, named_variants: tests/conditions/test_own.py."""

from dataclasses import replace

from drretail.conditions.registry import load_condition
from drretail.eval.numbers.ablations import ablation_tables, agents_by_setting
from drretail.eval.numbers.family import assessors_of
from drretail.records.run import NULL_AGENTS, System
from tests import build
from tests.build import SYSTEM
from tests.eval.numbers.crafted import JUDGE, gathered, runs

VALUES = {
    "task": [3, 4, 5, 6, 3, 4, 5, 6],
    "context": [4, 5, 6, 7, 4, 5, 6, 7],
    "persona": [5, 7, 7, 9, 5, 7, 7, 9],
    "tools": [5, 6, 8, 9, 5, 6, 8, 9],
}


def in_setting(setting: str, **more: object) -> System:
    result = {} if setting == "tools" else {"information": setting, "without": ["user"]}
    return SYSTEM.model_copy(update={"options": result | more})


def test_cells_are_means_over_queries_and_steps_the_paired_gains_in_the_order_of_what_is_known() -> None:
    held = gathered(("quality", "personalization", JUDGE, {name: runs(values) for name, values in VALUES.items()}))
    metric = replace(held.metrics["quality"], variants=("personalization",))
    systems = {name: in_setting(name) for name in VALUES}
    definition = held.definition.model_copy(update={"systems": systems})
    held = replace(held, metrics={"quality": metric}, definition=definition)
    found = ablation_tables(held, load_condition("information")[1], assessors_of(held))
    ((row,),) = (table.rows for table in found if table.variant == "personalization")
    assert row.agent == SYSTEM.label()
    means = [(cell.part, cell.value, cell.n_counted) for cell in row.cells]
    assert means == [("task", 4.5, 8), ("context", 5.5, 8), ("persona", 7.0, 8), ("tools", 7.0, 8)]
    assert [(step.b, step.a, step.difference, step.outcome, step.tests) for step in row.steps] == [
        ("task", "context", 1.0, "higher", 4),
        ("context", "persona", 1.5, "higher", 4),
        ("persona", "tools", 0.0, "undecided", 4),
        ("task", "tools", 2.5, "higher", 4),
    ]


def test_systems_that_differ_in_more_than_the_setting_are_apart_and_floors_are_none() -> None:
    systems = {
        "a": in_setting("task"),
        "b": in_setting("persona"),
        "c": in_setting("tools", size="64k"),
        "d": SYSTEM.model_copy(update={"agent": NULL_AGENTS[0]}),
        "e": SYSTEM.model_copy(update={"options": {"without": ["web"]}}),
        "f": SYSTEM.model_copy(update={"options": {"information": "task", "without": ["user", "web"]}}),
    }
    of_systems = agents_by_setting(build.definition([], systems), load_condition("information")[1])
    assert [list(its.items()) for its in of_systems.values()] == [
        [("task", "a"), ("persona", "b")],
        [("task", "f"), ("tools", "e")],
    ]
