"""Whether sources bear out a claim: shared words, and figures that must occur.

Measured on people's labels by benchmarks/offline.py; the two thresholds and the length of a passage come from
one half of the development files of AttributionBench and WiCE, and nothing else here was fitted.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from drretail.grounding.text.words import content_stems, content_words, stem
from drretail.offline.judge.sources import Passage, Source, is_known, numbers_in, read_source

Label = Literal["full_support", "partial_support", "no_support", "contradicted"]

FULL = 0.5
"""How close a source must come to a claim for full support: see closeness."""
SOME = 0.25
WINDOW = 3
"""Neighbouring sentences that make a passage. A whole page holds the words of almost any claim about its topic."""
NAME_WEIGHT = 2
"""A name that is missing says more than another word."""
_LONGEST_QUOTE = 40
_MARK = re.compile(r"\[\^?\d+\]")
_SIGNS = "$€£"
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

    @classmethod
    def of(cls, claim: str) -> "Wording":
        names = {stem(word) for match in _NAME.finditer(claim) for word in content_words(match[0])}
        stems = content_stems(claim)
        return cls({each: NAME_WEIGHT if each in names else 1 for each in stems}, tuple(pairwise(stems)))

    def share(self, stems: Iterable[str]) -> float:
        total = sum(self.weights.values())
        return sum(self.weights.get(each, 0) for each in set(stems)) / total if total else 1.0


def judge_claim(claim: str, sources: Sequence[str], given: str = "") -> Opinion:
    """How far the sources bear out the claim; a figure of ``given`` (the question) needs no source."""
    claim = _MARK.sub("", claim)
    read, wording = [read_source(source) for source in sources], Wording.of(claim)
    known = {*numbers_in(given).values()}.union(*(source.numbers for source in read))
    held, lacking = list[str](), list[str]()
    for written, number in numbers_in(claim).items():
        (held if is_known(number, known) else lacking).append(written)
    if not read or not (wording.weights or held):
        return Opinion("no_support", "there is nothing to compare", "")
    passages = [passage for source in read for passage in _nearest(wording, source)]
    found = _stems(passages)
    quote = _quote(passages, wording, [written.strip(f"{_SIGNS} ") for written in held])
    has_words = any(source.has_words for source in read)
    only_records = all(source.is_record or not source.has_words for source in read)
    is_priced = any(written[0] in _SIGNS for written in lacking)
    if only_records and is_priced and not held and any(source.numbers for source in read):
        return Opinion("no_support", f"the record gives other figures than {', '.join(lacking)}", quote)
    # Beside bare calculations figures decide alone.
    close = closeness(wording, found, read) if has_words else float(bool(held))
    absent = [word for word in wording.weights if word not in found]
    # What a record does not name is another thing; a page names things in sentences that are further away.
    is_other = has_words and only_records and any(wording.weights[word] == NAME_WEIGHT for word in absent)
    if close >= FULL and not lacking and not is_other:
        return Opinion("full_support", "its words and figures stand together in the sources", quote)
    if close < SOME and not held:
        return Opinion("no_support", "the sources say nothing of it", "")
    missing = [f"the figures {', '.join(lacking)}"] if lacking else []
    missing += [f"words such as {', '.join(absent[:4])}"] if absent and (close < FULL or is_other) else []
    return Opinion("partial_support", f"the sources lack {' and '.join(missing) or 'its words together'}", quote)


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


def _quote(passages: Sequence[Passage], wording: Wording, figures: Sequence[str]) -> str:
    """The passage that shares most, one with a figure of the claim before others, cut after its first words."""

    def worth(passage: Passage) -> float:
        return (wording.share(passage.stems) if wording.weights else 0) + any(one in passage.raw for one in figures)

    best = max(passages, key=worth, default=None)
    if best is None or not (figures or best.stems & wording.weights.keys()):
        return ""
    ends = [match.end() for match in re.finditer(r"\S+", best.raw)]
    return best.raw if len(ends) <= _LONGEST_QUOTE else best.raw[: ends[_LONGEST_QUOTE - 1]]
