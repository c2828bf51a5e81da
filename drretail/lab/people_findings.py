"""What the lab finds out by people's labels, votes and ratings; files of ``exp/lab/``."""

from drretail.lab.finding import MOST_SHOWN, LabFinding, Measured
from drretail.records.base import Document, Record, Rules
from drretail.records.score import JudgeRef
from drretail.tables.figures import number, with_interval

PEOPLE = "people"
"""All people as one rater: their mean, and of labels what most of them say."""


SHARES = ("FP", "FR")
"""What of claims is corrected; all other corrected values are win rates."""


class Agreed(Record):
    """Two raters on one question; a statistic that is not defined for it is None.

    ``n`` items were rated by both, ``n_dropped`` by one of them alone.
    """

    scale: str
    """preference, rating, support, number or label."""
    dimension: str = ""
    first: str
    second: str
    n: int
    n_dropped: int
    low: float | None = None
    """95 % over queries (items, where none are named) of linear κ, else of ρ, else of κ."""
    high: float | None = None
    percent: float | None = None
    kappa: float | None = None
    kappa_linear: float | None = None
    kappa_quadratic: float | None = None
    kappa_without_ties: float | None = None
    soft_disagreement: float | None = None
    """Of disagreements, the share in which one said tie."""
    pearson: float | None = None
    spearman: float | None = None
    kendall: float | None = None

    def in_words(self) -> str:
        """ "rating overall: people and judge ρ 0.71 (.60–.80) of 40"; κ where no order is told."""
        name, value = next(
            (name, value)
            for name, value in (("linear κ", self.kappa_linear), ("ρ", self.spearman), ("κ", self.kappa))
            if value is not None or name == "κ"
        )
        question = " ".join(filter(None, [self.scale, self.dimension.replace("_", " ")]))
        shown = with_interval(value, self.low, self.high)
        return f"{question}: {self.first} and {self.second} {name} {shown} of {self.n:,}"


class PeopleAgreed(Record):
    """All people on one question; ``n_items`` were rated by two or more."""

    scale: str
    dimension: str = ""
    n_people: int
    n_items: int
    level: str
    alpha: float | None = None


class Alignment(Record):
    """A judge's ratings beside the mean of people's."""

    scale: str
    dimension: str = ""
    judge: str
    n_reports: int
    mean_absolute_deviation: float | None = None
    pairwise_comparison_accuracy: float | None = None
    ranking_agreement: float | None = None


class Agreement(LabFinding):
    """lab/agree.json: how far all raters agree."""

    pairs: tuple[Agreed, ...] = ()
    people: tuple[PeopleAgreed, ...] = ()
    alignments: tuple[Alignment, ...] = ()

    def summary(self) -> str:
        """κ of every two raters; where people are taken together, of them and judges. ρ where there is no κ."""
        with_all = {(pair.scale, pair.dimension, pair.second) for pair in self.pairs if pair.first == PEOPLE}
        rows = [
            pair
            for pair in self.pairs
            if pair.first == PEOPLE or (pair.scale, pair.dimension, pair.second) not in with_all
        ]
        named = [row.in_words() for row in rows[:MOST_SHOWN]]
        left = f"; {len(rows) - MOST_SHOWN:,} more in lab agree" if len(rows) > MOST_SHOWN else ""
        found = f"{'; '.join(named)}{left}" if named else "no two raters said something of the same"
        return f"Agreement: {found}."


class SetCard(Record):
    """A judge on one set of claims that people labelled. Claims on which it failed are counted and in no statistic."""

    name: str
    file: str = ""
    """Which it was read from."""
    n: int
    """Claims with a verdict."""
    failed: int = 0
    """Claims on which the judge gave no usable answer."""
    unasked: int = 0
    """Claims that were not judged, as when a cap was reached."""
    labels: tuple[str, ...]
    """What people could say; "none" stands for everything but full where there are two."""
    confusion: dict[str, dict[str, int]]
    """By people's label and the judge's: full, partial or none. Sums to ``n``."""
    people_full: float | None = None
    judge_full: float | None = None
    """Shares of "full": κ depends on them."""
    balanced_accuracy: Measured
    """Of "full" against all else."""
    kappa: Measured
    """Of "full" against all else where people had two labels, else of three."""
    kappa_linear: Measured
    words_alone: Measured
    """Balanced accuracy of the share of a claim's words that stand in its sources, by a threshold from other claims."""
    over_words: Measured
    """How much more balanced accuracy the judge has than words alone, on the same claims."""
    majority: float | None = None
    """Plain accuracy of always saying what people say most."""
    accuracy: float | None = None
    """Plain accuracy of the judge, as ``majority``."""


class JudgeCard(Document):
    """lab/cards/<judge>.json: a judge on claims that people labelled."""

    judge: JudgeRef
    rules: Rules = "default"
    prompt_hash: str
    """Of the question about support that it was asked; a card of another one is stale."""
    version: int
    """Of the family faithfulness."""
    seed: str
    sets: tuple[SetCard, ...]
    dollars: float | None = None
    """What it took in all; None where a price is unknown."""


class CorrectedValue(Record):
    """FP or FR of a system, or how often it wins, as people would give it."""

    what: str
    system: str
    judge: str
    value: float
    low: float | None = None
    high: float | None = None
    """95 %, cut at 0 and 1."""
    labels_alone: float
    labels_alone_low: float | None = None
    labels_alone_high: float | None = None
    gain: float | None = None
    """Of how many times the labels the interval is as narrow as; 1 where verdicts add nothing."""
    judged: float | None = None
    """What the judge alone says, of the same claims."""
    n_labels: int = 0
    n_items: int = 0
    n_clusters: int
    """Users, or queries where no user is known."""


class MissingLabels(Record):
    """A value that is not corrected yet: ``n_labels`` of the ``n_needed`` labels are there."""

    what: str
    system: str
    n_labels: int
    n_needed: int
    n_items: int
    """That could be labelled."""

    def summary(self) -> str:
        """ "zephyr: no corrected FP from 12 labels; 8 more are needed"."""
        labels = f"{self.n_labels:,} label{'s' * (self.n_labels != 1)}"
        missing = self.n_needed - self.n_labels
        more = f"{missing:,} more {'is' if missing == 1 else 'are'} needed"
        few = "" if self.n_items >= self.n_needed else f", and there are only {self.n_items:,} in all"
        return f"{self.system}: no corrected {self.what} from {labels}; {more}{few}"


class Separation(Record):
    """Two systems in FP."""

    a: str
    b: str
    difference: float
    low: float | None = None
    high: float | None = None
    labels: int
    labels_needed: int | None = None
    """In all, to show a difference as large as this; None where no number of labels on these reports would."""


class Correction(LabFinding):
    """lab/correct.json."""

    values: tuple[CorrectedValue, ...] = ()
    missing: tuple[MissingLabels, ...] = ()
    separations: tuple[Separation, ...] = ()
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Every FP and FR as people would give it beside the judge's own; win rates by their number alone."""
        parts: list[str] = []
        for what in SHARES:
            rows = [value for value in self.values if value.what == what]
            named = [
                f"{row.system} {with_interval(row.value, row.low, row.high)}, by {row.judge} alone "
                f"{number(row.judged)}, {row.n_labels:,} label{'s' * (row.n_labels != 1)}"
                for row in rows[:MOST_SHOWN]
            ]
            if named:
                parts.append(f"{what} as people would give it: {'; '.join(named)}")
            if len(rows) > MOST_SHOWN:
                parts.append(f"{len(rows) - MOST_SHOWN:,} more systems in lab correct")
        wins = sum(value.what not in SHARES for value in self.values)
        if wins:
            parts.append(f"{wins:,} win rate{'s' * (wins != 1)} corrected by votes in lab correct")
        parts += [value.summary() for value in self.missing[:MOST_SHOWN]]
        if len(self.missing) > MOST_SHOWN:
            parts.append(f"{len(self.missing) - MOST_SHOWN:,} more lack labels")
        return f"{'; '.join(parts)}."
