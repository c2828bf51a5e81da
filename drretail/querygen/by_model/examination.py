"""The schema of a model's answer to a request for queries, and the examination of queries and wishes.

Findings on an answer are sent back, at most twice; the remaining ones are kept with the query.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from langchain_core.messages import BaseMessage
from pydantic import StringConstraints

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import replaced
from drretail.querygen.by_model.session import ROLE
from drretail.querygen.checks.case import finding
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import CODES, Linter
from drretail.querygen.proofs import proof_in_words
from drretail.records.base import Record
from drretail.records.criteria import NEEDS, NeedOf
from drretail.records.evidence import Finding
from drretail.records.query import NeedKind, Query
from drretail.records.wish import Wish
from drretail.reports.text.amounts import find_dates

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


# Models read the first line of the two classes below.
class WrittenQuery(Record):
    """One question with what stands beside it."""

    query: Text
    kind: NeedKind
    rationale: Text
    expected_tools: list[str]
    wish: Wish
    web_search: str = ""


class WrittenQueries(Record):
    """The questions, each with what stands beside it."""

    questions: tuple[WrittenQuery, ...]


# The most findings sent back at once: a model repairs no more in one answer.
_MOST_LISTED = 8
_SEARCHED = 10
"""The hits of a web search among which the pages of limits have to be."""
_ORDER_ID = re.compile(r"\b\d{10}\b")
W = TypeVar("W", bound=Record)


@dataclass(frozen=True, slots=True)
class Examined:
    """An answer as a query, and its findings."""

    query: Query
    findings: tuple[Finding, ...]


class Examiner:
    """Turns a model's answers into queries of one world, and checks them."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._world, self._linter = world, linter

    def findings(self, query: Query, earlier: Sequence[Query] = ()) -> tuple[Finding, ...]:
        """The findings of ``queries check``, and likeness to ``earlier`` queries."""
        alike = Texts(earlier).near_duplicate(query)
        also = [] if alike is None else [alike]
        return self._linter.check(query, also=also).findings

    def examined(
        self, written: WrittenQuery, query: Query, earlier: Sequence[Query], needs: Collection[NeedOf] = ()
    ) -> Examined:
        """The query with its findings, also on its reason, its web search and what it needs, or is to need."""
        found = [*self.findings(query, earlier), *self._of_record(query), *self._of_search(written, query)]
        return Examined(query, tuple(found or self._not_needed(query, needs)))

    def _of_record(self, query: Query) -> Iterator[Finding]:
        """Orders and dates of the reason that the shopper's record lacks."""
        shopper = self._linter.shopper(query.user_id)
        if shopper is None:
            return
        ids = {*_ORDER_ID.findall(query.rationale)}
        for order_id in sorted(ids - {order.order_id for order in shopper.orders}):
            yield finding("reason_not_in_record", order_id, "the user never made such an order")
        days = [order.order_date for order in shopper.orders if not ids or order.order_id in ids]
        for date in find_dates(query.rationale):
            if not any(day.startswith(date.iso) for day in days):
                yield finding("reason_not_in_record", date.iso, f"ordered {', '.join(day[:10] for day in days)}")

    def _of_search(self, written: WrittenQuery, query: Query) -> Iterator[Finding]:
        """A search that no limit needs, or that does not find the pages of limits."""
        limits = () if query.wish is None else query.wish.every_limit
        pages = {source.url for limit in limits for source in limit.sources if source.kind == "page"}
        if self._world.web.corpus is None:
            return
        if written.web_search and not pages:
            yield finding("web_decides_nothing", written.web_search, "no limit rests on a page")
        hits = self._world.web.search(written.web_search, _SEARCHED) if written.web_search else ()
        for url in sorted(pages - {hit.url for hit in hits}):
            yield finding("page_not_found", url, f"web_search is {written.web_search!r}")

    def _not_needed(self, query: Query, wanted: Collection[NeedOf]) -> Iterator[Finding]:
        """What a source lacks to be needed: one on which a limit rests, or that was asked for."""
        needs = self._linter.with_needs(query).needs
        for source in NEEDS:
            proof = None if needs is None else getattr(needs, source)
            if proof is not None and proof.fails:
                right = f"without it {round(proof.luck * proof.left):,} of {proof.left:,} are still right"
                yield finding("source_not_needed", source, f"{right}; {proof_in_words(source, proof)}")
            elif proof is None and source in wanted:
                yield finding("source_not_needed", source, "no limit rests on it")

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


@dataclass(slots=True)
class Examination(Generic[W]):
    """Checks the answers to one request. Findings are sent back; the last answer is kept, even if it has some."""

    answer: type[W]
    examine: Callable[[W], Sequence[Examined]]
    last: Sequence[Examined] = ()
    text: str = ""
    """The last answer, as JSON."""

    def __call__(self, written: W) -> str | None:
        before, self.last = self.last, self.examine(written)
        self.text = written.model_dump_json(exclude_defaults=True)
        # A model that repeats its answer means it: the shop may lack what is wanted.
        is_repeated = [each.query for each in self.last] == [each.query for each in before]
        return None if is_repeated else in_lines([each.findings for each in self.last])

    async def ask(self, models: Models, messages: Sequence[BaseMessage], scope: str) -> Sequence[Examined]:
        """The queries of the last answer, with the findings that are left. Raises ModelError if none was usable."""
        try:
            await models.ask(ROLE, messages, self.answer, path=scope, check=self)
        except ModelError:
            if not self.last:
                raise
        return self.last


def in_lines(of_queries: Sequence[Sequence[Finding]]) -> str | None:
    """The findings on some queries, by their numbers where there are several; None without any."""
    which = ["" if len(of_queries) == 1 else f"question {at}: " for at in range(1, len(of_queries) + 1)]
    lines = dict.fromkeys(
        f"- {of}{in_words(each)}" for of, found in zip(which, of_queries, strict=True) for each in found
    )
    return "\n".join([*lines][:_MOST_LISTED]) or None


def in_words(finding: Finding) -> str:
    """A finding in a sentence: the meaning of its code, the text that it is about, and what was found instead."""
    detail = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code].meaning}: {finding.text!r}{detail}"
