"""Prices and budgets: who may start, and that the cap holds. Models.ask: tests/llm/test_scripted.py.
with_possible_usage: tests/llm/test_providers.py. estimated_note: tests/eval/numbers/test_scoreboard.py.
"""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.errors import ModelError, UserError
from drretail.experiments.journal import Journal
from drretail.llm.models import Models
from drretail.llm.prices import priced
from drretail.llm.scripted import ScriptedAnswer, scripted_model
from drretail.llm.usage import Budget, ExperimentBudget, cost_by_role, cost_of, served_notes
from drretail.records.run import NANO, Limits, RoleModel, System, Usage
from drretail.records.trajectory import Trajectory
from tests.build import known

pytestmark = pytest.mark.anyio


def models(limits: Limits, served: str = "claude-haiku-4-5") -> Models:
    """Models that read 100,000 tokens ($0.10) and write 20,000 ($0.10) in every call."""
    usage = Usage(input_uncached=100_000, output=20_000)
    played = scripted_model(play=lambda _: ScriptedAnswer(text="said", usage=usage))
    chat = played.chat.model_copy(update={"model": served})
    model = replace(played.with_chat(chat), spec="anthropic:claude-haiku-4-5")
    return Models({"researcher": model, "report": model}, Journal(), Trajectory(), limits)


async def called(asked: Models, times: int) -> Models:
    for number in range(times):
        await asked.call("researcher", [HumanMessage(str(number))])
    return asked


async def test_a_run_concludes_while_the_report_still_fits_into_its_dollars_or_ends_when_they_are_spent() -> None:
    asked = models(Limits(dollars=1.0))
    await called(asked, 2)
    assert asked.budget_stop is None  # 0.40 spent, 0.20 for a turn and 0.20 for the report
    await called(asked, 1)
    assert asked.budget_stop is None
    await called(asked, 1)
    assert (asked.budget_stop, asked.must_conclude) == ("dollar_budget", True)
    assert known(asked.dollars) + 0.2 <= 1.0  # the report still fits
    assert [Budget(10, spent).exceeded_by(0.5) for spent in (9.9, 10)] == [False, True]
    for limits, message in ((Limits(dollars=0.3), r"\$0\.3"), (Limits(tokens=150_000), "the 150,000 tokens")):
        with pytest.raises(ModelError, match=f"{message} allowed do not suffice") as caught:
            await called(models(limits), 3)
        assert caught.value.kind == "budget"


async def test_branches_share_what_is_left_beside_the_reserve() -> None:
    asked = await called(models(Limits(dollars=2.0, tokens=1_000_000)), 1)
    share = asked.share(4)
    assert share.dollars == pytest.approx((2.0 - 0.2 - 0.2) / 4)
    assert share.tokens == (1_000_000 - 120_000 - 120_000) // 4
    assert asked.branch(share).limits == share


SPEC = "openai:test"
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec=SPEC, kind="llm")})


def took(dollars: float) -> dict[str, Usage]:
    used = Usage(calls=1, input_uncached=int(dollars * 1_000_000), nanodollars=int(dollars * NANO))
    return {"researcher": used}


def test_the_first_run_of_a_system_goes_alone_and_then_as_many_as_fit() -> None:
    experiment_budget = ExperimentBudget(dollars=1.0)
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]
    experiment_budget.end("a", SYSTEM, {})
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"], "it failed unanswered"
    experiment_budget.end("a", SYSTEM, took(0.3))
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(3)] == ["yes", "yes", "wait"]

    limited = SYSTEM.model_copy(update={"limits": Limits(dollars=0.4)})
    experiment_budget = ExperimentBudget(dollars=1.0)
    assert [experiment_budget.begin("a", limited) for _ in range(3)] == ["yes", "yes", "wait"], "its limit stands in"


async def test_those_that_wait_start_when_one_in_flight_has_ended() -> None:
    experiment_budget = ExperimentBudget(dollars=1.0)
    started: list[int] = []

    async def run(number: int) -> None:
        if await experiment_budget.admission("a", SYSTEM):
            started.append(number)
            await asyncio.sleep(0)
            experiment_budget.end("a", SYSTEM, took(0.3))

    await asyncio.wait_for(asyncio.gather(*(run(number) for number in range(6))), 5)
    assert len(started) == 3
    assert experiment_budget.refused == 3
    assert "cap of $1 leaves no room" in known(experiment_budget.closing)


@given(st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30), st.floats(0.5, 3))
def test_the_cap_is_passed_by_no_more_than_runs_grow_dearer(costs: list[float], cap: float) -> None:
    """One after the other: only a run dearer than all before it can pass the cap, and only by the difference."""
    experiment_budget = ExperimentBudget(dollars=cap)
    dearest = 0.0
    for cost in costs:
        if experiment_budget.begin("a", SYSTEM) != "yes":
            break
        experiment_budget.end("a", SYSTEM, took(cost))
        assert experiment_budget.spent["dollars"] <= cap + max(0.0, cost - dearest) + 1e-6
        dearest = max(dearest, cost)


def test_a_model_that_answers_in_place_of_another_is_named_and_has_its_own_price() -> None:
    spec, models = "openai:gpt-4o", {"researcher": RoleModel(spec="openai:gpt-4o", kind="llm")}
    answered = {"gpt-4o-2024-08-06": 2.5, "gpt-4o-mini": 0.15, "elsewhere/local": None}
    used = [priced(Usage(calls=1, input_uncached=1_000_000, served={name: 1}), spec) for name in answered]
    assert [usage.dollars for usage in used] == list(answered.values())
    said = "openai:gpt-4o was asked for, and its provider says that another model answered"
    assert [*served_notes((spec, usage) for usage in used)] == [
        f"{said}: gpt-4o-mini (1 of 3 calls), elsewhere/local (1 of 3 calls)."
    ]
    assert not [*served_notes([(spec, used[0])])]
    assert cost_of({"researcher": used[2]}, models).unpriced == ("elsewhere/local",)


async def test_dollars_of_a_model_without_a_price_that_answered_are_not_spent_unseen() -> None:
    with pytest.raises(ModelError, match="whose price is unknown, so dollars can't be limited") as caught:
        await called(models(Limits(dollars=1.0), served="local"), 2)
    assert caught.value.kind == "budget"


def test_one_unknown_price_makes_the_sum_unknown_and_is_named() -> None:
    models = {
        "researcher": RoleModel(spec="anthropic:claude-sonnet-5", kind="llm"),
        "report": RoleModel(spec="openai:gpt-99", kind="llm"),
    }
    usage = {role: priced(Usage(calls=1, input_uncached=1_000_000), model.spec) for role, model in models.items()}
    assert cost_by_role(usage, models)["researcher"].dollars == pytest.approx(2)
    total = cost_of(usage, models)
    assert (total.dollars, total.unpriced, total.usage.calls) == (None, ("openai:gpt-99",), 2)
    with pytest.raises(UserError, match="counts tokens for the role 'writer'"):
        cost_by_role({"writer": Usage(calls=1, output=5)}, {})
