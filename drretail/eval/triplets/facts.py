"""Triplets as they are extracted, the unique facts they come to, and what verdicts say of their support. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict, VerdictState

TRIPLETS, DUPLICATES, SUPPORT = "triplets", "duplicates", "triplet_support"
"""The stages."""
REPORT = "report"
"""The item of the extraction."""
UNKNOWN = "unknown"
"""The note of a fact whose page was read and holds nothing to judge by, such as a notice of an error."""
UNFETCHED = "unfetched"
"""The note of a fact whose page nobody has tried to read."""


class Triplet(Record):
    """One fact with one of its references; both empty where it has none."""

    fact: str
    ref: str = ""
    """The number or mark of the reference in the text; "0" for a link in the text itself."""
    url: str = ""
    source: str | None = None
    """The evidence id or URL that the reference comes to; None where it comes to nothing."""

    @property
    def is_cited(self) -> bool:
        return bool(self.ref or self.url)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a report, however often it says it."""

    text: str
    sources: tuple[str, ...] = ()
    """What its references come to, each once."""
    unresolved: tuple[str, ...] = ()
    """References that come to nothing."""


def pair_item(fact: str, source: str) -> str:
    """The item of a verdict on a fact and one source of it."""
    return sha256_of([fact, source])[:12]


def distinct_facts(triplets: Iterable[Triplet]) -> list[str]:
    """The facts of all triplets, those in the same words once."""
    return list({_folded(triplet.fact): triplet.fact for triplet in reversed(list(triplets))}.values())[::-1]


def duplicates_item(facts: Sequence[str]) -> str:
    """The item of the question which of these facts are the same."""
    return f"{REPORT}-{sha256_of(list(facts))[:8]}"


def unique_facts(triplets: Sequence[Triplet], groups: Iterable[Sequence[int]]) -> list[Fact]:
    """Each fact once with all its references; ``groups`` are numbers, from 1, of distinct facts that say the same."""
    texts = distinct_facts(triplets)
    first = {number: min(group) for group in groups for number in group}
    place = {_folded(text): first.get(number, number) for number, text in enumerate(texts, 1)}
    sources: dict[int, dict[str, None]] = {number: {} for number in sorted({*place.values()})}
    unresolved: dict[int, dict[str, None]] = {number: {} for number in sources}
    for triplet in triplets:
        number = place[_folded(triplet.fact)]
        if triplet.source is not None:
            sources[number][triplet.source] = None
        elif triplet.is_cited:
            unresolved[number][triplet.url or triplet.ref] = None
    return [Fact(texts[number - 1], tuple(sources[number]), tuple(unresolved[number])) for number in sources]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """A fact and one of its references, with what is known of it."""

    state: VerdictState | None
    """None where it was not judged yet."""
    support: float = 0.0
    """1 where the source bears it out wholly, 0.5 in part, 0 not at all."""
    is_unknown: bool = False
    """True where the source was read and holds nothing to judge by."""


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """The unique facts of a report, each with its references as they were judged."""

    facts: tuple[Fact, ...]
    pairs: tuple[tuple[JudgedReference, ...], ...]
    """By fact, in the order of its sources."""


def judged_facts(verdicts: Iterable[Verdict]) -> JudgedFacts | None:
    """What the verdicts of a report come to; None where its facts could not be read to the end."""
    by_key = {(verdict.stage, verdict.item): verdict for verdict in verdicts}
    extracted = by_key.get((TRIPLETS, REPORT))
    if extracted is None or extracted.state != "scored":
        return None
    triplets = [Triplet.model_validate(each) for each in extracted.value]
    compared = by_key.get((DUPLICATES, duplicates_item(distinct_facts(triplets))))
    if compared is None or compared.state != "scored":
        return None
    facts = unique_facts(triplets, compared.value)
    return JudgedFacts(
        tuple(facts),
        tuple(
            tuple(_pair(by_key.get((SUPPORT, pair_item(fact.text, source)))) for source in fact.sources)
            for fact in facts
        ),
    )


def _pair(verdict: Verdict | None) -> JudgedReference:
    if verdict is None:
        return JudgedReference(None)
    if verdict.state != "scored":
        return JudgedReference(verdict.state)
    return JudgedReference("scored", float(verdict.value), UNKNOWN in verdict.notes)
