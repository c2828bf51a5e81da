"""What a query demands, read from its words by rules whose misses are preferred to their mistakes."""

import re
from collections.abc import Collection

from drretail.grounding.constraints.brands import read_brands
from drretail.grounding.constraints.budget import read_budget
from drretail.grounding.constraints.demands import read_demands
from drretail.grounding.constraints.quantities import read_deadline, read_quantities
from drretail.records.query import Constraints

_ID = r"(?:P:)?(?:https?://ecommerce\.com/)?(?P<{}>B[0-9A-Z]{{9,10}})\b"
_ONE_ID = re.compile(_ID.format("id"))
_OWNED = re.compile(
    r"\b(?:already\s+(?:own|have|has|got|bought|purchased|ordered)|own|owns|(?:i|we)(?:['’]ve)?\s+(?:have|got|bought|purchased|ordered))\b"
    r"(?P<things>(?:[^.;!?\n]|\.(?=\w)){0,200})",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"(?:n['’]t|\bnot|\bnever)\s+(?:\w+\s+)?$", re.IGNORECASE)
# After these words the ids are no longer about what is owned.
_TURN = re.compile(
    r"\b(?:but|need|want|looking|like|consider\w*|instead|compare\w*|replace\w*|returned|sent)\b", re.IGNORECASE
)
# What is owned is wanted once more …
_ASKED_AGAIN = re.compile(
    r"\b(?:re-?order\w*|re-?stock\w*|refill\w*|replenish\w*|stock\s+up|r[au]n(?:s|ning)?\s+(?:out|low)|us(?:ed"
    r"|ing)\s+(?:it\s+|them\s+)?up"
    r"|(?:order|buy|get)\s+(?:\w+\s+){0,4}?again|the\s+same\s+(?:one|thing|product)\s+again)\b",
    re.IGNORECASE,
)
# … or not at all.
_NOT_AGAIN = re.compile(
    r"\b(?:don['’]t|do\s+not|not|never|no|nothing|none)\b[^.!?\n]{0,50}\b(?:same\s+(?:one|thing|product)"
    r"|what\s+i\s+(?:already\s+)?(?:own|have)"
    r"|already\s+(?:own|have)|duplicates?)\b"
    r"|\bleave\s+(?:it\s+|out\s+|off\s+|them\s+)*[^.!?\n]{0,30}\b(?:own|bought|have|off\s+the\s+list)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:n['’]t|\bnot|\bnever|\bwithout)\s+(?:[\w']+\s+){0,4}$", re.IGNORECASE)


def asks_again(asked: str) -> bool:
    """True when a query wants more of what the user has, and does not rule out what is owned."""
    meant = any(not _DENIED.search(asked, 0, match.start()) for match in _ASKED_AGAIN.finditer(asked))
    return meant and not _NOT_AGAIN.search(asked)


def read_constraints(text: str, *, known_brands: Collection[str] = ()) -> Constraints:
    """The typed constraints of an English query; what its words do not plainly demand is left out.

    ``known_brands`` are recognised in any case and only in full; other brands must be written with a capital.
    """
    budget = read_budget(text)
    wanted, unwanted = read_brands(text, known_brands)
    must, must_not = read_demands(text)
    return Constraints(
        budget=None if budget is None else budget[0],
        budget_scope="total" if budget is None else budget[1],
        brands_wanted=wanted,
        brands_unwanted=unwanted,
        must=must,
        must_not=must_not,
        quantities=read_quantities(text),
        deadline=read_deadline(text),
        owned=read_owned(text),
    )


def read_owned(text: str) -> tuple[str, ...]:
    """The product ids that the text says somebody has already, in text order."""
    owned: dict[str, None] = {}
    for match in _OWNED.finditer(text):
        if not _DENIAL.search(text[max(0, match.start() - 30) : match.start()]):
            things = _TURN.split(match["things"])[0]
            owned |= {found["id"]: None for found in _ONE_ID.finditer(things)}
    return tuple(owned)
