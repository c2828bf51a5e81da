"""What a comparison of two systems on the same queries comes to."""

from collections.abc import Collection
from typing import Any, Literal

from pydantic import Field

from drretail.records.base import Estimated, OfJudge, Record

Outcome = Literal[
    "higher", "lower", "answered", "undecided", "too_few", "missing", "not_read", "order_decided", "exploratory"
]
"""The result of comparing A with B. "answered": one is above where both answered, which does not hold if each run that
failed counts as the worst value. "missing": more than one pair in ten lacks a value. "not_read": the judge follows
rules or does not read (``JudgeAudit``). "order_decided": nor does one that chooses by the order of two reports.
"exploratory": nothing is tested.
"""

ORDER_DECIDED = "not read: the order decided"
"""What is said wherever a comparison by such a judge would stand."""


GateState = Literal["passes", "fails", "unconfirmed", "open"]
"""The result of a rule of a gate. "unconfirmed": it fails, and did not the time before. "open": nobody can tell, since
it could not fail here, or since answers, scores or judgements are missing; that is no pass.
"""


class GateResult(Record):
    """What a rule of ``compare --fail-if`` such as "errors:rise=.10" says of A, beside B or the last experiment."""

    rule: str
    state: GateState
    told: str
    """Why, in sentences with the figures."""
    name: str = ""
    """The score."""
    a: str
    b: str
    judge: str = ""
    unit: Literal["answer", "query"] = "query"
    """What the figures are of."""
    of: int = 0
    """How many have a value."""
    users: int = 0
    dropped: dict[str, int] = Field(default_factory=dict[str, int])
    """Those without one, by why."""
    mean_a: float | None = None
    mean_b: float | None = None
    alpha: float | None = None
    """Of a test: in about this share of comparisons an unchanged agent fails."""
    p: float | None = None
    """One-sided p of the difference, Student's t over users."""
    catches: float | None = None
    """The share of comparisons with such queries, users and repeats in which a true change of the size named fails."""
    detectable: float | None = None
    """The true change that fails in 80 % of them; None if none that is possible does."""
    worse: dict[str, tuple[float, float]] = Field(default_factory=dict[str, tuple[float, float]])
    """By query on which A is worse: B's value and A's."""


class ComparedRow(Estimated):
    """One variant. A query's value is the mean of its repeats; a difference is A's value minus B's on one query."""

    a: str = Field(default="", exclude_if=lambda label: not label)
    """A's label and B's."""
    b: str = Field(default="", exclude_if=lambda label: not label)
    judge: str = Field(default="", exclude_if=lambda judge: not judge)
    """The name of the judge."""
    metric: str
    """The metric, such as faithfulness."""
    variant: str
    """FP, clarity, utility_ratio …"""
    name: str = ""
    """Its name beside rows of other metrics. Blank if metric and variant name it."""
    is_count: bool = False
    """True if the values are not shares or ratings but have a unit of their own."""
    less_is_better: bool = Field(default=False, exclude_if=lambda less: not less)
    """True if a high value is bad, as of false answers."""
    mean_a: float | None = None
    """Mean over the paired queries only, as is ``mean_b``."""
    mean_b: float | None = None
    difference: float | None = None
    """Mean of A minus B over the paired queries, with its 95% interval over users."""
    n_planned: int
    """Queries that the experiment asks."""
    n_due: int = 0
    """Those that it asks both systems, without those on which neither has anything to measure."""
    n_asked: int = Field(default=0, exclude=True)
    """Those that it asks both systems."""
    n_pairs: int
    """Queries with values of both systems."""
    dropped: dict[str, int] = Field(default_factory=dict[str, int])
    """Due queries that lack a value of one system, by why; together n_due − n_pairs."""
    p: float | None = None
    """Two-sided p of the difference, from the same estimate as its interval. None if nothing is tested."""
    failed: tuple[int, int] = (0, 0)
    """Runs of A and of B that failed by themselves and have no value."""
    p_failed: float | None = None
    """``p`` if each of them counts as the worst value of the scale, or as the worst one seen; 1 if the difference then
    has another sign. None without any.
    """
    margin: float | None = None
    """The margin that was asked for, and the ends of the difference by which it is judged: those of the interval; of
    shares with one further query that differs by the whole scale.
    """
    margin_low: float | None = None
    margin_high: float | None = None
    p_holm: float | None = None
    """``p`` after Holm's correction over ``tests`` tests."""
    tests: int = 0
    is_primary: bool = False
    """True for a headline, and for ``done``. Nothing is concluded from other rows of two systems."""
    outcome: Outcome = "exploratory"
    """The result of comparing A with B."""
    why: str = ""
    """Why nothing is concluded: what is missing, or who does not read; else empty."""
    apart: float | None = None
    """A tenth of the scale, such as 1 point of 10, for which ``n_needed`` is."""
    n_needed: int | None = None
    """Queries that show so large a true difference in 8 of 10 experiments, at 5 % divided by ``tests``."""
    n_needed_low: int | None = None
    """The number needed lies from here to ``n_needed_high`` in 8 of 10 experiments."""
    n_needed_high: int | None = None
    by_query: dict[str, tuple[float, float]] = Field(default_factory=dict[str, tuple[float, float]], exclude=True)
    """A's and B's value of each paired query; not written."""
    with_failed: dict[str, tuple[float, float]] = Field(default_factory=dict[str, tuple[float, float]], exclude=True)
    """The same with each failed run as the worst value; empty without any."""
    run_variances: tuple[float, float] | None = Field(default=None, exclude=True)
    """What runs add to the variance of a query's difference: with one run each, and with as many as there are. None if
    no query has two of each system.
    """
    lacking: dict[str, int] = Field(default_factory=dict[str, int], exclude=True)
    """Runs of both without a value, by why."""

    @property
    def is_comparable(self) -> bool:
        """False if nothing may be concluded: values are missing, or the judge does not read."""
        return self.outcome not in ("missing", "not_read", "order_decided")

    @property
    def is_shown(self) -> bool:
        """True if a difference is concluded."""
        return self.outcome in ("higher", "lower")

    @property
    def is_equal(self) -> bool:
        """True if a difference of the margin or more is excluded in both directions."""
        ends = (self.margin_low, self.margin_high)
        return self.margin is not None and all(end is not None and abs(end) < self.margin for end in ends)

    @property
    def turned(self) -> "ComparedRow":
        """The same, of B minus A."""
        swapped = {"higher": "lower", "lower": "higher"}
        low, high = (None if end is None else 0.0 - end for end in (self.ci_high, self.ci_low))
        margins = (None if end is None else 0.0 - end for end in (self.margin_high, self.margin_low))
        turned = {
            "difference": None if self.difference is None else 0.0 - self.difference,
            "ci_low": low,
            "ci_high": high,
            **dict(zip(("margin_low", "margin_high"), margins, strict=True)),
            "failed": self.failed[::-1],
            "by_query": {query: (b, a) for query, (a, b) in self.by_query.items()},
            "with_failed": {query: (b, a) for query, (a, b) in self.with_failed.items()},
        }
        return self.model_copy(
            update=_swapped(self, _SIDES) | turned | {"outcome": swapped.get(self.outcome, self.outcome)}
        )


_SIDES = (("a", "b"), ("mean_a", "mean_b"))


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
    error: str = Field(default="", exclude_if=lambda error: not error)
    """Why the first of these failed."""
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
    The difference is the share of queries won minus the share lost. Overall quality is a headline, and the other
    dimensions are exploratory.
    """
    longer_won: float | None = None
    """Share of decided pairs that the report with more words won; 0.5 means no preference for length."""
    length_controlled: Share = Share()
    """The win rate if all reports had the same length, as in length-controlled AlpacaEval: one logistic regression
    on tanh of the difference in words, in standard deviations, over the pairs that were read. None below ten queries,
    or if one system's reports are nearly always longer."""
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
        low, high = (None if end is None else round(1 - end, 10) for end in (even.ci_high, even.ci_low))
        value = None if even.value is None else round(1 - even.value, 10)
        turned = {"length_controlled": even.model_copy(update={"value": value, "ci_low": low, "ci_high": high})}
        return self.model_copy(update=_swapped(self, _PAIRS) | turned | {"contrast": self.contrast.turned})


_PAIRS = (("a", "b"), ("wins", "losses"), ("win", "loss"))


class JudgeTable(OfJudge):
    """All rows by one judge under one set of rules. Numbers of two tables are not comparable."""

    rows: tuple[ComparedRow, ...]
    """One row per variant."""


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
    conclusions: tuple[str, ...] = ()
    """One for each headline and for ``done``, with the figures that it rests on."""
    part: str | None = None
    """The part of the queries that is compared, "turn 2" or "needs profile"; None if all are."""
