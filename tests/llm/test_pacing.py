"""What a minute grants and pauses that hold for all; and prices and budgets: who may start, and that the cap holds."""

import asyncio
import json
import selectors
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.errors import ModelError, UserError
from drretail.journal import Journal
from drretail.llm.faults import asked_wait, passes, status_of
from drretail.llm.models import Models
from drretail.llm.providers import Pacer, Paces
from drretail.llm.scripted import ScriptedAnswer, scripted_model
from drretail.llm.usage import (
    RESERVE,
    Budget,
    ExperimentBudget,
    cache_read_share,
    cost_by_role,
    cost_of,
    dollars,
    read_prices,
)
from drretail.records.models import Price, RateLimit
from drretail.records.run import Limits, RoleModel, System, Usage
from drretail.records.trajectory import Trajectory
from tests.build import known


class Moments:
    """A clock that stands still until everybody sleeps, and then jumps to the first who wakes."""

    now = 0.0

    def clock(self) -> float:
        return self.now

    def run(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
        """What they bring, all begun at once; time passes only while all of them sleep."""

        async def all_of_them() -> list[Any]:
            return await asyncio.gather(*coroutines, return_exceptions=True)

        selector = selectors.SelectSelector()
        ready = selector.select

        def jump(timeout: float | None = None) -> list[Any]:
            self.now = round(self.now + (timeout or 0), 9)
            return ready(0)

        selector.select = jump
        loop = asyncio.SelectorEventLoop(selector)
        loop.time = self.clock
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(all_of_them())


def pacer(time: Moments, **given: Any) -> Pacer:
    return Pacer(RateLimit(**given), clock=time.clock, sleep=asyncio.sleep, chance=lambda: 0.0)


async def went(pace: Pacer, time: Moments, tokens: float = 0) -> float:
    await pace.admit(tokens)
    return time.now


def times_of(time: Moments, pace: Pacer, sizes: list[float]) -> list[float]:
    return time.run(*(went(pace, time, size) for size in sizes))


@pytest.mark.parametrize(
    ("limits", "tokens", "times"),
    [
        # Ten seconds' worth of requests at once, and then one by one in their order.
        ({"requests": 60}, [0.0] * 13, [0.0] * 10 + [1.0, 2.0, 3.0]),
        # Few requests a minute let the first out at once.
        ({"requests": 2}, [0.0] * 3, [0.0, 30.0, 60.0]),
        # Tokens hold calls back until a minute has brought enough.
        ({"tokens": 6000}, [4000.0, 4000.0, 1000.0], [0.0, 20.0, 30.0]),
        # A call larger than a minute's tokens goes out late and not never.
        ({"tokens": 6000}, [9000.0, 600.0], [30.0, 36.0]),
    ],
)
def test_calls_go_out_as_a_minute_grants_them(limits: dict[str, int], tokens: list[float], times: list[float]) -> None:
    time = Moments()
    assert times_of(time, pacer(time, **limits), tokens) == times


@given(
    st.floats(1, 600),
    st.floats(100, 100_000),
    st.lists(st.floats(0, 50_000), min_size=1, max_size=25),
)
def test_in_no_span_more_goes_out_than_its_time_grants(requests: float, tokens: float, sizes: list[float]) -> None:
    time = Moments()
    found = list(zip(times_of(time, pacer(time, requests=requests, tokens=tokens), sizes), sizes, strict=True))
    assert [when for when, _ in found] == sorted(when for when, _ in found)
    for first, (begun, _) in enumerate(found):
        for last, (ended, _) in enumerate(found[first:], first):
            inside, seconds = [size for _, size in found[first : last + 1]], ended - begun
            assert len(inside) <= max(1, requests / 6) + requests / 60 * seconds + 1e-6
            # A call that is larger than a minute's tokens has waited before the span began.
            assert sum(inside) <= max(tokens, *inside, 0) + tokens / 60 * seconds + 1e-3


def test_what_was_estimated_too_high_comes_back_and_too_low_is_owed() -> None:
    time = Moments()
    generous = pacer(time, tokens=6000)
    time.run(generous.admit(6000))
    generous.correct(6000, Usage(calls=1, input_uncached=500, output=500))
    assert times_of(time, generous, [5000.0]) == [0.0]
    vain = pacer(time, tokens=6000)
    time.run(vain.admit(6000))
    vain.correct(6000, None)
    assert times_of(time, vain, [6000.0]) == [0.0], "a call that brought nothing takes none"
    meagre = pacer(time, tokens=6000)
    time.run(meagre.admit(3000))
    meagre.correct(3000, Usage(calls=1, input_uncached=6000))
    assert times_of(time, meagre, [1000.0]) == [10.0]


@pytest.mark.parametrize(("provider", "wait"), [("anthropic", 0.0), ("openai", 50.0)])
def test_what_was_read_from_anthropics_cache_does_not_count(provider: str, wait: float) -> None:
    time = Moments()
    pace = Paces({provider: RateLimit(tokens=6000)}).of(provider)
    pace.clock = time.clock
    time.run(pace.admit(5000))
    pace.correct(5000, Usage(calls=1, input_uncached=0, cache_read=5000))
    assert times_of(time, pace, [6000.0]) == [wait]


def test_a_pause_holds_all_calls_those_that_wait_for_their_turn_too() -> None:
    time = Moments()
    pace = pacer(time, requests=6)  # one each ten seconds
    time.run(pace.admit(0))

    async def hold() -> float:
        await asyncio.sleep(5)
        pace.hold(60)
        return time.now

    held, *others = time.run(hold(), *(went(pace, time) for _ in range(3)))
    assert held == 5
    assert others == [65.0, 75.0, 85.0]


def test_a_call_that_is_given_up_leaves_its_turn_to_the_next() -> None:
    time = Moments()
    pace = pacer(time, requests=1)
    time.run(pace.admit(0))

    async def given_up() -> str:
        waiting = asyncio.ensure_future(pace.admit(0))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return "cancelled"

    assert time.run(given_up()) == ["cancelled"]
    assert times_of(time, pace, [0.0]) == [60.0]


def test_all_models_of_a_provider_share_one_pace_and_another_address_has_its_own() -> None:
    paces = Paces({"openai": RateLimit(requests=5)})
    assert paces.of("openai") is paces.of("openai")
    assert paces.of("openai", "http://a/v1") is not paces.of("openai")
    assert paces.of("openai", "http://a/v1").limits.requests == 5
    assert paces.of("anthropic").limits.requests is None


NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


class Refused(Exception):
    """As the SDKs build theirs: a status, a body, and the response with its headers."""

    def __init__(self, status_code: int | None = None, body: Any = None, **headers: str) -> None:
        super().__init__("refused")
        self.body = body
        self.response = SimpleNamespace(headers={name.replace("_", "-"): value for name, value in headers.items()})
        if status_code is not None:
            self.status_code = status_code


class APIConnectionError(Exception):
    pass


def wrapped(cause: Exception, *, hidden: bool = False) -> Exception:
    """What a client raises from another error, or from none while it dealt with that one."""
    problem = Exception("wrapped")
    problem.__context__, problem.__cause__ = cause, None if hidden else cause
    return problem


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        *((Refused(status), True) for status in (408, 409, 429, 500, 502, 503, 529)),
        *((Refused(status), False) for status in (400, 401, 403, 404, 413, 422)),
        (APIConnectionError(), True),
        (ConnectionResetError(), True),
        (httpx.RemoteProtocolError("peer closed connection"), True),
        (httpx2.RemoteProtocolError("peer closed connection"), True),
        (TimeoutError(), True),
        (json.JSONDecodeError("x", "", 0), True),
        (wrapped(Refused(503)), True),
        (wrapped(Refused(404)), False),
        (ValueError("no"), False),
        (Refused(500, x_should_retry="false"), False),
        (Refused(400, x_should_retry="true"), True),
        (Refused(429, {"type": "insufficient_quota", "code": "insufficient_quota"}), False),
        (Refused(200, {"error": {"type": "overloaded_error"}}), True),
        (Refused(None, {"type": "server_error"}), True),
        (Refused(None, {"code": 500, "type": "InternalServerError"}), True),
        (Refused(None, {"type": "invalid_request_error"}), False),
    ],
)
def test_what_another_attempt_may_not_meet_passes(problem: Exception, expected: bool) -> None:
    assert passes(problem) is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "Fri, 20 Nov 2026 12:01:30 GMT"}, 90),
        ({"retry_after": "Fri, 20 Nov 2026 11:00:00 GMT"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "0"}, None),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after_ms": "x", "retry_after": "1"}, 1),
    ],
)
def test_retry_after_is_seconds_milliseconds_or_a_date(headers: dict[str, str], expected: float | None) -> None:
    assert asked_wait(Refused(429, None, **headers), NOW) == expected
    assert asked_wait(wrapped(Refused(429, None, **headers)), NOW) == expected


def test_googles_retry_info_is_read_from_the_body_and_what_a_client_hides_behind_from_none() -> None:
    problem = Refused(429)
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31.5s"}
    problem.details = {"error": {"code": 429, "details": [{"@type": "other"}, info]}}  # pyright: ignore[reportAttributeAccessIssue]
    assert asked_wait(wrapped(problem)) == 31.5
    hidden = wrapped(Refused(429, retry_after="3"), hidden=True)
    assert (asked_wait(hidden), status_of(hidden), passes(hidden)) == (3, 429, True)


pytestmark = pytest.mark.anyio
PRICE = Price(input=1, output=10)


def models(limits: Limits) -> Models:
    """Models that read 100,000 tokens ($0.10) and write 10,000 ($0.10) in every call."""
    usage = Usage(input_uncached=100_000, output=10_000)
    model = replace(scripted_model(play=lambda _: ScriptedAnswer(text="said", usage=usage)), price=PRICE)
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
    for limits, message in ((Limits(dollars=0.3), r"\$0\.3"), (Limits(tokens=150_000), "the 150,000 tokens")):
        with pytest.raises(ModelError, match=f"{message} allowed do not suffice") as caught:
            await called(models(limits), 3)
        assert caught.value.kind == "budget"


async def test_branches_share_what_is_left_beside_the_reserve() -> None:
    asked = await called(models(Limits(dollars=2.0, tokens=1_000_000)), 1)
    shares = [branch.limits for branch in asked.branches(4)]
    assert [share.dollars for share in shares] == pytest.approx([(2.0 - 0.2 - 0.2) / 4] * 4)
    assert {share.tokens for share in shares} == {(1_000_000 - 110_000 - 110_000) // 4}


@given(st.floats(0.01, 1e6), st.floats(0, 1e6), st.floats(0, 1e5))
def test_until_a_budget_is_nearly_spent_one_more_call_and_a_report_fit(limit: float, spent: float, last: float) -> None:
    budget = Budget(limit, spent, last)
    if not budget.nearly_spent:
        assert spent + 2 * last <= limit * (1 + 1e-9)
        assert limit - spent - last >= RESERVE * limit * (1 - 1e-9)


SPEC = "openai:test"
PRICES = read_prices({SPEC: Price(input=1, output=1)})
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec=SPEC, kind="llm")})


def took(dollars: float) -> dict[str, Usage]:
    return {"researcher": Usage(calls=1, input_uncached=int(dollars * 1_000_000))}


def test_the_first_run_of_a_system_goes_alone_and_then_as_many_as_fit() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]
    experiment_budget.end("a", SYSTEM, {})
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"], "it failed unanswered"
    experiment_budget.end("a", SYSTEM, took(0.3))
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(3)] == ["yes", "yes", "wait"]

    limited = SYSTEM.model_copy(update={"limits": Limits(dollars=0.4)})
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    assert [experiment_budget.begin("a", limited) for _ in range(3)] == ["yes", "yes", "wait"], "its limit stands in"


def test_a_run_that_would_not_fit_is_held_back_and_said() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    experiment_budget.count("a", SYSTEM, took(0.6))
    assert experiment_budget.begin("a", SYSTEM) == "no"
    assert experiment_budget.closing is not None
    assert "cap of $1 leaves no room" in experiment_budget.closing
    assert "took $0.6000 and 600,000 tokens. Not started: 1." in experiment_budget.closing
    assert "a higher --max-dollars continues" in experiment_budget.closing


async def test_those_that_wait_start_when_one_in_flight_has_ended() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    started: list[int] = []

    async def run(number: int) -> None:
        if await experiment_budget.admission("a", SYSTEM):
            started.append(number)
            await asyncio.sleep(0)
            experiment_budget.end("a", SYSTEM, took(0.3))

    await asyncio.wait_for(asyncio.gather(*(run(number) for number in range(6))), 5)
    assert len(started) == 3
    assert experiment_budget.refused == 3


@given(st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30), st.floats(0.5, 3))
def test_the_cap_is_passed_by_no_more_than_runs_grow_dearer(costs: list[float], cap: float) -> None:
    """One after the other: only a run dearer than all before it can pass the cap, and only by the difference."""
    experiment_budget = ExperimentBudget(PRICES, dollars=cap)
    dearest = 0.0
    for cost in costs:
        if experiment_budget.begin("a", SYSTEM) != "yes":
            break
        experiment_budget.end("a", SYSTEM, took(cost))
        assert experiment_budget.spent["dollars"] <= cap + max(0.0, cost - dearest) + 1e-6
        dearest = max(dearest, cost)


def test_each_part_of_the_input_has_its_price_and_the_cache_read_share_is_of_all_of_it() -> None:
    used = Usage(calls=3, input_uncached=1_000_000, cache_read=2_000_000, cache_creation=400_000, output=100_000)
    price = Price(input=2, output=10, cache_read=0.2, cache_write=2.5)
    assert dollars(used, price) == pytest.approx(2 + 0.4 + 1 + 1)
    assert cache_read_share(Usage(input_uncached=10, cache_read=80, cache_creation=10, output=99)) == 0.8
    assert cache_read_share(Usage(output=5)) is None


def test_the_table_that_ships_is_dated_and_a_price_goes_by_the_whole_name_and_its_date_aside() -> None:
    prices = read_prices()
    assert prices.as_of.year >= 2026
    for name in ("claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-4-5"):
        assert prices.of(f"anthropic:{name}") is not None
    assert prices.of("anthropic:claude-haiku-4-5-20251001") == prices.of("anthropic:claude-haiku-4-5")
    assert prices.of("openai:gpt-4.1-2025-04-14") == prices.of("openai:gpt-4.1")
    assert prices.of("openai:gpt-4.1-nano") is None
    assert prices.of("offline:shopper") == Price(input=0, output=0), "it runs in this process"
    own = {"openai:gpt-4.1": Price(input=1, output=1)}
    assert read_prices(own).of("openai:gpt-4.1") == own["openai:gpt-4.1"]


def test_one_unknown_price_makes_the_sum_unknown_and_is_named() -> None:
    models = {
        "researcher": RoleModel(spec="anthropic:claude-sonnet-5", kind="llm"),
        "report": RoleModel(spec="openai:gpt-99", kind="llm"),
    }
    usage = dict.fromkeys(models, Usage(calls=1, input_uncached=1_000_000))
    assert cost_by_role(usage, models, read_prices())["researcher"].dollars == pytest.approx(2)
    total = cost_of(usage, models, read_prices())
    assert (total.dollars, total.unpriced, total.usage.calls) == (None, ("openai:gpt-99",), 2)
    with pytest.raises(UserError, match="counts tokens for the role 'writer'"):
        cost_by_role({"writer": Usage(calls=1, output=5)}, {}, read_prices())
