"""Queries in which something was found, written again by a language model: side by side, journalled, resumed."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended
from drretail.llm.models import Models
from drretail.progress import Progress
from drretail.querygen.by_model.examination import Examined, Examiner, examination_of_query, in_words
from drretail.querygen.by_model.prompt import PromptBuilder, RewriteRequest
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import Target
from drretail.querygen.checks import privacy
from drretail.querygen.checks.privacy import BLANK, Mask
from drretail.querygen.fixing import Faulty, Left, NotWritten, Rewritten, without_user
from drretail.querygen.lint import Linter
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json
from drretail.records.evidence import Finding
from drretail.records.query import Query

# Of a file of generic queries; a user has seldom so many.
_MOST_OTHERS = 20
_SHOWN_FIELDS = {"text", "kind", "rationale", "expected_tools", "wish"}


class ModelRewriter(AbstractContextManager["ModelRewriter"]):
    """A ``Rewrite`` that asks one model for all queries of a round at the same time; open it in a ``with`` block."""

    def __init__(self, world: World, linter: Linter, session: ModelSession, progress: Progress) -> None:
        self._linter = linter
        self._session = session
        self._progress = progress
        self._prompts = PromptBuilder(world, linter)
        self._examiner = Examiner(world, linter)
        # One event loop for all rounds, since clients keep their connections in it.
        self._runner = asyncio.Runner()

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    def __call__(self, faulty: Sequence[Faulty]) -> list[Rewritten]:
        return self._runner.run(self._round(faulty))

    async def _round(self, faulty: Sequence[Faulty]) -> list[Rewritten]:
        title = f"Try {faulty[0].attempt}: asking {self._session.model.spec}"
        with self._progress.track(title, len(faulty)) as bar:

            async def one(query: Faulty) -> Rewritten:
                rewritten = await self._rewritten(query)
                bar.advance()
                return rewritten

            return await all_ended(map(one, faulty))

    async def _rewritten(self, faulty: Faulty) -> Rewritten:
        query = faulty.checked.query
        target = self._target(query)
        if isinstance(target, Left):
            return target
        others = faulty.others[:_MOST_OTHERS]
        user_id = None if query.mode == "generic" else query.user_id
        mask = self._mask(faulty)
        messages = self._prompts.messages_to_rewrite(
            target, [mask.text(other.text) for other in others], _request(faulty, mask)
        )

        async def question(models: Models, scope: str, _: int) -> Examined:
            examination = examination_of_query(
                lambda written: self._examiner.query_of(written, query.query_id, user_id, self._session.model.spec),
                lambda rewritten: self._examiner.findings(rewritten, others),
            )
            return await examination.ask(models, messages, scope)

        try:
            return ((await self._session.put(_name(faulty), question)).query,)
        except ModelError as problem:
            return NotWritten(f"{problem.kind}: {problem.message}")

    def _target(self, query: Query) -> Target | Left:
        """For whom the query is written; tasks, and queries of users without an order that was kept, are left."""
        if query.mode == "generic":
            wants = () if query.wish is None else query.wish.wants
            kinds = [Mask.of([]).facts(kind) for want in wants for kind in want.kinds]
            return Target(query.query_id, 1, category=", ".join(kinds) or "Any of the shop's categories")
        nobody = without_user(query, self._linter)
        if nobody is not None:
            return Left(nobody)
        return Target(query.query_id, 1, query.user_id)

    def _mask(self, faulty: Faulty) -> Mask:
        """Takes out what identifies a person in any text that the model is told, whatever was found in it."""
        query = faulty.checked.query
        shopper = self._linter.case(query).shopper
        tried = [revision.after for revision in faulty.past if revision.after is not None]
        texts = (text for shown in (query, *faulty.others, *tried) for text in (shown.text, shown.rationale))
        return Mask.of(texts, None if shopper is None else shopper.profile)


def _request(faulty: Faulty, mask: Mask) -> RewriteRequest:
    """The query and its earlier tries with what is wrong with each."""
    tries = (
        f"{_question(revision.after, mask)}\n{_faults(revision.after, revision.findings, mask)}"
        for revision in faulty.past
        if revision.after is not None
    )
    query = faulty.checked.query
    return RewriteRequest(_question(query, mask), _faults(query, faulty.checked.findings, mask), tuple(tries))


def _question(query: Query, mask: Mask) -> str:
    known = query.model_dump(mode="json", exclude_none=True, include=_SHOWN_FIELDS)
    return canonical_json({**_masked(known, mask), "text": mask.text(query.text)})


def _masked(value: Any, mask: Mask) -> Any:
    """Every text within a JSON value masked."""
    if isinstance(value, str):
        return mask.facts(value)
    if isinstance(value, list):
        return [_masked(part, mask) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {mask.facts(key): _masked(part, mask) for key, part in cast("dict[str, Any]", value).items()}
    return value


def _faults(query: Query, findings: Sequence[Finding], mask: Mask) -> str:
    """A line for each finding; a model needn't see what identifies a person to take it out."""
    shown = (
        finding.model_copy(update={"text": BLANK, "found": None})
        if finding.code in privacy.CODES
        else finding.model_copy(
            update={"text": mask.part(finding.text, query.text), "found": finding.found and mask.facts(finding.found)}
        )
        for finding in findings
    )
    return "\n".join(f"- {in_words(finding)}" for finding in shown)


def _name(faulty: Faulty) -> str:
    """Another one for each try of each version of a query, and for each time that a try failed."""
    query = faulty.checked.query
    failed = sum(revision.what == "failed" and revision.attempt == faulty.attempt for revision in faulty.past)
    return f"{query.query_id}~{version_of(query)[:12]}#{faulty.attempt}.{failed}"
