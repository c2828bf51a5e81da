"""What is wrong with a model's answer goes back to it, at most twice; what stays wrong is kept with the query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from langchain_core.messages import BaseMessage

from drretail.env.catalog.base import fold_category
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.querygen.by_model.answer import WrittenQuery, WrittenWish, as_wish, wish_problem
from drretail.querygen.by_model.session import ROLE
from drretail.querygen.checks import contract
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import CODES, Linter
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.wish import Want, Wish

# A model mends so many faults at once.
_MOST_LISTED = 8
W = TypeVar("W", bound=Record)


class Examiner:
    """Takes and examines what models write for one world."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._world = world
        self._linter = linter
        self._categories = {fold_category(name): name for name in world.catalog.categories()}

    def findings(self, query: Query, earlier: Sequence[Query] = ()) -> tuple[Finding, ...]:
        """What ``queries check`` will find, likeness to earlier ones included, and what only a writer must keep to."""
        alike = Texts(earlier).near_duplicate(query)
        findings = self._linter.check(query, also=[] if alike is None else [alike]).findings
        # Without a rationale it reads as anybody's; the writer has to know all the same.
        return findings if contract.binds(query) else (*findings, *contract.check(self._linter.case(query)))

    def query_of(self, written: WrittenQuery, query_id: str, user_id: str | None, source: str) -> Query:
        """The query that becomes of an answer; generic without a user."""
        return Query(
            query_id=query_id,
            user_id=user_id,
            text=written.query.strip(),
            mode="generic" if user_id is None else "profile_aware",
            kind=written.kind,
            rationale=written.rationale.strip(),
            expected_tools=tuple(dict.fromkeys(written.expected_tools)),
            wish=self.wish_of(written.wish),
            world_fingerprint=self._world.manifest.fingerprint,
            source=source,
        )

    def wish_of(self, written: WrittenWish) -> Wish:
        """The wish with kinds that are categories as the shop writes them; all others stay as they are."""
        wish = as_wish(written)
        wants: list[Want] = []
        for want in wish.wants:
            spelt = (self._categories.get(fold_category(kind), kind) for kind in want.kinds)
            wants.append(want.model_copy(update={"kinds": tuple(dict.fromkeys(spelt))}))
        return wish.model_copy(update={"wants": tuple(wants)})


@dataclass(frozen=True, slots=True)
class Examined:
    """The last answer as a query, and what is still wrong with it."""

    query: Query
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Examination(Generic[W]):
    """The check of the answers to one request: all findings go back, and the last answer with any is kept."""

    answer: type[W]
    unusable: Callable[[W], str | None]
    """What keeps an answer from becoming a query at all, None when it can."""
    query_of: Callable[[W], Query]
    findings: Callable[[Query], Sequence[Finding]]
    last: Examined | None = None

    def __call__(self, written: W) -> str | None:
        problem = self.unusable(written)
        if problem is not None:
            return problem
        query = self.query_of(written)
        # A model that answers the same again stands by it: a shop may lack what is wanted.
        is_repeated = self.last is not None and query == self.last.query
        self.last = Examined(query, tuple(self.findings(query)))
        return None if is_repeated or not self.last.findings else listed(self.last.findings)

    async def ask(self, models: Models, messages: Sequence[BaseMessage], scope: str) -> Examined:
        """The query, and what two repairs have not mended. Raises ModelError where no answer was one."""
        try:
            await models.ask(ROLE, messages, self.answer, path=scope, check=self)
        except ModelError:
            if self.last is None:
                raise
        assert self.last is not None, "an answer that was taken has been examined"
        return self.last


def examination_of_query(
    query_of: Callable[[WrittenQuery], Query], findings: Callable[[Query], Sequence[Finding]]
) -> Examination[WrittenQuery]:
    """The examination of answers that are whole queries."""
    return Examination(WrittenQuery, unusable, query_of, findings)


def unusable(written: WrittenQuery) -> str | None:
    """What keeps an answer from becoming a query at all, None when it can."""
    return wish_problem(written.wish) if written.query.strip() else "the query is empty"


def listed(findings: Sequence[Finding]) -> str:
    """A line for each finding, as many as a model can mend at once."""
    lines = list(dict.fromkeys(f"- {in_words(finding)}" for finding in findings))
    more = [f"… and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    return "\n".join([*lines[:_MOST_LISTED], *more])


def in_words(finding: Finding) -> str:
    """A finding in a sentence: what its code means, what is meant, and what was found instead."""
    found = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code].meaning}: {finding.text!r}{found}"
