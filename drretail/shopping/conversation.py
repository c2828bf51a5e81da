"""A turn of a conversation: what it asks of the system's own cart, and whether a cart does it.

A wish is whole: what is wanted from this turn on. What a turn asks is the difference from the turn before. Where that
is relative to the system's own picks, fewer of the shop's offers would do: the picks themselves where nothing was
asked, others where others are asked for. So a turn is right exactly if its cart is feasible among these.

A turn that is refused, or that can't be met, leaves the cart as it was: later turns follow the cart before it. Where
nothing is wanted any more, an empty block empties it. After a wrong turn anything may be mended: then only what the
turn says of the system's own picks is relative to them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

from drretail.records.evidence import Finding
from drretail.records.query import Fit, Proof, Query, Reference, WantedThing
from drretail.records.reading import Decision, Outcome, Pick
from drretail.records.run import Run
from drretail.records.wish import Want, Wish
from drretail.shopping.basket import baskets
from drretail.shopping.cart import OPEN, Cart
from drretail.shopping.listing import listing_of
from drretail.shopping.verify.findings import pick_findings
from drretail.shopping.verify.records import read_ledger
from drretail.shopping.vocabulary import Records

ReferenceOf = Callable[[Query], Reference]
_LISTS = ("must", "must_not", "brands_unwanted")
_LIMITS = (*_LISTS, "rating_min", "ratings_min", "price_max", "brands_wanted", "options")


@dataclass(frozen=True)
class ConversationTurn:
    """A turn with what was declared in it, and the carts that it follows. What no wish is typed of is no turn."""

    query: Query
    reference: Reference
    """Of its whole wish, over the whole shop."""
    shop: Records
    picks: tuple[Pick, ...] = ()
    """The cart: what was declared, or after a refusal of everything what was in it before."""
    decision: Decision | None = None
    """None if nothing was declared."""
    carts: tuple[Cart, ...] = ()
    """Those of the turns before, the last one last."""
    is_sound: bool = True
    """False if the turn before was wrong, so that anything in its cart may have to be mended."""

    def answered(self, run: Run | None) -> "ConversationTurn":
        """The same turn with what a run declared in it."""
        if run is None or run.picks is None or run.outcome is None:
            return self
        is_refused = run.outcome.decision == "none" and bool(self.wish.wants)
        picks = self.before.picks if is_refused and self.before is not None else run.picks
        return replace(self, picks=picks, decision=run.outcome.decision)

    def followed_by(self, query: Query, reference: Reference) -> "ConversationTurn":
        """The turn after it. A cart that is left as it was is no further one."""
        is_refused = self.decision is None or (self.decision == "none" and bool(self.wish.wants))
        stays = is_refused or (self.can_be_met is False and self.leaves)
        carts = self.carts if stays else (*self.carts, replace(self.cart, reference=self.reference))
        return ConversationTurn(query, reference, self.shop, carts=carts, is_sound=self.is_right is not False)

    @property
    def before(self) -> Cart | None:
        """The cart before it; None in the first turn."""
        return self.carts[-1] if self.carts else None

    @property
    def wish(self) -> Wish:
        return self.query.wish or Wish()

    @cached_property
    def wants_before(self) -> Mapping[str, Want]:
        return {} if self.before is None else {want.name: want for want in self.before.wish.wants}

    def is_unchanged(self, want: Want) -> bool:
        """True if the turn asks nothing of a want: it stays as it was."""
        return self.wants_before.get(want.name) == want and want.name not in self.query.relations

    def limits(self, *, of_before: bool) -> Wish:
        """The limits of earlier turns that still stand, or what this turn alone says."""
        is_same = self.before is not None and self.before.wish.budget == self.wish.budget
        wants = [
            _part(want, self.wants_before.get(want.name, Want(name=want.name, kinds=want.kinds)), of_before=of_before)
            for want in self.wish.wants
            if (want.name in self.wants_before if of_before else not self.is_unchanged(want))
        ]
        budget = self.wish.budget if is_same is of_before else None
        return Wish(wants=tuple(wants), budget=budget, room=self.before is not None, owned=self.wish.owned)

    def breaches(self, wish: Wish) -> list[Finding]:
        """What the picks break in a wish, as the checks of any cart find it by their records."""
        records = self.cart.products
        ledger = replace(read_ledger({}, self.query), products=records, vocabulary=self.shop.vocabulary)
        findings = pick_findings(
            self.picks, report="", cited=records, wish=wish, owned=wish.owned, ledger=ledger, catalog=records
        )
        return [finding for finding in findings if finding.severity == "error" or finding.code == "price_unknown"]

    def _following(self, *, keeps: bool) -> Reference:
        """The reference with those offers alone that follow what was picked before; unless the turn ``keeps`` the rest,
        only where it speaks of these picks.
        """
        whole = self.reference
        if self.before is None or whole.best is None:
            return whole
        things = [self._following_picks(*pair, keeps=keeps) for pair in zip(whole.things, self.wish.wants, strict=True)]
        currency, named = whole.best.total.currency, self.shop.products
        find = partial(baskets, wish=self.wish, title_of=lambda key: named([key])[key].title, currency=currency)
        cheapest, best = find(things)
        change: dict[str, Any] = {"things": tuple(things), "cheapest": cheapest, "best": best}
        if best is None:
            is_open = find([thing.with_undecided() for thing in things])[1] is not None
            change |= {"lack": "demands", "proof": Proof(state="open" if is_open else "proved", lack="demands")}
        return whole.model_copy(update=change)

    @cached_property
    def _keeping(self) -> Reference:
        return self._following(keeps=self.is_sound)

    @cached_property
    def followed(self) -> Reference:
        """The reference with those offers alone that do what the turn asks of the system's own picks. It holds a proof
        where nothing in the shop does, such as a cheaper one.
        """
        return self._following(keeps=False) if self._keeping.best is None else self._keeping

    @property
    def may_keep(self) -> bool:
        """True if all that the turn does not speak of was right before, and can stay."""
        return self.is_sound and (self._keeping.best is not None or self.followed.best is None)

    @property
    def can_be_met(self) -> bool | None:
        """False if nothing in the shop does what the turn asks, so that the cart should stay; None if nobody knows."""
        if self.followed.best is not None or not self.wish.wants:
            return True
        return False if self.followed.proof is not None and self.followed.proof.state == "proved" else None

    def _following_picks(self, thing: WantedThing, want: Want, *, keeps: bool) -> WantedThing:
        relation, then = self.query.relations.get(want.name), self.wants_before.get(want.name)
        picked = _picked(self.carts[-2:-1] if relation == "back" else self.carts[-1:], want.name)
        if then is None or not picked or not (keeps or relation):
            return thing
        products, prices = {fit.product_id for fit in picked}, [fit.cost for fit in picked if fit.price is not None]
        if relation == "other":
            return _among(thing, lambda fit: fit.product_id not in products)
        if relation == "cheaper":
            return _among(thing, lambda fit: fit.price is not None and all(fit.cost < price for price in prices))
        if relation == "other_brand":
            known = self.shop.products([*({fit.product_id for fit in (*thing.fits, *thing.undecided)} | products)])
            makers = {key: listing_of(product).makers for key, product in known.items()}
            brands = frozenset[str]().union(*(makers.get(key, ()) for key in products))
            return _among(thing, lambda fit: bool(names := makers.get(fit.product_id)) and not names & brands)
        if relation == "back" or then == want.model_copy(update={"quantity": then.quantity}):
            return _among(thing, lambda fit: any(fit.offer_id == before.offer_id for before in picked))
        if then == want.model_copy(update={"options": then.options}):  # another size of the same thing
            return _among(thing, lambda fit: fit.product_id in products)
        return thing

    @cached_property
    def cart(self) -> Cart:
        """The picks as a cart for the turn."""
        return Cart(self.wish, self.followed, self.picks, self.shop.products([pick.product for pick in self.picks]))

    @cached_property
    def is_right(self) -> bool | None:
        """Whether the cart is what the turn asks; None if that rests on what nobody has decided."""
        if self.decision is None:
            return False
        if not self.wish.wants:
            return not self.picks
        if self.decision == "none" and self.can_be_met:
            return False
        if self.can_be_met is not False:
            return None if self.can_be_met is None or self.cart.verdict == OPEN else self.cart.is_feasible
        # The cart is what counts: who just keeps it has done what can be done, with or without a refusal in the block.
        # Whether it is right to buy a part of what is asked, and leave out the rest, nobody decides.
        stays = self.before is None or all(self.cart.pieces[key] >= self.before.pieces[key] for key in self.kept)
        return True if self.leaves else None if self.decision == "part" and stays else False

    @property
    def leaves(self) -> bool:
        """True if the cart stays as it was."""
        return self.cart.pieces == (self.before.pieces if self.before else Counter())

    def decided(self, run: Run) -> Run:
        """The run; as a refusal where it keeps the cart because nothing in the shop does what is asked."""
        is_kept = self.before is not None and self.can_be_met is False and self.leaves
        return run.model_copy(update={"outcome": Outcome(decision="none")}) if is_kept else run

    @cached_property
    def kept(self) -> set[str]:
        """The offers in the cart before of which nothing is asked."""
        names = [want.name for want in self.wish.wants if self.is_unchanged(want)]
        return {fit.offer_id for name in names for fit in _picked(self.carts[-1:], name)}


def turns_of(
    queries: Sequence[Query], runs: Sequence[Run | None], reference_of: ReferenceOf, shop: Records
) -> list[ConversationTurn]:
    """The turns of a conversation that have a wish, the first one first, with the runs that they have by now."""
    turns: list[ConversationTurn] = []
    for query, run in zip_longest(queries, runs):
        if query.wish is not None:
            reference = reference_of(query)
            turn = turns[-1].followed_by(query, reference) if turns else ConversationTurn(query, reference, shop)
            turns.append(turn.answered(run))
    return turns


def _part(want: Want, then: Want, *, of_before: bool) -> Want:
    """The limits of a want that stood before, or those that did not."""
    part: dict[str, Any] = {"optional": want.optional} if of_before else {"quantity": want.quantity}
    for name in _LIMITS:
        value, earlier = getattr(want, name), getattr(then, name)
        if name in _LISTS:
            part[name] = tuple(entry for entry in value if (entry in earlier) is of_before)
        elif (value == earlier) is of_before:
            part[name] = value
    return Want(name=want.name, kinds=want.kinds, not_owned=want.not_owned, **part)


def _picked(carts: Sequence[Cart], name: str) -> list[Fit]:
    """The offers that these carts have for the want of this name."""
    parts = [pair for cart in carts for pair in zip(cart.things, cart.taken, strict=True)]
    return [part.fit for thing, taken in parts if thing.name == name for part in taken]


def _among(thing: WantedThing, does: Callable[[Fit], bool]) -> WantedThing:
    fits = {name: tuple(filter(does, getattr(thing, name))) for name in ("fits", "undecided")}
    return thing.model_copy(update=fits)
