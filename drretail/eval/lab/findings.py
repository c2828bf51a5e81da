"""What the lab finds out about judges; files of ``exp/lab/``."""

from pydantic import Field

from drretail.records.base import Document, Record, Rules
from drretail.records.score import JudgeRef

PEOPLE = "people"
"""All people as one rater: their mean, and of labels what most of them say."""
SHARES = ("FP", "FR")
"""What of claims is corrected; all other corrected values are win rates."""
MOST_TOLD = 4
"""Systems, or pairs of raters, in a line."""


class LabFinding(Document):
    """EXP/lab/NAME.json: what the lab found out of an experiment, with its line beside the scores."""

    line: str = ""
    """One sentence or two; blank of files that an older version wrote."""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """By folder of the experiment, what its content was; where it is another now, the finding is stale."""

    options: str = ""
    """Of the command that made it, those that name files, people or judges: it is made anew with them."""

    def told(self) -> str:
        """What stands beside the scores; kinds of findings say it of themselves."""
        return ""


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


class Agreement(LabFinding):
    """lab/agree.json: how far all raters agree."""

    pairs: tuple[Agreed, ...] = ()
    people: tuple[PeopleAgreed, ...] = ()
    alignments: tuple[Alignment, ...] = ()

    def told(self) -> str:
        """κ of every two raters; where people are taken together, of them and judges. ρ where there is no κ."""
        with_all = {(it.scale, it.dimension, it.second) for it in self.pairs if it.first == PEOPLE}
        rows = [it for it in self.pairs if it.first == PEOPLE or (it.scale, it.dimension, it.second) not in with_all]
        named = [f"{_question(it)}: {it.first} and {it.second} {_agreed(it)} of {it.n:,}" for it in rows[:MOST_TOLD]]
        left = f"; {len(rows) - MOST_TOLD:,} more in lab agree" if len(rows) > MOST_TOLD else ""
        told = f"{'; '.join(named)}{left}" if named else "no two raters said something of the same"
        return f"Agreement: {told}."


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
    """FP or FR of a system, or how often it wins, as people would give it."""

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


class Correction(LabFinding):
    """lab/correct.json."""

    values: tuple[CorrectedValue, ...] = ()
    separations: tuple[Separation, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self) -> str:
        """Every FP and FR as people would give it beside the judge's own; win rates by their number alone."""
        parts: list[str] = []
        for what in SHARES:
            rows = [it for it in self.values if it.what == what]
            named = [
                f"{it.system} {with_ends(it.value, it.low, it.high)}, by {it.judge} alone {short_share(it.judged)}, "
                f"{it.n_labels:,} label{'s' * (it.n_labels != 1)}"
                for it in rows[:MOST_TOLD]
            ]
            if named:
                parts.append(f"{what} as people would give it: {'; '.join(named)}")
            if len(rows) > MOST_TOLD:
                parts.append(f"{len(rows) - MOST_TOLD:,} more systems in lab correct")
        wins = sum(it.what not in SHARES for it in self.values)
        if wins:
            parts.append(f"{wins:,} win rate{'s' * (wins != 1)} corrected by votes in lab correct")
        return f"{'; '.join(parts)}."


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


class PlantedFound(LabFinding):
    """lab/plant.json: who finds which errors."""

    kinds: tuple[PlantedKind, ...] = ()
    everything: PlantedKind
    alarms: tuple[FalseAlarms, ...] = ()

    def told(self) -> str:
        """How many of all errors each finder found, and what it faulted in the good reports."""
        found = [
            f"{finder} found {it.found:,} of {it.n:,}{_share_of(it.found, it.n, it.low, it.high)}"
            for finder, it in self.everything.found.items()
        ]
        alarms = [f"{it.finder} {it.alarms:,} of {it.n:,} {it.unit}" for it in self.alarms]
        faulted = f"; in good reports faulted: {', '.join(alarms)}" if alarms else ""
        return f"Planted errors: {', '.join(found) or 'nobody looked for them'}{faulted}."


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


class ExploitsFound(LabFinding):
    """lab/exploits.json: which metric each undeserving report fools, and which one catches it."""

    honest: tuple[str, ...]
    """First the system of whose reports they were made."""
    rows: tuple[ExploitRow, ...] = ()

    def told(self) -> str:
        """How many exploits each judge and code catch, which they don't, and which of them ``compare`` favours."""
        parts: list[str] = []
        for judge in dict.fromkeys(it.judge for it in self.rows):
            rows = [it for it in self.rows if it.judge == judge]
            missed = [it.exploit.replace("_", " ") for it in rows if not it.n_caught]
            favoured = [it.exploit.replace("_", " ") for it in rows if it.favoured]
            fooled = sum(bool(it.fools) for it in rows)
            part = f"by {judge} {fooled:,} of {len(rows):,} fool a headline, {len(rows) - len(missed):,} are caught"
            part += f", not {', '.join(missed)}" if missed else ""
            parts.append(f"{part}; compare favours {', '.join(favoured) or 'none'}")
        return f"Exploits: {'; '.join(parts)}."


class RecalledField(Record):
    """What a model says by heart of one field of products; ``value`` is the share that is right, of all ``n``."""

    name: str
    n: int
    right: int
    unknown: int
    """Of the others, those where it said that it does not know."""
    value: float | None = None
    low: float | None = None
    """95 %, exact binomial; so is ``high``."""
    high: float | None = None
    chance: float | None = None
    """What would be right had it given another product's value of the same category wherever it gave one."""


class Remembered(Record):
    """What a model knows by heart of the products of one world."""

    model: JudgeRef
    world: str
    """Fingerprint."""
    perturbed_from: str | None = None
    """Of the world that this one was made of, by ``synth --perturb``."""
    seed: str
    n: int
    """Products with an answer."""
    failed: int = 0
    unasked: int = 0
    knows_nothing: int = 0
    """Products of which it said nothing at all."""
    named_in_title: int = 0
    """Products whose title says a name of theirs: in no share of brands."""
    fields: tuple[RecalledField, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.model.spec, self.model.params_hash, self.world, self.seed


class MemoryFound(LabFinding):
    """lab/memory.json: what models know by heart of the shops that agents are asked about."""

    rows: tuple[Remembered, ...] = ()

    def told(self) -> str:
        """The recall of each model beside chance, field by field."""
        parts: list[str] = []
        for it in self.rows[:MOST_TOLD]:
            shares = ", ".join(
                f"{field.name} {with_ends(field.value, field.low, field.high)} (chance {short_share(field.chance)})"
                for field in it.fields
                if field.n
            )
            where = f"{'perturbed ' if it.perturbed_from else ''}world {it.world[:12]}"
            parts.append(f"{it.model.spec} of {it.n:,} products of {where} {shares or 'nothing'}")
        left = f"; {len(self.rows) - MOST_TOLD:,} more in lab memory" if len(self.rows) > MOST_TOLD else ""
        return f"Known by heart, without tools: {'; '.join(parts)}{left}."


def short_share(value: float | None) -> str:
    """ ".64"; a dash where there is none."""
    if value is None:
        return "–"
    shown = f"{round(value, 2) + 0.0:.2f}"  # no -.00
    return shown.replace("0.", ".", 1) if abs(value) < 0.995 else shown


def with_ends(value: float | None, low: float | None, high: float | None) -> str:
    """ ".64 (.61–.67)"; the value alone where there is no interval."""
    if low is None or high is None:
        return short_share(value)
    dash = " to " if round(low, 2) < 0 else "–"
    return f"{short_share(value)} ({short_share(low)}{dash}{short_share(high)})"


def _share_of(found: int, n: int, low: float | None, high: float | None) -> str:
    return f", {with_ends(found / n, low, high)}" if n else ""


def _question(it: Agreed) -> str:
    return " ".join(filter(None, [it.scale, it.dimension.replace("_", " ")]))


def _agreed(it: Agreed) -> str:
    if it.kappa_linear is not None:
        return f"linear κ {short_share(it.kappa_linear)}"
    if it.kappa is None and it.spearman is not None:
        return f"ρ {short_share(it.spearman)}"
    return f"κ {short_share(it.kappa)}"
