"""Whether sources bear out a claim: shared words, figures that must occur, and who denies what.

Measured on people's labels by benchmarks/offline.py; the two thresholds and the length of a passage come from
one half of the development files of AttributionBench and WiCE, and nothing else here was fitted.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Literal

from drretail.grounding.text.words import content_stems, content_words, is_negation, stem, words
from drretail.offline.judge.sources import Figure, Passage, Source, figures_of, read_source

Label = Literal["full_support", "partial_support", "no_support"]

FULL = 0.5
"""How close a source must come to a claim for full support: see closeness."""
SOME = 0.25
WINDOW = 3
"""Neighbouring sentences that make a passage. A whole page holds the words of almost any claim about its topic."""
NAME_WEIGHT = 2
"""A name that is missing says more than another word."""
_CLOSE = 0.75
"""The share of a claim's words from which a sentence says the same, so that a denial counts."""
_DENIED_WORDS = 4
_DENIED_SHARE = 0.25
"""The share of a claim's words that a denial must be about."""
_CLAUSE_END = re.compile(r"[.,;:!?()–—]")
_LONGEST_QUOTE = 40
_MARK = re.compile(r"\[\^?\d+\]")
# Capitals within a sentence.
_NAME = re.compile(r"(?<![.!?:;|] )(?<!^)(?<![\w'’])[A-Z][\w'’&-]*")


@dataclass(frozen=True, slots=True)
class Opinion:
    """The judgement of one claim; the quote stands in a source, or is empty."""

    label: Label
    reason: str
    quote: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The content words of a claim by weight, and its neighbouring ones in pairs."""

    weights: dict[str, int]
    pairs: tuple[tuple[str, str], ...]

    def share(self, stems: Iterable[str]) -> float:
        total = sum(self.weights.values())
        return sum(self.weights.get(each, 0) for each in set(stems)) / total if total else 1.0

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(self.weights)


def judge_claim(claim: str, sources: Sequence[str], given: str = "") -> Opinion:
    """How far the sources bear out the claim; a figure of ``given`` (the question) needs no source."""
    claim = _MARK.sub("", claim)
    read = [read_source(source) for source in sources]
    wording = _wording(claim)
    nearest = [_nearest(wording, source) for source in read]
    asked = {figure.number for figure in figures_of(given)}
    figures = figures_of(claim)
    missing = [each for each in figures if each.number not in asked and not _occurs(each, read)]
    held = [each for each in figures if each not in missing]
    if not read or not (wording.weights or held):
        return Opinion("no_support", "there is nothing to compare", "")
    if denied := _opposite(claim, wording, read, nearest):
        return Opinion("no_support", "claim and source differ in what they deny", _clipped(denied))
    passages = [passage for near in nearest for passage in near]
    return _weighed(wording, read, _stems(passages), held, missing, _quote(passages, wording, held))


def _weighed(
    wording: Wording,
    sources: Sequence[Source],
    found: frozenset[str],
    held: Sequence[Figure],
    missing: Sequence[Figure],
    quote: str,
) -> Opinion:
    has_words = any(source.has_words for source in sources)
    only_records = all(source.is_record or not source.has_words for source in sources)
    figures = ", ".join(figure.text for figure in missing)
    if only_records and missing and not held and any(_is_replaced(figure, sources) for figure in missing):
        return Opinion("no_support", f"the record gives other figures than {figures}", quote)
    # Beside bare calculations figures decide alone.
    close = closeness(wording, found, sources) if has_words else float(bool(held))
    unsaid = [weight for weight in wording.weights if weight not in found]
    # What a record does not name is another thing; a page names things in sentences that are further away.
    is_other = has_words and only_records and any(wording.weights[each] == NAME_WEIGHT for each in unsaid)
    if close >= FULL and not missing and not is_other:
        return Opinion("full_support", "its words and figures stand together in the sources", quote)
    if close < SOME and not held:
        return Opinion("no_support", "the sources say nothing of it", "")
    lacking = [f"the figures {figures}"] if missing else []
    lacking += [f"words such as {', '.join(unsaid[:4])}"] if unsaid and (close < FULL or is_other) else []
    return Opinion("partial_support", f"the sources lack {' and '.join(lacking) or 'its words together'}", quote)


def _wording(claim: str) -> Wording:
    names = {stem(word) for match in _NAME.finditer(claim) for word in content_words(match[0])}
    stems = content_stems(claim)
    return Wording({each: NAME_WEIGHT if each in names else 1 for each in stems}, tuple(pairwise(stems)))


def closeness(wording: Wording, found: frozenset[str], sources: Sequence[Source]) -> float:
    """The mean of two shares: of words found, and of neighbouring words of which one sentence or record holds both."""
    shared = wording.share(found)
    if not wording.pairs:
        return shared
    together = [stems for source in sources for stems in source.together]
    held = sum(any(one in stems and two in stems for stems in together) for one, two in wording.pairs)
    return (shared + held / len(wording.pairs)) / 2


def _nearest(wording: Wording, source: Source) -> Sequence[Passage]:
    """The neighbouring passages that share most with the claim; all of a record, which speaks of one thing."""
    passages = source.passages
    if source.is_record:
        return passages
    starts = range(max(1, len(passages) - WINDOW + 1))
    best = max(starts, key=lambda start: wording.share(_stems(passages[start : start + WINDOW])))
    return passages[best : best + WINDOW]


def _stems(passages: Iterable[Passage]) -> frozenset[str]:
    return frozenset[str]().union(*(passage.stems for passage in passages))


def _occurs(figure: Figure, sources: Sequence[Source]) -> bool:
    """True when a source names the figure, if rounded, or it is the sum or difference of two records' prices."""
    known = frozenset[Decimal]().union(*(source.prices if figure.is_money else source.numbers for source in sources))
    if any(figure.is_rounded(number) for number in known):
        return True
    return figure.is_money and any(figure.number in (one + two, abs(one - two)) for one, two in _priced_pairs(sources))


def _is_replaced(figure: Figure, sources: Sequence[Source]) -> bool:
    """True when the sources have another figure in its place: another price, or another number of the same."""
    if figure.is_money or not figure.counted:
        return any(source.numbers for source in sources)
    return any(stem(figure.counted) in passage.stems for source in sources for passage in source.passages)


def _priced_pairs(sources: Sequence[Source]) -> Iterable[tuple[Decimal, Decimal]]:
    """Prices of different records; sums of what one page names would give any amount."""
    for one, two in combinations([source for source in sources if source.is_record], 2):
        yield from ((first, second) for first in one.prices for second in two.prices)


def _opposite(claim: str, wording: Wording, sources: Sequence[Source], nearest: Sequence[Sequence[Passage]]) -> str:
    """A passage that says the same but for a negation, unless another one says the same as the claim; "" without."""
    least = max(2, _CLOSE * len(wording.stems))
    opposed = ""
    for source, near in zip(sources, nearest, strict=True):
        # A record is about one thing, and its fields need not name it.
        for passage in (each for each in near if source.is_record or len(each.stems & wording.stems) >= least):
            denied, of_passage = _denied(claim), _denied(passage.raw)
            denied_words = (denied or of_passage) & passage.stems & wording.stems
            if len(denied_words) < max(1, _DENIED_SHARE * len(wording.stems)) or denied_words != (denied or of_passage):
                continue
            if bool(denied) == bool(of_passage):
                return ""
            opposed = opposed or passage.raw
    return opposed


def _denied(text: str) -> frozenset[str]:
    """The stems that stand within a few words behind a negation, in the same clause."""
    found: set[str] = set()
    for clause in _CLAUSE_END.split(text):
        found_words = list(words(clause))
        for index, word in enumerate(found_words):
            if is_negation(word) or (word == "free" and found_words[index + 1 : index + 2] == ["of"]):
                found.update(content_stems(" ".join(found_words[index + 1 : index + 1 + _DENIED_WORDS])))
    return frozenset(found)


def _quote(passages: Sequence[Passage], wording: Wording, held: Sequence[Figure]) -> str:
    """The passage that shares most, one with a figure of the claim before others."""
    if not passages:
        return ""
    figures = [figure.text.strip("$€£ ") for figure in held]
    best = max(
        passages,
        key=lambda passage: (
            (wording.share(passage.stems) if wording.weights else 0) + any(s in passage.raw for s in figures)
        ),
    )
    return _clipped(best.raw) if best.stems & wording.stems or figures else ""


def _clipped(raw: str) -> str:
    ends = [match.end() for match in re.finditer(r"\S+", raw)]
    return raw if len(ends) <= _LONGEST_QUOTE else raw[: ends[_LONGEST_QUOTE - 1]]
