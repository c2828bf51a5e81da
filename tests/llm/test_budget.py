"""Budgets of a run in tokens and dollars, with models whose price a test sets."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.errors import ModelError
from drretail.journal import Journal
from drretail.llm.budget import RESERVE, Budget
from drretail.llm.models import Models
from drretail.llm.registry import Model, ModelInfo
from drretail.offline.chat import OfflineChat
from drretail.records.models import Price
from drretail.records.run import Limits
from drretail.trajectory import Trajectory

pytestmark = pytest.mark.anyio
PRICE = Price(input=1, output=10)


def speaking(price: Price | None) -> Model:
    """A model that reads 100,000 tokens ($0.10) and writes 10,000 ($0.10) in every call."""

    def policy(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any) -> AIMessage:
        del messages, tools, choice
        return AIMessage("said")

    class Priced(OfflineChat):
        def _generate(self, *args: Any, **given: Any) -> Any:
            result = super()._generate(*args, **given)
            message = result.generations[0].message
            assert isinstance(message, AIMessage)
            message.usage_metadata = {"input_tokens": 100_000, "output_tokens": 10_000, "total_tokens": 110_000}
            return result

    info = ModelInfo(spec="scripted:test", provider="offline", model="test", kind="scripted")
    return Model("scripted:test", Priced(policy=policy, model="test"), info, {}, price=price)


def models(limits: Limits, price: Price | None = PRICE) -> Models:
    return Models({"researcher": speaking(price), "report": speaking(price)}, Journal(), Trajectory(), limits)


async def called(asked: Models, times: int) -> Models:
    for number in range(times):
        await asked.call("researcher", [HumanMessage(str(number))])
    return asked


async def test_dollars_are_counted_by_the_price_of_each_call() -> None:
    asked = await called(models(Limits()), 2)
    assert asked.dollars == pytest.approx(0.4)
    assert asked.budget_stop is None


async def test_an_unknown_price_is_unknown_and_not_0() -> None:
    assert (await called(models(Limits(), None), 1)).dollars is None


async def test_a_run_concludes_while_the_report_still_fits_into_its_dollars() -> None:
    asked = models(Limits(dollars=1.0))
    await called(asked, 2)
    assert asked.budget_stop is None  # 0.40 spent, 0.20 for a turn and 0.20 for the report
    await called(asked, 1)
    assert asked.budget_stop is None
    await called(asked, 1)
    assert (asked.budget_stop, asked.must_conclude) == ("dollar_budget", True)
    assert asked.dollars is not None
    assert asked.dollars + 0.2 <= 1.0  # the report still fits


async def test_spent_dollars_end_a_run_that_did_not_conclude() -> None:
    with pytest.raises(ModelError, match=r"\$0\.3 allowed do not suffice") as caught:
        await called(models(Limits(dollars=0.3)), 3)
    assert caught.value.kind == "budget"


async def test_branches_share_what_is_left_beside_the_reserve() -> None:
    asked = await called(models(Limits(dollars=2.0, tokens=1_000_000)), 1)
    shares = [branch.limits for branch in asked.branches(4)]
    assert [share.dollars for share in shares] == pytest.approx([(2.0 - 0.2 - 0.2) / 4] * 4)
    assert {share.tokens for share in shares} == {(1_000_000 - 110_000 - 110_000) // 4}


async def test_what_branches_spent_counts_for_the_run() -> None:
    asked = models(Limits(dollars=1.0))
    for branch in asked.branches(2):
        await called(branch, 1)
    assert asked.dollars == pytest.approx(0.4)


@given(st.floats(0.01, 1e6), st.floats(0, 1e6), st.floats(0, 1e5))
def test_until_a_budget_is_nearly_spent_a_call_like_the_last_and_a_report_fit(
    limit: float, spent: float, last: float
) -> None:
    budget = Budget(limit, spent, last)
    if not budget.nearly_spent:
        assert spent + 2 * last <= limit * (1 + 1e-9)
        assert limit - spent - last >= RESERVE * limit * (1 - 1e-9)
