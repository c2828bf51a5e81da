"""What an agent is: an answering function, the roles for which it asks models, its prompts, and its own tools."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from langchain_core.messages import HumanMessage

from drretail.agents.information import answer_notes
from drretail.env.session import Session
from drretail.errors import UserError
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role
from drretail.tools.tool import Tool

_NEVER_WRITING = ("supervisor", "retriever", "reader", "summariser")
_UNSAID: Any = object()
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
    is_baseline: bool = False
    """True for null agents and the oracle. They use neither a model nor chance, so they run once per query, whatever
    the options of other systems."""
    sees_reference: bool = False
    """True for oracles only: their task holds the query's constraints, and what the shop could sell for it."""
    place: str | None = None
    """The command or address that is asked, or the ``module:attribute`` of an agent that was given another name.

    Systems record it.
    """
    version: Callable[[], str | None] | None = None
    """Says which version it is, where its files don't tell, such as those behind an address; None if unknown."""

    def __post_init__(self) -> None:
        if not callable(self.answer):
            raise UserError(f"An Agent needs an async function that answers, not {type(self.answer).__name__}.")
        if not _takes(self.answer, 4):
            name = getattr(self.answer, "__name__", "this one")
            raise UserError(
                f"An Agent's function takes (task, session, models, limits), and {name} does not: give it to "
                "run without Agent, and it gets the arguments that it names (docs/agents.md)."
            )
        roles = cast(object, self.roles)
        if not isinstance(roles, tuple):
            raise UserError(
                "An Agent needs roles: the tuple of those for which it asks a model, as in "
                'Agent(answer, roles=("researcher",)), or roles=() where it asks none.'
            )

    @property
    def writer(self) -> Role | None:
        """The role that writes the report; None for an agent without a model.

        That is "report" or, without it, "researcher". Without both it is the last role that neither leads nor reads for
        others. Roles are listed in the order in which they work.
        """
        writing = [role for role in self.roles if role not in _NEVER_WRITING] or list(self.roles)
        return next((role for role in ("report", "researcher") if role in writing), next(reversed(writing), None))


def _takes(function: Callable[..., object], count: int) -> bool:
    """True if the function can be called with so many arguments, as far as Python can tell."""
    try:
        inspect.signature(function, follow_wrapped=False).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        pass
    return True


def task_message(task: Task, session: Session) -> HumanMessage:
    """Every agent's first message: query, user id and today in tags, then the task's context and the
    shopper's answers.
    """
    parts = [tagged("query", task.text)]
    if task.user_id is not None:
        parts.append(tagged("user_id", task.user_id))
    parts += [today(session), *filter(None, [task.context]), *answer_notes(session)]
    return HumanMessage("\n".join(parts))


def today(session: Session) -> str:
    """The shop's date in its tag."""
    return tagged("today", session.settings.now.date().isoformat())
