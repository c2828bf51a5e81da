"""Queries in which something was found, written again by a language model: side by side, journalled, resumed."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from drretail.effects import Journal
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.progress import Progress
from drretail.querygen.by_model.answer import WrittenQuery, as_query
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.problems import Examiner, told, unusable
from drretail.querygen.by_model.prompt import Briefing, Fault
from drretail.querygen.by_model.write import ROLE, used_in
from drretail.querygen.lint import Linter
from drretail.querygen.mending import Faulty, NotWritten, Rewritten
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.trajectory import Trajectory

# Of a file of generic queries; a user has seldom so many.
_MOST_OTHERS = 20
# What a model needn't see to take it out.
_PRIVATE = frozenset({"email_in_text", "phone_in_text", "street_in_text"})
_TOLD_FIELDS = {"text", "kind", "rationale", "expected_tools", "constraints"}


class ModelRewriter(AbstractContextManager["ModelRewriter"]):
    """A ``Rewrite`` that asks one model, ``parallel`` queries at the same time; open it in a ``with`` block.

    ``journal`` is the file of all calls: what stands in it is not asked again. Raises UserError for a broken one.
    """

    def __init__(
        self, world: World, model: Model, linter: Linter, journal: Path, progress: Progress, *, parallel: int = 4
    ) -> None:
        self._world = world
        self._model = model
        self._linter = linter
        self._progress = progress
        self._parallel = parallel
        self._briefing = Briefing(world)
        self._examiner = Examiner(linter, world.catalog.categories())
        self._journal = Journal(journal)
        # One event loop for all rounds, since clients keep their connections in it.
        self._runner = asyncio.Runner()

    def __exit__(self, *_: object) -> None:
        self._runner.close()
        self._journal.close()

    @property
    def usage(self) -> Usage:
        """Of all calls so far, those that the journal served included."""
        return used_in(self._journal)

    @property
    def served(self) -> int:
        """How many calls were answered from the journal."""
        return self._journal.served

    def __call__(self, faulty: Sequence[Faulty]) -> list[Rewritten]:
        return self._runner.run(self._round(faulty))

    async def _round(self, faulty: Sequence[Faulty]) -> list[Rewritten]:
        gate = asyncio.Semaphore(self._parallel)
        with self._progress.track(f"Try {faulty[0].attempt}: asking {self._model.spec}", len(faulty)) as bar:

            async def one(it: Faulty) -> Rewritten:
                async with gate:
                    rewritten = await self._rewritten(it)
                bar.advance()
                return rewritten

            return await asyncio.gather(*(one(it) for it in faulty))

    async def _rewritten(self, faulty: Faulty) -> Rewritten:
        query = faulty.checked.query
        place = self._place(query)
        if place is None:
            return None
        others = faulty.others[:_MOST_OTHERS]

        def check(written: WrittenQuery) -> str | None:
            return unusable(written) or self._examiner.problem(written, place, others, self._query(query, written))

        models = Models({ROLE: self._model}, self._journal, Trajectory())
        messages = self._briefing.messages_again(place, [it.text for it in others], _fault(faulty))
        try:
            written = await models.ask(ROLE, messages, WrittenQuery, path=_scope(faulty), check=check)
        except ModelError as problem:
            return NotWritten(f"{problem.kind}: {problem.message}")
        return (self._query(query, written),)

    def _place(self, query: Query) -> Place | None:
        """For whom the query is written; None for tasks, and for users without an order that was kept."""
        if query.mode == "generic":
            about = ", ".join(query.constraints.categories) or "Any of the shop's categories"
            return Place(query.query_id, 1, category=about)
        shopper = self._linter.case(query).shopper
        if query.mode != "profile_aware" or shopper is None or not shopper.kept:
            return None
        return Place(query.query_id, 1, query.user_id)

    def _query(self, query: Query, written: WrittenQuery) -> Query:
        user_id = None if query.mode == "generic" else query.user_id
        spelt = self._examiner.spelt(written)
        return as_query(spelt, query.query_id, user_id, self._world.manifest.fingerprint, self._model.spec)


def _fault(faulty: Faulty) -> Fault:
    """The query and its earlier tries with what is wrong with each."""
    tries = (
        f"{_question(it.after, it.findings)}\n{_faults(it.findings)}" for it in faulty.past if it.after is not None
    )
    checked = faulty.checked
    return Fault(_question(checked.query, checked.findings), _faults(checked.findings), tuple(tries))


def _question(query: Query, findings: Sequence[Finding]) -> str:
    known = query.model_dump(mode="json", exclude_none=True, include=_TOLD_FIELDS)
    for finding in findings:
        if finding.code in _PRIVATE:
            known["text"] = known["text"].replace(finding.said, "[…]")
    return canonical_json(known)


def _faults(findings: Sequence[Finding]) -> str:
    shown = (it.model_copy(update={"said": "[…]", "found": None}) if it.code in _PRIVATE else it for it in findings)
    return "\n".join(f"- {told(finding)}" for finding in shown)


def _scope(faulty: Faulty) -> str:
    """Another one for each try of each version of a query, and for each time that a try failed."""
    query = faulty.checked.query
    failed = sum(it.what == "failed" and it.attempt == faulty.attempt for it in faulty.past)
    return f"{query.query_id}~{version_of(query)[:12]}#{faulty.attempt}.{failed}"
