"""A chat model that answers by a function of what it is asked, and queries that nothing is wrong with."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from drretail.llm.registry import Model, ModelInfo
from drretail.records.base import sha256_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

Answer = Callable[[Sequence[BaseMessage]], str]
WORDS = "garden bright quiet gentle sturdy winter shelf corner meadow harbour candle ribbon copper".split()  # noqa: SIM905


class ScriptedChat(BaseChatModel):
    """Keeps every conversation; ``pause`` gives the seconds before an answer."""

    answer: Answer
    pause: Callable[[Sequence[BaseMessage]], float] = lambda _: 0
    asked: list[list[BaseMessage]] = Field(default_factory=list[list[BaseMessage]])
    under_way: int = 0
    most_at_once: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("only asked asynchronously")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.asked.append(list(messages))
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await asyncio.sleep(self.pause(messages))
        finally:
            self.under_way -= 1
        usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
        message = AIMessage(self.answer(messages), usage_metadata=usage)  # pyright: ignore[reportArgumentType]
        return ChatResult(generations=[ChatGeneration(message=message)])


def scripted(chat: ScriptedChat) -> Model:
    return Model("fake:x", lambda: chat, ModelInfo(spec="fake:x", provider="fake", model="x", kind="scripted"), {})


WANT = Want(name="birdhouse", kinds=("birdhouse",), quantity=2).model_dump(mode="json")
WISH = Wish(budget=Money.of(60)).model_dump(mode="json")


def written_wish(**changes: Any) -> dict[str, Any]:
    """Two birdhouses for $60; ``changes`` go into the wish or its only want."""
    want = WANT | {name: value for name, value in changes.items() if name in WANT}
    return WISH | {"wants": [want]} | {name: value for name, value in changes.items() if name in WISH}


def written(seed: object = 0, **changes: Any) -> dict[str, Any]:
    """An answer without fault, another for each seed; ``changes`` go into the answer, its wish or its only want."""
    rng = Random(str(seed))
    words = " ".join(f"{rng.choice(WORDS)}{rng.choice(WORDS)}" for _ in range(25))
    answer: dict[str, Any] = {
        "query": f"I wonder which {words} would suit me. Please keep it under $60 in total and pick two birdhouses.",
        "kind": "project",
        "rationale": "The record shows things for the garden, and what lasts there takes research on the web.",
        "expected_tools": ["get_user_orders", "product_catalog_search", "web_search"],
    }
    of_wish = {name: value for name, value in changes.items() if name not in answer}
    return answer | {name: changes[name] for name in answer if name in changes} | {"wish": written_wish(**of_wish)}


def all_of(*questions: Any) -> str:
    """The answer to a request for several questions."""
    return json.dumps({"questions": questions})


def read_again(**changes: Any) -> str:
    """A second typing that reads the same wish."""
    return json.dumps({"wish": written_wish(**changes)})


def right(messages: Sequence[BaseMessage]) -> str:
    """A good answer that depends on the whole conversation and on nothing else."""
    seed = sha256_of("\n".join(message.text for message in messages))
    count = int((re.search(r"Write (\d+) question", messages[-1].text) or ["", "1"])[1])
    return read_again() if is_second(messages) else all_of(*(written(f"{seed}{at}") for at in range(count)))


def is_second(messages: Sequence[BaseMessage]) -> bool:
    """True if the question is to be typed a second time."""
    return "SecondTyping" in messages[0].text
