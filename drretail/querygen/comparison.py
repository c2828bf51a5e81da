"""Generic against profile-aware queries, by what the paper's Figure 5 shows of a pair: how much each says and needs."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from statistics import fmean

from drretail.grounding.constraints.listing import folded
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.words import stem
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
    kinds = (kind_of(listing.product) for listing in case.shopper.listings)
    names = {kind.name for kind in kinds if kind is not None}
    names |= {maker for listing in case.shopper.listings for maker in listing.makers}
    text, *stemmed = (f" {' '.join(map(stem, folded(words).split()))} " for words in (case.query.text, *names))
    return sum(name in text for name in set(stemmed)) + len({date.iso for date in find_dates(case.query.text)})


def specifics(case: Case) -> int:
    """Things asked for, and what bounds them: amounts of money, demands, brands, numbers and a deadline, one each."""
    wish = case.query.wish
    if wish is None:
        return 0
    bounds = [*wish.limits, wish.deadline]
    for want in wish.wants:
        bounds += [want, *want.must, *want.must_not, *want.brands_wanted, *want.brands_unwanted]
        bounds += [want.rating_min, want.ratings_min, want.quantity if want.quantity > 1 else None]
    return sum(bound is not None for bound in bounds)


def _means(rows: list[Measures]) -> Measures:
    return Measures(*(fmean(getattr(row, measure.name) for row in rows) for measure in fields(Measures)))
