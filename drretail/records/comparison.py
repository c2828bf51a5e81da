"""What a comparison of two systems on the same queries comes to."""

from typing import Literal, get_args

from pydantic import Field

from drretail.records.base import NoInterval, Record, Rules
from drretail.records.pairs import PairScore
from drretail.records.run import ModelKind

Outcome = Literal["higher", "lower", "identical", "undecided", "too_few", "nothing", "not_concluded", "missing"]
"""The result of comparing A with B: "nothing" where no query has values of both, "not_concluded" for a rule-based
judge, "missing" for a headline of which more than one planned run in twenty is lost or not made yet."""
Option = Literal["information", "intent", "size", "compose", "retriever", "rag_turns", "web", "moves"]
"""What systems of an ablation differ in: what is known about the shopper; of a sealed web its tokens and what is
served of it; how pages are ranked, and how many turns a search takes; where pages come from; whether the shop moves."""
OPTIONS: tuple[Option, ...] = get_args(Option)


class ComparedRow(Record):
    """One variant. A query's value is the mean of its repeats; a difference is A's value minus B's on one query."""

    metric: str
    """The family, such as faithfulness."""
    variant: str
    """FP, clarity, utility_ratio …"""
    name: str = ""
    """What it is called beside rows of other families; blank in comparisons of before: both names."""
    is_count: bool = False
    """True where the values are no shares or ratings and have a unit of their own."""
    mean_a: float | None = None
    """Over the paired queries alone; so is ``mean_b``."""
    mean_b: float | None = None
    difference: float | None = None
    """A less B, the mean over the paired queries."""
    ci_low: float | None = None
    """The 95 % interval over users, as is ``ci_high``."""
    ci_high: float | None = None
    no_interval: NoInterval | None = None
    """Why there is none."""
    n_planned: int
    """Queries that the experiment asks; ``n_pairs`` of them have values of both systems."""
    n_pairs: int
    """Queries with values of both systems."""
    n_users: int | None = None
    """Number of their users; interval and test are over them. None if no user is known: then each query counts as a
    user."""
    dropped: dict[str, int] = Field(default_factory=dict[str, int])
    """Queries without one of the two values, by whose it is and why: together n_planned − n_pairs."""
    runs_planned: int = 0
    """Of both systems, on queries that the variant is defined for; among them ``runs_missing`` and ``runs_pending``."""
    runs_missing: int = 0
    """Lost to a server, a judge or a page."""
    runs_pending: int = 0
    """Not made yet."""
    is_complete: bool = True
    """True where no run is pending and at most one in twenty of either system is missing."""
    above: int = 0
    """Queries on which A is above B, as large, and below."""
    equal: int = 0
    below: int = 0
    p: float | None = None
    """Of the mean difference, the signs of users flipped, two-sided."""
    p_holm: float | None = None
    """``p`` after Holm's correction. Primary rows are corrected together, over all pairs of systems that research. The
    others are corrected with those of the same family, judge and pair."""
    tests: int = 0
    """How many tests that correction counts."""
    is_primary: bool = False
    """False for what is exploratory."""
    sd: float | None = None
    """Standard deviation of the differences over queries."""
    detectable: float | None = None
    """The true difference that this many queries show in 80 % of experiments. The level is 5 %, divided by the number
    of tests in its family. None if all differences are equal, or the users too few to show any."""
    power_of_half: float | None = None
    """Share of experiments that would show half of ``detectable``."""
    queries_needed: int | None = None
    """Queries needed to show the observed difference with 80 % power, at the same level."""
    users_needed: int | None = None
    """Users needed for these queries, at the present number of queries per user. None if no user is known."""
    repeat_share: float | None = None
    """Share of the differences' variance between repeats of a run (agent and judge together), 0 to 1. None unless both
    systems ran queries several times."""
    judge_share: float | None = None
    """Share of the variance between repeated judgements, at most ``repeat_share``. None unless reports of both systems
    were judged several times."""
    outcome: Outcome
    """The result of comparing A with B."""
    against: tuple[str, ...] = ()
    """If A or B is higher: the other scores to read with this one, in which the higher side is lower."""


class Reliability(Record):
    """How steady one system is in one variant where runs or judgements were repeated."""

    metric: str
    variant: str
    name: str = ""
    """As in ``ComparedRow``."""
    system: str
    sd_queries: float | None = None
    """Between queries; with the agent's noise where each query was run once."""
    sd_agent: float | None = None
    """Between repeats of the agent on a query, without the judge's noise: None where that can't be taken out."""
    sd_judge: float | None = None
    """Between repeats of the judge on a report."""
    sd_repeats: float | None = None
    """Between repeats of the agent on a query, agent and judge together, where a judge that may say something else the
    next time judged each report once."""
    p_agent: float | None = None
    """p that runs of a query differ no more than judgements of one report do, corrected for all rows of the family and
    judge (Holm). None where not both were repeated."""
    bar: float | None = None
    """What a repeat has to reach to pass."""
    k: int = 1
    """Repeats of the agent that all have to pass; queries with fewer are left out."""
    n_queries: int = 0
    """Queries with ``k`` known outcomes; a run without a report does not pass."""
    pass_1: float | None = None
    pass_k: float | None = None
    mean: float | None = None
    """Of the queries with ``k`` values."""
    worst_of_k: float | None = None
    """Of the same queries, the mean of the lowest of ``k`` values."""


class JudgeTable(Record):
    """All rows by one judge under one set of rules. Numbers of two tables are not comparable."""

    judge: str
    """"provider:model", or "code"."""
    judge_kind: ModelKind
    """Whether it is a language model."""
    judge_params: str = ""
    """Tells two judges of one "provider:model" apart."""
    rules: Rules = "default"
    """By whose rules: ours (default), or a publication's."""
    rows: tuple[ComparedRow, ...]
    """A row a variant."""
    reliability: tuple[Reliability, ...] = ()
    """How steady each system is over repeats, where queries were run several times."""


class Missing(Record):
    """Something that would make the comparison say more, and the command that makes it, where one does."""

    what: str
    command: str | None = None


class Comparison(Record):
    """System A beside system B; ``conclusions`` are sentences that say what follows of the rest."""

    a: str
    """A system's label."""
    b: str
    """The other's."""
    tables: tuple[JudgeTable, ...]
    """One for each judge and set of rules."""
    pairs: tuple[PairScore, ...] = ()
    """As in scores.json: there the first system in the alphabet is ``a``."""
    missing: tuple[Missing, ...] = ()
    """What could not be compared, with the command that makes it."""
    conclusions: tuple[str, ...] = ()
    """Each with the figures that it rests on."""


class SettingCell(Record):
    """One system in one setting."""

    setting: str
    system: str
    mean: float | None = None
    """Over queries, repeats of a query averaged first."""
    ci_low: float | None = None
    """The 95 % interval over users, as is ``ci_high``."""
    ci_high: float | None = None
    n: int
    """Queries with a value."""
    n_users: int | None = None
    """Number of their users; None if no user is known."""
    at: float | None = None
    """The setting as a number where it is one: tokens of a size, turns."""


class SettingStep(Record):
    """What another setting brings: the later one minus the earlier one on the same queries."""

    earlier: str
    later: str
    row: ComparedRow


class SettingRow(Record):
    """One agent in all the settings that it ran in, in their order."""

    agent: str
    """The label of the system without its setting."""
    cells: tuple[SettingCell, ...]
    steps: tuple[SettingStep, ...]
    """Where settings are steps of one way, from each to the next, then from the first to the last where these are
    others; else from the first to each other one."""


class SettingTable(Record):
    """One variant by one judge, for systems that differ in one option (000, Tables 2 and 8; 003, Table 2, Figure 5)."""

    by: Option = "information"
    metric: str
    variant: str
    name: str
    is_count: bool = False
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    rules: Rules = "default"
    rows: tuple[SettingRow, ...]


class DistractorRow(Record):
    """One system on one size of a sandbox, with all of its pages and without some."""

    agent: str
    everything: SettingCell
    without_distractors: SettingCell | None = None
    without_distractors_over_all: ComparedRow | None = None
    without_supportive: SettingCell | None = None
    floor: float | None = None
    """What is got without any supportive page where nothing else holds the answer; None of what has no such floor."""
    floor_is_without_web: bool = False
    """True where it is what the same system got without a web; else it is nought."""


class DistractorTable(Record):
    """What distractors cost in one variant by one judge, and what is left without supportive pages (003, Figure 5)."""

    metric: str
    variant: str
    name: str
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    rules: Rules = "default"
    rows: tuple[DistractorRow, ...]
    sentence: str
    """What can be concluded of it."""


class TwinRow(Record):
    """One system: how many pairs it decided in which way."""

    system: str
    right: int
    """Refused what can't be met, and bought what can."""
    refused_both: int
    bought_both: int
    reversed: int
    """Bought what can't be met, and refused what can."""
    missing: int
    """Pairs of which it has no outcome for one."""
    j: float | None = None
    """Youden's J over the pairs: the share of right ones less that of reversed ones."""
    p: float | None = None
    """McNemar's exact test that it refuses both of a pair as often; None without a pair."""
