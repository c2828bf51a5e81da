"""What judging took, and the cap on it."""

from pathlib import Path

import pytest

from drretail.errors import ModelError, UserError
from drretail.eval.judging.spending import Allowance, CapReached, judging_costs, opened_allowance
from drretail.journal import Journal, Outcome
from drretail.llm.prices import read_prices
from drretail.records.models import Price
from drretail.records.run import Usage

USED = {"calls": 1, "input_uncached": 1000, "output": 100}
PRICES = read_prices({"anthropic:m": Price(input=10, output=100)})
ONE = 0.02


def asked(folder: Path, metric: str, name: str, *, spec: str = "anthropic:m", batched: bool = False) -> None:
    """One question of a judge, answered."""
    journal = Journal(folder / "verdicts" / metric / "judge" / "label" / f"{name}.journal.jsonl")
    request = {"model": spec, "params": {}, "messages": []}
    journal.scope("s").perform("model", request, lambda: Outcome("yes", USED, 1, batched))
    journal.close()


def test_tokens_dollars_and_retries_are_summed_by_judge_and_metric(tmp_path: Path) -> None:
    asked(tmp_path, "quality", "q1-r1")
    asked(tmp_path, "quality", "q2-r1")
    asked(tmp_path, "faithfulness", "q1-r1")
    faithfulness, quality = judging_costs(tmp_path, PRICES)
    assert (faithfulness.metric, faithfulness.reports, faithfulness.cost.dollars) == ("faithfulness", 1, ONE)
    assert (quality.metric, quality.judge, quality.reports, quality.retries) == ("quality", "anthropic:m", 2, 2)
    assert quality.cost.usage == Usage(calls=2, input_uncached=2000, output=200)
    assert quality.cost.dollars == 2 * ONE


def test_answers_of_batches_cost_half(tmp_path: Path) -> None:
    asked(tmp_path, "quality", "q1-r1", batched=True)
    assert judging_costs(tmp_path, PRICES)[0].cost.dollars == ONE / 2


def test_an_unknown_price_is_unknown_and_cannot_be_capped(tmp_path: Path) -> None:
    asked(tmp_path, "quality", "q1-r1", spec="openai:m")
    (quality,) = judging_costs(tmp_path, PRICES)
    assert (quality.cost.dollars, quality.cost.unpriced) == (None, ("openai:m",))
    assert opened_allowance(tmp_path, PRICES, 5000, None).spent_tokens == 1100
    with pytest.raises(UserError, match="What judging cost so far is unknown"):
        opened_allowance(tmp_path, PRICES, None, 1.0)


def test_what_cost_tokens_and_brought_no_answer_is_counted(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "verdicts" / "quality" / "judge" / "label" / "q1-r1.journal.jsonl")

    def refused() -> Outcome:
        raise ModelError("refusal", "no", usage=USED)

    with pytest.raises(ModelError):
        journal.scope("s").perform("model", {"model": "anthropic:m", "messages": []}, refused)
    journal.close()
    assert judging_costs(tmp_path, PRICES)[0].cost.dollars == ONE


def test_an_allowance_ends_when_it_is_spent_and_without_a_cap_never() -> None:
    capped, free = Allowance(dollars=0.03), Allowance()
    for _ in range(2):
        capped.check()
        capped.count(Usage(**USED), Price(input=10, output=100))
        free.count(Usage(**USED), None)
    with pytest.raises(CapReached):
        capped.check()
    free.check()
    with pytest.raises(CapReached):
        Allowance(tokens=100, spent_tokens=100).check()
