"""A run's whole conversation, from its journal: every request to a model with its answer, and all other requests."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from drretail.experiment import path_of
from drretail.journal import Effect
from drretail.records.base import canonical_json
from drretail.records.run import Run, Step
from drretail.records.trajectory import path_key
from drretail.run_file import read_journal
from drretail.viewer.judged import readable

# Journals have LangChain's roles; readers know those of chat APIs.
_NAMES = {"human": "user", "ai": "assistant"}
_OUTSIDE = "outside"
"""The path of effects without a known agent."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``by`` is system, user, assistant, or the name of the called tool."""

    by: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """The assistant's tool calls: name and arguments as text."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """One request with its answer."""

    step: tuple[str, int] | None
    """Path and number of the run's step; None if no step is recorded for the request."""
    title: str
    sent: tuple[Message, ...]
    """The messages that no earlier request of the same agent had sent."""
    repeated: int
    """The number of messages that were sent again."""
    tools: tuple[str, ...]
    """Names of the tools that the request offered."""
    answer: Message | None
    error: str


@dataclass(frozen=True, slots=True)
class Talk:
    """The turns of one agent, in order."""

    path: str
    turns: tuple[_Turn, ...]


def read_conversation(experiment: Path, run: Run) -> list[Talk]:
    """Every request of a run with its answer, by agent. Raises UserError if the journal can't be read."""
    return talks_of(read_journal(path_of(experiment, run)), run.steps)


def talks_of(effects: Iterable[Effect], steps: Sequence[Step]) -> list[Talk]:
    """The turns of each agent, in the order of the agents' paths; effects without an agent come last."""
    by_path: dict[str, list[Effect]] = defaultdict(list)
    for effect in effects:
        path = effect.scope.partition("/")[0].partition("#")[0]
        by_path[path if path.replace(".", "").isdigit() else _OUTSIDE].append(effect)
    seqs: dict[str, list[int]] = defaultdict(list)
    for step in steps:
        if step.kind != "tool":
            seqs[step.path].append(step.seq)
    paths = sorted(by_path.keys() - {_OUTSIDE}, key=path_key)
    talks: list[Talk] = []
    for path in (*paths, *([_OUTSIDE] if _OUTSIDE in by_path else [])):
        # The journal has parallel look-ups in the order in which they ended; show them in the order of the requests.
        ordered: list[Effect] = []
        for is_model, group in groupby(by_path[path], lambda effect: effect.kind == "model"):
            turns = list(group)
            ordered += turns if is_model else sorted(turns, key=lambda effect: (_seq(effect) or 0, effect.key))
        talks.append(Talk(path, tuple(_turns(path, ordered, seqs[path]))))
    return talks


def _seq(effect: Effect) -> int | None:
    """The number of the step that an effect's scope names, or None."""
    seq = effect.scope.partition("/")[2]
    return int(seq) if seq.isdigit() else None


def _turns(path: str, effects: Sequence[Effect], seqs: Sequence[int]) -> Iterator[_Turn]:
    """One path's turns. Its model calls are its model steps in order; any other effect names its step in its scope."""
    before: list[str] = []
    calls, number = dict[str, str](), 0
    for effect in effects:
        if effect.kind != "model":
            # Such as a web request.
            seq = _seq(effect)
            request = Message("request", _text(effect.request))
            response = None if effect.response is None else Message("answer", _text(effect.response))
            step = None if seq is None else (path, seq)
            yield _Turn(step, effect.kind.replace("_", " "), (request,), 0, (), response, _error(effect))
            continue
        messages: list[dict[str, Any]] = effect.request.get("messages", [])
        keys = [canonical_json(message) for message in messages]
        pairs = zip(before, keys, strict=False)
        repeated = next((at for at, (key, other) in enumerate(pairs) if key != other), min(len(before), len(keys)))
        new = messages[repeated:]
        answer: dict[str, Any] | None = effect.response if isinstance(effect.response, dict) else None
        calls |= {call.get("id") or "": call["name"] for message in messages for call in message.get("tool_calls", ())}
        # The request repeats the previous answer, which the previous turn already shows.
        is_echo = bool(before) and bool(new) and new[0].get("role") == "ai"
        yield _Turn(
            step=(path, seqs[number]) if number < len(seqs) else None,
            title=effect.role or "model",
            sent=tuple(_message(message, calls) for message in new[is_echo:]),
            repeated=repeated + is_echo,
            tools=tuple(
                str(tool.get("name") or tool.get("function", {}).get("name", "tool"))
                for tool in effect.request.get("tools") or ()
            ),
            answer=None if answer is None else _message({"role": "ai", **answer}, calls),
            error=_error(effect),
        )
        before, number = keys, number + 1


def _message(message: Mapping[str, Any], calls: Mapping[str, str]) -> Message:
    role = str(message.get("role", ""))
    by = calls.get(str(message.get("tool_call_id")), "tool") if role == "tool" else _NAMES.get(role, role)
    calls_made = tuple((str(call["name"]), _text(call.get("args", {}))) for call in message.get("tool_calls", ()))
    return Message(by, _text(message.get("content", "")), calls_made)


def _text(content: Any) -> str:
    """Text unchanged, the text of a provider's blocks, or any other content as lines of "key: value"."""
    if isinstance(content, str):
        return readable(content)
    if isinstance(content, list) and all(isinstance(block, dict) and "text" in block for block in content):
        return "\n\n".join(str(block["text"]) for block in content)
    return readable(canonical_json(content)) if content else ""


def _error(effect: Effect) -> str:
    return "" if effect.error is None else f"{effect.error['kind'].replace('_', ' ')}: {effect.error['message']}"
