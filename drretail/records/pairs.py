"""Rows of pairwise judging: how two systems compare, and how strong each of many is."""

from drretail.records.base import Estimated, OfJudge

EQUAL = "equal"
"""The verdict if nothing tells two reports apart; the others are "a" and "b"."""


class Share(Estimated):
    """A mean over queries with its interval. All are None if nothing was scored, or if numbers would mean nothing."""

    value: float | None = None


class PairScore(OfJudge, Estimated):
    """System ``a`` against system ``b`` in one dimension, by one judge; ``a`` comes first in the alphabet.

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
    forfeits: int = 0
    """Scored pairs in which a side has no report by its own failure and loses. If both have none, they tie."""
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
    win_rate: float | None = None
    """Wins plus half the ties, as a share. Where it has no interval, the shares have none."""
    n_queries: int = 0
    """Queries with a scored pair. ``queries_won`` and ``queries_lost`` are those whose repeats, averaged, prefer ``a``
    and ``b``; the rest are even.
    """
    queries_won: int = 0
    queries_lost: int = 0
    queries_read: int | None = None
    """Queries with a pair of which a judge read both reports; ``read_won`` and ``read_lost`` are those among them."""
    read_won: int = 0
    read_lost: int = 0
    p: float | None = None
    """Two-sided p of wins minus losses, from flipping the signs of users."""
    p_holm: float | None = None
    """``p`` after Holm's correction. Overall quality is corrected with all primary scores of all pairs, the other
    dimensions, which are exploratory, with each other."""
    tests: int = 0
    """Number of tests in that correction."""
    longer_won: float | None = None
    """Share of decided pairs that the report with more words won; 0.5 means no preference for length."""
    length_controlled: float | None = None
    """The win rate if all reports had the same length, as in length-controlled AlpacaEval. A logistic fit
    on tanh of the difference in words, in standard deviations. None below ten queries, or if one system's reports are
    nearly always longer."""
    length_controlled_low: float | None = None
    """Its 95 % interval, a bootstrap over users, with ``length_controlled_high``."""
    length_controlled_high: float | None = None
    flip_rate: float | None = None
    """Share of scored pairs whose result changed with the order, also between a winner and "equal". None if one order
    was not asked."""
    first_position_rate: float | None = None
    """Share of the answers on scored pairs that prefer the report which the judge read first, "equal" counting half;
    0.5 means that the position does not matter.
    """
    disagreement: float | None = None
    """For a panel: share of scored pairs on which its members disagreed."""
    incomplete: tuple[str, ...] = ()
    """Those of the two systems with runs that lack an answer of a provider: nothing is concluded against them."""
    reads: bool = True
    """False if code finds that the judge does not read (``JudgeAudit``): then nothing is concluded."""
    note: str | None = None
    """"not rated (rule-based)" where a rule-based judge's numbers would mean nothing."""


class RankScore(OfJudge, Estimated):
    """How strong one system is in one dimension, by one judge, among all that it was compared with.

    P(i beats j) = e^strength_i / (e^strength_i + e^strength_j), a tie being half a win each; strengths sum to 0.
    """

    version: int
    dimension: str
    system: str
    prompt_hash: str = ""
    strength: float | None = None
    n_opponents: int = 0
    n_scored: int = 0
    """Scored pairs of reports of which one is this system's."""
    note: str | None = None
    """Why there is no strength: never compared, not connected with the others, not rated (rule-based)."""
