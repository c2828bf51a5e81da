"""What an agent is: an answering function, the roles for which it asks models, its prompts, and its own tools.

What it returns is read as an Answer and checked: nothing that its run's file could not hold gets further.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages
from pydantic import ValidationError

from drretail.agents.information import following
from drretail.env.session import Session
from drretail.errors import ModelError, UserError, shortened
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.parsing import without_thoughts, writable
from drretail.records.base import canonical_json, fault_of
from drretail.records.query import Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import CLIENT, Answer, Limits, Role, Usage
from drretail.records.wish import MOST_PIECES
from drretail.reports.picks import merged, take_picks
from drretail.reports.text.untrusted import cleaned
from drretail.tools.tool import Tool

_NEVER_WRITING = ("supervisor", "retriever", "reader", "summariser")
_UNSAID: Any = object()
ToldOf = Literal["all", "first", "last"]
"""The turns of a conversation of which an oracle or a floor is told."""
HEEDED = frozenset(Limits.model_fields) - {"rag_turns"}
"""The limits of an agent that doesn't say which."""


class Answering(Protocol):
    """Researches ``task`` in the session's world. A ModelError ends the run as failed. A plain text is the report."""

    async def __call__(self, task: Task, session: Session, models: Models, limits: Limits) -> Answer | str: ...


@dataclass(frozen=True, slots=True)
class Agent:
    """A function that answers, with the roles for which it asks models, its prompts and its own tools."""

    answer: Answering
    """Answers a task. A text that it returns is the report."""
    roles: tuple[Role, ...] = _UNSAID
    """The roles for which it asks models, in the order in which they work; () if it asks none."""
    prompts: Callable[[], tuple[Prompt, ...]] = tuple
    """Loads its prompts, whose hashes runs record."""
    tools: tuple[str | Tool, ...] = ()
    """The tools that it adds to the nine: as Tools, or by name as ``load_tool`` takes it."""
    heeds: frozenset[str] = HEEDED
    """The limits that change what it does, besides ``seconds``. The others are not part of its systems."""
    self_checked: bool = False
    """True if it removes from its reports what the checks find, so that their scores say little of it."""
    reads_files: bool = False
    """True if it reads the user's own files, so that files that are given are part of its systems."""
    files: tuple[str | Path, ...] = ()
    """Files and folders that belong to its code. Those below its own folder that its code reads as it is
    imported do so by themselves.
    """
    is_baseline: bool = False
    """True for null agents and the oracle. They use neither a model nor chance, so they run once per query, whatever
    the options of other systems."""
    sees_reference: bool = False
    """True for oracles only: their task holds the query's constraints, and what the shop could sell for it."""
    told_of: ToldOf = "all"
    """The turns of a conversation of which an oracle is told; a floor is told of the first, or of the last, alone."""
    place: str | None = None
    """The command or address that is asked, or the ``module:attribute`` of an agent that was given another name.

    Systems record it.
    """
    network: str | None = None
    """How a command reaches the doors of its run; None for what drretail does not start."""
    takes_model: bool = False
    """True if it asks models at the doors of its run, where one is named; it has the role "client" then."""
    version: Callable[[], str | None] | None = None
    """Says which version it is, where its files don't tell, such as those behind an address; None if unknown."""

    def __post_init__(self) -> None:
        if not callable(self.answer):
            raise UserError(f"An Agent needs an async function that answers, not {type(self.answer).__name__}.")
        try:
            inspect.signature(self.answer, follow_wrapped=False).bind(*range(4))
        except TypeError:
            name = getattr(self.answer, "__name__", "this one")
            raise UserError(
                f"An Agent's function takes (task, session, models, limits), and {name} does not: give it to "
                "run without Agent, and it gets the arguments that it names (docs/agents.md)."
            ) from None
        except ValueError:  # a builtin without a signature
            pass
        roles = cast(object, self.roles)
        if not isinstance(roles, tuple):
            raise UserError(
                "An Agent needs roles: the tuple of those for which it asks a model, as in "
                'Agent(answer, roles=("researcher",)), or roles=() where it asks none.'
            )

    def with_model(self) -> "Agent":
        """The agent as it asks a model at the doors of its run; any other agent as it is."""
        return replace(self, roles=(CLIENT,), heeds=frozenset({"tokens", "dollars"})) if self.takes_model else self

    @property
    def writer(self) -> Role | None:
        """The role that writes the report; None for an agent without a model.

        That is "report" or, without it, "researcher". Without both it is the last role that neither leads nor reads for
        others. Roles are listed in the order in which they work. An agent from outside can't be asked anything more.
        """
        if self.takes_model:
            return None
        writing = [role for role in self.roles if role not in _NEVER_WRITING] or list(self.roles)
        return next((role for role in ("report", "researcher") if role in writing), next(reversed(writing), None))


def task_message(task: Task, session: Session) -> HumanMessage:
    """Every agent's first message: query, user id and today in tags, the task's context."""
    parts = [tagged("query", task.text)]
    if task.user_id is not None:
        parts.append(tagged("user_id", task.user_id))
    parts += [today(session), *filter(None, [task.context, following(task)])]
    return HumanMessage("\n".join(parts))


def messages_before(task: Task) -> list[AnyMessage]:
    """What the shopper said in the turns before, and what was answered, made safe for a prompt."""
    messages = ({**message, "content": cleaned(message["content"])} for message in task.history)
    return cast("list[AnyMessage]", convert_to_messages(messages))


def today(session: Session) -> str:
    """The shop's date in its tag."""
    return tagged("today", session.settings.now.date().isoformat())


def read_answer(value: object, who: str = "the agent") -> Answer:
    """The answer that an agent gave: an Answer, a report's text, or ``{"report": …, "picks": […], "outcome": {…},
    "usage": {"input": …, "output": …}}``. What a model thought in the report is left out of it, and noted.

    Raises ModelError of the kind ``agent`` for anything else, and for a value that is wrong, which it names.
    """
    if isinstance(value, str):
        return _spoken(Answer(report=writable(value)))
    if not isinstance(value, Answer | Mapping):
        what = "an Answer, the text of a report, nor a dict with one"
        raise ModelError("agent", f"{who} returned {value!r:.60}, and neither {what}")
    try:
        answer = value if isinstance(value, Answer) else _of_mapping(cast("Mapping[str, Any]", value))
        # Through plain values: an Answer that was copied with changes was never validated.
        checked = Answer.model_validate(writable(answer.model_dump(warnings=False)))
        canonical_json(checked.model_dump(mode="json", exclude={"report"}))
    except ValidationError as problem:
        raise ModelError("agent", f"{who} returned a wrong answer: {fault_of(problem)}") from problem
    except ValueError as problem:
        raise ModelError("agent", f"{who} returned a wrong answer: {problem}") from problem
    for pick in checked.picks or ():
        if pick.quantity > MOST_PIECES:
            quantity = shortened(f"{pick.quantity}")
            right = f"a quantity is a whole number from 1 to {MOST_PIECES}"
            raise ModelError("agent", f"{who} returned a wrong answer: {quantity} pieces of {pick.product}: {right}")
    return _spoken(checked)


def _spoken(answer: Answer) -> Answer:
    """The answer with a report without thoughts, ``<think>…</think>``."""
    report = without_thoughts(answer.report)
    if report == answer.report:
        return answer
    note = f"{len(answer.report) - len(report):,} characters of thoughts (<think>) are left out of the report"
    return answer.model_copy(update={"report": report, "notes": (*answer.notes, note)})


def _of_mapping(answer: Mapping[str, Any]) -> Answer:
    if "report" not in answer:
        keys = shortened(", ".join(map(repr, answer)))
        raise ValueError(f'it has no text under "report" (its keys: {keys or "none"})')
    picks, outcome = answer.get("picks"), answer.get("outcome")
    if not isinstance(picks, list | tuple | None):
        raise ValueError(f"picks is {picks!r:.60}: it should be a list")
    lines = None if picks is None else cast("Sequence[object]", picks)
    return Answer(
        report=answer["report"],
        picks=None if lines is None else merged(pick for line in lines for pick in _read_pick(line)),
        outcome=None if outcome is None else Outcome.model_validate(outcome),
        usage=_read_usage(answer.get("usage")),
    )


def _read_usage(value: object) -> Usage | None:
    """Tokens as ``{"input": 1200, "output": 300}``, or by the names that records use."""
    if value is None or isinstance(value, Usage):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f'usage is {value!r:.60}: it should be a dict with "input" and "output"')
    counts = {"input_uncached" if name == "input" else name: count for name, count in value.items()}
    usage = Usage.model_validate(counts, strict=True)
    if any(count < 0 for count in usage.model_dump(exclude={"served"}).values()):
        raise ValueError(f"usage is {value!r:.60}: tokens are 0 or more")
    return usage


def _read_pick(value: object) -> Sequence[Pick]:
    """A pick as a line of a block ("P:B0… x 2"), or as an object with ``product`` and, if not 1, ``quantity``."""
    if not isinstance(value, str):
        try:
            return (Pick.model_validate(value),)
        except ValidationError as problem:
            raise ValueError(f"{value!r:.80} is no pick: {fault_of(problem)}") from problem
    declared = take_picks(f"```picks\n{value}\n```") if "```" not in value else None
    if declared is None or not declared.picks:
        why = "" if declared is None or declared.problem is None else f": {declared.problem}"
        raise ValueError(f'{value!r:.80} is no pick such as "P:B0EXAMPLE1 x 2"{why}')
    return declared.picks
