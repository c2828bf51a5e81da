"""What every check of a query starts from, and how it says what it found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal, NamedTuple

from drretail.grounding.constraints.listing import Listing, folded
from drretail.grounding.text.words import content_stems
from drretail.querygen.checks.stock import Shopper, Stock
from drretail.records.evidence import Finding
from drretail.records.query import Query, Reference
from drretail.records.wish import Want

# The first words of a title tell a product from others; fewer are a brand or a kind.
_FRONT = 3


class Code(NamedTuple):
    """What a finding's code means, and what to do about it."""

    meaning: str
    remedy: str


@dataclass(frozen=True)
class Case:
    """One query in its world; ``shopper`` is None where the query names no user, or one that the world lacks."""

    query: Query
    shopper: Shopper | None
    stock: Stock
    now: datetime

    @cached_property
    def wants(self) -> Sequence[Want]:
        """What is to be bought; none where nobody has typed it."""
        return () if self.query.wish is None else self.query.wish.wants

    @cached_property
    def offered(self) -> Sequence[tuple[Want, Sequence[Listing]]]:
        """Each want with all that the shop has of its kinds."""
        return [(want, self.stock.offers.of_want(want)) for want in self.wants]

    @cached_property
    def owned(self) -> Sequence[Listing]:
        """What the wish names as owned, as far as the shop holds it."""
        return [] if self.query.wish is None else self.stock.offers.listings(self.query.wish.owned)

    def titles_in(self, text: str) -> Iterator[tuple[str, Listing]]:
        """What is offered of the wanted kinds and named in a text by the first words of its title; with these words."""
        words = f" {folded(text)} "
        for listing in (listing for _, listings in self.offered for listing in listings):
            front = " ".join(listing.text.split(maxsplit=_FRONT)[:_FRONT])  # the folded text begins with the title
            if front.count(" ") == _FRONT - 1 and f" {front} " in words:
                yield front, listing

    @cached_property
    def reference(self) -> Reference:
        """The baskets that keep to the wish, as answers are measured by them, or why there is none."""
        # Whom the shop does not know has bought nothing; that is found elsewhere.
        known = self.query if self.shopper else self.query.model_copy(update={"user_id": None})
        return self.stock.offers.reference(known)


def names_of(listing: Listing) -> set[str]:
    """The stems of what a product may be called by: its title, maker and categories."""
    product = listing.product
    return set(content_stems(" ".join((product.title, product.brand or "", product.store or "", *product.categories))))


def found(
    code: str,
    text: str,
    evidence: str | None = None,
    *,
    severity: Literal["error", "warning"] = "error",
    span: tuple[int, int] | None = None,
    evidence_id: str | None = None,
) -> Finding:
    """A finding; ``span`` is the place in the query's text that ``text`` quotes."""
    start, end = span or (None, None)
    return Finding(
        code=code, severity=severity, start=start, end=end, text=text, found=evidence, evidence_id=evidence_id
    )
