"""What a user really bought next, and what sells best: what the metric next_purchase holds reports against."""

from drretail.records.base import Document, Record

METRIC = "next_purchase"


class Goods(Record):
    """A product by what a guess may hit of it."""

    product_id: str
    category: str | None = None
    """The last part of its category path; None where the shop knows only the department."""
    brand: str | None = None
    price_band: str | None = None
    """None where the shop knows no price."""


class NextPurchase(Document):
    """exp/rubrics/next_purchase/<query_id>.json: frozen when the experiment opens, for worlds that hold orders out."""

    query_id: str
    user_id: str | None = None
    bought: tuple[Goods, ...] = ()
    """Of the held-out orders that were not cancelled or returned; empty for a user without any."""
    gone: tuple[str, ...] = ()
    """Products of such orders that the shop does not have."""
    wanted: bool | None = None
    """Whether something of it is of a category that the query asks for; None where the query names none."""
    favourite: str | None = None
    """The leaf category of which the user had ordered most by then; None where no order is of a known one."""
    popular_in_favourite: tuple[Goods, ...] = ()
    """The products with most ratings, most first."""
    popular: tuple[Goods, ...] = ()
    """The same of the whole shop."""
