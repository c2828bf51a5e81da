"""Verdicts of judges on runs, the scores that pure code makes from them, and the scoreboard of these."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from drretail.errors import UnknownName, UserError
from drretail.records.account import Account
from drretail.records.base import Document, Estimated, ModelKind, OfJudge, Record, Rules
from drretail.records.comparison import ComparedRow, PairScore
from drretail.records.figures import number
from drretail.records.reading import JudgeAudit
from drretail.records.run import System

Unit = Literal["share", "rating", "grade", "percent", "count", "words", "tokens", "dollars"]
"""A share is 0 to 1, a rating 0 to 10, a grade 0 to 4, a percent 0 to 100; the others are numbers of things in a report
or run.
"""


class BoardColumn(Record):
    """A variant that a metric puts on the board."""

    variant: str = ""
    table: str = ""
    """The title of the board's table that it stands in. If blank, the metric's, or the decision table if it decides."""
    is_brief: bool = False
    """True if it also stands where there is little room."""
    meaning: str = ""
    """What it means, in a few words that begin in lower case; if blank, what the metric says of the variant."""
    unit: Unit | None = None
    """Set if neither a count nor what the metric's scale says."""
    decides: bool = False
    """True if it belongs to the first table, of decisions: what was bought or refused, and which answers are false."""
    is_counted: bool = False
    """True if a run's value is 0 or 1, so that the column counts runs: "9 of 10"."""
    apart: tuple[str, ...] = ()
    """The headings of the two parts of a counted column: the second is of the runs in which ``apart_by`` is n/a."""
    apart_by: str = ""


class MetricDescription(Record):
    """A metric's description of itself, so that no table or page has to know the metric. All fields but the
    title have defaults.

    Fields that name variants keep the order of the metric's own tables.
    """

    title: str
    """The heading of its tables."""
    meaning: str = ""
    """What its numbers mean, in one or two sentences below its tables."""
    meanings: dict[str, str] = Field(default_factory=dict[str, str])
    """What single variants mean, each in a few words, for readers who meet their names in a table."""
    headlines: tuple[str, ...] = ()
    """Variants that are also shown for parts of the queries. If empty, the first variants that are not pooled."""
    compared: tuple[str, ...] = ()
    """Variants in which two systems are compared. If empty, the headlines."""
    success: tuple[str, ...] = ()
    """Variants of success: every planned run counts, and a failed run is 0. All others are of reports: means over the
    reports that have a value.
    """
    primary: tuple[str, ...] = ()
    """Headlines: the variants by which systems are chosen, whose tests are corrected together. Nothing is concluded
    from the others.
    """
    scoreboard: tuple[BoardColumn, ...] = ()
    """Its columns on the scoreboard. If empty, it has none."""
    summaries: tuple[str, ...] = ()
    """Variants that sum it up, as in the table of judges' agreement. If empty, the first variant."""
    groups: dict[str, str] = Field(default_factory=dict[str, str])
    """By variant: its group. Variants of one group stand side by side."""
    scale: Literal["share", "rating", "grade", "percent"] = "share"
    """0 to 1, 0 to 10, 0 to 4, or 0 to 100."""
    counts: tuple[str, ...] = ()
    """Variants in a unit of their own."""
    differences: tuple[str, ...] = ()
    """Variants that are one share minus another, -1 to 1: they are no shares, even if they happen to lie in 0 to 1."""
    higher_is_better: bool = True
    """False if a high value is bad, or neither good nor bad: there is no bar to reach."""
    errors: tuple[str, ...] = ()
    """Variants that count or share out errors: less is better, whatever the others are."""
    named_by_variant: bool = False
    """True if a variant's name is clear without the metric's."""
    folds_perfect: bool = False
    """True if errors that no system made are folded into one sentence, all but the summaries."""
    self_checked: bool = False
    """True if an agent may remove from its own reports what this metric finds."""
    bounded_by_oracle: bool = False
    """True if no system can be better than one that knows the best basket."""
    judges: dict[str, str] = Field(default_factory=dict[str, str])
    """By a judge's key: one line on how it compared with people's labels, shown beside its scores."""

    @field_validator("scoreboard")
    @classmethod
    def _have_meanings(cls, columns: tuple[BoardColumn, ...], info: ValidationInfo) -> tuple[BoardColumn, ...]:
        meanings = info.data.get("meanings", {})
        return tuple(
            column.model_copy(update={"meaning": column.meaning or meanings.get(column.variant, "")})
            for column in columns
        )

    def less_is_better(self, variant: str) -> bool:
        return not self.higher_is_better or variant in self.errors

    def name_of(self, metric: str, variant: str) -> str:
        """A variant's one name in all outputs: with the metric's where the variant alone says little."""
        return variant if self.named_by_variant or variant == metric else f"{metric} {variant}"

    def known_of(self, judge: "JudgeRef", rules: Rules) -> tuple[str, ...]:
        """The judge's line in ``judges``, or nothing if nobody measured it, or not by these rules."""
        line = self.judges.get(judge.key) if rules == "default" else None
        return () if line is None else (line,)


WHOLES = {"share": 1.0, "rating": 10.0, "grade": 4.0, "percent": 100.0}
"""The highest value of each scale; the lowest is 0."""
SliceBy = Literal["category", "kind", "needs", "turn"]
"""How queries are grouped: by what is wanted, or by the kind of need."""


class Agreement(Record):
    """How far two judges agree on one variant of a metric, under the same rules (paper Appendix E).

    Only reports of systems that research count (no null agents, no oracle, nobody else's profile), and only those that
    both judges scored. A statistic that is not defined is None: one report, or values that never change.
    """

    metric: str
    variant: str
    rules: Rules = "default"
    first: str
    """"provider:model", with a hash behind it where parameters tell two judges apart."""
    second: str
    n_reports: int
    n_dropped: int
    """Reports that only one of the two scored."""
    rho_report: float | None = None
    """Spearman's ρ over reports."""
    n_systems: int
    rho_system: float | None = None
    """Spearman's ρ over the systems' means."""
    exact: float | None = None
    """Share of reports with equal values."""
    difference: float | None = None
    """Mean of |first − second|, in the variant's own unit."""


VerdictState = Literal["scored", "na", "unverifiable", "failed"]
Order = Literal["ab", "ba"]
CODE = "code"
"""The judge of metrics that need no model."""


class JudgeRef(Record):
    """Who judged: "provider:model", or "code" for checks that need no model."""

    spec: str
    kind: ModelKind
    params_hash: str = ""

    @property
    def key(self) -> str:
        """The spec with the hash of its settings, which tells apart judges of one spec."""
        return f"{self.spec} {self.params_hash}".rstrip()

    @property
    def follows_rules(self) -> bool:
        """True for offline:judge, which answers in place of a model. It answers the same when it is asked again."""
        return self.kind == "rule_based" and self.spec != CODE

    @property
    def wording(self) -> str:
        """The label of its own prompts, as in ``Wording.label``; empty for the packaged ones."""
        return "".join(self.params_hash.partition("prompts-")[1:])


class SourceRef(Record):
    """A text that a verdict rests on."""

    id: str
    sha256: str
    """sha256 of the whole text."""
    share: float | None = None
    """Share that the judge read, if it was cut to passages; None for all of it."""


class Verdict(Document):
    """One judgement; a line of a verdict file. Of lines with one key, the last counts."""

    metric: str
    version: int
    rules: Rules = "default"
    stage: str
    item: str
    run_id: str
    report_sha: str
    judge: JudgeRef
    prompt_hash: str = ""
    """Hash of the prompt that was asked; empty if nobody was asked."""
    judge_repeat: int = 1
    attempt: int = 1
    state: VerdictState
    value: Any = None
    reason: str = ""
    quote: str | None = None
    more_quotes: tuple[str, ...] = ()
    """Further quotes, if one passage does not decide it."""
    sources: tuple[SourceRef, ...] = ()
    absent: tuple[str, ...] = Field(default=(), exclude_if=lambda ids: not ids)
    """Sources of a claim that do not exist: no such product, no such page."""
    notes: tuple[str, ...] = ()
    """Codes for what is counted besides the value: partial_content, quote_dropped …"""
    error: str | None = None
    repairs: int = Field(default=0, exclude_if=lambda count: count == 0)
    """Answers that were sent back before this one; if one question was about several items, the first has them all."""
    other_run_id: str | None = None
    """Pairwise: the second system's run; ``run_id`` is the first's."""
    other_report_sha: str | None = None
    order: Order | None = None
    """Pairwise: whose report the judge read first."""

    @field_validator("value")
    @classmethod
    def _of_numbers(cls, value: object) -> object:
        """Rejects NaN and infinities, which JSON does not have and from which no rank or mean can be made."""
        json.dumps(value, allow_nan=False)
        return value

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for two lines that judge the same thing by the same judge."""
        return verdict_key(**self.__dict__)


def verdict_key(
    *,
    metric: str,
    version: int,
    rules: Rules,
    stage: str,
    item: str,
    run_id: str,
    judge: JudgeRef,
    judge_repeat: int,
    other_run_id: str | None,
    order: Order | None,
    **_: object,
) -> tuple[str, ...]:
    """The key of a verdict with these fields."""
    key = (metric, str(version), rules, stage, item, run_id, f"{judge.spec}|{judge.params_hash}", str(judge_repeat))
    return key if other_run_id is None else (*key, other_run_id, str(order))


class Score(OfJudge, Estimated):
    """One row of scores.json.

    ``n_planned`` = ``n_scored`` + ``n_na`` + ``n_unverifiable`` + ``n_failed``, in reports. Counts of items are in
    ``items``.
    """

    metric: str
    """The metric, such as faithfulness."""
    version: int
    """Version of the metric. Values of two versions are not comparable."""
    variant: str
    """FP, FP_web, clarity, price_exact …"""
    system: str
    """The system's label."""
    aggregation: Literal["macro", "micro"] = "macro"
    """``macro``: the mean over reports; ``micro``: all claims pooled."""
    by: str = Field(default="", exclude_if=lambda by: not by)
    """What ``part`` is a part by: a kind of slice, or a condition. Blank in scores over all queries."""
    part: str = Field(default="", exclude_if=lambda part: not part)
    """Baby_Products, gift, budget …; of a condition, the value that the system ran under."""
    value: float | None = None
    """None if nothing could be scored."""
    n_asked: int = Field(default=0, exclude_if=lambda n: not n)
    """In a part: its queries. ``n_counted`` are those with a value."""
    n_counted: int = Field(default=0, exclude_if=lambda n: not n)
    n_queries: int | None = None
    """For a value of two parts, such as J: queries of the smaller part, if that has too few users for an interval."""
    n_planned: int
    """Reports: every query times every repeat of which the system has made a run."""
    n_scored: int
    """What the value is over: the reports with a value and, in a variant of success, the failed runs."""
    n_na: int = 0
    """Reports with nothing to score: no claim, no profile, no gold."""
    n_unverifiable: int = 0
    """Reports for which no source could be read."""
    n_failed: int = 0
    """Runs without a report, and reports without a usable verdict."""
    prompt_hash: str = ""
    """Hash of the prompt, or of all prompts together, behind the value's verdicts."""
    items: dict[str, float] = Field(default_factory=dict[str, float])
    """Counts and shares behind the value: claims, pairs, who read the picks …"""
    self_checked: bool = False
    """True if the system removes from its own reports what this metric finds. Then the value says little about it."""
    note: str | None = None
    """"not rated (rule-based)" where a rule-based judge's number would mean nothing."""


WHY_NOT = "n/a: "
"""How the names of items begin that count reports by the reason why they have no value."""


def reasons_of(items: Mapping[str, float]) -> dict[str, float]:
    """Counts of reports without a value by reason, the commonest first, from a row's items."""
    counts = {name.removeprefix(WHY_NOT): count for name, count in items.items() if name.startswith(WHY_NOT)}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def readers_of(items: Mapping[str, float]) -> dict[str, float]:
    """Counts of reports by who read their picks ("picks declared", "picks by form" …), from a row's items."""
    return {name: items[name] for name in sorted(items) if name.startswith("picks ")}


class Judging(OfJudge):
    """How far a judge has come with one system in one metric, counted in verdicts that no later line replaces."""

    metric: str
    system: str
    verdicts: int
    """Verdicts on the reports as they are, by the current prompts. The scores are made from these."""
    failed: int = 0
    """Those of them in which the judge gave no usable answer."""
    error: str = ""
    """The most frequent reason for failure."""
    stale: int = 0
    """Further verdicts, about another report or by other prompts; unused."""
    not_judged: int = 0
    """Reports without any verdict of this judge; the scores' n_failed counts them."""
    repairs: int = 0
    """Answers of the judge that did not fit the form asked for, and were sent back."""
    prompts: tuple[str, ...] = Field(default=(), exclude_if=lambda prompts: not prompts)
    """The hashes of the prompts that it was asked by."""
    repeats: int = 1
    """How often it judged each report from the start."""
    noise: dict[str, float] = Field(default_factory=dict[str, float], exclude_if=lambda noise: not noise)
    """Standard deviations between its repeats on one report, by variant on the board."""


class SettingRow(Record):
    """One agent in all the settings in which it ran, in their order."""

    agent: str
    """The label of the system without its setting."""
    cells: tuple[Score, ...]
    """One for each setting, which is the part that it is about."""
    steps: tuple[ComparedRow, ...]
    """The change from one setting, ``b``, to another, ``a``, on the same queries. If the settings are in order: from
    each to the next, then from the first to the last if that is another pair. Otherwise from the first to each other.
    """


class SettingTable(OfJudge):
    """One variant by one judge, for systems that differ in one option (as PDR-Bench, Table 2; DR³-Eval, Figure 5)."""

    by: str = "information"
    """The condition's name."""
    metric: str
    variant: str
    name: str
    is_count: bool = False
    rows: tuple[SettingRow, ...]


class ShownColumn(BoardColumn):
    """A column with a value in some row."""

    name: str
    """What ``MetricDescription.name_of`` says, and different from every other column's."""
    metric: str = ""
    """Blank for words, tokens and dollars, as is the variant."""
    unit: Unit = "share"  # pyright: ignore[reportIncompatibleVariableOverride]  (records are frozen)


class BoardCell(Score):
    """A system's mean on the scoreboard; a row leaves out those without a value."""

    value: float  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]  (records are frozen)
    count: float | None = None
    """In a counted column: the runs among ``n_scored`` whose value is 1."""
    parts: dict[str, tuple[float, int]] = Field(default_factory=dict[str, tuple[float, int]])
    """The same of each part of the column (``BoardColumn.apart``): such runs, and all of the part."""


class BoardRow(Record):
    system: str
    cells: dict[str, BoardCell] = Field(default_factory=dict[str, BoardCell])
    """By the column's name."""
    failed: dict[str, int] = Field(default_factory=dict[str, int])
    """By the column's name: reports on which the judge gave no usable answer."""

    def only(self, names: Collection[str]) -> "BoardRow":
        """The row with the cells of these columns."""
        return self.model_copy(update={"cells": {name: cell for name, cell in self.cells.items() if name in names}})


class NeedFloor(Record):
    """What a careful reader gets without one of the things that questions need, as a mean over the questions."""

    name: str
    """What is missing: "without the profile", "without the web", or "one search" for each thing."""
    value: float
    """Over all that were checked; a question that does not need it counts 1."""
    n: int
    """How many of ``n_asked`` were checked."""
    n_asked: int
    needing: float | None = None
    """Over those that need it; None if none does."""
    n_needing: int = 0

    @property
    def of_needing(self) -> str:
        """ ".14 on the 12 that need it"; empty if none does."""
        return "" if self.needing is None else f"{number(self.needing)} on the {self.n_needing:,} that need it"

    @property
    def in_words(self) -> str:
        """ "without the profile 0.62, 9 of 10 checked, 0.14 on the 4 that need it"."""
        checked = f"{self.n:,} of {self.n_asked:,} checked"
        return ", ".join(filter(None, (f"{self.name} {number(self.value)}", checked, self.of_needing)))

    @property
    def at_most(self) -> float:
        """Over all; a question that was not checked counts 1."""
        return 1 - (1 - self.value) * self.n / self.n_asked


NOT_PROVED = "Nothing is proved of what these questions need: `drretail queries check FILE` proves it."


class Scoreboard(Record):
    """All systems in the order of tables: those that research, the best in the first column first, then floors and
    ceiling.
    """

    judge: OfJudge
    """Whose values the judged columns hold; its name is blank if no model judged."""
    columns: tuple[ShownColumn, ...]
    rows: tuple[BoardRow, ...]
    systems: dict[str, System] = Field(default_factory=dict[str, System], exclude=True)
    """By label, as experiment.json has them."""
    not_read: tuple[str, ...] = Field(default=(), exclude_if=lambda sentences: not sentences)
    """What nothing is concluded from, named before all else: judges that do not read."""
    sentence: str = ""
    """What can be concluded of all systems, in one sentence, and what it would take to tell."""
    absent: dict[str, str] = Field(default_factory=dict[str, str])
    """The titles of tables that the board lacks, and why."""
    are_answers: bool = Field(default=False, exclude_if=lambda are_answers: not are_answers)
    """True if all systems that research are assistants of a shop, whose answers cite no records."""
    compared: tuple[ComparedRow, ...] = ()
    """The comparisons on which the sentence rests: each system that researches against the baseline, in each
    headline. A row's name is the column's, or "preference".
    """
    floors: tuple[ComparedRow, ...] = Field(default=(), exclude_if=lambda rows: not rows)
    """Each system that researches against the best null agent, in the first column."""
    needs: tuple[NeedFloor, ...] = Field(default=(), exclude_if=lambda floors: not floors)
    """What ``right`` would be without the profile, without the web, and by one search, as the gold proves."""
    notes: tuple[str, ...] = ()


class MadeOf(Record):
    """What a folder held when its scores were made. It tells which scores are out of date."""

    version: str
    """The version of drretail that made them."""
    runs: dict[str, int]
    """Runs that had ended, by system, with those that were made again since."""
    content: str
    """sha256 of the plan and of all runs."""
    verdicts: dict[str, int]
    """Lines of verdict files, by their folder below verdicts/, and of people's votes. Lines are only ever added."""

    def changes(self, now: "MadeOf") -> str:
        """What has changed since, in words; blank if nothing has."""
        if self.version != now.version:
            return f"drretail {self.version} made them"
        both = ((self.runs, now.runs, "runs"), (self.verdicts, now.verdicts, "lines"))
        changes = [
            f"{name} had {before.get(name, 0):,} {what} and has {after.get(name, 0):,}"
            for before, after, what in both
            for name in sorted({*before, *after})
            if before.get(name, 0) != after.get(name, 0)
        ]
        return "; ".join(changes) or ("" if self.content == now.content else "a run or the plan is another one")


_ALIKE = {
    "scores": ("metric", "system", "judge", "judge_params", "rules"),
    "judgings": ("metric", "judge", "judge_kind", "judge_params", "rules"),
    "pairs": ("a", "b", "judge", "judge_params", "rules"),
    "ranks": ("variant", "judge", "judge_params", "rules"),
    "agreements": ("metric", "first", "second", "rules"),
}
"""In scores.json, rows with equal values in these columns are one item: what all share, and the rest in ``rows``."""


class Scores(Document):
    """scores.json: made from the experiment's runs and verdicts by pure code, so that it can be rebuilt at any time."""

    scores: tuple[Score, ...]
    """One row per system, variant, judge and set of rules."""
    metrics: dict[str, MetricDescription] = Field(default_factory=dict[str, MetricDescription])
    """Descriptions of the metrics with scores, by name."""
    judgings: tuple[Judging, ...]
    """How far each judge has come, and what it left out."""
    audits: tuple[JudgeAudit, ...] = Field(default=(), exclude_if=lambda audits: not audits)
    """How each judge of claims read."""
    pairs: tuple[PairScore, ...] = ()
    """Results of pairwise judging, by judge, pair and dimension."""
    ranks: tuple[Score, ...] = ()
    """From the same verdicts, how strong each system is in each dimension among its ``opponents`` in ``items``.

    P(i beats j) = e^value_i / (e^value_i + e^value_j), a tie being half a win each; values sum to 0. ``note`` says why
    there is none: never compared, not connected with the others, not rated (rule-based).
    """
    agreements: tuple[Agreement, ...] = ()
    """Agreement of every two models that were asked together, by metric and variant."""
    slices: tuple[Score, ...] = Field(default=(), exclude_if=lambda slices: not slices)
    """Headline variants over parts of the queries, by judge and system. In scores.json only of metrics that are not
    installed; the rest is made when it is asked for."""
    ablations: tuple[SettingTable, ...] = ()
    """Agents that ran in several settings of one option."""
    scoreboard: Scoreboard | None = None
    """One row per system, made from the rest and from what runs took."""
    accounts: tuple[Account, ...] = ()
    """What became of the reports, by metric and judge, and of pairs of reports."""
    made_of: MadeOf | None = None
    """What the folder held when they were made."""
    systems: dict[str, System] = Field(default_factory=dict[str, System], exclude=True)
    """By label, as experiment.json has them."""

    @field_validator(*_ALIKE, mode="before")
    @classmethod
    def _unfold(cls, items: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(unfolded(items))

    def document(self) -> dict[str, Any]:
        """The content of scores.json. What has its default is left out: most counts are 0."""
        held = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        folded = {name: [*_folded(held[name], name)] for name in _ALIKE if name in held}
        return {"format": self.format, **held, **folded}

    @property
    def other_judges(self) -> list[tuple[str, Rules]]:
        """The judges, each with its rules, that have values and are not the board's."""
        others = (row for row in self.scores if row.n_scored and not self.shows(row))
        return list(dict.fromkeys((row.judge, row.rules) for row in others))

    def shows(self, row: OfJudge, judge: str | None = None, rules: Rules | None = None) -> bool:
        """True if the row is by code, or by this judge and these rules; those that are not named are the board's."""
        board = row if self.scoreboard is None else self.scoreboard.judge
        is_by_judge = row.judge == judge if judge else row.by_whom[:2] == board.by_whom[:2]
        return row.judge == CODE or (is_by_judge and row.rules == (rules or board.rules))

    def by_system(
        self, variant: str, *, metric: str | None = None, judge: str | None = None, rules: Rules | None = None
    ) -> dict[str, float | None]:
        """Each system's value, as ``rows_by_system``; None if nothing could be scored."""
        rows = self.rows_by_system(variant, metric=metric, judge=judge, rules=rules)
        return {label: row.value for label, row in rows.items()}

    def rows_by_system(
        self, variant: str, *, metric: str | None = None, judge: str | None = None, rules: Rules | None = None
    ) -> dict[str, Score]:
        """Each system's row in a variant such as "FP", as on the scoreboard, if there is one.

        Values are by the judge and the rules of the scoreboard, unless ``judge`` or ``rules`` names another.

        Raises UnknownName if the variant has no row, and UserError if this judge has none by these rules, or if several
        metrics have rows: then name one.
        """
        if metric is None and not any(row.variant == variant for row in self.scores):
            called = {(row.metric, row.variant) for row in self.scores if f"{row.metric} {row.variant}" == variant}
            metric, variant = next(iter(called), (None, variant))
        every = [row for row in self.scores if row.variant == variant and metric in (None, row.metric)]
        on_board = () if self.scoreboard is None else self.scoreboard.rows
        if not every and any(variant in row.cells for row in on_board):  # what runs are and took, such as "done"
            return {row.system: row.cells[variant] for row in on_board if variant in row.cells}
        if not every:
            raise UnknownName("scored variant", variant, {row.variant for row in self.scores})
        rows = [row for row in every if self.shows(row, judge, rules)]
        if not rows:
            judges = ", ".join(sorted({f"{row.judge} by rules {row.rules}" for row in every}))
            raise UserError(f"{variant} is there of {judges}: name judge= and rules=.")
        if len(several := sorted({row.metric for row in rows})) > 1:
            raise UserError(f"{variant} has rows of several: say metric= one of {', '.join(several)}.")
        return {row.system: row for row in rows}


def _folded(rows: Iterable[dict[str, Any]], table: str) -> Iterator[dict[str, Any]]:
    for _, group in groupby(rows, key=lambda row: [row.get(name) for name in _ALIKE[table]]):
        first, *others = group
        shared = {name: of for name, of in first.items() if all(name in row and row[name] == of for row in others)}
        yield {**shared, "rows": [{name: row[name] for name in row if name not in shared} for row in (first, *others)]}


def unfolded(items: Iterable[Any]) -> Iterator[Any]:
    """The rows of a table in scores.json; records stay as they are."""
    for item in items:
        if isinstance(item, dict) and "rows" in item:
            shared = {name: of for name, of in item.items() if name != "rows"}
            yield from ({**shared, **row} if isinstance(row, dict) else row for row in item["rows"])
        else:
            yield item
