"""What a report decides: to buy, to buy a part, or to buy nothing because the shop can't meet the wish."""

from typing import Literal, get_args

from drretail.records.base import Record
from drretail.records.reading import ProductId

Decision = Literal["buy", "part", "none"]
Because = Literal["too_dear", "not_sold", "no_such_brand", "demands", "owned", "no_price", "no_such_order"]
REASONS: tuple[Because, ...] = get_args(Because)
"""Why nothing is bought: it costs more than the limit; the shop has nothing of the kind, or nothing of the wanted
brand; nothing is what is demanded; the shopper has all that would do; no price is known; the shopper never made the
order that the question speaks of."""


class Outcome(Record):
    """The decision that a report declares, never inferred from its prose."""

    decision: Decision
    because: tuple[Because, ...] = ()
    """Why a want, or all of them, is not bought, in the order of the block; empty where no reason was given."""
    nearest: tuple[ProductId, ...] = ()
    """What comes nearest, where the report names it."""
