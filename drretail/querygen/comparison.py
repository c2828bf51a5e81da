"""Generic against profile-aware queries, by what the paper's Figure 5 shows of a pair: how much each says and needs."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from drretail.grounding.constraints.listing import folded
from drretail.grounding.text.amounts import find_dates
from drretail.querygen.checks.case import Case
from drretail.querygen.checks.contract import USER_TOOLS
from drretail.querygen.lint import Linter
from drretail.querygen.rules.kinds import kind_of
from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class Measures:
    """What is counted in one query, or the means of several."""

    words: float
    expected_tools: float
    """Different tools that a good answer will hardly do without."""
    record_tools: float
    """Of these, the ones that read the user's record."""
    profile_mentions: float
    """Different things that the text says of the user's record: see ``profile_mentions``."""
    specifics: float
    """Different things asked for, and what bounds them: see ``specifics``."""


@dataclass(frozen=True, slots=True)
class Row:
    """The queries of one mode."""

    mode: str
    queries: int
    users: int
    means: Measures


def compare(queries: Iterable[Query], linter: Linter) -> tuple[Row, ...]:
    """A row for each mode that there is, profile-aware first."""
    by_mode: dict[str, list[Case]] = {}
    for query in queries:
        by_mode.setdefault(query.mode, []).append(linter.case(query))
    return tuple(
        Row(mode, len(cases), len({case.query.user_id for case in cases} - {None}), _means(list(map(measures, cases))))
        for mode, cases in sorted(by_mode.items(), key=lambda item: (item[0] != "profile_aware", item[0]))
    )


def measures(case: Case) -> Measures:
    tools = set(case.query.expected_tools)
    return Measures(
        words=len(case.query.text.split()),
        expected_tools=len(tools),
        record_tools=len(tools & USER_TOOLS),
        profile_mentions=profile_mentions(case),
        specifics=specifics(case),
    )


def profile_mentions(case: Case) -> int:
    """How many of these the text holds: the names of the things that the user bought and of their makers, and dates
    that name a year; in a text without a user none.
    """
    if case.shopper is None:
        return 0
    text, bought = case.query.text, [listing.product for listing in case.shopper.listings]
    words = f" {folded(text)} "
    kinds = {kind.name for product in bought if (kind := kind_of(product)) is not None}
    things = {name for name in kinds if f" {folded(name)} " in words}
    makers = {maker for listing in case.shopper.listings for maker in listing.makers if f" {maker} " in words}
    return len(things) + len(makers) + len({date.iso for date in find_dates(text)})


def specifics(case: Case) -> int:
    """Things asked for, and what bounds them: amounts of money, demands, brands, numbers and a deadline, one each."""
    wish = case.query.wish
    if wish is None:
        return 0
    bounds = [*wish.limits, *([wish.deadline] if wish.deadline else [])]
    for want in wish.wants:
        bounds += [*want.must, *want.must_not, *want.brands_wanted, *want.brands_unwanted]
        bounds += [least for least in (want.rating_min, want.ratings_min) if least is not None]
        bounds += [want.quantity] if want.quantity > 1 else []
    return len(wish.wants) + len(bounds)


def _means(rows: list[Measures]) -> Measures:
    return Measures(
        words=fmean(row.words for row in rows),
        expected_tools=fmean(row.expected_tools for row in rows),
        record_tools=fmean(row.record_tools for row in rows),
        profile_mentions=fmean(row.profile_mentions for row in rows),
        specifics=fmean(row.specifics for row in rows),
    )
