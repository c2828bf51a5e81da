"""What the lab finds out by errors, exploits, biases and questions of its own; files of ``exp/lab/``."""

from pydantic import AliasChoices, ConfigDict, Field

from drretail.lab.finding import LabFinding, unanswered_in_words
from drretail.records.base import Document, Record
from drretail.tables.figures import number, percent, with_interval


class PlantedError(Record):
    """One copy of a report with one error; offsets are those of the copy."""

    model_config = ConfigDict(serialize_by_alias=True)

    run_id: str
    """Of the copy."""
    of: str
    """The run whose report was copied."""
    kind: str
    start: int
    end: int
    text: str = Field(validation_alias=AliasChoices("said", "text"), serialization_alias="said")
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
    """Copies whose place was judged."""
    found: int
    unjudged: int = 0
    """Copies without a claim to be judged at the place, such as a sentence that cites nothing; not in ``n``."""
    failed: int = 0
    """Copies on which the judge gave no usable answer; not in ``n``."""
    unasked: int = 0
    """Copies that were never put to the judge, as when a cap was reached; not in ``n``."""
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

    def summary(self) -> str:
        """How many of all errors each finder found, and what it faulted in the good reports."""
        found = [_recall_in_words(finder, recall) for finder, recall in self.everything.found.items()]
        alarms = [f"{alarm.finder} {alarm.alarms:,} of {alarm.n:,} {alarm.unit}" for alarm in self.alarms]
        faulted = f"; in good reports faulted: {', '.join(alarms)}" if alarms else ""
        return f"Planted errors: {', '.join(found) or 'nobody looked for them'}{faulted}."


def _recall_in_words(finder: str, found_one: Found) -> str:
    """What a finder found of the places that it judged, and why it judged no others."""
    left = [f"{found_one.unjudged:,} hold no claim to judge"] if found_one.unjudged else []
    left += [words] if (words := unanswered_in_words(found_one.failed, found_one.unasked)) else []
    beside = f" ({', '.join(left)})" if left else ""
    if not found_one.n:
        return f"{finder} judged none{beside}"
    share = f", {with_interval(found_one.found / found_one.n, found_one.low, found_one.high)}"
    return f"{finder} found {found_one.found:,} of {found_one.n:,}{share}{beside}"


class HeadlineGap(Record):
    """One primary headline of one exploit beside that of the honest reports it is made of, on the same queries."""

    name: str
    value: float | None
    honest: float | None
    low: float | None = None
    """Of the mean difference, exploit minus honest, 95 %; so is ``high``."""
    high: float | None = None
    n: int


class ExploitRow(Record):
    """One exploit by one judge and by code, over all planned runs."""

    exploit: str
    judge: str
    n: int
    """Queries on which it differs from the honest report at all: half a cart does not where one thing is wanted."""
    needed: int
    """The fewest queries of which any difference could be concluded."""
    below: tuple[HeadlineGap, ...] = ()
    """Where it is concluded to be below the honest reports."""
    above: tuple[HeadlineGap, ...] = ()
    """Where it is concluded to be above them, and not by saying less."""
    level: tuple[HeadlineGap, ...] = ()
    """The other headlines."""

    @property
    def is_concluded(self) -> bool:
        """Whether there are queries enough to conclude anything."""
        return self.n >= self.needed

    @property
    def is_caught(self) -> bool:
        """Whether it is below the honest reports in a primary headline, and above them in none."""
        return bool(self.below) and not self.above


class ExploitsFound(LabFinding):
    """lab/exploits.json: which reports that deserve nothing are caught, and in which headline."""

    honest: tuple[str, ...]
    """First the system of whose reports they were made."""
    rows: tuple[ExploitRow, ...] = ()

    def summary(self) -> str:
        """How many exploits each judge and code catch, and which of them stay open."""
        parts: list[str] = []
        for judge in dict.fromkeys(row.judge for row in self.rows):
            rows = [row for row in self.rows if row.judge == judge]
            if not any(row.is_concluded for row in rows):
                most, needed = max(row.n for row in rows), min(row.needed for row in rows)
                parts.append(f"by {judge} nothing is concluded: {most:,} queries, and it takes {needed:,}")
                continue
            missed = [row.exploit.replace("_", " ") for row in rows if not row.is_caught]
            above = [row.exploit.replace("_", " ") for row in rows if row.above]
            part = f"by {judge} {len(rows) - len(missed):,} of {len(rows):,} are caught"
            part += f", not {', '.join(missed)}" if missed else ""
            parts.append(f"{part}; above the honest reports: {', '.join(above) or 'none'}")
        return f"Exploits: {'; '.join(parts)}."


LEAST_QUERIES = 6
"""Queries from which a bias is concluded. Measured over nulls of whole ratings and preferences, the intervals give a
false alarm in up to .26 of cases on 3 queries, .13 on 4, .09 on 5, and at most .07 from 6 on."""


class BiasEffect(Record):
    """One effect of a judge's bias, with its 95 % interval over queries."""

    name: str
    dimension: str
    unit: str = ""
    """points, or share."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int
    """Queries."""
    n_items: int
    """Ratings, comparisons or claims on them."""
    neutral: float | None = None
    """What a judge without the bias has; None where no value says so."""
    detectable: float | None = None
    """The smallest true effect that so many queries show with 80 % power; None where nothing tells their spread."""

    @property
    def is_found(self) -> bool | None:
        """Whether the interval lies apart from what is neutral; None of few queries, or where nothing is neutral.

        Queries that are all alike have no interval: nothing was found where they are all neutral.
        """
        if self.neutral is None or self.n < LEAST_QUERIES:
            return None
        if self.low is None or self.high is None:
            return False if self.value == self.neutral else None
        return not self.low <= self.neutral <= self.high


class ProbeFound(Record):
    """One probe of one judge: its effects, the one that stands for it first; without any, why."""

    probe: str
    judge: str
    effects: tuple[BiasEffect, ...] = ()
    reason: str = ""
    failed: int = 0
    """Judgements that it reads, or asks for, to which the judge gave no usable answer."""
    unasked: int = 0
    """Those that were never asked."""


class BiasFound(LabFinding):
    """lab/bias.json: how judges are biased."""

    reports: str
    """Names the reports that they were probed on; what was found on others is not kept."""
    probes: tuple[ProbeFound, ...] = ()

    def summary(self) -> str:
        """Of each judge the first effect of every probe; a bias that was not found, with what would have been seen."""
        parts: list[str] = []
        for judge in dict.fromkeys(probe.judge for probe in self.probes):
            named: list[str] = []
            for probe in self.probes:
                left = unanswered_in_words(probe.failed, probe.unasked)
                if probe.judge == judge and (probe.effects or left):
                    parts_of_probe = [effect_in_words(probe.effects[0])] if probe.effects else []
                    named.append(
                        f"{probe.probe.replace('_', ' ')}: {', '.join([*parts_of_probe, *filter(None, [left])])}"
                    )
            parts.append(f"{judge}: {'; '.join(named) or 'no probe has an answer'}")
        return f"Biases of {'. '.join(parts) or 'nobody'}."


def effect_in_words(effect: BiasEffect) -> str:
    """What was found; where none was, on how many queries, and the smallest effect that they would have shown."""
    queries = f"{effect.n:,} quer{'y' if effect.n == 1 else 'ies'}"
    text = f"{effect.name} {with_interval(effect.value, effect.low, effect.high)} on {queries}"
    if effect.neutral is None:
        return text
    if effect.is_found is None:
        return f"{text}, {why_open(effect)}"
    if effect.is_found:
        return text
    return f"none found ({text}; {seen_from(effect)})"


def why_open(effect: BiasEffect) -> str:
    """Why an effect with a neutral value is neither found nor not found."""
    return f"too few to conclude: it takes {LEAST_QUERIES}" if effect.n < LEAST_QUERIES else "the same on every query"


def seen_from(effect: BiasEffect) -> str:
    """What an effect would have had to be to be seen; of queries that are all alike, how many others may not be."""
    if effect.detectable is not None:
        return f"{number(effect.detectable)} would have been seen in four of five"
    return f"all alike, and yet up to {percent(1 - 0.025 ** (1 / max(effect.n, 1)))} of other queries may not be"
