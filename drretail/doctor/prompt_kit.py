"""All probes of one model, one conversation after the other, within a cap in dollars."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from drretail.doctor.conversations import NAMES, Conversation, Name, converse
from drretail.doctor.probes import PROBES, Probe
from drretail.doctor.tiny_shop import tiny_shop
from drretail.eval.judging.spending import Allowance
from drretail.grounding.text.wording import on_try
from drretail.llm.prices import dollars
from drretail.llm.registry import Model, check_priced
from drretail.records.base import Record
from drretail.records.run import ModelKind, Usage
from drretail.tables import figures

State = Literal["passed", "failed", "not_asked"]
JUDGING_TOKENS = 60_000
"""Where the judge's questions end: four of them, each repaired twice, take half as much."""
EXPECTED = Usage(input_uncached=6_000, output=800)
"""What a conversation is taken to need until one has been held."""


class Finding(Record):
    """What one probe came to."""

    probe: str
    shows: str
    conversation: Name
    state: State
    found: str | None = None
    """What is wrong, or why nothing was asked; of a probe that passed, that it took more than one try."""


class Exchange(Record):
    """One request to the model as it went out, and its answer."""

    messages: list[dict[str, Any]]
    tools: tuple[str, ...] = ()
    answer: Any = None
    error: str | None = None


class Checked(Record):
    """A model with the verdict of every probe, the transcript, and what all of it took."""

    model: str
    kind: ModelKind
    probes: tuple[Finding, ...]
    conversations: dict[Name, list[Exchange]]
    usage: Usage
    dollars: float | None
    """None where the model's price is unknown."""

    @property
    def is_well(self) -> bool:
        return all(probe.state == "passed" for probe in self.probes)


async def check_prompts(model: Model, max_dollars: float | None = None) -> Checked:
    """The eight verdicts on a model.

    A conversation is begun only while ``max_dollars`` leaves room for one as dear as the dearest so far; after the
    first that brings no answer none is. Raises UserError for a cap on a model whose price is unknown.
    """
    if max_dollars is not None:
        check_priced([model])
    conversations: list[Conversation] = []
    why = ""
    with tempfile.TemporaryDirectory(prefix="drretail-probes-") as folder, tiny_shop(Path(folder)) as world:
        for name in NAMES:
            why = _ended(model, conversations, max_dollars)
            if why:
                break
            conversations.append(
                await converse(name, model, world, Path(folder), _left(model, conversations, max_dollars))
            )
    by_name = {each.name: each for each in conversations}
    total = Usage()
    for conversation in conversations:
        total = total.plus(conversation.usage)
    return Checked(
        model=model.spec,
        kind=model.info.kind,
        probes=tuple(_finding(probe, by_name.get(probe.conversation), why) for probe in PROBES),
        conversations={each.name: _exchanges(each) for each in conversations},
        usage=total,
        dollars=None if model.price is None else dollars(total, model.price),
    )


def _ended(model: Model, conversations: Sequence[Conversation], cap: float | None) -> str:
    """Why no further conversation is begun; blank while one may be."""
    if conversations and conversations[-1].error is not None:
        return f"not asked, since the model gave no answer before ({conversations[-1].error})"
    if cap is None or model.price is None:
        return ""
    costs = [dollars(conversation.usage, model.price) for conversation in conversations] or [
        dollars(EXPECTED, model.price)
    ]
    spent = sum(costs) if conversations else 0.0
    return "" if spent + max(costs) <= cap else f"not asked: ${figures.dollars(spent)} of ${cap:g} is spent"


def _left(model: Model, conversations: Sequence[Conversation], cap: float | None) -> Allowance:
    if cap is None or model.price is None:
        return Allowance(tokens=JUDGING_TOKENS)
    return Allowance(
        JUDGING_TOKENS,
        cap,
        spent_dollars=sum(dollars(conversation.usage, model.price) for conversation in conversations),
    )


def _finding(probe: Probe, seen: Conversation | None, why: str) -> Finding:
    shared: dict[str, Any] = {"probe": probe.name, "shows": probe.shows, "conversation": probe.conversation}
    if seen is None:
        return Finding(**shared, state="not_asked", found=why)
    fault = f"no answer: {seen.error}" if seen.error is not None else probe.fault(seen)
    if seen.cut is not None and all(verdict.state != "failed" for verdict in seen.verdicts):
        return Finding(**shared, state="not_asked", found=f"not asked to the end: {seen.cut}")
    return Finding(**shared, state="passed" if fault is None else "failed", found=fault or on_try(seen.tries) or None)


def _exchanges(seen: Conversation) -> list[Exchange]:
    return [
        Exchange(
            messages=effect.request["messages"],
            tools=tuple(tool["function"]["name"] for tool in effect.request.get("tools", ())),
            answer=_plain(effect.response),
            error=None if effect.error is None else f"{effect.error['kind']}: {effect.error['message']}",
        )
        for effect in seen.effects
    ]


def _plain(response: Any) -> Any:
    """An agent's turn as its text and calls, a judge's as the text that it is."""
    if not isinstance(response, dict):
        return response
    calls = [{"name": each["name"], "args": each["args"]} for each in response.get("tool_calls") or []]
    return {"content": response.get("content"), **({"tool_calls": calls} if calls else {})}
