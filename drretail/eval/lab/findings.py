"""What the lab finds out about judges; files of ``exp/lab/``."""

from drretail.records.base import Document, Record


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
