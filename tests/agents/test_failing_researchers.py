"""One researcher that fails, hangs or brings nothing takes no other down, and the record says what became of it."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult

from drretail.agents.registry import BUILT_IN, load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.errors import ModelError
from drretail.llm.registry import Model
from drretail.offline.chat import OfflineChat
from drretail.offline.shopper.policy import shop as play
from drretail.prompts import tag_content
from tests.agents import sabotaged_shop
from tests.agents.saboteur import misbehaving, model, part_of, saying_nothing, without_its_first_source
from tests.build import known

SUPERVISED = [name for name in BUILT_IN if name.endswith(("hybrid", "hybrid_react"))]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = sabotaged_shop.build(tmp_path_factory.mktemp("researchers") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def sub_problem(messages: Sequence[BaseMessage]) -> str | None:
    told = "\n".join(message.text for message in messages if isinstance(message, HumanMessage))
    return tag_content("sub_problem", told)


class Unsteady(OfflineChat):
    """Plays every role, and the researcher of one sub-problem as ``fate`` says."""

    victim: str = ""
    fate: Any = None

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        if self.victim and sub_problem(messages) == self.victim:
            await self.fate()
        return await super()._agenerate(messages, *args, **kwargs)


async def fails() -> None:
    raise ModelError("refusal", "the model refused to answer")


async def hangs() -> None:
    await asyncio.sleep(60)


async def has_a_bug() -> None:
    raise ZeroDivisionError("a bug of a client")


def perform(shop: World, agent: str, chosen: Model) -> Recorded:
    sut = SystemUnderTest.of(agent, load_agent(agent), {"": chosen}, shop)
    return asyncio.run(Runner(shop, "w").run(sut, sabotaged_shop.QUERY))


def unsteady(victim: str = "", fate: Any = None) -> Model:
    steady = model(misbehaving(saying_nothing))
    chat = Unsteady(policy=play, model="saboteur", victim=victim, fate=fate)
    return replace(steady, chat=chat, seconds=1.5)


def launched(recorded: Recorded) -> list[str]:
    return [step.args["sub_problem"] for step in recorded.run.steps if step.name == "LaunchResearcher" and step.args]


@pytest.mark.parametrize("agent", SUPERVISED)
@pytest.mark.parametrize(
    ("fate", "said"), [(fails, "refusal: the model refused"), (hangs, "timeout: "), (has_a_bug, "ZeroDivisionError")]
)
def test_one_researcher_that_ends_badly_leaves_the_others(shop: World, agent: str, fate: Any, said: str) -> None:
    whole = perform(shop, agent, unsteady())
    first, *others = launched(whole)
    assert others, "the test needs two researchers at least"
    recorded = perform(shop, agent, unsteady(first, fate))
    assert (recorded.run.status, len(recorded.run.failed_branches)) == ("done", 1)
    assert recorded.run.failed_branches[0].startswith("0.1: ")
    assert said in recorded.run.failed_branches[0]
    (refused,) = [s for s in recorded.run.steps if s.name == "LaunchResearcher" and s.args == {"sub_problem": first}]
    assert "error" in json.loads(recorded.texts[refused.result_sha or ""])
    assert steps_at("0.2", recorded) == steps_at("0.2", whole)


def steps_at(path: str, recorded: Recorded) -> list[Any]:
    return [step for step in recorded.run.steps if step.path == path]


@pytest.mark.parametrize("agent", SUPERVISED)
def test_when_every_researcher_fails_the_run_fails_and_says_so(shop: World, agent: str) -> None:
    recorded = perform(shop, agent, model(misbehaving(saying_nothing, "researcher", stubborn=True)))
    assert (recorded.run.status, recorded.run.report) == ("failed", None)
    assert "researcher" in known(recorded.run.error).message


@pytest.mark.parametrize("agent", SUPERVISED)
def test_a_fact_lost_in_synthesis_stays_in_the_ledger_and_leaves_the_report(shop: World, agent: str) -> None:
    forgetful = misbehaving(without_its_first_source, "synthesis", stubborn=True, report=None)
    recorded, whole = perform(shop, agent, model(forgetful)), perform(shop, agent, unsteady())
    assert (recorded.run.status, forgetful.spoilt > 0) == ("done", True)
    cited = {citation.evidence_id for citation in recorded.run.citations}
    lost = {citation.evidence_id for citation in whole.run.citations} - cited
    assert lost
    assert lost <= {entry.id for entry in recorded.evidence}


def test_the_saboteur_knows_the_part_it_plays() -> None:
    assert part_of([HumanMessage("<query>\nx\n</query>\n<reports>\n[]\n</reports>")], []) == "report"
    assert part_of([HumanMessage("<sub_problem>\nx\n</sub_problem>"), AIMessage("<reports>\n")], []) == "researcher"
