"""What distractors cost, and what is left of a sandbox without its supportive pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drretail.eval.compare.ablations import all_ablations
from drretail.eval.compare.distractors import distractor_tables
from drretail.records.comparison import DistractorTable, SettingTable
from drretail.records.run import System
from drretail.viewer.tables.ablations import distractor_table
from tests.build import SYSTEM
from tests.eval.compare.crafted import JUDGE, gathered, runs

ALL = [40, 42, 39, 41, 40, 38, 44, 43]
CLEAN = [50, 53, 47, 52, 51, 48, 55, 52]


def on(size: str, compose: str | None) -> System:
    options = {"size": size} | ({} if compose is None else {"compose": compose})
    return SYSTEM.model_copy(update={"options": options})


def ablations(
    systems: Mapping[str, tuple[System, Sequence[float]]], variant: str = "IR_SC"
) -> tuple[list[SettingTable], DistractorTable]:
    values = {name: runs(its) for name, (_, its) in systems.items()}
    made = gathered(("dr3", variant, JUDGE, values))
    told = {name: system for name, (system, _) in systems.items()}
    tables = [*all_ablations(replace(made, definition=made.definition.model_copy(update={"systems": told})))]
    (found,) = distractor_tables(tables)
    return tables, found


def test_the_cost_is_all_pages_over_those_without_distractors_size_by_size() -> None:
    _, table = ablations(
        {
            "a": (on("128k", None), ALL),
            "b": (on("128k", "no_distractor"), CLEAN),
            "c": (on("32k", None), ALL),
            "d": (on("32k", "no_distractor"), ALL),
        }
    )
    shown = distractor_table(table)
    small, large = shown.rows
    assert (small.name, large.name) == ("react@offline-shopper at 32k", "react@offline-shopper at 128k")
    texts = [[cell and cell.text for cell in row.cells] for row in (small, large)]
    assert (texts[0][2], texts[1][:3]) == ("0.00", ["40.88", "51.00", "-10.12*"])
    assert large.cells[2] is not None
    assert large.cells[2].interval.startswith("-")
    (sentence,) = shown.notes
    assert "Distractors lower it for" in sentence
    assert "No effect of distractors is shown for" in sentence


def test_a_sandbox_whose_other_pages_hold_nothing_falls_to_the_floor() -> None:
    _, table = ablations({"a": (on("32k", None), ALL), "b": (on("32k", "no_supportive"), [0.0] * 8)})
    assert "falls to the floor (0.00)" in table.sentence
    assert "8 queries" in table.sentence


def test_one_whose_other_pages_hold_the_answer_does_not() -> None:
    _, table = ablations({"a": (on("32k", None), ALL), "b": (on("32k", "no_supportive"), [20, 22, 18, 24] * 2)})
    assert "stays above the floor (0.00) for react@offline-shopper at 32k (21.00)" in distractor_table(table).notes[0]
    assert "(21.00)" in table.sentence


def test_what_an_agent_tells_without_a_web_is_its_floor() -> None:
    blind = SYSTEM.model_copy(update={"options": {"without": ["web"]}})
    systems = {"a": (on("32k", None), ALL), "b": (on("32k", "no_supportive"), [20, 22, 18, 24] * 2)}
    tables, table = ablations({**systems, "n": (blind, [20, 22, 18, 26] * 2)})
    assert {it.by for it in tables} == {"compose", "web"}
    assert "falls to the floor (21.50, what it is without a web)" in table.sentence


def test_only_what_stands_in_pages_has_a_floor_and_one_composition_makes_no_table() -> None:
    _, table = ablations({"a": (on("32k", None), ALL), "b": (on("32k", "no_supportive"), ALL)}, "IF")
    assert table.rows[0].floor is None
    assert table.sentence == ""
    assert distractor_tables([]) == []
