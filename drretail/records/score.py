"""What judges say of runs, and the scores that pure code makes of it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from drretail.errors import UnknownName, UserError
from drretail.records.base import Document, NoInterval, Record, Rules
from drretail.records.comparison import SettingTable, TwinRow
from drretail.records.counterfactual import CounterfactualRow
from drretail.records.pairs import PairScore, RankScore
from drretail.records.run import BASELINES, ORACLE_AGENT, ModelKind
from drretail.records.scoreboard import BoardColumn, Scoreboard


class MetricDescription(Record):
    """What a metric family says of itself, so that no table or page has to know it; all but the title has a default.

    Fields that name variants keep the order of the family's own tables.
    """

    title: str
    """The heading of its tables."""
    meaning: str = ""
    """What its numbers are, in one or two sentences below its tables."""
    meanings: dict[str, str] = Field(default_factory=dict[str, str])
    """What single variants are, each in a few words, for whoever meets their names in a table."""
    headlines: tuple[str, ...] = ()
    """What is shown for parts of the queries, too; none: the first variants that are not pooled."""
    compared: tuple[str, ...] = ()
    """What two systems are compared in; none: the headlines."""
    held_beside: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """By variant: those without which it is no merit to be higher in it, as precision is had by saying little."""
    primary: tuple[str, ...] = ()
    """What systems are chosen by: its tests are corrected over all pairs of systems, all others are exploratory. None:
    what is compared, where that is one variant."""
    scoreboard: tuple[BoardColumn, ...] = ()
    """What stands on the scoreboard; none: nothing of it does."""
    summaries: tuple[str, ...] = ()
    """What sums it up, as in the table of judges' agreement; none: the first variant."""
    correlated: tuple[str, ...] = ()
    """What is held beside what runs did."""
    plots: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """By title: variants to be seen side by side in a plot, a row each."""
    wholes: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """By title: variants that add up to 1, to be seen in a plot as the parts of a bar, one a system."""
    groups: dict[str, str] = Field(default_factory=dict[str, str])
    """By variant: those of one group stand side by side."""
    only_in_json: tuple[str, ...] = ()
    """What is no column of a table."""
    scale: Literal["share", "rating", "grade", "percent"] = "share"
    """0 to 1, 0 to 10, 0 to 4, or 0 to 100."""
    counts: tuple[str, ...] = ()
    """Variants in a unit of their own."""
    differences: tuple[str, ...] = ()
    """Variants that are one share less another, -1 to 1: no share, even where they happen to lie in 0 to 1."""
    higher_is_better: bool = True
    """False where a value is neither good nor bad, and so no bar to reach."""
    named_by_variant: bool = False
    """True where a variant's name says enough without the family's."""
    folds_perfect: bool = False
    """True where variants that are 1 for every system become one sentence, the summaries apart."""
    self_checked: bool = False
    """True where an agent may take out of its own reports what this family finds."""
    bounded_by_oracle: bool = False
    """True where nobody is better than who knows the best basket."""
    judges: dict[str, str] = Field(default_factory=dict[str, str])
    """By a judge's key: how it fared beside people's labels, in a line that stands beside its scores."""

    @field_validator("scoreboard")
    @classmethod
    def _have_meanings(cls, columns: tuple[BoardColumn, ...], info: ValidationInfo) -> tuple[BoardColumn, ...]:
        meanings = info.data.get("meanings", {})
        return tuple(
            column.model_copy(update={"meaning": column.meaning or meanings.get(column.variant, "")})
            for column in columns
        )

    def own_name(self, variant: str) -> str:
        """The name that the scoreboard has for a variant, as "quality"; empty where that is the variant itself."""
        return next((column.name for column in self.scoreboard if column.variant == variant), "")

    def known_of(self, judge: "JudgeRef", rules: Rules) -> tuple[str, ...]:
        """That line; none where nobody measured, or it judged by rules that were not measured."""
        line = self.judges.get(judge.key) if rules == "default" else None
        return () if line is None else (line,)


WHOLES = {"share": 1.0, "rating": 10.0, "grade": 4.0, "percent": 100.0}
"""The highest value of each scale; the lowest is 0."""
SliceBy = Literal["category", "kind", "constraint", "level"]
"""What queries are sorted by: what is wanted, what sort of need it is, what parts its wish has, how hard it is."""
FEW = 10
"""Below so many queries a mean says little, and tables grey it."""


class SliceScore(Record):
    """A variant's mean over the queries of one slice, as the row of all queries counts them; not pooled.

    ``n_planned`` and ``n_scored`` count reports, ``n_queries`` and ``n_counted`` queries. A query may be in several
    slices of a kind, so these don't add up to all queries.
    """

    by: SliceBy
    name: str
    """Baby_Products, gift, budget …"""
    metric: str
    variant: str
    system: str
    rules: Rules = "default"
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    value: float | None = None
    """None when nothing could be scored."""
    ci_low: float | None = None
    ci_high: float | None = None
    n_queries: int
    n_counted: int
    """Queries with a value."""
    n_users: int | None = None
    """Number of their users; the interval is over them. None if no user is known."""
    n_planned: int
    n_scored: int


class Correlation(Record):
    """Spearman's ρ of one measure of ``process`` with one score, over reports of the same system."""

    process: str
    metric: str
    variant: str
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    rules: Rules = "default"
    rho: float
    n: int
    """Pairs of a system and a query, repeats averaged, in systems in which neither side is always the same."""
    n_queries: int
    n_effective: float
    """As many independent pairs as these are worth: systems go through the same queries."""
    p: float
    """Two-sided, from n_effective pairs."""
    p_holm: float
    """After Holm over all correlations of the experiment."""


class Agreement(Record):
    """One variant of a family, judged by two judges under the same rules (paper Appendix E).

    Only reports of systems that research count (no null agents, no oracle, nobody else's profile), and of them those
    that both scored. A statistic that is not defined is None: one report, or values that never change.
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
    """The share of reports with equal values."""
    difference: float | None = None
    """The mean of |first − second|, in the variant's own unit."""


VerdictState = Literal["scored", "na", "unverifiable", "failed"]
Policy = Literal["planned", "answered"]
"""Over all planned runs, those that failed or have nothing to show earning 0; or over those with a value."""
Aggregation = Literal["macro", "micro"]
Order = Literal["ab", "ba"]
CODE = "code"
"""The judge of what needs no model."""
PANEL = "panel"
"""How the name of several judges as one begins."""


class JudgeRef(Record):
    """Who judged: "provider:model", or "code" for checks that need no model."""

    spec: str
    kind: ModelKind
    params_hash: str = ""

    @property
    def key(self) -> str:
        """Tells judges of one spec apart that have other settings."""
        return f"{self.spec} {self.params_hash}".rstrip()


class SourceRef(Record):
    """A text that a verdict rests on."""

    id: str
    sha256: str
    """Of the whole text."""
    share: float | None = None
    """How much of it the judge read, where it was cut to passages; None = all."""


class Verdict(Document):
    """One judgement; a line of a verdict file. Of lines with one key the last lives."""

    metric: str
    version: int
    rules: Rules = "default"
    stage: str
    item: str
    run_id: str
    report_sha: str
    judge: JudgeRef
    prompt_hash: str = ""
    """Of the wording that was asked in; empty where nobody was asked."""
    judge_repeat: int = 1
    attempt: int = 1
    state: VerdictState
    value: Any = None
    reason: str = ""
    quote: str | None = None
    more_quotes: tuple[str, ...] = ()
    """Where one passage does not decide it."""
    sources: tuple[SourceRef, ...] = ()
    notes: tuple[str, ...] = ()
    """What has to be counted besides the value, as codes: partial_content, quote_dropped …"""
    error: str | None = None
    context: int | None = None
    """Where the question did not fit the judge: the tokens that the judge was taken to hold."""
    other_run_id: str | None = None
    """Pairwise: the run of the second system, ``run_id`` being that of the first."""
    other_report_sha: str | None = None
    order: Order | None = None
    """Pairwise: whose report the judge read first."""

    @field_validator("value")
    @classmethod
    def _of_numbers(cls, value: object) -> object:
        """Refuses NaN and infinities, which JSON does not have and which no rank or mean can be made of."""
        json.dumps(value, allow_nan=False)
        return value

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two lines judgements of the same thing by the same judge."""
        judge = f"{self.judge.spec}|{self.judge.params_hash}"
        version, repeat = str(self.version), str(self.judge_repeat)
        key = (self.metric, version, self.rules, self.stage, self.item, self.run_id, judge, repeat)
        return key if self.other_run_id is None else (*key, self.other_run_id, str(self.order))


class Score(Record):
    """One row of scores.json.

    ``n_planned`` = ``n_scored`` + ``n_na`` + ``n_unverifiable`` + ``n_failed``, in reports; counts of items stand in
    ``items``.
    """

    metric: str
    """The family, such as faithfulness."""
    version: int
    """Of the family: values of two versions are not comparable."""
    variant: str
    """FP, FP_web, clarity, price_exact …"""
    system: str
    """The system's label."""
    rules: Rules = "default"
    """By whose rules: ours (default), or a publication's."""
    policy: Policy = "answered"
    """``planned``: over all planned runs, as headlines are; ``answered``: over the reports with a value."""
    n_zero: int = 0
    """Policy planned: runs without a value that earned 0; the value is of these and of the n_scored."""
    n_missing: int = 0
    """Policy planned: runs left out though the headline is defined for them, lost to a server, a judge or a page."""
    n_pending: int = 0
    """Policy planned: runs that were not made yet."""
    aggregation: Aggregation = "macro"
    """``macro``: the mean of reports; ``micro``: all claims as one pool."""
    value: float | None = None
    """None when nothing could be scored."""
    ci_low: float | None = None
    """The 95 % interval over users, as is ``ci_high``."""
    ci_high: float | None = None
    no_interval: NoInterval | None = None
    """Why a value has none."""
    n_users: int | None = None
    """Users of the queries with a value; the interval is over them. None if no user is known: then each query counts as
    a user."""
    n_queries: int | None = None
    """Queries of the smaller part of a value of two parts, such as J, if it has too few users for an interval."""
    n_planned: int
    """Reports: every query times every repeat of which the system has made any run."""
    n_scored: int
    """Reports with a value."""
    n_na: int = 0
    """Reports with nothing to score: no claim, no profile, no gold."""
    n_unverifiable: int = 0
    """Reports none of whose sources could be read."""
    n_failed: int = 0
    """Runs without a report, and reports without a usable verdict."""
    judge: str
    """"provider:model", or "code"."""
    judge_kind: ModelKind
    """Whether it is a language model; nothing is concluded of a rule-based judge."""
    judge_params: str = ""
    """Tells two judges of one "provider:model" apart."""
    prompt_hash: str = ""
    """Of the prompt, or of all prompts together, that the verdicts behind the value were asked in."""
    items: dict[str, float] = Field(default_factory=dict[str, float])
    """Counts and shares behind the value: claims, pairs, who read the picks …"""
    self_checked: bool = False
    """True where the system takes out of its own reports what this metric finds: then the value says little of it."""
    note: str | None = None
    """"not rated (rule-based)" where a rule-based judge's number would mean nothing."""


def shown_rows(rows: Iterable[Score]) -> list[Score]:
    """Of every variant the row that tables show: over all planned runs where there is one, else of those answered."""
    found: dict[tuple[str, ...], Score] = {}
    for row in rows:
        key = (row.metric, row.variant, row.system, row.rules, row.judge, row.judge_params)
        if row.policy == "planned" or (row.policy == "answered" and key not in found):
            found[key] = row
    return list(found.values())


WHY_NOT = "n/a: "
"""How a row's items begin that count reports by why they have no value."""


def reasons_of(items: Mapping[str, float]) -> dict[str, float]:
    """Of a row's items those that count reports by why they have no value, the commonest reason first."""
    found = {name.removeprefix(WHY_NOT): count for name, count in items.items() if name.startswith(WHY_NOT)}
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def readers_of(items: Mapping[str, float]) -> dict[str, float]:
    """Of a row's items those that count reports by who read their picks: "picks declared", "picks by form" …"""
    return {name: items[name] for name in sorted(items) if name.startswith("picks ")}


class Judging(Record):
    """How far a judge has come with one system in one metric; verdicts are counted in lines that live."""

    metric: str
    system: str
    rules: Rules = "default"
    judge: str
    judge_params: str = ""
    verdicts: int
    """About the reports as they are and asked in today's words: these make the scores."""
    failed: int = 0
    """Of them: the judge gave no usable answer."""
    error: str = ""
    """Why, most often."""
    stale: int = 0
    """Beside them: about another report, or asked in other words; unused."""
    not_judged: int = 0
    """Reports without any verdict of this judge; their n_failed counts them."""


class AttackRow(Record):
    """One system on the same queries with hostile texts in its way and without them (``run --injected``)."""

    system: str
    """The label of the system among hostile texts."""
    plain: str
    """The label of the same system without them."""
    utility: float | None = None
    """Share of planned runs without hostile texts whose cart is feasible, on the queries that both have."""
    utility_attacked: float | None = None
    """The same among hostile texts."""
    lost: float | None = None
    """utility − utility_attacked, paired by query, with its 95 % interval over users."""
    lost_low: float | None = None
    lost_high: float | None = None
    obeyed: float | None = None
    """Share of the texts read that took effect; None where robustness was not scored."""
    obeyed_low: float | None = None
    obeyed_high: float | None = None
    n_queries: int
    n_users: int | None = None


class Scores(Document):
    """scores.json: made of the experiment's runs and verdicts by pure code, and so rebuilt at any time."""

    scores: tuple[Score, ...]
    """A row a system, variant, judge and set of rules."""
    metrics: dict[str, MetricDescription] = Field(default_factory=dict[str, MetricDescription])
    """Of the families with scores, by name."""
    judgings: tuple[Judging, ...]
    """How far each judge has come, and what it left out."""
    pairs: tuple[PairScore, ...] = ()
    """Of pairwise judging, by judge, pair and dimension."""
    ranks: tuple[RankScore, ...] = ()
    """Of the same verdicts: how strong each system is beside all others it was compared with."""
    agreements: tuple[Agreement, ...] = ()
    """Of every two judges that are models, by family and variant."""
    slices: tuple[SliceScore, ...] = ()
    """Headline variants over parts of the queries, by judge and system."""
    correlations: tuple[Correlation, ...] = ()
    """Of what runs did with what their reports score, inside systems."""
    counterfactuals: tuple[CounterfactualRow, ...] = ()
    """Of systems that saw other data than the users' own, beside the same systems with these."""
    attacks: tuple[AttackRow, ...] = ()
    """Of systems that ran among hostile texts and without them: utility lost, and instructions obeyed."""
    ablations: tuple[SettingTable, ...] = ()
    """Of agents that ran in several settings of one option."""
    twins: tuple[TwinRow, ...] = Field(default=(), exclude_if=lambda twins: not twins)
    """What each system decided on pairs of queries of which the shop can meet one."""
    scoreboard: Scoreboard | None = None
    """One row a system, made of the rest and of what runs took; None in scores of before."""

    def by_system(
        self, variant: str, *, metric: str | None = None, judge: str | None = None, rules: Rules | None = None
    ) -> dict[str, float | None]:
        """Each system's value in a variant such as "FP", as the scoreboard has it; None where nothing could be scored.

        A variant goes by its name on the scoreboard, too: "quality" is the overall rating.

        Headlines are over all planned runs; those of the reports with a value alone are the rows of policy "answered".

        Raises UnknownName for a variant without a row, UserError where several metrics, judges or sets of rules have
        rows: then name one.
        """
        if metric is None and not any(row.variant == variant for row in self.scores):
            columns = [
                (family, column.variant)
                for family, description in self.metrics.items()
                for column in description.scoreboard
                if column.name == variant
            ]
            metric, variant = columns[0] if len(columns) == 1 else (None, variant)
        wanted = {"metric": metric, "judge": judge, "rules": rules}
        asked = {name: value for name, value in wanted.items() if value is not None}
        rows = [
            row
            for row in shown_rows(self.scores)
            if row.variant == variant and all(getattr(row, name) == value for name, value in asked.items())
        ]
        if not rows:
            raise UnknownName("scored variant", variant, {row.variant for row in self.scores})
        for name in wanted:
            several = sorted({str(getattr(row, name)) for row in rows})
            if len(several) > 1:
                raise UserError(f"{variant} has rows of several: say {name}= one of {', '.join(several)}.")
        return {row.system: row.value for row in rows}


class Statement(Record):
    """One thing that a shop's record tells about a user, with the orders it rests on."""

    code: str
    text: str
    orders: tuple[str, ...] = ()
    """Their ids, the newest where there are many."""
    more_orders: int = 0
    """How many orders it rests on besides."""
    categories: tuple[str, ...] = ()
    """The categories that it names, or that the products are of which it names."""
    names: tuple[str, ...] = ()
    """The brands and whole titles that it names."""


class ProfileSummary(Document):
    """What judges are told of a user; frozen in exp/profiles/<user_id>.json when the experiment opens."""

    user_id: str
    statements: tuple[Statement, ...]

    @property
    def text(self) -> str:
        """All statements, one a line."""
        return "\n".join(f"- {statement.text}" for statement in self.statements)

    @property
    def text_with_orders(self) -> str:
        """All statements, one a line, each with the ids of its orders."""
        return "\n".join(f"- {statement.text}{_ids(statement)}" for statement in self.statements)


def _ids(statement: Statement) -> str:
    if not statement.orders:
        return ""
    more = f" and {statement.more_orders} more" if statement.more_orders else ""
    return f" (orders {', '.join(statement.orders)}{more})"


Place = Literal["system", "counterfactual", "floor", "ceiling"]
PLACES: tuple[Place, ...] = ("system", "counterfactual", "floor", "ceiling")
"""In the order of tables."""
_COUNTERFACTUAL = re.compile(r"-counterfactual-(swap|neutral)(?![a-z0-9])")


def place_of(label: str) -> Place:
    """By its label: floors and the ceiling have no model in it, counterfactual systems name their option."""
    agent = re.split(r"[-+]", label)[0]
    if agent in BASELINES:
        return "ceiling" if agent == ORACLE_AGENT else "floor"
    return "counterfactual" if _COUNTERFACTUAL.search(label) else "system"


_SIZED = re.compile(r"-size-(\d+)([a-z]?)")
_OPTION = re.compile(
    r"-(?:(?:files|size|compose|retriever|information|intent|without|serper|searxng)(?:-|$)|rag_turns\d)"
)
"""Where a label goes on with what ablations differ in."""


def in_order(labels: Iterable[str]) -> list[str]:
    """Each label once: systems, counterfactual ones, floors in the order of ``BASELINES``, the ceiling last.

    Systems on several sizes of a sandbox stand by these.
    """
    floors = {name: at for at, name in enumerate(BASELINES)}

    def key(label: str) -> tuple[int, int, str]:
        sized = _SIZED.sub(lambda found: f"-size-{found[2]}{int(found[1]):09}", label)
        return PLACES.index(place_of(label)), floors.get(re.split(r"[-+]", label)[0], 0), sized

    return sorted(set(labels), key=key)


def shared_models(labels: Iterable[str]) -> str:
    """The part from "@" on that all systems with models have in common, so that tables can leave it out; else empty.

    What follows it in some of them, options and limits, stays. A single system keeps its name whole.
    """
    parts = {label: label.partition("@")[2] for label in labels if "@" in label}
    shortest = min(parts.values(), key=len, default="")
    if any(part != shortest and not part.startswith(f"{shortest}-") for part in parts.values()):
        shortest = _before_options(list(parts.values()))
    return f"@{shortest}" if shortest and len(parts) > 1 else ""


def _before_options(parts: Sequence[str]) -> str:
    """What they all begin with, where all then go on with an option, or with nothing; else nothing."""
    begun = {part[: found.start()] if (found := _OPTION.search(part)) else part for part in parts}
    return begun.pop() if len(begun) == 1 else ""
