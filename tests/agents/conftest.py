"""The tiny shop, and models that say what a test scripts for them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.offline.turn import Turn
from drretail.llm.registry import Model, ModelInfo
from drretail.records.query import Query
from tests.shop import PAGES, USER, build

Scripted = AIMessage | BaseException


QUERY = Query(query_id="q1", user_id=USER, text="Which bird feeder under $30?", source="test")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = build(tmp_path_factory.mktemp("agents") / "world")
    with open_world(folder, web=SandboxWeb(PAGES)) as opened:
        yield opened


def reporting(text: str, *picks: str) -> AIMessage:
    """A report that declares these lines as its picks."""
    return AIMessage("\n".join([text, "", "```picks", *picks, "```"]))


def calls(*named: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """A model turn with tool calls."""
    return AIMessage(text, tool_calls=[{"name": name, "args": args, "id": "x"} for name, args in named])


def scripted(*turns: Scripted) -> tuple[Model, list[Turn]]:
    """A model that plays the turns in order, and what it was shown in each."""
    left = list(turns)
    shown: list[Turn] = []

    def policy(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any) -> AIMessage:
        shown.append(Turn(tuple(messages), tuple(tools), choice))
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    info = ModelInfo(spec="scripted:test", provider="offline", model="test", kind="scripted")
    return Model("scripted:test", OfflineChat(policy=policy, model="test"), info, {}), shown


def sut(world: World, model: Model, **given: Any) -> SystemUnderTest:
    return SystemUnderTest.of("react", load_agent("react"), {"": model}, world, **given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "exp"
