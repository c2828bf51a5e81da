"""Findings of the lab, files of ``exp/lab/``: those that rest on people's labels, votes and ratings, and those
that rest on errors, exploits, biases and questions of its own.
"""

from pydantic import AliasChoices, ConfigDict, Field

from drretail.eval.compare.wording import sample
from drretail.records.base import Document, Record, Rules
from drretail.records.score import JudgeRef
from drretail.records.tables.figures import number, percent, with_interval
from drretail.stats.intervals import Interval
from drretail.stats.significance import LEVEL, fewest_users

MOST_SHOWN = 4
"""The most systems, or pairs of raters, that one line names."""


class LabFinding(Document):
    """EXP/lab/NAME.json: what the lab found out about an experiment, with its line beside the scores."""

    line: str = ""
    """One or two sentences."""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """The content hash of each folder that the finding rests on, by path; if one has changed, the finding is stale."""
    options: str = ""
    """The options of the command that name files, people or judges, for the command that makes the finding again."""

    def summary(self) -> str:
        """The line that stands beside the scores; each kind of finding writes its own."""
        return ""


class WithEnds(Record):
    """What has a 95% interval; the ends are None if it has none."""

    low: float | None = None
    high: float | None = None


class Measured(WithEnds):
    """A statistic with its 95% interval; the value is None if it is not defined."""

    value: float | None = None

    @classmethod
    def of(cls, interval: Interval) -> "Measured":
        return cls(value=interval.value, low=interval.low, high=interval.high)

    @property
    def in_words(self) -> str:
        """ "0.64 (.61–.67)"; a dash if it is not defined."""
        return with_interval(self.value, self.low, self.high)


def unanswered_in_words(failed: int, unasked: int) -> str:
    """ "3 judgements failed, 2 were never asked"; blank if every question has an answer."""
    parts = [f"{failed:,} judgement{'s' * (failed != 1)} failed"] if failed else []
    parts += [f"{unasked:,} {'was' if unasked == 1 else 'were'} never asked"] if unasked else []
    return ", ".join(parts)


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

    model_config = ConfigDict(extra="ignore")  # as of ``Found``

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

    model_config = ConfigDict(extra="ignore")  # files of version 1.0 have fields that nothing reads

    n: int
    """Copies whose place was judged."""
    found: int
    unjudged: int = 0
    """Copies without a claim to judge at the place, such as a sentence that cites nothing; not in ``n``."""
    failed: int = 0
    """Copies on which the judge gave no usable answer; not in ``n``."""
    unasked: int = 0
    """Copies that the judge was never asked about, for example because a cap was reached; not in ``n``."""
    false: int = 0
    """Copies with replaced words whose original, which is right at that place, the finder faulted there."""
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
    """One effect of a judge's bias, with its 95% interval over users."""

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
