"""What judging one report, or reading one pair of reports, is likely to take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from drretail.eval.registry import PAIRWISE
from drretail.llm.estimates import Range
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Taken:
    """Calls and tokens of one report, or of one reading of a pair."""

    calls: Range
    input: Range
    output: Range


NOTHING = Taken(Range(0, 0), Range(0, 0), Range(0, 0))


@dataclass(frozen=True, slots=True)
class Growth:
    """What is taken of any report, and how much more for each of its words."""

    any: Range
    word: Range

    def at(self, words: int) -> Range:
        return self.any.plus(self.word.times(words))


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one family, by the words of a report, or of both reports of a pair."""

    calls: Growth
    input: Growth
    output: Growth
    asks_of_empty: bool = True
    """False where an empty report is settled without a question."""

    def of(self, words: int) -> Taken:
        if not words and not self.asks_of_empty:
            return NOTHING
        return Taken(self.calls.at(words), self.input.at(words), self.output.at(words))


# Measured with offline:judge on 550 reports of the demo's shop, with room for longer sources and for judges that
# explain. Of faithfulness the null agents' 26 to 84 words took 2 calls, 1,300 and 90 to 470 tokens, the oracle's 48
# words 4 calls, 2,600 and 460; 363 words 9 calls, 8,100 and 2,100; 567 words 18 calls, 17,100 and 4,100. Of quality
# every report took 7 calls, 0 words 9,000 tokens and 567 words 16,300. One order of two reports of some 350 words each
# took 7 calls and 16,500 tokens.
BY_LENGTH = {
    "faithfulness": Figures(
        Growth(Range(2, 2), Range(0.02, 0.08)),
        Growth(Range(1_000, 1_500), Range(18, 130)),
        Growth(Range(50, 200), Range(5, 24)),
        asks_of_empty=False,
    ),
    "quality": Figures(
        Growth(Range(7, 10), Range(0, 0)),
        Growth(Range(9_000, 14_000), Range(12, 50)),
        Growth(Range(700, 5_000), Range(0, 0)),
    ),
    PAIRWISE: Figures(
        Growth(Range(7, 10), Range(0, 0)),
        Growth(Range(9_000, 14_000), Range(10, 60)),
        Growth(Range(700, 4_000), Range(0, 0)),
    ),
}
UNKNOWN_METRIC = "faithfulness"
"""Whose figures stand in for a family that nothing is known of: the dearest."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge took on one report or pair so far, and how many times it has judged it, parts as shares."""

    kind: str
    usage: Usage
    times: float


def measured(judged: Sequence[Judged]) -> Mapping[str, Taken]:
    """What judging once took, by kind of report: mean ± standard deviation; of a single report, ± half of it."""
    kinds = dict.fromkeys(one.kind for one in judged if one.times)
    return {kind: _taken([one for one in judged if one.kind == kind and one.times]) for kind in kinds}


def _taken(judged: Sequence[Judged]) -> Taken:
    read = [(it.usage.input_uncached + it.usage.cache_read + it.usage.cache_creation) / it.times for it in judged]
    calls = [it.usage.calls / it.times for it in judged]
    written = [it.usage.output / it.times for it in judged]
    return Taken(_range(calls), _range(read), _range(written))


def _range(values: Sequence[float]) -> Range:
    deviation = stdev(values) if len(values) > 1 else values[0] / 2
    return Range.around(mean(values), deviation)
