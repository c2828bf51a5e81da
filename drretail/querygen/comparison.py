"""Generic against profile-aware queries, by what the paper's Figure 5 shows of a pair: how much each says and needs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from drretail.grounding.constraints.listing import folded
from drretail.querygen.checks.case import Case
from drretail.querygen.checks.contract import USER_TOOLS
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.lint import Linter
from drretail.records.query import Query

_OWN_RECORD = re.compile(
    r"\b(?:my|our|earlier|past|previous) (?:\w+ )?(?:orders?|purchases?|history|record)\b"
    r"|\bwhat (?:else )?I(?:'ve| have)? (?:already |usually )?(?:own|have|bought|ordered|got|buy|order|spend|go for)\b"
    r"|\bI (?:usually|normally|always|often) \w+",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:my|our) (?:\w+ )?(?:state|area|region|climate|city|town|zone|country)\b"
    r"|\b(?:around here|where (?:I|we) live)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:since|back in|in) (?:(?:19|20)\d\d|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|last year)\b|\b(?:few|\d+) (?:days|weeks|months|years) ago\b"
    r"|\blast (?:spring|summer|fall|winter)\b"
)


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
    """Different things asked for, and typed constraints: see ``specifics``."""


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
    """How many of these the text holds: each thing and each maker of what the user bought, the place where the user
    lives, when something was bought, and the user's own record or habits; in a text without a user none.
    """
    if case.shopper is None:
        return 0
    text = case.query.text
    things = {it.thing.name for it in case.named if case.shopper.orders_of(it.thing)}
    return (
        len(things)
        + len(_makers_named(text, case.shopper))
        + bool(_PLACE.search(text))
        + bool(_TIME.search(text))
        + bool(_OWN_RECORD.search(text.replace("’", "'")))
    )


def specifics(case: Case) -> int:
    """Things asked for, and what bounds them: budget, demands, brands, quantities and a deadline, one each."""
    typed = case.query.constraints
    bounds = (*typed.must, *typed.must_not, *typed.brands_wanted, *typed.brands_unwanted, *typed.quantities)
    return len(case.asked.things) + len(bounds) + (typed.budget is not None) + (typed.deadline is not None)


def _makers_named(text: str, shopper: Shopper) -> set[str]:
    words = f" {folded(text)} "
    return {maker for listing in shopper.listings for maker in listing.makers if f" {maker} " in words}


def _means(rows: list[Measures]) -> Measures:
    return Measures(
        words=fmean(row.words for row in rows),
        expected_tools=fmean(row.expected_tools for row in rows),
        record_tools=fmean(row.record_tools for row in rows),
        profile_mentions=fmean(row.profile_mentions for row in rows),
        specifics=fmean(row.specifics for row in rows),
    )
