"""Findings of the lab, files of ``exp/lab/``, which rest on people's labels, votes and ratings.

All are rows of one long table: a ``Figure`` for each statistic of each thing.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import Field, field_validator

from drretail.records.base import Document, Record, Rules
from drretail.records.comparison import Share
from drretail.records.figures import counted, interval, number
from drretail.records.score import JudgeRef

MOST_SHOWN = 4
"""The most systems, or pairs of raters, that one line names."""


class Figure(Share):
    """One statistic of one thing, with its 95% interval over users; the value is None if it is not defined."""

    name: str = ""
    """The statistic or score, such as "kappa_linear" or "FP"."""
    of: str = ""
    """A system or a rater."""
    by: str = ""
    """Who judged it; between two raters or systems, the second."""
    part: str = ""
    """A question, or which of several values of this name it is."""
    n: int = 0
    """How many claims, labels, pairs or reports it is over."""
    items: dict[str, float | None] = Field(default_factory=dict[str, float | None])
    """Counts and figures behind the value, by name; those that are not known are left out."""
    note: str = ""

    @field_validator("items")
    @classmethod
    def _without_unknown(cls, items: dict[str, float | None]) -> dict[str, float | None]:
        return {name: value for name, value in items.items() if value is not None}

    @property
    def in_words(self) -> str:
        """ "0.64 (.61–.67)"; a dash if it is not defined."""
        ends = interval(self.ci_low, self.ci_high)
        return f"{number(self.value)} ({ends})" if ends else number(self.value)

    def count(self, item: str) -> int:
        return round(self.items.get(item) or 0)


def grouped(rows: Iterable[Figure], *fields: str) -> dict[tuple[str, ...], list[Figure]]:
    """The rows by these fields, in the order in which they first occur."""
    groups: dict[tuple[str, ...], list[Figure]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, field) for field in fields), []).append(row)
    return groups


def unanswered_in_words(failed: int, unasked: int) -> str:
    """ "3 judgements failed, 2 were never asked"; blank if every question has an answer."""
    parts = [f"{counted(failed, 'judgement')} failed"] if failed else []
    parts += [f"{unasked:,} {'was' if unasked == 1 else 'were'} never asked"] if unasked else []
    return ", ".join(parts)


def _first(sentences: list[str], more: str) -> list[str]:
    """The first sentences, and how many there are besides; ``more`` says of what."""
    left = len(sentences) - MOST_SHOWN
    return [*sentences[:MOST_SHOWN], *([f"{left:,} more {more}"] if left > 0 else [])]


class _File(Document):
    """A file of the lab."""

    def document(self) -> dict[str, Any]:
        """The content of the file. What has its default is left out."""
        return {"format": self.format, **self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)}


class LabFinding(_File):
    """EXP/lab/NAME.json: what the lab found out about an experiment, with its line beside the scores."""

    name: ClassVar[str] = ""
    rows: tuple[Figure, ...] = ()

    def summary(self) -> str:
        """The line that stands beside the scores; each kind of finding writes its own."""
        return ""

    def where(self, **fields: str) -> list[Figure]:
        """The rows with these values in these fields."""
        return [row for row in self.rows if all(getattr(row, name) == value for name, value in fields.items())]


PEOPLE = "people"
"""All people as one rater: the mean of their ratings, or the most frequent label."""
SUMMARISED = {"kappa_linear": "linear κ", "spearman": "ρ", "kappa": "κ"}
"""The first of these statistics that two raters have sums up how far they agree, and has an interval."""


class RaterAgreement(LabFinding):
    """lab/agree.json: how far raters agree on each question, which is the rows' ``part``.

    - Of every two raters, ``of`` and ``by``: each statistic over the ``n`` items that both rated; only one of them
      rated the ``dropped`` ones. The interval is over queries, or over items if no queries are named.
    - "alpha" of all people, over items that two or more of the ``people`` rated; ``note`` is the level.
    - "MAD", "PCA" and "same order" of a judge: its ratings compared with the mean of people's.
    """

    name = "agree"

    def pairs(self) -> dict[tuple[str, ...], dict[str, Figure]]:
        """By question and both raters: their figures by name."""
        by_pair = grouped((row for row in self.rows if row.by), "part", "of", "by")
        return {pair: {row.name: row for row in rows} for pair, rows in by_pair.items()}

    def summary(self) -> str:
        """Linear κ, else ρ, else κ, of every two raters; judges only against people's consensus if there is one."""
        pairs = self.pairs()
        with_all = {(question, second) for question, first, second in pairs if first == PEOPLE}
        phrases: list[str] = []
        for (question, first, second), figures in pairs.items():
            if first == PEOPLE or (question, second) not in with_all:
                name = summarised(figures)
                about = f"{question.replace(':', '')}: {first} and {second} {SUMMARISED[name]}"
                phrases.append(f"{about} {figures[name].in_words} of {figures[name].n:,}")
        return f"Agreement: {'; '.join(_first(phrases, 'in lab agree')) or 'no two raters said something of the same'}."


def summarised(figures: Iterable[str]) -> str:
    """The statistic that sums up how far two raters agree."""
    names = {*figures, "kappa"}
    return next(name for name in SUMMARISED if name in names)


class SetCard(Record):
    """A judge on one set of labelled claims. Claims on which it failed are counted, but are in no statistic."""

    name: str
    file: str = ""
    """The file from which the set was read."""
    n: int
    """Claims with a verdict."""
    failed: int = 0
    """Claims on which the judge gave no usable answer."""
    undecided: int = 0
    """Those of which a rule-based judge says nothing."""
    unasked: int = 0
    """Claims that were not judged, for example because a cap was reached."""
    labels: tuple[str, ...]
    """The labels that people could give; if there are two, "none" means everything but full."""
    confusion: dict[str, dict[str, int]]
    """Counts by people's label and the judge's: full, partial or none. They sum to ``n``."""
    figures: dict[str, Figure] = Field(default_factory=dict[str, Figure])
    """By name; a figure that is not defined is left out.

    - people_full, judge_full: the shares of "full" by people and by the judge, on which κ depends.
    - balanced_accuracy: for "full" against all other labels.
    - kappa: for "full" against all other labels if people had two labels, else for three labels; kappa_linear.
    - words_alone: balanced accuracy of a rule on the share of a claim's words in its sources, with a threshold from
      other claims.
    - over_words: how much higher the judge's balanced accuracy is than that of the rule, on the same claims.
    - majority: plain accuracy of always giving the label that people give most; accuracy: that of the judge.
    """

    def figure(self, name: str) -> Figure:
        """One of the figures; without a value if it is not defined."""
        return self.figures.get(name, Figure())


class JudgeCard(_File):
    """lab/cards/<judge>.json: a judge on claims that people labelled."""

    judge: JudgeRef
    rules: Rules = "default"
    prompt_hash: str
    """The hash of the question about support that the judge was asked. A card of another prompt is stale."""
    version: int
    """The version of the metric faithfulness."""
    seed: str
    sets: tuple[SetCard, ...]
    dollars: float | None = None
    """The cost in all; None if a price is unknown."""


FP = "FP"
"""The corrected share of claims; all other corrected values are win rates."""
CORRECTED, ALONE, JUDGED, APART = "corrected", "labels alone", "judge alone", "difference"
"""The parts of a correction."""
LEAST_LABELS = 20
"""Nothing is corrected with fewer labels of a system, or votes on a pair: coverage of .93 was not measured there."""


class Correction(LabFinding):
    """lab/correct.json: FP and win rates of systems as people would give them, each in several ``part``s.

    - "corrected": with the verdicts ``by`` a judge, from ``n`` labels of the ``items`` that could be labelled, cut at 0
      and 1; without a value below ``LEAST_LABELS``. ``gain`` is how many times more labels, drawn by lot, would give an
      equally narrow interval without verdicts: below 1 the judge costs labels.
    - "labels alone": from the labels without the verdicts.
    - "judge alone": the judge's own value, as on the scoreboard.
    - "difference": how much higher FP of one system is than ``by`` another's, from ``n`` labels.
    """

    name = "correct"
    notes: tuple[str, ...] = ()

    def values(self) -> dict[tuple[str, ...], dict[str, Figure]]:
        """By what is corrected, system and judge: its figures by part; only those with enough labels."""
        groups = grouped((row for row in self.rows if row.part != APART), "name", "of", "by")
        by_part = {about: {row.part: row for row in rows} for about, rows in groups.items()}
        return {about: figures for about, figures in by_part.items() if figures[CORRECTED].value is not None}

    def missing(self) -> list[str]:
        """ "zephyr: no corrected FP from 12 labels; 8 more are needed", for each value that is not corrected yet."""
        sentences: list[str] = []
        for row in self.where(part=CORRECTED):
            if row.value is None:
                needed = LEAST_LABELS - row.n
                more = f"{needed:,} more {'is' if needed == 1 else 'are'} needed"
                few = (
                    "" if row.count("items") >= LEAST_LABELS else f", and there are only {row.count('items'):,} in all"
                )
                sentences.append(f"{row.of}: no corrected {row.name} from {counted(row.n, 'label')}; {more}{few}")
        return sentences

    def summary(self) -> str:
        """Each FP as people would give it beside the judge's own, and the number of corrected win rates."""
        values, parts = self.values(), list[str]()
        phrases = [
            f"{system} {its[CORRECTED].in_words}, by {judge} alone {number(its[JUDGED].value)}, "
            f"{counted(its[CORRECTED].n, 'label')}"
            for (name, system, judge), its in values.items()
            if name == FP
        ]
        if phrases:
            parts.append(f"{FP} as people would give it: {'; '.join(_first(phrases, 'systems in lab correct'))}")
        wins = sum(name != FP for name, *_ in values)
        parts += [f"{counted(wins, 'win rate')} corrected by votes in lab correct"] if wins else []
        return f"{'; '.join([*parts, *_first(self.missing(), 'lack labels')])}."
