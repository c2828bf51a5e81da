"""One agent in several settings of a condition."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drretail.conditions.registry import load_condition
from drretail.eval.compare.ablations import ablation_tables, agents_by_setting
from drretail.eval.compare.comparing import assessors_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.run import NULL_AGENTS, System
from drretail.records.score import SettingRow, SettingTable
from tests import build
from tests.build import SYSTEM
from tests.eval.compare.crafted import JUDGE, gathered, runs

VALUES = {
    "task": [3, 4, 5, 6, 3, 4, 5, 6],
    "context": [4, 5, 6, 7, 4, 5, 6, 7],
    "persona": [5, 7, 7, 9, 5, 7, 7, 9],
    "tools": [5, 6, 8, 9, 5, 6, 8, 9],
}


def in_setting(setting: str, **more: object) -> System:
    result = {} if setting == "tools" else {"information": setting, "without": ["user"]}
    return SYSTEM.model_copy(update={"options": result | more})


def with_systems(
    systems: Mapping[str, System],
    values: Mapping[str, Sequence[float]],
    variant: str,
    assessor: Assessor = JUDGE,
) -> Gathered:
    """With the metric quality, as if it had this variant."""
    made = gathered(("quality", variant, assessor, {name: runs(its) for name, its in values.items()}))
    metrics = {name: replace(metric, variants=(variant,)) for name, metric in made.metrics.items()}
    definition = made.definition.model_copy(update={"systems": dict(systems)})
    return replace(made, metrics=metrics, definition=definition)


def held(values: Mapping[str, Sequence[float]] = VALUES, assessor: Assessor = JUDGE) -> Gathered:
    return with_systems({name: in_setting(name) for name in values}, values, "personalization", assessor)


def tables(made: Gathered, by: str = "information", variant: str = "personalization") -> list[SettingTable]:
    found = ablation_tables(made, load_condition(by)[1], assessors_of(made))
    return [table for table in found if table.variant == variant]


def steps(row: SettingRow) -> list[tuple[str, str, float | None]]:
    return [(step.b, step.a, step.difference) for step in row.steps]


def test_cells_are_means_over_queries_and_steps_the_paired_gains_in_the_order_of_what_is_known() -> None:
    ((row,),) = (table.rows for table in tables(held()))
    assert row.agent == SYSTEM.label()
    means = [(cell.part, cell.value, cell.n_counted) for cell in row.cells]
    assert means == [("task", 4.5, 8), ("context", 5.5, 8), ("persona", 7.0, 8), ("tools", 7.0, 8)]
    assert steps(row) == [
        *(("task", "context", 1.0), ("context", "persona", 1.5)),
        *(("persona", "tools", 0.0), ("task", "tools", 2.5)),
    ]
    assert [step.outcome for step in row.steps] == ["higher", "higher", "undecided", "higher"]
    assert all(step.tests == 4 for step in row.steps)


def grouped(by: str, **systems: System) -> list[list[tuple[str, str]]]:
    """By what is else the same, each setting in its order with its system."""
    _, condition = load_condition(by)
    return [list(its.items()) for its in agents_by_setting(build.definition([], systems), condition).values()]


def test_systems_that_differ_in_more_than_the_setting_are_apart_and_floors_are_none() -> None:
    systems = {
        "a": in_setting("task"),
        "b": in_setting("persona"),
        "c": in_setting("tools", retriever="dense:offline:words"),
        "d": SYSTEM.model_copy(update={"agent": NULL_AGENTS[0]}),
        "e": SYSTEM.model_copy(update={"options": {"without": ["web"]}}),
        "f": SYSTEM.model_copy(update={"options": {"information": "task", "without": ["user", "web"]}}),
    }
    assert grouped("information", **systems) == [
        [("task", "a"), ("persona", "b")],
        [("task", "f"), ("tools", "e")],
    ]
