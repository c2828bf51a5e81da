"""Queries in which something was found, written again by a language model: side by side, journalled, resumed."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended
from drretail.journal import Journal
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.progress import Progress
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.problems import ROLE, Examination, Examiner, told
from drretail.querygen.by_model.prompt import Briefing, Fault
from drretail.querygen.by_model.write import used_in
from drretail.querygen.checks import privacy
from drretail.querygen.checks.privacy import BLANK, Mask
from drretail.querygen.fixing import Faulty, Left, NotWritten, Rewritten, without_user
from drretail.querygen.lint import Linter
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.trajectory import Trajectory

# Of a file of generic queries; a user has seldom so many.
_MOST_OTHERS = 20
_TOLD_FIELDS = {"text", "kind", "rationale", "expected_tools", "wish"}


class ModelRewriter(AbstractContextManager["ModelRewriter"]):
    """A ``Rewrite`` that asks one model, ``parallel`` queries at the same time; open it in a ``with`` block.

    ``journal`` is the file of all calls: what stands in it is not asked again. Raises UserError for a broken one.
    """

    def __init__(
        self, world: World, model: Model, linter: Linter, journal: Path, progress: Progress, *, parallel: int = 4
    ) -> None:
        self._model = model
        self._linter = linter
        self._progress = progress
        self._parallel = parallel
        self._briefing = Briefing(world, linter)
        self._examiner = Examiner(world, linter)
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

            return await all_ended(one(it) for it in faulty)

    async def _rewritten(self, faulty: Faulty) -> Rewritten:
        query = faulty.checked.query
        place = self._place(query)
        if isinstance(place, Left):
            return place
        others = faulty.others[:_MOST_OTHERS]

        user_id = None if query.mode == "generic" else query.user_id
        examination = Examination(
            lambda written: self._examiner.query_of(written, query.query_id, user_id, self._model.spec),
            lambda written: self._examiner.findings(written, others),
        )
        models = Models({ROLE: self._model}, self._journal, Trajectory())
        mask = self._mask(faulty)
        earlier = [mask.text(it.text) for it in faulty.others[:_MOST_OTHERS]]
        messages = self._briefing.messages_again(place, earlier, _fault(faulty, mask))
        try:
            written, _ = await examination.ask(models, messages, _scope(faulty))
        except ModelError as problem:
            return NotWritten(f"{problem.kind}: {problem.message}")
        return (written,)

    def _place(self, query: Query) -> Place | Left:
        """For whom the query is written; tasks, and queries of users without an order that was kept, are left."""
        if query.mode == "generic":
            wants = () if query.wish is None else query.wish.wants
            kinds = [Mask.of([]).facts(kind) for want in wants for kind in want.kinds]
            return Place(query.query_id, 1, category=", ".join(kinds) or "Any of the shop's categories")
        nobody = without_user(query, self._linter)
        if nobody is not None:
            return Left(nobody)
        return Place(query.query_id, 1, query.user_id)

    def _mask(self, faulty: Faulty) -> Mask:
        """Takes out what identifies a person in any text that the model is told, whatever was found in it."""
        query = faulty.checked.query
        shopper = self._linter.case(query).shopper
        tried = [it.after for it in faulty.past if it.after is not None]
        texts = (text for it in (query, *faulty.others, *tried) for text in (it.text, it.rationale))
        return Mask.of(texts, None if shopper is None else shopper.profile)


def _fault(faulty: Faulty, mask: Mask) -> Fault:
    """The query and its earlier tries with what is wrong with each."""
    tries = (
        f"{_question(it.after, mask)}\n{_faults(it.after, it.findings, mask)}"
        for it in faulty.past
        if it.after is not None
    )
    query = faulty.checked.query
    return Fault(_question(query, mask), _faults(query, faulty.checked.findings, mask), tuple(tries))


def _question(query: Query, mask: Mask) -> str:
    known = query.model_dump(mode="json", exclude_none=True, include=_TOLD_FIELDS)
    return canonical_json({**_masked(known, mask), "text": mask.text(query.text)})


def _masked(value: Any, mask: Mask) -> Any:
    """Every text within a JSON value masked."""
    if isinstance(value, str):
        return mask.facts(value)
    if isinstance(value, list):
        return [_masked(it, mask) for it in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {mask.facts(key): _masked(it, mask) for key, it in cast("dict[str, Any]", value).items()}
    return value


def _faults(query: Query, findings: Sequence[Finding], mask: Mask) -> str:
    """A line for each finding; a model needn't see what identifies a person to take it out."""
    shown = (
        finding.model_copy(update={"said": BLANK, "found": None})
        if finding.code in privacy.CODES
        else finding.model_copy(
            update={"said": mask.part(finding.said, query.text), "found": finding.found and mask.facts(finding.found)}
        )
        for finding in findings
    )
    return "\n".join(f"- {told(finding)}" for finding in shown)


def _scope(faulty: Faulty) -> str:
    """Another one for each try of each version of a query, and for each time that a try failed."""
    query = faulty.checked.query
    failed = sum(it.what == "failed" and it.attempt == faulty.attempt for it in faulty.past)
    return f"{query.query_id}~{version_of(query)[:12]}#{faulty.attempt}.{failed}"
