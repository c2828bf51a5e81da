"""Findings of the lab that rest on people's labels, votes and ratings; files of ``exp/lab/``."""

from drretail.addons.lab.finding import MOST_SHOWN, LabFinding, Measured, WithEnds
from drretail.records.base import Document, Record, Rules
from drretail.records.score import JudgeRef
from drretail.records.tables.figures import number, with_interval

PEOPLE = "people"
"""All people as one rater: the mean of their ratings, or the most frequent label."""


SHARES = ("FP", "FR")
"""The corrected values that are shares of claims; all others are win rates."""


class _OfQuestion(Record):
    scale: str
    """preference, rating, support, number or label."""
    dimension: str = ""


class Agreed(_OfQuestion, WithEnds):
    """Two raters on one question; a statistic that is not defined is None.

    The interval is that of linear κ, else of ρ, else of κ, over queries, or over items if no queries are named.
    ``n`` items were rated by both, ``n_dropped`` by only one of them.
    """

    first: str
    second: str
    n: int
    n_dropped: int
    percent: float | None = None
    kappa: float | None = None
    kappa_linear: float | None = None
    kappa_quadratic: float | None = None
    kappa_without_ties: float | None = None
    soft_disagreement: float | None = None
    """The share of disagreements in which one rater said tie."""
    pearson: float | None = None
    spearman: float | None = None
    kendall: float | None = None

    def in_words(self) -> str:
        """ "rating overall: people and judge ρ 0.71 (.60–.80) of 40"; with κ if the answers have no order."""
        name, value = next(
            (name, value)
            for name, value in (("linear κ", self.kappa_linear), ("ρ", self.spearman), ("κ", self.kappa))
            if value is not None or name == "κ"
        )
        question = " ".join(filter(None, [self.scale, self.dimension.replace("_", " ")]))
        shown = with_interval(value, self.low, self.high)
        return f"{question}: {self.first} and {self.second} {name} {shown} of {self.n:,}"


class PeopleAgreed(_OfQuestion, WithEnds):
    """Agreement of all people on one question; ``n_items`` were rated by two or more.

    The interval is that of α over queries, or over items if no queries are named.
    """

    n_people: int
    n_items: int
    level: str
    alpha: float | None = None


class Alignment(_OfQuestion):
    """A judge's ratings compared with the mean of people's."""

    judge: str
    n_reports: int
    mean_absolute_deviation: float | None = None
    pairwise_comparison_accuracy: float | None = None
    ranking_agreement: float | None = None


class Agreement(LabFinding):
    """lab/agree.json: how far raters agree."""

    pairs: tuple[Agreed, ...] = ()
    people: tuple[PeopleAgreed, ...] = ()
    alignments: tuple[Alignment, ...] = ()

    def summary(self) -> str:
        """Linear κ, else ρ, else κ, of every two raters; judges only against people's consensus if there is one."""
        with_all = {(pair.scale, pair.dimension, pair.second) for pair in self.pairs if pair.first == PEOPLE}
        rows = [
            pair
            for pair in self.pairs
            if pair.first == PEOPLE or (pair.scale, pair.dimension, pair.second) not in with_all
        ]
        named = [row.in_words() for row in rows[:MOST_SHOWN]]
        left = f"; {len(rows) - MOST_SHOWN:,} more in lab agree" if len(rows) > MOST_SHOWN else ""
        sentence = f"{'; '.join(named)}{left}" if named else "no two raters said something of the same"
        return f"Agreement: {sentence}."


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
    people_full: float | None = None
    judge_full: float | None = None
    """The shares of "full" by people and by the judge, on which κ depends."""
    balanced_accuracy: Measured
    """For "full" against all other labels."""
    kappa: Measured
    """For "full" against all other labels if people had two labels, else for three labels."""
    kappa_linear: Measured
    words_alone: Measured
    """Balanced accuracy of a rule on the share of a claim's words in its sources, with a threshold
    from other claims.
    """
    over_words: Measured
    """How much higher the judge's balanced accuracy is than that of the rule by words, on the same claims."""
    majority: float | None = None
    """Plain accuracy of always giving the label that people give most."""
    accuracy: float | None = None
    """Plain accuracy of the judge, to compare with ``majority``."""


class JudgeCard(Document):
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


class CorrectedValue(WithEnds):
    """FP or FR of a system, or its win rate, as people would give it, with its interval, cut at 0 and 1."""

    what: str
    system: str
    judge: str
    value: float
    labels_alone: float
    labels_alone_low: float | None = None
    labels_alone_high: float | None = None
    gain: float | None = None
    """How many times the labels, drawn by lot, would give an equally narrow interval without verdicts.

    Below 1 the judge costs labels.
    """
    judged: float | None = None
    """The judge's own value, as on the scoreboard."""
    n_labels: int = 0
    n_items: int = 0
    """Items that could be labelled."""
    n_known: int = 0
    """Runs that earn nothing, or meetings that a missing report decided: they count, and no opinion is needed."""
    n_clusters: int
    """Users, or queries if no user is known."""


class MissingLabels(Record):
    """A value that is not corrected yet: it has ``n_labels`` of the ``n_needed`` labels."""

    what: str
    system: str
    n_labels: int
    n_needed: int
    n_items: int
    """Items that could be labelled."""

    def summary(self) -> str:
        """ "zephyr: no corrected FP from 12 labels; 8 more are needed"."""
        labels = f"{self.n_labels:,} label{'s' * (self.n_labels != 1)}"
        missing = self.n_needed - self.n_labels
        more = f"{missing:,} more {'is' if missing == 1 else 'are'} needed"
        few = "" if self.n_items >= self.n_needed else f", and there are only {self.n_items:,} in all"
        return f"{self.system}: no corrected {self.what} from {labels}; {more}{few}"


class Separation(WithEnds):
    """The difference of two systems in FP."""

    a: str
    b: str
    difference: float
    labels: int
    labels_needed: int | None = None
    """Labels in all that would show a difference as large as this; None if no number on these reports would."""


class Correction(LabFinding):
    """lab/correct.json: FP, FR and win rates as people would give them."""

    values: tuple[CorrectedValue, ...] = ()
    missing: tuple[MissingLabels, ...] = ()
    separations: tuple[Separation, ...] = ()
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Each FP and FR as people would give it beside the judge's own, and the number of corrected win rates."""
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
