"""Findings of the lab, files of ``exp/lab/``: those that rest on people's labels, votes and ratings, and those
that rest on errors, exploits, biases and questions of its own.

All are rows of one long table: a ``Figure`` for each statistic of each thing.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import AliasChoices, ConfigDict, Field, ValidationError, field_validator, model_validator

from drretail.addons.lab.first_format import document_of_1
from drretail.errors import UserError
from drretail.eval.compare.wording import sample
from drretail.files import read_json
from drretail.records.base import Document, Record, Rules
from drretail.records.comparison import Share
from drretail.records.score import JudgeRef
from drretail.records.tables.figures import counted, number, percent, with_interval
from drretail.stats.significance import LEVEL, fewest_users

LEAST_USERS = fewest_users()
"""The fewest users from which anything is concluded: fewer can't reach the level of the test even if all are alike."""
MOST_SHOWN = 4
"""The most systems, or pairs of raters, that one line names."""


class Figure(Share):
    """One statistic of one thing, with its 95% interval over users; the value is None if it is not defined."""

    name: str = ""
    """The statistic, score or effect, such as "kappa_linear", "FP" or "twice minus once"; blank for counts of the whole
    thing.
    """
    of: str = ""
    """A system, a rater, a version, a kind of error, an exploit or a probe."""
    by: str = ""
    """Who judged it or found it; between two raters or systems, the second."""
    part: str = ""
    """A question, a dimension or a half of the queries, or which of several values of this name it is."""
    unit: str = ""
    """ "points" or "share", or what ``n`` counts; blank if that is plain."""
    n: int = 0
    """How many claims, labels, pairs, copies or queries it is over."""
    failed: int = 0
    """Questions to which the judge gave no usable answer; not in ``n``."""
    unasked: int = 0
    """Questions that it was never asked, for example because a cap was reached; not in ``n``."""
    items: dict[str, float | None] = Field(default_factory=dict[str, float | None])
    """Counts and figures behind the value, by name; those that are not known are left out."""
    note: str = ""

    @field_validator("items")
    @classmethod
    def _known(cls, items: dict[str, float | None]) -> dict[str, float | None]:
        return {name: value for name, value in items.items() if value is not None}

    @property
    def in_words(self) -> str:
        """ "0.64 (.61–.67)"; a dash if it is not defined."""
        return with_interval(self.value, self.ci_low, self.ci_high)

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


SECOND = 2
"""The format of the lab's files. Those of version 1.0, in the first, are read as well."""


class _File(Record):
    """A file of the lab."""

    name: ClassVar[str] = ""
    """The name of the file, or of the folder of such files."""
    format: Literal[2] = SECOND

    @model_validator(mode="before")
    @classmethod
    def _of_1(cls, document: Any) -> Any:
        is_first = isinstance(document, dict) and document.get("format") == 1
        return document_of_1(cls.name, document) if is_first else document

    def document(self) -> dict[str, Any]:
        """The content of the file. What has its default is left out."""
        return {"format": self.format, **self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)}


class LabFinding(_File):
    """EXP/lab/NAME.json: what the lab found out about an experiment, with its line beside the scores."""

    line: str = ""
    """One or two sentences."""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """The content hash of each folder that the finding rests on, by path; if one has changed, the finding is stale."""
    options: str = ""
    """The options of the command that name files, people or judges, for the command that makes the finding again."""
    rows: tuple[Figure, ...] = ()

    def summary(self) -> str:
        """The line that stands beside the scores; each kind of finding writes its own."""
        return ""

    def where(self, **fields: str) -> list[Figure]:
        """The rows with these values in these fields."""
        return [row for row in self.rows if all(getattr(row, name) == value for name, value in fields.items())]

    @classmethod
    def path_in(cls, experiment: Path) -> Path:
        return experiment / "lab" / f"{cls.name}.json"

    @classmethod
    def read(cls, experiment: Path) -> Self | None:
        """The finding of an experiment; None if there is none, or none that can be read."""
        path = cls.path_in(experiment)
        with suppress(UserError, ValidationError):
            return cls.model_validate(read_json(path, SECOND)) if path.is_file() else None
        return None


PEOPLE = "people"
"""All people as one rater: the mean of their ratings, or the most frequent label."""
SUMMARISED = {"kappa_linear": "linear κ", "spearman": "ρ", "kappa": "κ"}
"""The first of these statistics that two raters have sums up how far they agree, and has an interval."""


class Agreement(LabFinding):
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
        named: list[str] = []
        for (question, first, second), figures in pairs.items():
            if first == PEOPLE or (question, second) not in with_all:
                name = summarised(figures)
                about = f"{question.replace(':', '')}: {first} and {second} {SUMMARISED[name]}"
                named.append(f"{about} {figures[name].in_words} of {figures[name].n:,}")
        return f"Agreement: {'; '.join(_first(named, 'in lab agree')) or 'no two raters said something of the same'}."


def summarised(figures: Iterable[str]) -> str:
    """The statistic that sums up how far two raters agree."""
    known = {*figures, "kappa"}
    return next(name for name in SUMMARISED if name in known)


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

    name = "cards"
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


TUNING, HELD_OUT, NEARER = "tuning", "held_out", "nearer"
MAD, PCA, KAPPA = "MAD", "PCA", "κ"
"""Ratings have a MAD and, with several systems, a PCA; all other answers have κ."""


class Calibration(LabFinding):
    """lab/calibrate.json: which version is nearest to people.

    Each version is measured on the tuning and on the held-out queries, over ``n`` pairs of a person's answer and its
    own. The part "nearer" is how much nearer to people than it the chosen version is, on the held-out queries.

    ``chosen`` was the nearest version on the tuning queries when it was chosen. It stays, whatever later versions show.
    """

    name = "calibrate"
    question: str
    model: str = ""
    """ "provider:model"; the choice holds for no other model."""
    seed: str
    split: str
    """A hash of which queries are tuning queries and which are held out."""
    n_tuning: int
    """In queries, like ``n_held_out``."""
    n_held_out: int
    chosen: str
    prompt_hash: str = ""
    """A hash of all prompts of the chosen version; blank for a judge from a file in version 1.0."""

    def nearness(self, part: str) -> dict[str, list[Figure]]:
        """By version, how near it is to people in one half of the queries."""
        return {version: rows for (version,), rows in grouped(self.where(part=part), "of").items()}

    def summary(self) -> str:
        """How near the chosen version is to people on held-out queries, and whether others are shown to be farther."""
        count, gaps = len(self.nearness(TUNING)), self.where(part=NEARER)
        named = ", ".join(f"{gap.of} by {gap.name} {gap.in_words}" for gap in gaps)
        are_farther = all(gap.ci_low is not None and gap.ci_low > 0 for gap in gaps)
        beside = f"; {'nearer to people than' if are_farther else 'not shown to be nearer than'} {named}"
        if not gaps:
            beside = ""
        elif self.n_held_out < LEAST_USERS:
            beside = f"; too few to say whether it is nearest: it takes {LEAST_USERS}"
        return (
            f"Calibrated on {self.question}: {self.chosen}, chosen of {counted(count, 'version')} on {self.n_tuning} "
            f"queries; on {self.n_held_out} others {near_in_words(self.nearness(HELD_OUT)[self.chosen])}{beside}."
        )


def near_in_words(rows: Iterable[Figure]) -> str:
    """ "MAD 0.90 (.60–1.20), PCA 0.80 (.71–.88)"."""
    shown = [f"{row.name} {row.in_words}" for row in rows if row.value is not None]
    return ", ".join(shown) or "nothing can be told"


SHARES = ("FP", "FR")
"""The corrected values that are shares of claims; all others are win rates."""
CORRECTED, ALONE, JUDGED, APART = "corrected", "labels alone", "judge alone", "difference"
"""The parts of a correction."""
LEAST_LABELS = 20
"""Nothing is corrected with fewer labels of a system, or votes on a pair: coverage of .93 was not measured there."""


class Correction(LabFinding):
    """lab/correct.json: FP, FR and win rates of systems as people would give them, each in several ``part``s.

    - "corrected": with the verdicts ``by`` a judge, from ``n`` labels of the ``items`` that could be labelled, cut at 0
      and 1; without a value below ``LEAST_LABELS``. ``gain`` is how many times more labels, drawn by lot, would give an
      equally narrow interval without verdicts: below 1 the judge costs labels.
    - "labels alone": from the labels without the verdicts.
    - "judge alone": the judge's own value, as on the scoreboard.
    - "difference": how much higher FP of one system is than ``by`` another's, from ``n`` labels. ``needed`` labels in
      all would show a difference as large as this; it is left out if no number on these reports would.
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
        """Each FP and FR as people would give it beside the judge's own, and the number of corrected win rates."""
        values, parts = self.values(), list[str]()
        for what in SHARES:
            named = [
                f"{system} {its[CORRECTED].in_words}, by {judge} alone {number(its[JUDGED].value)}, "
                f"{counted(its[CORRECTED].n, 'label')}"
                for (name, system, judge), its in values.items()
                if name == what
            ]
            if named:
                parts.append(f"{what} as people would give it: {'; '.join(_first(named, 'systems in lab correct'))}")
        wins = sum(name not in SHARES for name, *_ in values)
        parts += [f"{counted(wins, 'win rate')} corrected by votes in lab correct"] if wins else []
        return f"{'; '.join([*parts, *_first(self.missing(), 'lack labels')])}."


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


PLANTED, FOUND, ALARMS, EVERY_KIND = "planted", "found", "alarms", "all"


class PlantedFound(LabFinding):
    """lab/plant.json: which finder finds which errors. Of each kind of error, and of "all":

    - "planted": ``n`` copies; ``no place``: reports without a place for such an error.
    - "found" ``by`` the checks or a judge: the share of the ``n`` copies whose place was judged, binomial over the
      reports that were copied. ``found`` counts them, and ``unjudged`` the copies without a claim to judge at the
      place, such as a sentence that cites nothing. ``false`` counts copies with replaced words whose original, which is
      right at that place, the finder faulted there.

    "alarms": the share that a finder faults of the ``n`` reports or claims from which the copies were made.
    """

    name = "plant"

    def summary(self) -> str:
        """How many of all errors each finder found, and how much it faulted in the good reports."""
        recalls: list[str] = []
        for recall in self.where(name=FOUND, of=EVERY_KIND):
            left = [unanswered_in_words(recall.failed, recall.unasked)]
            if recall.count("unjudged"):
                left.insert(0, f"{recall.count('unjudged'):,} hold no claim to judge")
            beside = ", ".join(filter(None, left))
            found = f"found {recall.count(FOUND):,} of {recall.n:,}, {recall.in_words}" if recall.n else "judged none"
            recalls.append(f"{recall.by} {found}{f' ({beside})' if beside else ''}")
        alarms = [f"{row.by} {row.count(ALARMS):,} of {row.n:,} {row.unit}" for row in self.where(name=ALARMS)]
        faulted = f"; in good reports faulted: {', '.join(alarms)}" if alarms else ""
        return f"Planted errors: {', '.join(recalls) or 'nobody looked for them'}{faulted}."


BELOW, ABOVE, LEVEL_WITH = "below", "above", "level"


class ExploitsFound(LabFinding):
    """lab/exploits.json: which worthless reports are caught, and in which headline.

    Of each exploit ``by`` each judge:

    - without a name, the ``n`` queries on which it differs from the honest report at all, since half a cart does not if
      one thing is wanted; ``needed`` is the fewest from which any difference could be concluded.
    - each primary headline: the mean difference, exploit minus honest, on the same queries, with the means ``exploit``
      and ``honest``. By ``part`` it is concluded to be below or above the honest reports, and above not just because it
      says less; or it is level with them.
    """

    name = "exploits"
    honest: tuple[str, ...]
    """Honest systems; the first is the one from whose reports the exploits were made."""

    def by_judge(self) -> dict[str, dict[str, "Exploited"]]:
        made: dict[str, dict[str, Exploited]] = {}
        for (judge, exploit), rows in grouped(self.rows, "by", "of").items():
            made.setdefault(judge, {})[exploit] = Exploited(rows)
        return made

    def summary(self) -> str:
        """How many exploits each judge and code catch, which they miss, and which are above the honest reports."""
        parts: list[str] = []
        for judge, exploits in self.by_judge().items():
            if not any(each.is_concluded for each in exploits.values()):
                most, needed = max(each.n for each in exploits.values()), min(each.needed for each in exploits.values())
                parts.append(f"by {judge} nothing is concluded: {most:,} queries, and it takes {needed:,}")
                continue
            missed = [name.replace("_", " ") for name, each in exploits.items() if not each.is_caught]
            above = [name.replace("_", " ") for name, each in exploits.items() if each.gaps(ABOVE)]
            part = f"by {judge} {len(exploits) - len(missed):,} of {len(exploits):,} are caught"
            part += f", not {', '.join(missed)}" if missed else ""
            parts.append(f"{part}; above the honest reports: {', '.join(above) or 'none'}")
        return f"Exploits: {'; '.join(parts)}."


class Exploited:
    """One exploit as measured by one judge and by code, over all planned runs."""

    def __init__(self, rows: Iterable[Figure]) -> None:
        whole, *self._gaps = sorted(rows, key=lambda row: bool(row.name))
        self.n, self.needed = whole.n, whole.count("needed")

    def gaps(self, part: str) -> list[Figure]:
        return [row for row in self._gaps if row.part == part]

    @property
    def is_concluded(self) -> bool:
        """True if there are enough queries to conclude anything."""
        return self.n >= self.needed

    @property
    def is_caught(self) -> bool:
        """True if it is below the honest reports in a primary headline and above them in none."""
        return bool(self.gaps(BELOW)) and not self.gaps(ABOVE)


class BiasFound(LabFinding):
    """lab/bias.json: how judges are biased. Of each probe ``by`` each judge:

    - without a name, the judgements that it reads or asks for and that lack an answer, and in ``note`` why it has no
      effects.
    - its effects, the main one first, by dimension, over ``n`` queries and ``items`` ratings, comparisons or claims on
      them. ``neutral`` is the value of a judge without the bias, left out if no value shows that; ``p`` that of the
      test that flips the signs of users, as ``compare`` makes it; ``detectable`` the smallest true effect that this
      many users show with 80 % power, left out if their spread is unknown.
    """

    name = "bias"
    reports: str
    """A hash of the probed reports. Results on other reports are not kept."""

    def probes(self) -> dict[tuple[str, ...], tuple[Figure, list[Figure]]]:
        """By judge and probe: the counts of the whole, and the effects."""
        by_probe = grouped(self.rows, "by", "of").items()
        return {key: (rows[0], rows[1:]) for key, rows in by_probe}

    def summary(self) -> str:
        """For each judge, each probe's main effect, or if no bias was found the smallest that would have been seen."""
        named: dict[str, list[str]] = {}
        for (judge, probe), (whole, effects) in self.probes().items():
            left = unanswered_in_words(whole.failed, whole.unasked)
            parts = [*map(effect_in_words, effects[:1]), *([left] if left else [])]
            named.setdefault(judge, []).extend([f"{probe.replace('_', ' ')}: {', '.join(parts)}"] if parts else [])
        judges = [f"{judge}: {'; '.join(parts) or 'no probe has an answer'}" for judge, parts in named.items()]
        return f"Biases of {'. '.join(judges) or 'nobody'}."


TOO_FEW = f"too few to conclude: it takes {LEAST_USERS}"


def users_of(effect: Figure) -> int:
    """The number of users, or of queries if no user is known."""
    return effect.n if effect.n_users is None else effect.n_users


def is_found(effect: Figure) -> bool | None:
    """True if the test and the interval both exclude the neutral value, as ``compare`` concludes.

    If all queries have the same value there is no interval, and the test alone decides. None below ``LEAST_USERS``,
    or without a neutral value.
    """
    neutral, p = effect.items.get("neutral"), effect.items.get("p")
    if neutral is None or users_of(effect) < LEAST_USERS:
        return None
    if effect.ci_low is not None and effect.ci_high is not None and effect.ci_low <= neutral <= effect.ci_high:
        return False
    # Findings of version 1.0 have no p.
    return effect.value != neutral and (p is None or p <= LEVEL)


def effect_in_words(effect: Figure) -> str:
    """The effect on so many queries; if no bias was found, with the smallest effect that they would have shown."""
    text = f"{effect.name} {effect.in_words} on {sample(effect.n, effect.n_users)}"
    if "neutral" not in effect.items:
        return text
    if is_found(effect) is None:
        return f"{text}, {TOO_FEW}"
    return text if is_found(effect) else f"none found ({text}; {seen_from(effect)})"


def seen_from(effect: Figure) -> str:
    """The smallest effect that would have been seen; if all queries are alike, how many others may not be."""
    detectable = effect.items.get("detectable")
    if detectable is not None:
        return f"{number(detectable)} would have been seen in four of five"
    return (
        f"all alike, and yet up to {percent(1 - 0.025 ** (1 / max(users_of(effect), 1)))} of other queries may not be"
    )
