"""How far judges agree: over systems that research, whatever they say of floors and ceilings."""

from dataclasses import replace

import pytest

from drretail.eval.scores.agreement import agreements
from drretail.eval.scores.gathering import Gathered
from tests.build import SYSTEM
from tests.eval.compare.crafted import JUDGE, OTHER, gathered

MINE = {"a@m": [1.0, 3.0], "b@m": [5.0, 2.0]}
THEIRS = {"a@m": [9.0, 3.0], "b@m": [5.0, 8.0]}
LOW = {"null_empty": [0.0, 0.0], "oracle": [10.0, 10.0], "a@m-counterfactual-swap": [0.0, 0.0]}


def judged(mine: dict[str, list[float]], theirs: dict[str, list[float]]) -> Gathered:
    def runs(values: dict[str, list[float]]) -> dict[str, dict[str, list[float]]]:
        return {label: {f"q{at}": [value] for at, value in enumerate(its)} for label, its in values.items()}

    held = gathered(("quality", "depth", JUDGE, runs(mine)), ("quality", "depth", OTHER, runs(theirs)))
    systems = {
        label: SYSTEM.model_copy(update={"agent": label} if "@" not in label else {"options": options(label)})
        for label in mine
    }
    return replace(held, definition=held.definition.model_copy(update={"systems": systems}))


def options(label: str) -> dict[str, str]:
    return {"counterfactual": "swap"} if "counterfactual" in label else {}


def test_floors_the_oracle_and_other_users_profiles_do_not_make_judges_agree() -> None:
    (alone,) = [row for row in agreements(judged(MINE, THEIRS)) if row.variant == "depth"]
    (beside,) = [row for row in agreements(judged({**MINE, **LOW}, {**THEIRS, **LOW})) if row.variant == "depth"]
    assert beside == alone
    assert (alone.n_reports, alone.n_systems, alone.n_dropped) == (4, 2, 0)
    assert alone.rho_report == pytest.approx(-0.8)  # 1 − 6 · 18 / 60
    assert (alone.exact, alone.difference) == (0.5, 3.5)
