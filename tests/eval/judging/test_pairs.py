"""Which systems meet, by the names that a user gives, and in which runs."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.judging.pairs import choose_pairs, meetings, resolve_name
from drretail.experiment import Definition, read_definition
from drretail.records.run import NULL_AGENTS, ORACLE_AGENT, System
from tests.build import SYSTEM, experiment
from tests.eval.families.pairwise.judging import A, B, C, reports

PLAIN, WHOLE_PAGES, SWAPPED = "react@a-m", "react+ws@a-m", "react@a-m-counterfactual-swap"


@pytest.mark.parametrize(
    ("given", "label"),
    [
        *((given, PLAIN) for given in ("react", "react@", "react@a-m")),  # the agent's name alone is its plain system
        ("react+ws", WHOLE_PAGES),
        ("react@a-m-c", SWAPPED),
    ],
)
def test_a_name_is_that_of_the_system_that_it_begins(given: str, label: str) -> None:
    assert resolve_name("system", given, [PLAIN, WHOLE_PAGES, SWAPPED]) == label


AGENTS = dict.fromkeys((A, B, C), SYSTEM)
NULL: dict[str, System] = {name: System(agent=name, models={}) for name in (*NULL_AGENTS, ORACLE_AGENT)}
COUNTERFACTUAL: dict[str, System] = {
    "a@model-swapped": SYSTEM.model_copy(update={"options": {"counterfactual": "swap"}})
}


def definition(systems: Mapping[str, System]) -> Definition:
    return Definition(world_fingerprint="f" * 64, systems=dict(systems), tool_schema_hash="t")


def test_floors_the_oracle_and_swapped_profiles_meet_by_name_alone() -> None:
    everyone = definition(AGENTS | NULL | COUNTERFACTUAL)
    assert choose_pairs(everyone) == [(A, B), (A, C), (B, C)]
    assert choose_pairs(everyone, [f"oracle~{A}", "null_empty~null_copy"]) == [
        (A, "oracle"),
        ("null_copy", "null_empty"),
    ]


@pytest.mark.parametrize("named", [A, f"{A}~", f"{A}~{B}~{C}", "~", f"{A}~{A}"])
def test_what_names_no_pair_is_said(named: str) -> None:
    with pytest.raises(UserError, match="--pairs"):
        choose_pairs(definition(AGENTS), [named])


def test_repeat_k_meets_repeat_k_and_a_repeat_without_partner_meets_nobody(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: reports("a", 2, repeats=2), B: reports("b", 2)})
    met = meetings(folder, read_definition(folder), [(A, B)])
    assert [each.run_ids for each in met] == [(f"{A}/q{n}-r1", f"{B}/q{n}-r1") for n in (1, 2)]
    folder = experiment(tmp_path / "both", {A: reports("a", 2, repeats=2), B: reports("b", 2, repeats=2)})
    met = meetings(folder, read_definition(folder), [(A, B)])
    assert [each.run for each in met] == ["q1-r1", "q2-r1", "q1-r2", "q2-r2"]
