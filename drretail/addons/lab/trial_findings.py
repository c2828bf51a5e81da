"""Findings of the lab that rest on errors, exploits, biases and questions of its own; files of ``exp/lab/``."""

from pydantic import AliasChoices, ConfigDict, Field

from drretail.addons.lab.finding import LabFinding, Measured, WithEnds, unanswered_in_words
from drretail.eval.compare.wording import sample
from drretail.records.base import Document, Record
from drretail.records.tables.figures import number, percent, with_interval
from drretail.stats.significance import LEVEL, fewest_users


class PlantedError(Record):
    """One copy of a report with one error; offsets are in the copy."""

    model_config = ConfigDict(serialize_by_alias=True)

    run_id: str
    """The copy's run."""
    of: str
    """The run whose report was copied."""
    kind: str
    start: int
    end: int
    text: str = Field(validation_alias=AliasChoices("said", "text"), serialization_alias="said")
    original: str = ""
    """The words that were replaced; blank if a sentence was added."""
    note: str = ""
    """Why it is wrong."""


class PlantedErrors(Document):
    """lab/planted/planted.json: the copies that were made."""

    seed: str
    errors: tuple[PlantedError, ...] = ()
    without_place: dict[str, int] = Field(default_factory=dict[str, int])
    """By kind, the number of reports without a place for such an error."""
    n_reports: int
    """Good reports that could be copied."""


class Found(WithEnds):
    """How many of some copies' errors one finder found, each judged at its place.

    The interval is that of found / n, binomial over the reports that were copied.
    """

    n: int
    """Copies whose place was judged."""
    found: int
    unjudged: int = 0
    """Copies without a claim to judge at the place, such as a sentence that cites nothing; not in ``n``."""
    failed: int = 0
    """Copies on which the judge gave no usable answer; not in ``n``."""
    unasked: int = 0
    """Copies that the judge was never asked about, for example because a cap was reached; not in ``n``."""
    n_originals: int = 0
    """Copies with replaced words whose original the finder judged at that place."""
    false: int = 0
    """Of those originals, which are right at that place, the ones that the finder faulted."""
    n_fresh: int = 0
    """Copies whose original the finder passed there, or with an added sentence; it found ``found_fresh`` of them."""
    found_fresh: int = 0


class PlantedKind(Record):
    """One kind of error; ``found`` is by finder: "checks" or a judge's name."""

    kind: str
    n: int
    without_place: int = 0
    found: dict[str, Found] = Field(default_factory=dict[str, Found])


class FalseAlarms(WithEnds):
    """What one finder faults in the reports from which the copies were made."""

    finder: str
    unit: str
    """ "reports" or "claims"."""
    n: int
    alarms: int


class PlantedFound(LabFinding):
    """lab/plant.json: which finder finds which errors."""

    kinds: tuple[PlantedKind, ...] = ()
    everything: PlantedKind
    alarms: tuple[FalseAlarms, ...] = ()

    def summary(self) -> str:
        """How many of all errors each finder found, and how much it faulted in the good reports."""
        recalls = [_recall_in_words(finder, recall) for finder, recall in self.everything.found.items()]
        alarms = [f"{alarm.finder} {alarm.alarms:,} of {alarm.n:,} {alarm.unit}" for alarm in self.alarms]
        faulted = f"; in good reports faulted: {', '.join(alarms)}" if alarms else ""
        return f"Planted errors: {', '.join(recalls) or 'nobody looked for them'}{faulted}."


def _recall_in_words(finder: str, recall: Found) -> str:
    """How many errors a finder found among the places that it judged, and why it judged no others."""
    left = [f"{recall.unjudged:,} hold no claim to judge"] if recall.unjudged else []
    left += [words] if (words := unanswered_in_words(recall.failed, recall.unasked)) else []
    beside = f" ({', '.join(left)})" if left else ""
    if not recall.n:
        return f"{finder} judged none{beside}"
    share = f", {with_interval(recall.found / recall.n, recall.low, recall.high)}"
    return f"{finder} found {recall.found:,} of {recall.n:,}{share}{beside}"


class HeadlineGap(WithEnds):
    """One primary headline of an exploit beside that of the honest reports it is made from, on the same queries.

    The interval is that of the mean difference, exploit minus honest.
    """

    name: str
    value: float | None
    honest: float | None
    n: int


class ExploitRow(Record):
    """One exploit as measured by one judge and by code, over all planned runs."""

    exploit: str
    judge: str
    n: int
    """Queries on which it differs from the honest report at all; half a cart does not differ if one thing is wanted."""
    needed: int
    """The fewest queries from which any difference could be concluded."""
    below: tuple[HeadlineGap, ...] = ()
    """Headlines in which it is concluded to be below the honest reports."""
    above: tuple[HeadlineGap, ...] = ()
    """Headlines in which it is concluded to be above them, and not just because it says less."""
    level: tuple[HeadlineGap, ...] = ()
    """The other headlines."""

    @property
    def is_concluded(self) -> bool:
        """True if there are enough queries to conclude anything."""
        return self.n >= self.needed

    @property
    def is_caught(self) -> bool:
        """True if it is below the honest reports in a primary headline and above them in none."""
        return bool(self.below) and not self.above


class ExploitsFound(LabFinding):
    """lab/exploits.json: which worthless reports are caught, and in which headline."""

    honest: tuple[str, ...]
    """Honest systems; the first is the one from whose reports the exploits were made."""
    rows: tuple[ExploitRow, ...] = ()

    def summary(self) -> str:
        """How many exploits each judge and code catch, which they miss, and which are above the honest reports."""
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


LEAST_USERS = fewest_users()
"""The fewest users from which a bias is concluded: fewer can't reach the level of the test even if all are alike."""


class BiasEffect(Measured):
    """One effect of a judge's bias, with its 95 % interval over users."""

    name: str
    dimension: str
    unit: str = ""
    """ "points" or "share"; blank for a plain count or number."""
    n: int
    """Queries."""
    n_users: int | None = None
    """Number of these queries' users; None if no user is known."""
    n_items: int
    """Ratings, comparisons or claims on these queries."""
    p: float | None = None
    """p of the test that flips the signs of users, as ``compare`` makes it; only with a neutral value."""
    neutral: float | None = None
    """The value of a judge without the bias; None if no value shows that."""
    detectable: float | None = None
    """The smallest true effect that this many users show with 80 % power; None if their spread is unknown."""

    @property
    def users(self) -> int:
        """The number of users, or of queries if no user is known."""
        return self.n if self.n_users is None else self.n_users

    @property
    def is_found(self) -> bool | None:
        """True if the test and the interval both exclude the neutral value, as ``compare`` concludes.

        If all queries have the same value there is no interval, and the test alone decides. None below ``LEAST_USERS``,
        or without a neutral value.
        """
        if self.neutral is None or self.users < LEAST_USERS:
            return None
        if self.low is not None and self.high is not None and self.low <= self.neutral <= self.high:
            return False
        # Findings of version 1.0 have no p.
        return self.value != self.neutral and (self.p is None or self.p <= LEVEL)


class ProbeFound(Record):
    """One probe of one judge: its effects, the main one first, or the reason why there are none."""

    probe: str
    judge: str
    effects: tuple[BiasEffect, ...] = ()
    reason: str = ""
    failed: int = 0
    """Judgements that the probe reads or asks for, to which the judge gave no usable answer."""
    unasked: int = 0
    """Such judgements that were never asked for."""


class BiasFound(LabFinding):
    """lab/bias.json: how judges are biased."""

    reports: str
    """A hash of the probed reports. Results on other reports are not kept."""
    probes: tuple[ProbeFound, ...] = ()

    def summary(self) -> str:
        """For each judge, each probe's main effect, or if no bias was found the smallest that would have been seen."""
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


TOO_FEW = f"too few to conclude: it takes {LEAST_USERS}"


def effect_in_words(effect: BiasEffect) -> str:
    """The effect on so many queries; if no bias was found, with the smallest effect that they would have shown."""
    on = sample(effect.n, effect.n_users)
    text = f"{effect.name} {with_interval(effect.value, effect.low, effect.high)} on {on}"
    if effect.neutral is None:
        return text
    if effect.is_found is None:
        return f"{text}, {TOO_FEW}"
    if effect.is_found:
        return text
    return f"none found ({text}; {seen_from(effect)})"


def seen_from(effect: BiasEffect) -> str:
    """The smallest effect that would have been seen; if all queries are alike, how many others may not be."""
    if effect.detectable is not None:
        return f"{number(effect.detectable)} would have been seen in four of five"
    return f"all alike, and yet up to {percent(1 - 0.025 ** (1 / max(effect.users, 1)))} of other queries may not be"
