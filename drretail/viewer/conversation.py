"""A run's whole conversation, from its journal: what each model was sent and answered, and what else left the run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from drretail.eval.judging.subject import Planned
from drretail.experiment import read_journal, run_folder
from drretail.journal import Effect
from drretail.records.base import canonical_json
from drretail.records.run import Run, Step
from drretail.trajectory import path_key
from drretail.viewer.claims import readable

JOURNALS = ("journal.jsonl", "journal.jsonl.gz")
_NAMES = {"human": "user", "ai": "assistant"}
_OUTSIDE = "outside"
"""Where effects stand that no agent's path is known of, such as the shopper's answers."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``by`` is system, user, assistant, or the tool that was called."""

    by: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """Tools that the assistant calls, with their arguments as text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request with its answer."""

    step: tuple[str, int] | None
    """Path and number of the run's step that it is; None where no step is recorded for it."""
    title: str
    sent: tuple[Message, ...]
    """What the requests before it, of the same agent, had not sent yet."""
    repeated: int
    """Messages that it sent once more."""
    tools: tuple[str, ...]
    """What it offered."""
    answer: Message | None
    error: str


@dataclass(frozen=True, slots=True)
class Talk:
    """The turns of one agent, in order."""

    path: str
    turns: tuple[Turn, ...]


def journal_size(experiment: Path, run: Run | Planned) -> int:
    """Bytes of a run's journal as it lies on the disk; 0 where there is none."""
    label, query_id = (run.system, run.query_id) if isinstance(run, Run) else (run.label, run.query.query_id)
    folder = run_folder(experiment, label, query_id, run.repeat)
    return sum(path.stat().st_size for path in map(folder.joinpath, JOURNALS) if path.exists())


def read_conversation(experiment: Path, run: Run) -> list[Talk]:
    """Every request of a run and its answer, by agent; empty where the run has no journal.

    Raises UserError for a journal that can't be read.
    """
    folder = run_folder(experiment, run.system, run.query_id, run.repeat)
    return conversation_of(read_journal(folder), run.steps)


def conversation_of(effects: Iterable[Effect], steps: Sequence[Step]) -> list[Talk]:
    """The turns of each agent, agents in the order of their paths, effects without an agent last."""
    by_path: dict[str, list[Effect]] = defaultdict(list)
    for effect in effects:
        path = effect.scope.partition("/")[0].partition("#")[0]
        by_path[path if path.replace(".", "").isdigit() else _OUTSIDE].append(effect)
    asked: dict[str, list[int]] = defaultdict(list)
    for step in steps:
        if step.kind != "tool":
            asked[step.path].append(step.seq)
    known = sorted(by_path.keys() - {_OUTSIDE}, key=path_key)
    return [
        Talk(path, tuple(_turns(path, _in_order(by_path[path]), asked[path])))
        for path in (*known, *([_OUTSIDE] if _OUTSIDE in by_path else []))
    ]


def _in_order(effects: Sequence[Effect]) -> list[Effect]:
    """As they were asked for: looks that ran side by side are in the journal as they ended."""
    ordered: list[Effect] = []
    for _, turns in groupby(effects, lambda effect: effect.kind == "model"):
        ordered += sorted(turns, key=_place)
    return ordered


def _place(effect: Effect) -> tuple[int, str]:
    """Among its neighbours; model calls of a path stay as they are."""
    return (0, "") if effect.kind == "model" else (_seq(effect) or 0, effect.key)


def _seq(effect: Effect) -> int | None:
    """The number of the step that an effect's scope names."""
    seq = effect.scope.partition("/")[2]
    return int(seq) if seq.isdigit() else None


def _turns(path: str, effects: Sequence[Effect], asked: Sequence[int]) -> Iterator[Turn]:
    """Model calls of a path are its model steps in order; all else names its step by its scope."""
    before: list[str] = []
    calls, number = dict[str, str](), 0
    for effect in effects:
        if effect.kind != "model":
            yield _other(path, effect)
            continue
        messages: list[dict[str, Any]] = effect.request.get("messages", [])
        keys = [canonical_json(message) for message in messages]
        pairs = zip(before, keys, strict=False)
        repeated = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(keys)))
        new = messages[repeated:]
        answer: dict[str, Any] | None = effect.response if isinstance(effect.response, dict) else None
        calls |= {call.get("id") or "": call["name"] for each in messages for call in each.get("tool_calls", ())}
        # The answer of the turn before stands there already, and comes again in what is sent.
        is_echo = bool(before) and bool(new) and new[0].get("role") == "ai"
        yield Turn(
            step=(path, asked[number]) if number < len(asked) else None,
            title=effect.role or "model",
            sent=tuple(_message(message, calls) for message in new[is_echo:]),
            repeated=repeated + is_echo,
            tools=tuple(_tool_name(tool) for tool in effect.request.get("tools") or ()),
            answer=None if answer is None else _message({"role": "ai", **answer}, calls),
            error=_error(effect),
        )
        before, number = keys, number + 1


def _other(path: str, effect: Effect) -> Turn:
    """A look at the web, or a question to the shopper."""
    seq = _seq(effect)
    answer = None if effect.response is None else Message("answer", _text(effect.response))
    sent = (Message("request", _text(effect.request)),)
    step = None if seq is None else (path, seq)
    return Turn(step, effect.kind.replace("_", " "), sent, 0, (), answer, _error(effect))


def _message(message: Mapping[str, Any], calls: Mapping[str, str]) -> Message:
    role = str(message.get("role", ""))
    by = calls.get(str(message.get("tool_call_id")), "tool") if role == "tool" else _NAMES.get(role, role)
    asked = tuple((str(call["name"]), _text(call.get("args", {}))) for call in message.get("tool_calls", ()))
    return Message(by, _text(message.get("content", "")), asked)


def _text(content: Any) -> str:
    """Text as it is, the text of a provider's blocks, and of all else lines of "key: value"."""
    if isinstance(content, str):
        return readable(content)
    if isinstance(content, list) and all(isinstance(block, dict) and "text" in block for block in content):
        return "\n\n".join(str(block["text"]) for block in content)
    return readable(canonical_json(content)) if content else ""


def _tool_name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("name") or tool.get("function", {}).get("name", "tool"))


def _error(effect: Effect) -> str:
    return "" if effect.error is None else f"{effect.error['kind'].replace('_', ' ')}: {effect.error['message']}"
