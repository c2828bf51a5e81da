"""What a query demands, read from its words by rules whose misses are preferred to their mistakes."""

import re
from collections.abc import Collection

from drretail.grounding.brands import read_brands
from drretail.grounding.budget import read_budget
from drretail.grounding.deadlines import read_deadline
from drretail.grounding.demands import read_demands
from drretail.grounding.quantities import read_quantities
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
