"""Further demands on models that write queries: the length, and demands on fields that tell offers apart.

Questions by people, and files from elsewhere, need not keep to them. Rules make no others.
"""

import re
from collections.abc import Iterator

from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.records.evidence import Finding
from drretail.records.query import Query

LEAST_WORDS, MOST_WORDS = 20, 180
CODES = {
    "too_short": Code(f"fewer than {LEAST_WORDS} words", "say more of the need"),
    "too_long": Code(f"more than {MOST_WORDS} words", "say less"),
    "demand_decides_nothing": Code("nearly all or hardly any offers keep a demand", "demand what tells them apart"),
}
_BY_MODEL = re.compile(r"(?!offline:)[a-z][a-z0-9_]*:\S+")
# The share of a kind's priced offers that may keep a demand, and the least offers for which a share says something.
LEAST_SHARE, MOST_SHARE, LEAST_OFFERS = 0.1, 0.6, 4


def binds(query: Query) -> bool:
    """True if a model wrote the query with all its fields, by its source; False if it only typed the wish."""
    return query.typed_by is None and bool(query.rationale and _BY_MODEL.fullmatch(query.source))


def check(case: QueryCase) -> Iterator[Finding]:
    query, words = case.query, len(case.query.text.split())
    if not LEAST_WORDS <= words <= MOST_WORDS:
        yield finding("too_short" if words < LEAST_WORDS else "too_long", query.text[:80], f"{words} words")
    for want, offered in case.offered:
        for demand in want.must if len(offered) >= LEAST_OFFERS else ():
            met = sum(times for ruling, times in offered.rulings(demand).items() if ruling.state == "met")
            if demand.field is not None and not LEAST_SHARE <= met / len(offered) <= MOST_SHARE:
                yield finding("demand_decides_nothing", str(demand), f"{met} of {len(offered)} {want.name} keep it")
