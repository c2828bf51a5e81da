"""What a comparison of two systems on the same queries comes to."""

from collections.abc import Collection
from typing import Any, Literal

from pydantic import Field

from drretail.records.base import Estimated, OfJudge, Record

Outcome = Literal[
    "higher",
    "lower",
    "identical",
    "undecided",
    "too_few",
    "nothing",
    "not_concluded",
    "not_read",
    "order_decided",
    "missing",
]
"""The result of comparing A with B. "nothing": no query has values of both. "not_concluded": the judge is rule-based.
"not_read": the judge does not read (``JudgeAudit``). "order_decided": nor does one that chooses by the order of two
reports. "missing": more than one pair in ten lacks a value.
"""

ORDER_DECIDED = "not read: the order decided"
"""What is said wherever a comparison by such a judge would stand."""


class GateResult(Record):
    """What a rule of ``compare --fail-if`` such as "clean:drop=.10" says of A, with what it can tell and its errors."""

    rule: str
    alpha: float
    """In at most this share of comparisons an unchanged agent fails."""
    catches: float
    """The share of comparisons with as many queries, users and repeats in which a change as large as named fails."""
    detectable: float | None
    """The change that fails in 80 % of them; None if none does."""
    queries_needed: int | None
    """About how many queries let a change as large as named fail in 80 %; None for more than were tried."""
    queries: int
    users: int
    name: str
    """The score."""
    a: str
    b: str
    judge: str
    mean_a: float
    mean_b: float
    p: float
    """One-sided p of the difference, from flipping the signs of users."""
    fails: bool
    worse: dict[str, tuple[float, float]]
    """By query on which A is worse: B's value and A's."""


class ComparedRow(Estimated):
    """One variant. A query's value is the mean of its repeats; a difference is A's value minus B's on one query."""

    a: str = Field(default="", exclude_if=lambda label: not label)
    """A's label and B's; blank where what the row stands in names them, as is the ``judge``."""
    b: str = Field(default="", exclude_if=lambda label: not label)
    judge: str = Field(default="", exclude_if=lambda judge: not judge)
    """The name of the judge."""
    failed: int = Field(default=0, exclude_if=lambda count: not count)
    """On the scoreboard: the judge's questions in this metric without a usable answer, which its values leave out."""
    metric: str
    """The metric, such as faithfulness."""
    variant: str
    """FP, clarity, utility_ratio …"""
    name: str = ""
    """Its name beside rows of other metrics. Blank if metric and variant name it."""
    is_count: bool = False
    """True if the values are not shares or ratings but have a unit of their own."""
    mean_a: float | None = None
    """Mean over the paired queries only, as is ``mean_b``."""
    mean_b: float | None = None
    difference: float | None = None
    """Mean of A minus B over the paired queries, with its 95% interval and test over users."""
    n_planned: int
    """Queries that the experiment asks."""
    n_due: int = 0
    """Those that it asks both systems, without those on which neither has anything to measure."""
    n_pairs: int
    """Queries with values of both systems."""
    dropped: dict[str, int] = Field(default_factory=dict[str, int])
    """Queries that lack one of the two values, by whose it is and why; together n_planned − n_pairs."""
    unread: str = Field(default="", exclude_if=lambda why: not why)
    """How many citations of A or B could not be read, if nothing is concluded for that reason."""
    incomplete_a: int = 0
    """Runs of A that lack an answer which a provider did not give: nothing is concluded against A."""
    incomplete_b: int = 0
    above: int = 0
    """Queries on which A is above B; ``equal`` and ``below`` count those on which it is equal and below."""
    equal: int = 0
    below: int = 0
    p: float | None = None
    """Two-sided p of the mean difference, from flipping the signs of users."""
    p_holm: float | None = None
    """``p`` after Holm's correction. Primary rows are corrected together, over all pairs of systems that research. The
    others are corrected with those of the same metric, judge and pair."""
    tests: int = 0
    """Number of tests in that correction."""
    is_primary: bool = False
    """False for exploratory rows."""
    by_query: dict[str, tuple[float, float]] = Field(default_factory=dict[str, tuple[float, float]], exclude=True)
    """A's and B's value of each paired query; not written."""
    error: float | None = Field(default=None, exclude=True)
    """The difference's standard error over users, on which power rests, with the degrees of ``freedom``; not written.
    """
    freedom: float = Field(default=0.0, exclude=True)
    sd: float | None = None
    """Standard deviation of the differences over queries."""
    detectable: float | None = None
    """The true difference that this many queries show in 80 % of experiments. The level is 5 %, divided by the number
    of tests in its metric. None if all differences are equal, or the users too few to show any."""
    queries_needed: int | None = None
    """Queries needed to show the observed difference with 80 % power, at the same level."""
    queries_at_least: int | None = None
    """In 8 of 10 experiments the number needed lies from here to ``queries_at_most``, where there is such an end."""
    queries_at_most: int | None = None
    users_needed: int | None = None
    """Users needed for these queries, at the present number of queries per user. None if no user is known."""
    outcome: Outcome
    """The result of comparing A with B."""

    @property
    def is_complete(self) -> bool:
        """True if at most one due pair in ten lacks a value: else nothing is concluded."""
        return 10 * (self.n_due - self.n_pairs) <= self.n_due

    @property
    def clusters(self) -> int:
        """The number of users, or of queries if no user is known."""
        return self.n_pairs if self.n_users is None else self.n_users

    @property
    def turned(self) -> "ComparedRow":
        """The same, of B minus A."""
        swapped = {"higher": "lower", "lower": "higher"}
        low, high = (None if end is None else 0.0 - end for end in (self.ci_high, self.ci_low))
        turned = {
            "difference": None if self.difference is None else 0.0 - self.difference,
            "ci_low": low,
            "ci_high": high,
        }
        return self.model_copy(
            update=_swapped(self, _SIDES) | turned | {"outcome": swapped.get(self.outcome, self.outcome)}
        )


_SIDES = (("a", "b"), ("mean_a", "mean_b"), ("above", "below"), ("incomplete_a", "incomplete_b"))


def _swapped(record: Record, pairs: Collection[tuple[str, str]]) -> dict[str, Any]:
    return {to: getattr(record, name) for a, b in pairs for to, name in ((a, b), (b, a))}


class Share(Estimated):
    """A mean over queries with its interval. All are None if nothing was scored, or if numbers would mean nothing."""

    value: float | None = None


EQUAL = "equal"
"""The verdict if nothing tells two reports apart; the others are "a" and "b"."""


class PairScore(OfJudge):
    """System ``a`` against system ``b`` in one dimension, by one judge; in scores.json ``a`` is first in the alphabet.

    The n count pairs of reports, repeat k of ``a`` with repeat k of ``b``: ``n_planned`` = ``n_scored`` + ``n_na`` +
    ``n_failed``.
    """

    version: int
    dimension: str
    a: str
    b: str
    prompt_hash: str = ""
    n_planned: int
    n_scored: int
    n_na: int = 0
    """Pairs that can't be judged: personalization without a profile."""
    n_failed: int = 0
    runs_failed: int = 0
    """Failed pairs in which one of the two reports is missing."""
    not_judged: int = 0
    """Failed pairs with a question that was not asked yet."""
    failed_verdicts: int = 0
    """Questions to which the judge gave no usable answer."""
    repairs: int = 0
    """Answers of the judge that did not fit the form asked for, and were sent back."""
    stale_verdicts: int = 0
    """Verdicts about another report, or asked in other words; unused."""
    wins: float | None = None
    """Pairs in which the report of ``a`` was preferred, in both orders if both were asked. A pair that was judged
    several times counts in fractions.
    """
    ties: float | None = None
    losses: float | None = None
    win: Share = Share()
    """Share of pairs that ``a`` won: averaged over a query's repeats first, then over queries. So are all shares."""
    tie: Share = Share()
    loss: Share = Share()
    contrast: ComparedRow
    """The two by query, like any other variant: a query's value is the system's win rate, 0 to 1, a tie counting half.
    The difference is the share of queries won minus the share lost. Overall quality is a primary row, and the other
    dimensions are exploratory.
    """
    longer_won: float | None = None
    """Share of decided pairs that the report with more words won; 0.5 means no preference for length."""
    length_controlled: Share = Share()
    """The win rate if all reports had the same length, as in length-controlled AlpacaEval. A logistic fit
    on tanh of the difference in words, in standard deviations; its interval is a bootstrap over users. None below ten
    queries, or if one system's reports are nearly always longer."""
    flip_rate: float | None = None
    """Share of scored pairs whose result changed with the order, also between a winner and "equal". None if one order
    was not asked."""
    first_position_rate: float | None = None
    """Share of the choices between two reports that fell on the one which the judge read first; "equal" is no choice.
    0.5 means that the position does not matter. Where the order decided, the flips and this are all that a row tells.
    """
    disagreement: float | None = None
    """For a panel: share of scored pairs on which its members disagreed."""
    note: str | None = None
    """"not rated (rule-based)" where a rule-based judge's numbers would mean nothing."""

    @property
    def win_rate(self) -> Share:
        """Wins plus half the ties, as a share."""
        row = self.contrast
        low, high = (None if end is None else round((end + 1) / 2, 10) for end in (row.ci_low, row.ci_high))
        return Share(value=row.mean_a, ci_low=low, ci_high=high, no_interval=row.no_interval, n_users=row.n_users)

    @property
    def turned(self) -> "PairScore":
        """The same, of ``b`` against ``a``."""
        even = self.length_controlled
        low, high = (None if end is None else 1 - end for end in (even.ci_high, even.ci_low))
        value = None if even.value is None else 1 - even.value
        turned = {"length_controlled": even.model_copy(update={"value": value, "ci_low": low, "ci_high": high})}
        return self.model_copy(update=_swapped(self, _PAIRS) | turned | {"contrast": self.contrast.turned})


_PAIRS = (("a", "b"), ("wins", "losses"), ("win", "loss"))


class Reliability(Record):
    """How steady one system is in one variant, if runs or judgements were repeated."""

    metric: str
    variant: str
    name: str = ""
    """As in ``ComparedRow``."""
    system: str
    sd_queries: float | None = None
    """Standard deviation between queries; includes the agent's noise if each query was run once."""
    sd_agent: float | None = None
    """Between repeats of the agent on a query, without the judge's noise; None if that can't be separated."""
    sd_judge: float | None = None
    """Standard deviation between repeats of the judge on a report."""
    sd_repeats: float | None = None
    """Standard deviation between repeats of the agent on a query, agent and judge together. Given if the judge may
    answer differently the next time and judged each report once.
    """
    bar: float | None = None
    """The value that a repeat must reach to pass."""
    k: int = 1
    """Repeats of the agent that must all pass; queries with fewer are left out."""
    n_queries: int = 0
    """Queries with ``k`` known outcomes; a run without a report does not pass."""
    pass_1: float | None = None
    pass_k: float | None = None
    mean: float | None = None
    """Mean over the queries with ``k`` values."""
    worst_of_k: float | None = None
    """Mean over the same queries of the lowest of ``k`` values."""


class JudgeTable(OfJudge):
    """All rows by one judge under one set of rules. Numbers of two tables are not comparable."""

    rows: tuple[ComparedRow, ...]
    """One row per variant."""
    failed: int = 0
    """The judge's questions on both systems without a usable answer, which its values leave out."""
    reliability: tuple[Reliability, ...] = ()
    """How steady each system is over repeats, if queries were run several times."""


class Missing(Record):
    """Something without which the comparison says less, and the command that makes it, if there is one."""

    what: str
    command: str | None = None


class Comparison(Record):
    """System A compared with system B. ``conclusions`` are sentences that follow from the rest."""

    a: str
    """A system's label."""
    b: str
    """The other system's label."""
    tables: tuple[JudgeTable, ...]
    """One for each judge and set of rules."""
    pairs: tuple[PairScore, ...] = ()
    """Of the same two systems, by judge and dimension."""
    missing: tuple[Missing, ...] = ()
    """What could not be compared, with the command that makes it."""
    not_read: tuple[str, ...] = Field(default=(), exclude_if=lambda sentences: not sentences)
    """As on the scoreboard; it stands before the conclusions."""
    conclusions: tuple[str, ...] = ()
    """Each with the figures that it rests on."""
    exploratory: tuple[str, ...] = ()
    """What was seen in figures that are no headlines: nothing is concluded from them."""


class TwinRow(Record):
    """One system's decisions on pairs of twins: how many pairs it decided in which way."""

    system: str
    right: int
    """Pairs in which it refused what can't be met and bought what can."""
    refused_both: int
    bought_both: int
    reversed: int
    """Pairs in which it bought what can't be met and refused what can."""
    missing: int
    """Pairs in which it has no outcome for at least one query."""
    j: float | None = None
    """Youden's J over the pairs: the share of right ones minus that of reversed ones."""
    p: float | None = None
    """p of McNemar's exact test that it refuses both queries of a pair equally often; None without a pair."""
