"""What the lab finds out about judges; files of ``exp/lab/``."""

from pydantic import Field

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


class PlantedError(Record):
    """One copy of a report with one error; offsets are those of the copy."""

    run_id: str
    """Of the copy."""
    of: str
    """The run whose report was copied."""
    kind: str
    start: int
    end: int
    said: str
    original: str = ""
    """The words that stood there; blank where a sentence was added."""
    note: str = ""
    """What makes it wrong."""


class PlantedErrors(Document):
    """lab/planted/planted.json: which copies were made."""

    seed: str
    errors: tuple[PlantedError, ...] = ()
    without_place: dict[str, int] = Field(default_factory=dict[str, int])
    """By kind: reports that offer no place for it."""
    n_reports: int
    """Good reports that were there to be copied."""


class Found(Record):
    """What one finder found of some copies, each at the place of its error."""

    n: int
    found: int
    unjudged: int = 0
    """No claim of the place was judged: it cites nothing, or the judge gave no answer."""
    low: float | None = None
    """Of found / n, 95 %, exact binomial; so is ``high``."""
    high: float | None = None
    n_originals: int = 0
    """Of these copies, those where words were replaced, whose original the finder judged there."""
    false: int = 0
    """Of those originals, which are right there, the ones that it faulted."""
    n_fresh: int = 0
    """Copies whose original it passed there, or that have a sentence more; ``found_fresh`` of them were found."""
    found_fresh: int = 0


class PlantedKind(Record):
    """One kind of error; ``found`` by finder: "checks", or a judge."""

    kind: str
    n: int
    without_place: int = 0
    found: dict[str, Found] = Field(default_factory=dict[str, Found])


class FalseAlarms(Record):
    """What one finder faults in the reports that the copies were made from."""

    finder: str
    unit: str
    """reports, or claims."""
    n: int
    alarms: int
    low: float | None = None
    high: float | None = None


class PlantedFound(Document):
    """lab/plant.json: who finds which errors."""

    kinds: tuple[PlantedKind, ...] = ()
    everything: PlantedKind
    alarms: tuple[FalseAlarms, ...] = ()


class Standing(Record):
    """One headline of one exploit: its mean over queries, beside the best and the worst honest system's."""

    name: str
    value: float
    best: float
    worst: float
    n: int
    n_below: int
    """Queries on which it is below every honest report."""


class ExploitRow(Record):
    """One exploit by one judge and by code."""

    exploit: str
    judge: str
    n: int
    """Queries; on ``n_caught`` of them some headline is below that of every honest report."""
    n_caught: int
    fools: tuple[Standing, ...] = ()
    """As high as the best honest system, and below nobody."""
    caught_by: tuple[Standing, ...] = ()
    """Below every honest report on some query, the most queries first."""
    favoured: tuple[str, ...] = ()
    """What ``compare`` concludes in its favour, and over whom; not what it concludes for the honest report, too, of
    which the exploit was made, nor where it says that neither is shown to be better."""


class ExploitsFound(Document):
    """lab/exploits.json: which metric each undeserving report fools, and which one catches it."""

    honest: tuple[str, ...]
    """First the system of whose reports they were made."""
    rows: tuple[ExploitRow, ...] = ()
