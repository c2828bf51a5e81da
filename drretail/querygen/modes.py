"""Generic and profile-aware queries by the measures of the paper's Figure 5: how much each says and needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from drretail.querygen.checks.case import QueryCase
from drretail.querygen.kinds import kinds_of
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from drretail.reports.text.amounts import find_dates
from drretail.reports.text.words import stem
from drretail.shopping.listing import folded

_RECORD_TOOLS = frozenset({"get_user_profile", "get_user_orders", "get_user_statistics", "get_order_details"})


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over queries."""

    words: float
    expected_tools: float
    """Distinct tools that a good answer will hardly do without."""
    record_tools: float
    """The number of these that read the user's record."""
    profile_mentions: float
    """Distinct things of the user's record that the text names: see the function ``profile_mentions``."""
    specifics: float
    """Distinct things asked for, and their limits: see the function ``specifics``."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The queries of one mode."""

    name: str
    queries: int
    means: Measures


def modes_of(queries: Iterable[Query], linter: Linter) -> tuple[Mode, ...]:
    """The modes that occur, profile-aware first."""
    by_mode: dict[str, list[QueryCase]] = {}
    for query in queries:
        by_mode.setdefault(query.mode, []).append(linter.case(query))
    return tuple(
        Mode(name, len(cases), measures(cases))
        for name, cases in sorted(by_mode.items(), key=lambda item: (item[0] != "profile_aware", item[0]))
    )


def measures(cases: Sequence[QueryCase]) -> Measures:
    """The means over these cases' queries."""
    tools = [set(case.query.expected_tools) for case in cases]
    return Measures(
        words=fmean(len(case.query.text.split()) for case in cases),
        expected_tools=fmean(map(len, tools)),
        record_tools=fmean(len(tool_names & _RECORD_TOOLS) for tool_names in tools),
        profile_mentions=fmean(map(profile_mentions, cases)),
        specifics=fmean(map(specifics, cases)),
    )


def profile_mentions(case: QueryCase) -> int:
    """How many kinds and makers of ordered products, and dates with a year, the text names; 0 without a user."""
    if case.shopper is None:
        return 0
    names = {kind for listing in case.shopper.listings for kind in kinds_of(listing.product)[-1:]}
    names |= {maker for listing in case.shopper.listings for maker in listing.makers}
    text, *stemmed = (f" {' '.join(map(stem, folded(words).split()))} " for words in (case.query.text, *names))
    return sum(name in text for name in set(stemmed)) + len({date.iso for date in find_dates(case.query.text)})


def specifics(case: QueryCase) -> int:
    """How many wants and limits the wish has; each amount, demand, brand, number and deadline counts as one."""
    wish = case.query.wish
    if wish is None:
        return 0
    bounds = [*wish.limits, wish.deadline]
    for want in wish.wants:
        bounds += [want, *want.must, *want.must_not, *want.options, *want.brands_wanted, *want.brands_unwanted]
        bounds += [want.rating_min, want.ratings_min, want.quantity if want.quantity > 1 else None]
    return sum(bound is not None for bound in bounds)
