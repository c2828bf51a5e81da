"""The schema of a model's answer to a request for a query, and the examination of queries and wishes.

Findings on an answer are sent back, at most twice; the remaining ones are kept with the query.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from langchain_core.messages import BaseMessage
from pydantic import StringConstraints

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import replaced
from drretail.querygen.by_model.session import ROLE
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import CODES, Linter
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.query import NeedKind, Query
from drretail.records.wish import Wish

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


# Models read the first line of the class below.
class WrittenQuery(Record):
    """One question with what stands beside it."""

    query: Text
    kind: NeedKind
    rationale: Text
    expected_tools: list[str]
    wish: Wish


# The most findings sent back at once: a model repairs no more in one answer.
_MOST_LISTED = 8
W = TypeVar("W", bound=Record)


class Examiner:
    """Turns a model's answers into queries of one world, and checks them."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._world = world
        self._linter = linter

    def findings(self, query: Query, earlier: Sequence[Query] = ()) -> tuple[Finding, ...]:
        """The findings of ``queries check``, and likeness to ``earlier`` queries."""
        alike = Texts(earlier).near_duplicate(query)
        also = [] if alike is None else [alike]
        return self._linter.check(query, also=also).findings

    def query_of(self, written: WrittenQuery, query_id: str, user_id: str | None, source: str) -> Query:
        """The query made from an answer; a generic one without a user."""
        return Query(
            query_id=query_id,
            user_id=user_id,
            text=written.query,
            mode="generic" if user_id is None else "profile_aware",
            kind=written.kind,
            rationale=written.rationale,
            expected_tools=tuple(dict.fromkeys(written.expected_tools)),
            wish=written.wish,
            world_fingerprint=self._world.manifest.fingerprint,
            source=source,
            prompts=replaced(),
        )


@dataclass(frozen=True, slots=True)
class Examined:
    """The last answer as a query, and its remaining findings."""

    query: Query
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Examination(Generic[W]):
    """Checks the answers to one request. Findings are sent back; the last answer is kept, even if it has some."""

    answer: type[W]
    query_of: Callable[[W], Query]
    findings: Callable[[Query], Sequence[Finding]]
    last: Examined | None = None

    def __call__(self, written: W) -> str | None:
        query = self.query_of(written)
        # A model that repeats its answer means it: the shop may lack what is wanted.
        is_repeated = self.last is not None and query == self.last.query
        self.last = Examined(query, tuple(self.findings(query)))
        lines = dict.fromkeys(f"- {in_words(finding)}" for finding in self.last.findings)
        return None if is_repeated or not lines else "\n".join([*lines][:_MOST_LISTED])

    async def ask(self, models: Models, messages: Sequence[BaseMessage], scope: str) -> Examined:
        """The query of the last answer, with the findings that are left. Raises ModelError if no answer was usable."""
        try:
            await models.ask(ROLE, messages, self.answer, path=scope, check=self)
        except ModelError:
            if self.last is None:
                raise
        assert self.last is not None, "an answer that was taken has been examined"
        return self.last


def in_words(finding: Finding) -> str:
    """A finding in a sentence: the meaning of its code, the text that it is about, and what was found instead."""
    detail = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code].meaning}: {finding.text!r}{detail}"
