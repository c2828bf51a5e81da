"""What an agent of somebody else's may bring: roles and tools, recorded like the built-in ones."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from drretail.agents.base import Agent
from drretail.agents.page_reading import reading_pages
from drretail.agents.react import REACT
from drretail.agents.registry import load_agent
from drretail.agents.running.outcomes import Ended
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.api.models import choices_by_role
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.llm.scripted import requests_of, scripted_model
from drretail.records.base import canonical_json
from drretail.records.models import ModelProfile
from drretail.records.query import Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.tools.registry import TOOLS, tool_schema_hash
from tests.agents.conftest import QUERY, calls, reporting
from tests.agents.own import BUYER, SHIPPING
from tests.agents.own import answer as shipping_answer
from tests.build import known

PLACE = "tests.agents.own:BUYER"


def perform(world: World, agent: str = PLACE, **models: Model) -> Recorded:
    system = SystemUnderTest.of(agent, load_agent(agent), models, world)
    return asyncio.run(Runner(world, "w").run(system, QUERY))


def test_an_agents_own_roles_and_tools_are_recorded_like_the_built_in_ones(world: World) -> None:
    buyer = scripted_model(calls(("shipping", {"weight": 3})), "It costs $5.50.")
    run = perform(world, buyer=buyer, critic=scripted_model(reporting("Well said."))).run
    assert (run.status, run.report, run.picks) == ("done", "Well said.", ())
    assert [(step.kind, step.role, step.name) for step in run.steps] == [
        ("model", "buyer", "scripted:test"),
        ("tool", "buyer", "shipping"),
        ("model", "buyer", "scripted:test"),
        ("model", "critic", "scripted:test"),
    ]
    assert requests_of(buyer)[0].tools == (*TOOLS, "shipping")
    assert '{"dollars":5.5}' in requests_of(buyer)[1].last
    assert list(run.usage) == ["buyer", "critic"]
    assert run.tools == ("shipping",)
    assert run.tool_schema_hash == tool_schema_hash({**TOOLS, "shipping": SHIPPING}) != tool_schema_hash()
    assert Ended.of(run, before=False).tool_calls == 1


def test_wrong_arguments_of_an_own_tool_are_answered_like_those_of_the_nine(world: World) -> None:
    buyer = scripted_model(calls(("shipping", {"weight": "much"})), "Unknown.")
    perform(world, buyer=buyer, critic=scripted_model("Well said."))
    assert '"type":"invalid_argument"' in requests_of(buyer)[1].last


@pytest.mark.parametrize("tool", [SHIPPING, "tests.agents.own:SHIPPING"])
def test_a_built_in_agent_takes_further_tools_by_place_or_as_they_are(world: World, tool: object) -> None:
    agent = replace(REACT, tools=(tool,))
    model = scripted_model(calls(("shipping", {"weight": 1})), "It costs $4.50.")
    run = asyncio.run(Runner(world, "w").run(SystemUnderTest.of("react", agent, {"": model}, world), QUERY)).run
    assert [step.name for step in run.steps if step.kind == "tool"] == ["shipping"]
    assert run.steps[1].error is None


def test_a_tool_may_not_take_the_name_of_another(world: World) -> None:
    agent = replace(BUYER, tools=(replace(SHIPPING, name="calculator"),))
    with pytest.raises(UserError, match="There is a tool 'calculator' already"):
        SystemUnderTest.of("buyer", agent, {"": scripted_model("x")}, world)


def test_models_are_named_for_roles_that_an_agent_brings_and_wrong_ones_are_told_the_nearest() -> None:
    roles = ("researcher", *BUYER.roles)
    assert list(choices_by_role(["critic=offline:shopper", "offline:shopper"], None, roles)) == ["critic", ""]
    with pytest.raises(UnknownName, match=r"There is no role 'critik'. Did you mean critic"):
        choices_by_role(["critik=offline:shopper"], None, roles)
    profile = ModelProfile.model_validate({"why": "x", "model": "a:b", "roles": {"critic": {"model": "c:d"}}})
    assert choices_by_role([], profile, roles)["critic"].model == "c:d"
    with pytest.raises(UnknownName, match="There is no role 'critic'"):
        choices_by_role([], profile)


@pytest.mark.parametrize(
    ("roles", "writer"),
    [
        (("supervisor", "researcher", "synthesis", "report"), "report"),
        (("researcher",), "researcher"),
        (("researcher", "critic"), "researcher"),
        (("buyer", "critic"), "critic"),
        (("supervisor", "buyer"), "buyer"),
        (("summariser",), "summariser"),
        ((), None),
    ],
)
def test_missing_picks_are_asked_of_the_role_that_writes_the_report(roles: tuple[str, ...], writer: str | None) -> None:
    agent = replace(BUYER, roles=roles)
    assert agent.writer == writer
    assert reading_pages(agent).writer == (writer or "summariser")


def returning(given: Any) -> Agent:
    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        del task, session, models, limits
        return given

    return Agent(answer, roles=())


def ended_with(world: World, given: Any) -> tuple[str, str | None]:
    run = asyncio.run(Runner(world, "w").run(SystemUnderTest.of("mine", returning(given), {}, world), QUERY)).run
    return run.status, run.error.message if run.error else run.report


def test_a_text_that_an_agent_returns_is_its_report(world: World) -> None:
    assert ended_with(world, "Buy nothing.") == ("done", "Buy nothing.")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "the agent returned None, and neither an Answer nor the text of a report"),
        ({"report": "x"}, "the agent returned {'report': 'x'}, and neither an Answer nor the text of a report"),
        ("", "the agent returned an empty report"),
        (Answer(report=" \n", picks=()), "the agent returned an empty report"),
    ],
)
def test_what_is_no_report_fails_the_run_and_says_what_it_was(world: World, given: Any, message: str) -> None:
    assert ended_with(world, given) == ("failed", message)


def test_two_picks_of_one_product_are_its_quantities_together(world: World) -> None:
    answer = Answer(report="Two.", picks=(Pick(product="B1"), Pick(product="B2"), Pick(product="B1", quantity=2)))
    run = asyncio.run(Runner(world, "w").run(SystemUnderTest.of("mine", returning(answer), {}, world), QUERY)).run
    assert run.picks == (Pick(product="B1", quantity=3), Pick(product="B2"))


def raising(problem: BaseException) -> Agent:
    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        raise problem

    return Agent(answer, roles=())


@pytest.mark.parametrize(
    "problem",
    [ZeroDivisionError("away"), RecursionError("deep"), SystemExit(7), ValueError("\ud800"), KeyError("x" * 100_000)],
)
def test_what_an_agent_raises_is_kept_with_its_file_line_and_traceback(world: World, problem: BaseException) -> None:
    system = SystemUnderTest.of("mine", raising(problem), {}, world)
    run = asyncio.run(Runner(world, "w").run(system, QUERY)).run
    assert run.error is not None
    assert run.error.message.startswith(f"{type(problem).__name__}: ")
    assert "test_own.py, line " in run.error.message
    assert len(run.error.message) < 3000
    assert "raise problem" in known(run.error.traceback)
    assert canonical_json(run.model_dump(mode="json")).encode()


def test_an_agent_that_asks_for_a_role_it_did_not_name_or_is_not_async_is_told_so(world: World) -> None:
    async def asking(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        return (await models.call("critic", [])).text

    def plain(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        return "A report."

    for answer, said in ((asking, "asks for the role 'critic'"), (plain, "begin it with async def")):
        system = SystemUnderTest.of("mine", Agent(cast(Any, answer), roles=()), {}, world)
        run = asyncio.run(Runner(world, "w").run(system, QUERY)).run
        assert said in known(run.error).message


def test_an_agent_without_roles_or_function_is_refused_in_a_sentence() -> None:
    for wrong, said in (((shipping_answer,), "needs roles"), ((shipping_answer, "researcher"), "needs roles")):
        with pytest.raises(UserError, match=said):
            Agent(*cast(Any, wrong))
    with pytest.raises(UserError, match="needs an async function that answers, not str"):
        Agent(cast(Any, "a text"), roles=())
