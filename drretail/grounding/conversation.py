"""A turn of a conversation: what it asks of the system's own cart, and what of this a cart keeps.

A wish is whole: what is wanted from this turn on. What a turn asks is the difference from the turn before. Where that
is relative to the system's own picks, fewer of the shop's offers would do: the picks themselves where nothing was
asked, others where others are asked for. So a turn is right exactly if its cart is feasible among these.

A turn that the shop can't meet leaves the cart as it was: later turns follow the last one that could be met.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from drretail.grounding.basket import baskets, reference_of
from drretail.grounding.cart import Cart
from drretail.grounding.constraints import Decisions
from drretail.grounding.listing import listing_of
from drretail.records.query import Fit, Query, Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.shop import USD, Product
from drretail.records.wish import Want, Wish

LookUp = Callable[[Sequence[str]], Mapping[str, Product]]
"""Finds products by their ids."""
_DEMANDS = ("must", "must_not", "brands_unwanted")
_SINGLE = ("rating_min", "ratings_min", "price_max", "brands_wanted")


def cart_of(query: Query, picks: Sequence[Pick], look_up: LookUp, wish: Wish | None = None) -> Cart:
    """The picks as a cart for a query, or for another ``wish`` in its place, by their own records alone."""
    wanted = wish or query.wish or Wish()
    products = look_up([pick.product for pick in picks])
    listings, decisions = list(map(listing_of, products.values())), Decisions(query.gold)
    offered = [[each for each in listings if decisions.is_of_kind(want, each)] for want in wanted.wants]
    reference = reference_of(query.model_copy(update={"wish": wanted}), offered)
    return Cart(wanted, reference, tuple(picks), products)


@dataclass(frozen=True)
class TurnAsked:
    """A turn with the carts that it follows. ``reference`` is of its whole wish, over the whole shop."""

    query: Query
    reference: Reference
    look_up: LookUp
    before: Cart | None = None
    """The cart before it; None in the first turn."""
    earlier: Cart | None = None
    """The cart before that."""

    @classmethod
    def after(
        cls, past: Sequence[tuple[Query, Sequence[Pick]]], query: Query, reference: Reference, look_up: LookUp
    ) -> "TurnAsked":
        """The turn after these, the first one first, each with what was picked in it."""
        followed = [(turn, picks) for turn, picks in past if turn.wish is not None and not turn.infeasible][-2:]
        met = [cart_of(turn, picks, look_up) for turn, picks in followed]
        return cls(query, reference, look_up, *reversed(met))

    @property
    def wish(self) -> Wish:
        return self.query.wish or Wish()

    @cached_property
    def wants_before(self) -> Mapping[str, Want]:
        return {} if self.before is None else {want.name: want for want in self.before.wish.wants}

    def is_kept(self, want: Want) -> bool:
        """True if the turn asks nothing of a want: it stays as it was."""
        return self.wants_before.get(want.name) == want and want.name not in self.query.relations

    @cached_property
    def asked(self) -> Wish:
        """What this turn alone says: its new wants, and of others what is new of them; the budget if it is another."""
        budget = self.wish.budget if self.before is None or self.before.wish.budget != self.wish.budget else None
        wants = [
            want if (then := self.wants_before.get(want.name)) is None else _part(want, then, of_before=False)
            for want in self.wish.wants
            if not self.is_kept(want)
        ]
        return Wish(wants=tuple(wants), budget=budget, room=self.before is not None, owned=self.wish.owned)

    @cached_property
    def held(self) -> Wish:
        """The limits of earlier turns that still stand."""
        pairs = [(want, self.wants_before[want.name]) for want in self.wish.wants if want.name in self.wants_before]
        budget = None if self.before is None or self.before.wish.budget != self.wish.budget else self.wish.budget
        wants = tuple(_part(*pair, of_before=True) for pair in pairs)
        return Wish(wants=wants, budget=budget, room=True, owned=self.wish.owned)

    @property
    def dropped(self) -> set[str]:
        """The offers that were picked for wants that stand no more."""
        gone = self.wants_before.keys() - {want.name for want in self.wish.wants}
        return {fit.offer_id for name in gone for fit in _picked(self.before, name)}

    @property
    def asks_something(self) -> bool:
        """True if the turn says what the cart must have or be rid of."""
        is_dropping = self.wants_before.keys() - {want.name for want in self.wish.wants}
        return bool(self.asked.wants or self.asked.budget or is_dropping)

    def wanted_still(self, picks: Sequence[Pick]) -> set[str]:
        """The offers among these picks that are for a want of this turn."""
        cart = cart_of(self.query, picks, self.look_up)
        return {part.fit.offer_id for taken in cart.taken for part in taken}

    @property
    def is_unmeetable(self) -> bool:
        """True if it is proved that the shop can't meet the wish."""
        return self.reference.proof is not None and self.reference.proof.state == "proved"

    @cached_property
    def _levels(self) -> tuple[int, Reference]:
        """0 if all that is to stay can stay; 1 if that costs too much, so that anything may change; 2 if nothing in the
        shop does what is asked of the system's own picks: the cart should stay as it was.
        """
        if self.before is None or self.is_unmeetable:
            return 0, self.reference
        for level, keeps in enumerate((True, False)):
            things = [
                self._followed(thing, want) if keeps or not self.is_kept(want) else thing
                for thing, want in zip(self.reference.things, self.wish.wants, strict=True)
            ]
            currency = self.reference.best.total.currency if self.reference.best else USD
            cheapest, best = baskets(things, self.wish, _Titles(self.look_up), currency)
            if best is not None:
                found = {"things": tuple(things), "cheapest": cheapest, "best": best, "lack": None}
                return level, self.reference.model_copy(update=found)
        lacking = {"cheapest": None, "best": None, "lack": "no_basket"}
        return 2, self.reference.model_copy(update=lacking)

    @property
    def followed(self) -> Reference:
        """The reference with those offers alone that do what the turn asks of the system's own picks."""
        return self._levels[1]

    @property
    def may_keep(self) -> bool:
        """True if what the turn does not speak of can stay as it was."""
        return self._levels[0] == 0

    @property
    def is_beyond_shop(self) -> bool:
        """True if nothing in the shop does what is asked of the system's own picks, such as a cheaper one."""
        return self._levels[0] == 2

    def _followed(self, thing: WantedThing, want: Want) -> WantedThing:
        """The thing with those of its offers that follow what was picked for it before."""
        relation, then = self.query.relations.get(want.name), self.wants_before.get(want.name)
        picked = _picked(self.earlier if relation == "back" else self.before, want.name)
        if then is None or not picked:
            return thing
        offers, products = {fit.offer_id for fit in picked}, {fit.product_id for fit in picked}
        prices = [fit.cost for fit in picked if fit.price is not None]
        if relation == "other":
            return _among(thing, lambda fit: fit.product_id not in products)
        if relation == "cheaper":
            return _among(thing, lambda fit: fit.price is not None and all(fit.cost < price for price in prices))
        if relation == "other_brand":
            known = self.look_up([*({fit.product_id for fit in (*thing.fits, *thing.undecided)} | products)])
            makers = {key: listing_of(product).makers for key, product in known.items()}
            brands = frozenset[str]().union(*(makers.get(key, ()) for key in products))
            others = {key for key, names in makers.items() if names and not names & brands}
            return _among(thing, lambda fit: fit.product_id in others)
        if relation == "back" or then == want.model_copy(update={"quantity": then.quantity}):
            return _among(thing, lambda fit: fit.offer_id in offers)
        if then == want.model_copy(update={"options": then.options}):  # another size of the same thing
            return _among(thing, lambda fit: fit.product_id in products)
        return thing

    def is_unchanged(self, picks: Sequence[Pick]) -> bool:
        """True if these are the picks before."""
        return self.before is not None and replace(self.before, picks=tuple(picks)).pieces == self.before.pieces

    def asked_of(self, picks: Sequence[Pick]) -> Cart:
        """The picks as a cart for what this turn alone says."""
        cart = cart_of(self.query, picks, self.look_up, self.asked)
        whole = {want.name: want for want in self.wish.wants}
        things = [self._followed(thing, whole[thing.name]) for thing in cart.things]
        return replace(cart, reference=cart.reference.model_copy(update={"things": tuple(things)}))

    def held_in(self, picks: Sequence[Pick]) -> Cart:
        """The picks as a cart for the limits of earlier turns."""
        return cart_of(self.query, picks, self.look_up, self.held)

    @cached_property
    def _kept(self) -> set[str]:
        names = [want.name for want in self.wish.wants if self.is_kept(want)]
        return {fit.offer_id for name in names for fit in _picked(self.before, name)}

    @property
    def has_before(self) -> bool:
        """True if something was in the cart before."""
        return self.before is not None and bool(self.before.picks)

    @property
    def has_kept(self) -> bool:
        """True if the cart before had something of which nothing is asked."""
        return bool(self._kept)

    def touched(self, cart: Cart) -> list[str]:
        """The offers that a cart has in another number than before, though nothing was asked of them."""
        now, then = cart.pieces, self.before.pieces if self.before else Counter[str]()
        fewer = [offer_id for offer_id in sorted(self._kept) if now[offer_id] < then[offer_id]]
        beside = {} if self.wish.room else cart.besides
        return [*fewer, *(offer_id for offer_id in beside if now[offer_id] > then[offer_id])]


class _Titles(dict[str, str]):
    """The titles of products, each looked up when it is asked for: a basket needs few."""

    def __init__(self, look_up: LookUp) -> None:
        super().__init__()
        self._look_up = look_up

    def __missing__(self, product_id: str) -> str:
        found = self._look_up([product_id])
        self[product_id] = found[product_id].title if product_id in found else product_id
        return self[product_id]


def _part(want: Want, then: Want, *, of_before: bool) -> Want:
    """The limits of a want that stood before, or those that did not."""
    lists = {
        name: tuple(value for value in getattr(want, name) if (value in getattr(then, name)) is of_before)
        for name in _DEMANDS
    }
    single = {
        name: getattr(want, name) for name in _SINGLE if (getattr(want, name) == getattr(then, name)) is of_before
    }
    options = {name: values for name, values in want.options.items() if (then.options.get(name) == values) is of_before}
    plain = {"name": want.name, "kinds": want.kinds, "quantity": want.quantity, "again": want.again}
    optional = of_before and want.optional
    return Want.model_validate(plain | lists | single | {"options": options, "optional": optional})


def _picked(cart: Cart | None, name: str) -> list[Fit]:
    """The offers that a cart has for the want of this name."""
    parts = [] if cart is None else zip(cart.things, cart.taken, strict=True)
    return [part.fit for thing, taken in parts if thing.name == name for part in taken]


def _among(thing: WantedThing, does: Callable[[Fit], bool]) -> WantedThing:
    fits = {name: tuple(filter(does, getattr(thing, name))) for name in ("fits", "undecided")}
    return thing.model_copy(update=fits)
