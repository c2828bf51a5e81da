"""What the lab finds out about judges; files of ``exp/lab/``."""

from drretail.records.base import Document, Record, Rules
from drretail.records.score import JudgeRef


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


class Agreement(Document):
    """lab/agree.json: how far all raters agree."""

    pairs: tuple[Agreed, ...] = ()
    people: tuple[PeopleAgreed, ...] = ()
    alignments: tuple[Alignment, ...] = ()


class Measured(Record):
    """A statistic with its 95 % interval; None where it is not defined."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class SetCard(Record):
    """A judge on one set of claims that people labelled. Claims on which it failed are counted and in no statistic."""

    name: str
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
    """FP of a system, or how often it wins, as people would give it."""

    what: str
    system: str
    judge: str
    value: float
    low: float | None = None
    high: float | None = None
    """95 %, cut at 0 and 1."""
    power: float
    """λ: how far the verdicts were trusted, 0 to 1."""
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
    """Queries that hold a label."""


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


class Correction(Document):
    """lab/correct.json."""

    values: tuple[CorrectedValue, ...] = ()
    separations: tuple[Separation, ...] = ()
    notes: tuple[str, ...] = ()
