"""A model that answers after a simulated time, and what the journals of its runs tell about them."""

import asyncio
import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from drretail.experiments.journal import Effect
from drretail.experiments.run_file import read_journal, read_run
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.offline.shopper import shop
from drretail.llm.registry import Model, ModelInfo
from drretail.records.run import ERRANDS, Run

BRANCHES = ERRANDS | {"LaunchResearcher"}
"""Tools by which an agent opens a branch of its run, with models of its own."""

SPREAD = 0.3


@dataclass(repr=False)  # langchain writes out a model's fields once, and this one is large
class Memory:
    """What offline:shopper answered to each request, so that its own work is not measured; it learns at the first."""

    answers: dict[str, AIMessage] = field(default_factory=dict[str, AIMessage])
    seconds: float = 0.0
    """Mean time of an answer; each takes up to 30 % more or less, drawn by ``seed`` and the request."""
    seed: int = 42
    cpu: float = 0.0
    """Seconds of CPU spent here, which are not the agents'."""
    _asked: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def latency(self, key: str) -> float:
        self._asked[key] += 1
        share = random.Random(f"{self.seed} {key} {self._asked[key]}").uniform(1 - SPREAD, 1 + SPREAD)
        return self.seconds * share

    def save(self, path: Path) -> None:
        dumped = {key: answer.model_dump(mode="json") for key, answer in self.answers.items()}
        path.write_text(json.dumps(dumped), encoding="utf-8")

    @classmethod
    def load(cls, path: Path, seed: int) -> "Memory":
        loaded = json.loads(path.read_text(encoding="utf-8"))
        return cls({key: AIMessage.model_validate(answer) for key, answer in loaded.items()}, seed=seed)


class RecallingChat(OfflineChat):
    """Answers what offline:shopper would, from memory, after the simulated time."""

    memory: Any = Field(exclude=True)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        began = time.thread_time()
        memory: Memory = self.memory
        key = _key(messages, kwargs)
        if key not in memory.answers:
            answer = self._generate(messages, *args, **kwargs).generations[0].message
            assert isinstance(answer, AIMessage)
            memory.answers[key] = answer
        latency = memory.latency(key)
        metadata = memory.answers[key].response_metadata | {"simulated_seconds": latency}
        answer = memory.answers[key].model_copy(update={"response_metadata": metadata})
        memory.cpu += time.thread_time() - began
        await asyncio.sleep(latency)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def simulated_model(memory: Memory) -> Model:
    info = ModelInfo(spec="offline:shopper", provider="offline", model="shopper", kind="rule_based")
    return Model(info.spec, lambda: RecallingChat(policy=shop, memory=memory), info, {})


def _key(messages: Sequence[BaseMessage], kwargs: Mapping[str, Any]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for message in messages:
        digest.update(message.text.encode())
        digest.update(str([(call["name"], call["args"]) for call in getattr(message, "tool_calls", ())]).encode())
    names = [tool["function"]["name"] for tool in kwargs.get("tools") or ()]
    digest.update(f"{names} {kwargs.get('tool_choice')}".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Walked:
    """One run with its model calls, as its file holds them."""

    run: Run
    calls: tuple[Effect, ...]

    @classmethod
    def of(cls, path: Path) -> "Walked":
        return cls(read_run(path), tuple(effect for effect in read_journal(path) if effect.kind == "model"))

    @property
    def critical_seconds(self) -> float:
        """The time that the models alone take: calls of one path add up, researchers launched together do not."""
        main = iter(_latencies(call for call in self.calls if call.scope == "0"))
        researchers = _researchers(self.run, self.calls)
        total, launched = 0.0, 0.0
        for step in (step for step in self.run.steps if step.path == "0"):
            if step.name in BRANCHES and step.error is None:
                launched = max(launched, next(researchers, 0.0))
            elif step.kind == "model":
                total += launched + next(main, 0.0)
                launched = 0.0
        return total + launched

    @property
    def prefixes(self) -> tuple[int, int, int]:
        """(bytes of requests that repeat the request before, bytes of all requests, turns that break the prefix)."""
        shared = whole = broken = 0
        for conversation in _conversations(self.calls):
            sizes = [len(json.dumps([each.get("tools"), each["messages"]]).encode()) for each in conversation]
            whole += sum(sizes)
            for (before, after), size in zip(pairwise(conversation), sizes, strict=False):
                if _is_prefix(before, after):
                    shared += size
                else:
                    broken += 1
        return shared, whole, broken


def _latencies(calls: Iterable[Effect]) -> list[float]:
    return [call.response["response_metadata"]["simulated_seconds"] for call in calls]


def _researchers(run: Run, calls: Sequence[Effect]) -> Iterator[float]:
    """Seconds of each researcher's calls, its synthesis among them, in launch order."""
    paths = sorted({step.path for step in run.steps if step.path.count(".") == 1}, key=lambda path: int(path[2:]))
    return iter([sum(_latencies(call for call in calls if call.scope == path)) for path in paths])


def _conversations(calls: Sequence[Effect]) -> Iterable[list[dict[str, Any]]]:
    """Requests of one path and one beginning, in order."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for call in calls:
        found[f"{call.scope} {json.dumps(call.request['messages'][:2])}"].append(call.request)
    return found.values()


def _is_prefix(before: dict[str, Any], after: dict[str, Any]) -> bool:
    count = len(before["messages"])
    same_tools = json.dumps(before.get("tools")) == json.dumps(after.get("tools"))
    return same_tools and json.dumps(before["messages"]) == json.dumps(after["messages"][:count])
