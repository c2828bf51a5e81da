"""How a judge read the reports of an experiment, as code finds it."""

from collections.abc import Iterable, Mapping
from statistics import fmean

from pydantic import Field

from drretail.records.base import OfJudge

Shares = Mapping[str, tuple[int, int]]
"""By figure: how many, of how many."""
FLOOR = 0.8
"""The share below which a judge does not read (docs/scores.md has the figures that it is chosen by)."""
_FLOOR_UNCITED = 0.2
"""The same for figures without a mark, of which good judges leave out more, and which only FR counts."""
FEWEST = 20
"""The fewest cases from which a judge is said not to read."""
_FEWEST_OF_KIND = 5
"""The fewest records that agree, or that contradict, from which these count in the agreement."""
MARKS, FIGURES, UNCITED, IN_REPORT = "marks", "figures", "uncited", "in_report"
IN_SOURCE, LABELLED = "in_source", "labelled"
CONFIRMED, CONTRADICTED = "confirmed", "contradicted"
SAME_LABEL, SAME_CLAIM = "same_label", "same_claim"
AUDITED: Mapping[str, str] = {
    MARKS: "citation marks in claims",
    FIGURES: "figures in claims",
    UNCITED: "figures without a mark in claims",
    IN_REPORT: "quotes in the report",
    IN_SOURCE: "quotes in the sources",
    LABELLED: "claims labelled",
    CONFIRMED: "right figures supported",
    CONTRADICTED: "wrong figures found",
    SAME_LABEL: "same label when asked again",
    SAME_CLAIM: "same claims when asked again",
}
"""The figures, in words."""
MEANING = (
    "citation marks in claims: a source in a sentence, item or row from which a claim with that source was extracted. "
    "figures in claims: those read by form. figures without a mark in claims: sentences, items and rows with a figure "
    "and without a source from which a claim was extracted. quotes in the sources: of full and partial labels, when "
    "first asked. right figures supported, wrong figures found: claims whose figure, read by form, a record confirms "
    "or contradicts, by the first label. same …: when all is asked again (--repeats); labels on one list of "
    "claims."
)
AGREEMENT = "agreement with records"


class JudgeAudit(OfJudge):
    """How one judge read, over all reports of an experiment; code settles no claim by it."""

    shares: dict[str, tuple[int, int]] = Field(default_factory=dict[str, tuple[int, int]])
    """By name in ``AUDITED``."""
    repairs: int = 0
    """Answers that were sent back, in all metrics."""
    failed_reports: int = 0
    """Reports whose claims the judge did not judge in a usable way."""
    uncovered: int = 0
    """Citation marks counted as unsupported: in reports of which it covers less than half, asked twice."""
    agreement_ends: tuple[float, float] = (0.0, 1.0)
    """The interval of the agreement with records, in which figures that there are none of may go either way."""

    def share(self, name: str) -> float | None:
        """A figure's value, or None without cases."""
        got, of = self.shares.get(name, (0, 0))
        return got / of if of else None

    @property
    def agreement(self) -> tuple[float, int] | None:
        """Agreement with records where they are certain, and on how many claims; None below ``FEWEST``.

        The mean over claims that records confirm and those that they contradict, so that a judge that supports all
        does not agree where few are wrong.
        """
        kinds = [self.shares.get(name, (0, 0)) for name in (CONFIRMED, CONTRADICTED)]
        cases = sum(of for _, of in kinds)
        enough = [got / of for got, of in kinds if of >= _FEWEST_OF_KIND]
        return (fmean(enough), cases) if enough and cases >= FEWEST else None

    @property
    def low(self) -> tuple[str, ...]:
        """The figures below the floor, in words; empty for a judge that reads."""
        floors = dict.fromkeys((MARKS, FIGURES, IN_REPORT, IN_SOURCE, LABELLED, SAME_LABEL), FLOOR)
        shares = (
            (name, floor, *self.shares.get(name, (0, 0)))
            for name, floor in (floors | {UNCITED: _FLOOR_UNCITED}).items()
        )
        low = [AUDITED[name] for name, floor, got, of in shares if of >= FEWEST and got < floor * of]
        return (*low, *([AGREEMENT] if self.agreement is not None and self.agreement_ends[1] < FLOOR else []))

    @property
    def is_open(self) -> bool:
        """True if its interval leaves open whether it agrees with records: too few figures are right, or wrong."""
        return self.agreement is None or self.agreement_ends[0] < FLOOR <= self.agreement_ends[1]

    @property
    def reads(self) -> bool:
        return not self.low

    @property
    def line(self) -> str:
        """The audit in one line for readers of scores."""
        parts = [
            f"{words} {share:.2f}"
            for name, words in AUDITED.items()
            if name not in (CONFIRMED, CONTRADICTED) and (share := self.share(name)) is not None
        ]
        agreement = [] if self.agreement is None else [f"{self.agreement[0]:.2f} (n={self.agreement[1]:,})"]
        right, wrong = (self.shares.get(name, (0, 0))[1] for name in (CONFIRMED, CONTRADICTED))
        agreement += [f"too few figures to tell ({right:,} right, {wrong:,} wrong)"] if self.is_open else []
        parts += [f"{AGREEMENT}: {', '.join(agreement)}"]
        counts = {
            "answers sent back": self.repairs,
            "reports without a usable judgement": self.failed_reports,
            "citation marks left out twice, counted as unsupported": self.uncovered,
        }
        parts += [f"{words}: {count:,}" for words, count in counts.items() if count]
        name = f"{self.judge} {self.judge_params}".rstrip()
        if self.reads:
            return f"How {name} read: {', '.join(parts)}."
        return (
            f"This judge doesn't read: {name} is below the floor in {', '.join(self.low)}. Nothing is concluded from "
            f"it. {', '.join(parts).capitalize()}."
        )


def summed(many: Iterable[Shares]) -> dict[str, tuple[int, int]]:
    """The figures of several reports together."""
    total: dict[str, tuple[int, int]] = {}
    for shares in many:
        for name, (got, of) in shares.items():
            before = total.get(name, (0, 0))
            total[name] = before[0] + got, before[1] + of
    return total
