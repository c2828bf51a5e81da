"""What judging took, and the cap that ends it."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.judging.spending import Allowance, CapReached, allowance_for, judging_costs
from drretail.experiments.journal import ActionResult, Journal
from drretail.records.run import Usage

USED = {"calls": 1, "input_uncached": 1000, "output": 100, "nanodollars": 20_000_000}


def asked(folder: Path, metric: str, name: str, usage: dict[str, int] = USED) -> None:
    """One question of a judge, answered."""
    journal = Journal(folder / "verdicts" / metric / "judge" / "label" / f"{name}.journal.jsonl")
    request = {"model": "anthropic:m", "params": {}, "messages": []}
    journal.scope("s").perform("model", request, lambda: ActionResult("yes", usage, 1))
    journal.close()


def test_an_unknown_price_is_unknown_and_cannot_be_capped(tmp_path: Path) -> None:
    asked(tmp_path, "quality", "q1-r1", {"calls": 1, "input_uncached": 1000, "output": 100, "unpriced": 1})
    (quality,) = judging_costs(tmp_path)
    assert (quality.cost.dollars, quality.cost.unpriced) == (None, ("anthropic:m",))
    allowance = allowance_for([tmp_path], [], 5000, None)
    assert allowance is not None
    assert allowance.spent_tokens == 1100
    with pytest.raises(UserError, match="What judging cost so far is unknown"):
        allowance_for([tmp_path], [], None, 1.0)


def test_an_allowance_ends_when_it_is_spent_and_without_a_cap_never() -> None:
    capped, free = Allowance(dollars=0.03), Allowance()
    for _ in range(2):
        capped.check()
        capped.count(Usage.model_validate(USED))
        free.count(Usage.model_validate(USED))
    with pytest.raises(CapReached):
        capped.check()
    free.check()
    with pytest.raises(CapReached):
        Allowance(tokens=100, spent_tokens=100).check()
