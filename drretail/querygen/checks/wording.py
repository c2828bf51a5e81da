"""Whether a text has the length of a question that takes research, and no other query of its file says the same."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.query import Query

CODES = {
    "too_short": "fewer than 20 words",
    "too_long": "more than 180 words",
    "near_duplicate": "most of the text stands in an earlier query of the file",
}

LEAST_WORDS, MOST_WORDS = 20, 180
# Words that follow each other; of the shorter text's, the share that stand in the other one.
SHINGLE, ALIKE = 4, 0.6
Run = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def check(case: Case) -> Iterator[Finding]:
    words = len(case.query.text.split())
    if words < LEAST_WORDS:
        yield found("too_short", case.query.text, f"{words} words")
    if words > MOST_WORDS:
        yield found("too_long", case.query.text[:80], f"{words} words")


class Texts:
    """Texts by their shingles: finds the one that another is most like without comparing it with all."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._runs: dict[str, frozenset[Run]] = {}
        self._holders: dict[Run, set[str]] = {}
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        self._runs[query.query_id] = shingles(query.text)
        for run in self._runs[query.query_id]:
            self._holders.setdefault(run, set()).add(query.query_id)

    def remove(self, query: Query) -> None:
        for run in self._runs.pop(query.query_id, ()):
            self._holders[run].discard(query.query_id)

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding for a query that is too much like a text in here, with the one that it is most like."""
        runs = shingles(query.text)
        shared = Counter(other for run in runs for other in self._holders.get(run, ()))
        likeness = {other: count / min(len(runs), len(self._runs[other])) for other, count in shared.items()}
        likeness.pop(query.query_id, None)
        if not likeness or max(likeness.values()) < ALIKE:
            return None
        nearest = min(likeness, key=lambda other: (-likeness[other], other))
        evidence = f"{likeness[nearest]:.0%} of the runs of {SHINGLE} words stand in {nearest}"
        return found("near_duplicate", query.text[:80], evidence)


def near_duplicates(queries: Sequence[Query]) -> dict[str, Finding]:
    """The later one of every two near-duplicates, by query id."""
    texts, findings = Texts(), dict[str, Finding]()
    for query in queries:
        finding = texts.near_duplicate(query)
        if finding is not None:
            findings[query.query_id] = finding
        texts.add(query)
    return findings


def shingles(text: str) -> frozenset[Run]:
    """The runs of four words; numbers count as the same, so that another budget makes no other query."""
    words = ["#" if word.isdecimal() else word for word in _WORD.findall(text.casefold())]
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))
