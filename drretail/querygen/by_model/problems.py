"""What is wrong with a query that a model wrote, told to it in words; what stays wrong is kept with the query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from drretail.env.catalog.base import fold_category
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.querygen.by_model.answer import WrittenQuery, WrittenWish, as_wish, wish_problem
from drretail.querygen.checks import contract
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import CODES, Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Role
from drretail.records.wish import Wish

ROLE: Role = "researcher"
"""Whoever writes queries plays no role in a run, and a journal names one."""
_MOST_TOLD = 8


class Examiner:
    """Takes and examines what models write for one world."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._world = world
        self._linter = linter
        self._categories = {fold_category(name): name for name in world.catalog.categories()}

    def findings(self, query: Query, earlier: Sequence[Query]) -> tuple[Finding, ...]:
        """What ``queries check`` will find, likeness to earlier ones included."""
        alike = Texts(earlier).near_duplicate(query)
        found = self._linter.check(query, also=[] if alike is None else [alike]).findings
        # Without a rationale it reads as anybody's; the writer is told all the same.
        return found if contract.binds(query) else (*found, *contract.check(self._linter.case(query)))

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
        wants = (
            want.model_copy(update={"kinds": tuple(dict.fromkeys(map(self._spelt, want.kinds)))}) for want in wish.wants
        )
        return wish.model_copy(update={"wants": tuple(wants)})

    def _spelt(self, kind: str) -> str:
        return self._categories.get(fold_category(kind), kind)


@dataclass(slots=True)
class Examination:
    """The check of the answers to one request: all findings go back, and the last answer with any is kept."""

    query_of: Callable[[WrittenQuery], Query]
    findings: Callable[[Query], Sequence[Finding]]
    last: tuple[Query, Sequence[Finding]] | None = None

    def __call__(self, written: WrittenQuery) -> str | None:
        problem = unusable(written)
        if problem is not None:
            return problem
        query = self.query_of(written)
        found = self.findings(query)
        self.last = query, found
        return listed(found) if found else None

    async def ask(self, models: Models, messages: Sequence[BaseMessage], path: str) -> tuple[Query, Sequence[Finding]]:
        """The query, and what two repairs have not mended. Raises ModelError where no answer was one."""
        try:
            await models.ask(ROLE, messages, WrittenQuery, path=path, check=self)
        except ModelError:
            if self.last is None:
                raise
        assert self.last is not None, "an answer that was taken has been examined"
        return self.last


def unusable(written: WrittenQuery) -> str | None:
    """What keeps an answer from becoming a query at all, None when it can."""
    return wish_problem(written.wish) if written.query.strip() else "the query is empty"


def listed(findings: Sequence[Finding]) -> str:
    """A line for each finding, as many as a model can mend at once."""
    lines = list(dict.fromkeys(f"- {told(it)}" for it in findings))
    more = [f"… and {len(lines) - _MOST_TOLD} more"] if len(lines) > _MOST_TOLD else []
    return "\n".join([*lines[:_MOST_TOLD], *more])


def told(finding: Finding) -> str:
    """A finding in words: what its code means, what is meant, and what was found instead."""
    known = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code]}: {finding.said!r}{known}"
