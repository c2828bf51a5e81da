"""Score against information: one agent in several settings, from experiments made of numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from drretail.eval.compare.information import agents_by_setting, information_tables, seats_of_all
from drretail.eval.scores.gathering import Gathered, Seat
from drretail.records.comparison import InformationTable
from drretail.records.run import INFORMATION, NULL_AGENTS, System
from drretail.viewer.plots.experiment_plots import information_plots
from drretail.viewer.tables.information import COLUMNS, information_sheets
from tests.eval.compare.crafted import JUDGE, RULES, gathered, runs
from tests.eval.folders import SYSTEM

VALUES = {
    "task": [3, 4, 5, 6, 3, 4, 5, 6],
    "context": [4, 5, 6, 7, 4, 5, 6, 7],
    "persona": [5, 7, 7, 9, 5, 7, 7, 9],
    "tools": [5, 6, 8, 9, 5, 6, 8, 9],
}


def in_setting(setting: str, **more: object) -> System:
    told = {} if setting == "tools" else {"information": setting, "without": ["user"]}
    return SYSTEM.model_copy(update={"options": told | more})


def held(
    values: Mapping[str, Sequence[float]] = VALUES,
    seat: Seat = JUDGE,
    family: str = "quality",
    variant: str = "personalization",
) -> Gathered:
    made = gathered((family, variant, seat, {name: runs(its) for name, its in values.items()}))
    systems = {name: in_setting(name) for name in values}
    return replace(made, definition=made.definition.model_copy(update={"systems": systems}))


def tables(made: Gathered) -> list[InformationTable]:
    return [it for it in information_tables(made, seats_of_all(made)) if it.variant == "personalization"]


def test_cells_are_means_over_queries_and_steps_the_paired_gains_in_the_order_of_what_is_known() -> None:
    ((row,),) = (it.rows for it in tables(held()))
    assert row.agent == SYSTEM.label()
    assert [(it.setting, it.mean, it.n) for it in row.cells] == [
        ("task", 4.5, 8),
        ("context", 5.5, 8),
        ("persona", 7.0, 8),
        ("tools", 7.0, 8),
    ]
    told = [(it.earlier, it.later, it.row.difference) for it in row.steps]
    assert told == [
        ("task", "context", 1.0),
        ("context", "persona", 1.5),
        ("persona", "tools", 0.0),
        ("task", "tools", 2.5),
    ]
    assert [it.row.outcome for it in row.steps] == ["higher", "higher", "undecided", "higher"]
    assert all(it.row.tests == 4 for it in row.steps)


def test_a_gain_is_of_the_queries_that_both_settings_have() -> None:
    ((row,),) = (it.rows for it in tables(held({"task": [1, 2, 3], "persona": [2, 3, "failed"]})))  # type: ignore[dict-item, list-item]
    (step,) = row.steps
    assert (step.row.difference, step.row.n_pairs) == (1.0, 2)


def test_one_setting_makes_no_table_nor_do_opinions_of_rules() -> None:
    assert tables(held({"task": [1, 2]})) == []
    assert tables(held(seat=RULES)) == []


def test_systems_that_differ_in_more_than_the_setting_are_apart_and_floors_are_none() -> None:
    systems = {
        "a": in_setting("task"),
        "b": in_setting("persona"),
        "c": in_setting("tools", redact=True),
        "d": SYSTEM.model_copy(update={"agent": NULL_AGENTS[0]}),
        "e": SYSTEM.model_copy(update={"options": {"without": ["web"]}}),
        "f": SYSTEM.model_copy(update={"options": {"information": "task", "without": ["user", "web"]}}),
    }
    definition = held().definition.model_copy(update={"systems": systems})
    found = agents_by_setting(definition)
    assert [*found.values()] == [{"task": "a", "persona": "b"}, {"task": "f", "tools": "e"}]
    assert all(list(its) == [it for it in INFORMATION if it in its] for its in found.values())


def test_what_is_shown_says_the_gain_of_each_line_and_the_plot_has_a_row_a_setting() -> None:
    made = tables(held())
    (sheet,) = information_sheets(made)
    assert all(len(row) == len(COLUMNS) for row in sheet.rows)
    assert [row[1] for row in sheet.rows] == [
        "task only",
        "with context",
        "with persona",
        "with tools",
        "with tools over task only",
    ]
    assert [row[5] for row in sheet.rows] == ["", "+1.00*", "+1.50*", "+0.00", "+2.50*"]
    (plot,) = information_plots(made)
    assert "against information" in plot.title
    assert all(it in str(plot.svg) for it in INFORMATION)


@pytest.mark.parametrize(
    ("family", "variant"), [("quality", "personalization"), ("quality", "overall"), ("pqr", "S_P"), ("pqr", "GOAL")]
)
def test_any_variant_that_was_judged_can_be_asked_for(family: str, variant: str) -> None:
    made = held(family=family, variant=variant)
    (table,) = information_tables(made, seats_of_all(made), {family: [variant]})
    assert (table.variant, table.rows[0].cells[0].mean) == (variant, 4.5)
