"""Which pairs are compared, and which tests are corrected together. floors_of: tests/eval/numbers/test_file.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.numbers.family import chosen_pairs, family_of
from drretail.experiments.experiment import Definition, Experiment, read_definition
from drretail.records.run import BASELINES
from tests.build import SYSTEM
from tests.eval.numbers.crafted import CODE, JUDGE, comparison, gathered, noisy, only_row, runs

FLOOR = SYSTEM.model_copy(update={"agent": "null_empty", "models": {}})


def definition(*labels: str, baseline: str | None = None) -> Definition:
    systems = dict.fromkeys(labels, SYSTEM) | {"null_empty": FLOOR}
    return Definition(world_fingerprint="f", systems=systems, tool_schema_hash="t", baseline=baseline)


def test_each_system_is_compared_with_the_baseline_and_all_pairs_only_on_request() -> None:
    held = definition("a@m", "b@m", "c@m", baseline="b@m")
    against_b = [("a@m", "b@m"), ("c@m", "b@m")]
    assert chosen_pairs(held) == (against_b, against_b)
    assert chosen_pairs(held, baseline="c")[0] == [("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "c") == ([("c@m", "b@m")], against_b)
    # A pair that is named belongs to all that are compared with its second system.
    assert chosen_pairs(held, "c", "a") == ([("c@m", "a@m")], [("b@m", "a@m"), ("c@m", "a@m")])
    every = [("a@m", "b@m"), ("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, baseline="all") == (every, every)
    assert chosen_pairs(held, "c", baseline="all") == ([("c@m", "a@m"), ("c@m", "b@m")], every)
    assert chosen_pairs(held, "null", "b") == ([("null_empty", "b@m")], [*against_b, ("null_empty", "b@m")])
    assert chosen_pairs(definition("a@m", "b@m"))[0] == [("b@m", "a@m")], "without a first one, by name"


def test_what_names_no_pair_is_refused_with_what_would() -> None:
    held = definition("react@m", "react+ws@m")
    with pytest.raises(UnknownName, match=r"There is no system 'raect@m'. Did you mean react@m"):
        chosen_pairs(held, "raect@m", "react@m")
    with pytest.raises(UserError, match=r"'rea' could be react\+ws@m, react@m"):
        chosen_pairs(held, "rea", "react@m")
    with pytest.raises(UserError, match="name two systems"):
        chosen_pairs(held, "react@m", "react@m")
    with pytest.raises(UserError, match="nothing to compare"):
        chosen_pairs(definition("react@m"))


@pytest.mark.parametrize(("floor", "outcome"), [(0.9, "higher"), (1.0, "missing")])
def test_where_a_floor_does_as_well_as_the_oracle_nothing_is_concluded_of_carts(floor: float, outcome: str) -> None:
    by_label = {"a": [1.0] * 10, "b": [0.0] * 10, "null_search": [floor] * 10, "oracle": [1.0] * 10}
    held = gathered(("basket", "right", CODE, {label: runs(values) for label, values in by_label.items()}))
    systems = {
        label: system.model_copy(update={"agent": label}) if label in BASELINES else system
        for label, system in held.definition.systems.items()
    }
    held = replace(held, definition=held.definition.model_copy(update={"systems": systems}))
    row = only_row(comparison(held))
    assert (row.outcome, "tell no systems apart" in row.why) == (outcome, outcome == "missing")


def test_all_systems_against_one_are_one_family_of_tests() -> None:
    a, b = noisy(12, 1.0)
    held = gathered(("quality", "overall", JUDGE, {"a": runs(a), "b": runs(b), "c": runs(b[::-1])}))
    for baseline, tests in (("b", 2), ("all", 3)):
        family = family_of(held, chosen_pairs(held.definition, baseline=baseline)[1], [JUDGE])
        assert [row.tests for row in family.values()] == [tests] * tests


def test_the_baseline_is_the_first_agent_that_the_experiment_named_whatever_came_later(tmp_path: Path) -> None:
    for label in ("react@m", "another@m"):
        named = {"null_empty": FLOOR, label: SYSTEM, "last@m": SYSTEM}
        planned = Definition(world_fingerprint="f", systems=named, tool_schema_hash="t")
        with Experiment(tmp_path / "exp", planned) as experiment:
            assert experiment.definition.baseline == "react@m"
    assert chosen_pairs(read_definition(tmp_path / "exp"))[0] == [("another@m", "react@m"), ("last@m", "react@m")]
