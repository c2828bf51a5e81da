"""Errors in what is bought: a pick that breaks exactly one limit of the query's wish.

After a sentence that cites a picked product, a sentence is added that takes another product instead, so that the cart
stays complete. If the report declares picks, the copy declares the changed ones. Templates are English.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.addons.lab.plant.good_report import Material, Planted
from drretail.grounding.constraints.decisions import Decisions
from drretail.grounding.constraints.fits import fitting, is_below, is_over_budget
from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.constraints.listing import Listing, is_of_brand, listing_of
from drretail.grounding.text.sentences import Sentence
from drretail.grounding.verify.records import record_of
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

_MORE_PIECES = (1, 2, 3)


def over_budget_silently(material: Material) -> Iterator[Planted]:
    for place in _places(material):
        yield from place.taking(place.would_do(), "the picks then cost more than the budget", over=True)


def owned_recommended(material: Material) -> Iterator[Planted]:
    """Includes products of which the run was shown an order but no record."""
    # By product that the user owns: an order of it that the run was shown.
    marks = {
        str(record["product_id"]): entry.id
        for entry in material.case.evidence.values()
        if entry.kind == "order"
        for text in entry.sources
        if (record := record_of(text.text)) and record.get("product_id") in material.case.all_owned
    }
    known = {} if material.case.lookup is None else material.case.lookup(sorted(marks))
    for place in _places(material, known):
        yield from place.taking(place.but_for(again=True), "the user has it already", marks=marks)


def unwanted_brand(material: Material) -> Iterator[Planted]:
    for place in _places(material):
        brands = place.want.brands_unwanted
        unwanted = [
            listing
            for listing in place.but_for(brands_unwanted=())
            if any(is_of_brand(listing, brand) for brand in brands)
        ]
        yield from place.taking(unwanted, "the query rules out its maker")


def below_rating(material: Material) -> Iterator[Planted]:
    """Takes a product that is known to have fewer stars or ratings than the query asks for."""
    for place in _places(material):
        want, others = place.want, place.but_for(rating_min=None, ratings_min=None)
        low = [
            listing
            for listing in others
            if is_below(listing.product.average_rating, want.rating_min, unknown=False)
            or is_below(listing.product.rating_number, want.ratings_min, unknown=False)
        ]
        yield from place.taking(low, "it has fewer stars or ratings than the query asks for")


def not_wanted(material: Material) -> Iterator[Planted]:
    """Adds a product of a kind that the query does not want, within the budget."""
    wish = material.case.query.wish
    if wish is None or wish.room:
        return
    carts = {
        product_id: cart
        for product_id, product in material.shown.items()
        if product_id not in material.case.all_owned
        and not any(is_of_kind(product, kind) for want in wish.wants for kind in want.kinds)
        and not is_over_budget(wish, cart := material.cart(Pick(product=product_id)), material.known(cart))
    }
    for sentence, _ in material.sentences(citing={f"P:{product}" for product in material.picked}) if carts else ():
        product = material.chance.choice(list(carts))
        words = f"Take the {material.shown[product].title} as well [P:{product}]."
        yield material.added(sentence, words, "nobody asked for it", carts[product])


def want_left_out(material: Material) -> Iterator[Planted]:
    """Removes the only pick of a want. Only if picks are declared, since a layout can't show that."""
    for place in _places(material) if material.case.picks is not None else ():
        cart = material.cart(without=place.pick)
        is_left_out = not (
            place.want.optional
            or any(is_of_kind(product, kind) for product in material.known(cart).values() for kind in place.want.kinds)
        )
        for sentence, cited in place.sentences() if cart and is_left_out else ():
            words = f"Better leave it for another time [{cited[0]}]."
            yield material.added(sentence, words, "the query wants it now", cart)


def wrong_quantity(material: Material) -> Iterator[Planted]:
    """Takes more pieces of a pick, within the budget. Only if picks are declared, since a layout can't show that."""
    for place in _places(material) if material.case.picks is not None else ():
        wanted = place.pick.quantity
        more = [place.pick.model_copy(update={"quantity": wanted + pieces}) for pieces in _MORE_PIECES]
        carts = {pick.quantity: material.cart(pick, without=place.pick) for pick in more}
        within = [count for count, cart in carts.items() if not is_over_budget(place.wish, cart, material.known(cart))]
        for sentence, cited in place.sentences() if within and not place.wish.room else ():
            count = material.chance.choice(within)
            yield material.added(sentence, f"Take {count} of it [{cited[0]}].", f"wanted are {wanted}", carts[count])


@dataclass(frozen=True, slots=True)
class _Place:
    """A pick for a want, and the other known products of the want's kinds."""

    material: Material
    wish: Wish
    want: Want
    pick: Pick
    others: Sequence[Listing]

    def would_do(self, **freed: object) -> Sequence[Listing]:
        """The other products that suit the want, with the limits in ``freed`` changed."""
        case = self.material.case
        return fitting(self.want.model_copy(update=freed), self.others, case.all_owned, Decisions(case.query.gold))

    def but_for(self, **freed: object) -> list[Listing]:
        """The other products that suit the want only with these limits changed."""
        do = {listing.product.product_id for listing in self.would_do()}
        return [listing for listing in self.would_do(**freed) if listing.product.product_id not in do]

    def sentences(self) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
        return self.material.sentences(citing={f"P:{self.pick.product}"})

    def taking(
        self,
        listings: Sequence[Listing],
        note: str,
        *,
        over: bool = False,
        marks: Mapping[str, str] | None = None,
    ) -> Iterator[Planted]:
        """Copies that take one of these products instead of the pick.

        With ``over`` the new cart must exceed the budget; otherwise it must not. ``marks`` are sources for products of
        which the run was shown no record.
        """
        titles = {listing.product.product_id: listing.product.title for listing in listings}
        carts = {
            title: self.material.cart(self.pick.model_copy(update={"product": title}), self.pick) for title in titles
        }
        chosen = [
            product_id
            for product_id, cart in carts.items()
            if is_over_budget(self.wish, cart, self.material.known(cart)) == over
        ]
        for sentence, _ in self.sentences() if chosen else ():
            product = self.material.chance.choice(chosen)
            mark = f"P:{product}" if product in self.material.shown or not marks else marks[product]
            yield self.material.added(sentence, f"Take the {titles[product]} instead [{mark}].", note, carts[product])


def _places(material: Material, known: Mapping[str, Product] | None = None) -> Iterator[_Place]:
    """Each pick of each want; ``known`` are products of which the run was shown no record."""
    wish = material.case.query.wish
    if wish is None:
        return
    picks = {pick.product: pick for pick in material.reading.picks or ()}
    listings = [listing_of(product) for product in {**(known or {}), **material.shown}.values()]
    for want in wish.wants:
        of_kind = {
            listing.product.product_id: listing
            for listing in listings
            if any(is_of_kind(listing.product, kind) for kind in want.kinds)
        }
        others = [listing for product_id, listing in of_kind.items() if product_id not in picks]
        yield from (
            _Place(material, wish, want, picks[product_id], others) for product_id in of_kind if product_id in picks
        )
