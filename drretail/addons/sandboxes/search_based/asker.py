"""Questions to the model that builds: journalled, charged to an allowance, and retried after failures."""

from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.addons.sandboxes.folder import BUILDING
from drretail.errors import ModelError
from drretail.eval.judging.spending import Allowance
from drretail.experiments.journal import Effect, read_effects
from drretail.files import locked_folder
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt
from drretail.llm.registry import Model
from drretail.llm.structured import Check
from drretail.querygen.by_model.session import ROLE, ModelSession
from drretail.records.base import Record
from drretail.records.run import Usage

T = TypeVar("T", bound=Record)
R = TypeVar("R")
JOURNAL = "journal.jsonl"
CAPPED = "the cap of"
"""How a failure's reason begins if the allowance was spent."""


class TaskFailed(Exception):
    """A task can't be made; the message says why."""


class NotEnough(TaskFailed):
    """What was found is not enough, but another try may succeed. ``needs`` are the needs left open."""

    def __init__(self, message: str, needs: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.needs = needs


@dataclass(frozen=True)
class Asker:
    """One model and one journal, shared by all steps of a build."""

    session: ModelSession
    earlier: tuple[Effect, ...]
    """The journal's content when it was opened."""
    retry_failed: bool
    allowance: Allowance
    other_usage: list[tuple[Usage, int]] = field(default_factory=list[tuple[Usage, int]])
    """Usage outside the journal, each with its number of earlier calls: criteria have own journals."""

    async def ask(
        self,
        name: str,
        prompt: Prompt,
        data: Sequence[str],
        answer: type[T],
        check: Check[T] | None = None,
        **values: str,
    ) -> T:
        """The model's answer to ``prompt``, filled with ``values``, and to ``data`` in tags, which follows it.

        ``name`` is unique among the questions of the sandbox. Raises TaskFailed if no answer can be used, and
        CapReached if the allowance is spent.
        """
        messages = [SystemMessage(prompt.render(**values)), HumanMessage("\n\n".join(data))]
        return await self.put(name, lambda models, path: models.ask(ROLE, messages, answer, path=path, check=check))

    async def put(self, name: str, question: Callable[[Models, str], Awaitable[R]]) -> R:
        """The result of ``question``, which is called with models and a scope; raises as ``ask`` does."""

        async def allowed(models: Models, scope: str, _: int) -> R:
            self.allowance.check()  # here, since others spend the allowance while a question waits for its turn
            return await question(models, scope)

        try:
            return await self.session.put(name, allowed)
        except ModelError as problem:
            raise TaskFailed(f"{name.partition('/')[2]}: {problem.message}") from problem

    def rounds(self, task: str, first: str) -> Iterator[str]:
        """The prefixes of names for all questions of a task: its id, then others for further tries.

        ``first`` is the question that each try begins with. A further try was begun earlier, or is new if failures are
        retried.
        """
        number, name, following = 1, task, f"{task}~2"
        yield name
        while self.session.is_followed(f"{name}/{first}#1", f"{following}/{first}#1"):
            number, name, following = number + 1, following, f"{task}~{number + 2}"
            yield name

    @property
    def usage(self) -> Usage:
        """The usage of all calls since it was opened, including those that the journal answered."""
        return sum((used for used, _ in self.other_usage), self.session.usage)

    @property
    def served(self) -> int:
        """How many of these calls the journal answered."""
        keys = {effect.key for effect in self.earlier}
        before = sum(calls for _, calls in self.other_usage)
        return before + sum(effect.kind == "model" and effect.key in keys for effect in self.session.journal.effects)


@contextmanager
def open_asker(
    model: Model, folder: Path, *, parallel: int, retry_failed: bool, allowance: Allowance
) -> Generator[Asker]:
    """An asker with the journal of a sandbox's folder.

    Raises UserError for a broken journal, or if another process is asking.
    """
    path = folder / BUILDING / JOURNAL
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked_folder(path.parent, str(folder)):
        effects = tuple(read_effects(path)) if path.exists() else ()
        asking = ModelSession(
            model,
            path,
            parallel=parallel,
            retry_failed=retry_failed,
            on_use=allowance.count,
        )
        with asking as session:
            yield Asker(session, effects, retry_failed, allowance)
