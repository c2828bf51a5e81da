"""Finds queries that ask the same as an earlier one of their file."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from drretail.grounding.text.words import content_stems
from drretail.querygen.checks.case import Code, finding
from drretail.records.evidence import Finding
from drretail.records.query import Query

CODES = {
    "near_duplicate": Code("an earlier query of the file asks the same", "ask something else, or drop one of the two")
}

# Runs of SHINGLE words; two texts are alike if the longer one has this share of the shorter one's runs.
SHINGLE, ALIKE = 4, 0.6
# For two texts of one user: the share of the shorter one's content words, in any order, and their least number.
SAME_WORDS, LEAST_WORDS = 0.8, 7
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Text:
    query: Query
    runs: frozenset[tuple[str, ...]]
    stems: frozenset[str]
    kinds: frozenset[str]
    """The kinds wanted; empty if the wish is not typed."""
    owned: frozenset[str]

    @classmethod
    def of(cls, query: Query) -> "_Text":
        words = ["#" if word.isdecimal() else word for word in _WORD.findall(query.text.casefold())]
        # All numbers count as equal: another budget makes no other query.
        runs = frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))
        wants = () if query.wish is None else query.wish.wants
        kinds = frozenset(kind.casefold() for want in wants for kind in want.kinds)
        owned = frozenset[str]() if query.wish is None else frozenset(query.wish.owned)
        return cls(query, runs, frozenset(content_stems(query.text)), kinds, owned)

    def likeness(self, other: "_Text", shared_runs: int) -> float:
        """The share of the shorter text that is in the other; 0 if it is below the thresholds.

        1 for the same need of one user. 0 for one task of two users, and for queries about different kinds or owned
        products.
        """
        one, two = self.query, other.query
        if one.query_id == two.query_id or (one.task_id is not None and one.task_id == two.task_id):
            return 0
        if self.kinds and other.kinds and not self.kinds & other.kinds:
            return 0
        is_same_user = one.user_id == two.user_id
        if not is_same_user and self.owned and other.owned and not self.owned & other.owned:
            return 0
        if is_same_user and self.owned and (one.kind, self.kinds, self.owned) == (two.kind, other.kinds, other.owned):
            return 1
        by_runs = shared_runs / max(1, min(len(self.runs), len(other.runs)))
        least = min(len(self.stems), len(other.stems))
        by_words = len(self.stems & other.stems) / least if is_same_user and least >= LEAST_WORDS else 0
        return by_runs if by_runs >= ALIKE else by_words if by_words >= SAME_WORDS else 0


class Texts:
    """Texts indexed by their shingles, to find the one most like another without comparing all."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._texts: dict[str, _Text] = {}
        self._holders: dict[tuple[str, ...], set[str]] = {}
        self._of_user: dict[str | None, set[str]] = {}
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        text = self._texts[query.query_id] = _Text.of(query)
        for run in text.runs:
            self._holders.setdefault(run, set()).add(query.query_id)
        self._of_user.setdefault(query.user_id, set()).add(query.query_id)

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding on a query that is too much like one of these texts, naming the nearest; otherwise None."""
        text = _Text.of(query)
        shared = Counter(chain.from_iterable(self._holders.get(run, ()) for run in text.runs))
        # Most share a phrase and no more: of another user, they can't be alike.
        runs, texts = len(text.runs), self._texts
        others = {other for other, count in shared.items() if count >= ALIKE * min(runs, len(texts[other].runs))}
        others.update(self._of_user.get(query.user_id, ()))
        likeness = {other: text.likeness(texts[other], shared[other]) for other in others}
        nearest = min(likeness, key=lambda other: (-likeness[other], other), default="")
        if not likeness.get(nearest):
            return None
        share = likeness[nearest]
        how = f"the same need as {nearest}" if share == 1 else f"{share:.0%} of it stands in {nearest}"
        return finding("near_duplicate", query.text[:80], how)


def near_duplicates(queries: Sequence[Query]) -> dict[str, Finding]:
    """The findings by query id: of each two near-duplicates, on the later one."""
    texts, findings = Texts(), dict[str, Finding]()
    for query in queries:
        if near := texts.near_duplicate(query):
            findings[query.query_id] = near
        texts.add(query)
    return findings
