"""Finds queries that ask the same as an earlier one of their file."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.querygen.checks.case import Code, finding
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.wish import Wish

CODES = {
    "near_duplicate": Code("an earlier query of the file asks the same", "ask something else, or drop one of the two")
}

# Two texts are alike if the longer one has this share of the shorter one's runs of so many words.
SHINGLE, ALIKE = 4, 0.6
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Text:
    query: Query
    runs: frozenset[tuple[str, ...]]
    subject: tuple[frozenset[str], frozenset[str]]
    """The kinds wanted, and what the shopper has; empty if the wish is not typed."""

    @classmethod
    def of(cls, query: Query) -> "_Text":
        # All numbers count as equal: another budget makes no other query.
        words = ["#" if word.isdecimal() else word for word in _WORD.findall(query.text.casefold())]
        runs = frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))
        wish = query.wish or Wish()
        kinds = frozenset(kind.casefold() for want in wish.wants for kind in want.kinds)
        return cls(query, runs, (kinds, frozenset(wish.owned)))

    def likeness(self, other: "_Text") -> float:
        """The share of the shorter text that is in the other; 1 for the same need of one user.

        0 if it is below ``ALIKE``, of one task, and of queries about different kinds or owned products.
        """
        this, two = self.query, other.query
        is_twin = this.query_id == two.query_id or (this.task_id is not None and this.task_id == two.task_id)
        subjects = zip(self.subject, other.subject, strict=True)
        if is_twin or any(mine and others and not mine & others for mine, others in subjects):
            return 0
        if self.subject[1] and (this.user_id, this.kind, self.subject) == (two.user_id, two.kind, other.subject):
            return 1
        share = len(self.runs & other.runs) / max(1, min(len(self.runs), len(other.runs)))
        return share if share >= ALIKE else 0


class Texts:
    """Texts of queries, to find the one most like another."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._texts = list(map(_Text.of, queries))

    def add(self, query: Query) -> None:
        self._texts.append(_Text.of(query))

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding on a query that is too much like one of these texts, naming the nearest; otherwise None."""
        text = _Text.of(query)
        likeness = {other.query.query_id: text.likeness(other) for other in self._texts}
        nearest = min(likeness, key=lambda other: (-likeness[other], other), default="")
        if not likeness.get(nearest):
            return None
        share = likeness[nearest]
        how = f"the same need as {nearest}" if share == 1 else f"{share:.0%} of it stands in {nearest}"
        return finding("near_duplicate", query.text[:80], how)


def near_duplicates(queries: Sequence[Query]) -> dict[str, Finding]:
    """The findings by query id: of each two near-duplicates, on the later one. A later turn repeats no query."""
    texts, findings = Texts(), dict[str, Finding]()
    for query in (query for query in queries if query.after is None):
        if near := texts.near_duplicate(query):
            findings[query.query_id] = near
        texts.add(query)
    return findings
