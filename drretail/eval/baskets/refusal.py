"""A declared outcome beside the proof: what was decided, why, and what was offered instead."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.constraints.kinds import holds_words
from drretail.grounding.constraints.listing import listing_of
from drretail.records.base import Record
from drretail.records.query import Proof, Query, Reference, WantedThing
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Run, Step
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

_CENT = Decimal("0.01")
_MOST_WORDS = 8
"""Of a search for one thing; what holds the words of a whole question shows nothing of any of its things."""
_ORDERS_SHOWN = 20
"""Orders that the tool lists where no limit is given."""
SEARCH, ORDER, ORDERS = "product_catalog_search", "get_order_details", "get_user_orders"


class Decided(Record):
    """The value of the one verdict."""

    state: str
    """Of the proof: "proved" or "refuted"."""
    declared: bool
    refused: bool
    """True where nothing is bought, or a want is refused beside what is."""
    bought: bool
    reason: float | None = None
    """Of the declared reasons, the share that is right: lifting one such limit would do. None where nothing was refused
    or no single limit is in the way."""
    nearest: float | None = None
    """What is offered instead beside the best of it; None where nothing comes near."""
    shown: bool | None = None
    """Whether the run made the searches by which it could know."""


def seen_among(outcome: Outcome | None, known: Mapping[str, Product], handed: Collection[str]) -> list[Product]:
    """The records of what a report names as nearest, of those products that its run was handed."""
    ids = () if outcome is None else outcome.nearest
    return [known[key] for key in ids if key in known and f"P:{key}" in handed]


def decided_by(
    run: Run, query: Query, reference: Reference, known: Mapping[str, Product], handed: Collection[str]
) -> Decided | None:
    """What a run decided beside the proof, and where that is one, whether its own searches show it; None without one.

    ``known`` are the records of the products that it was handed, by id, and ``handed`` the evidence ids.
    """
    proof = reference.proof
    if proof is None:
        return None
    decided = decide(run.outcome, reference, proof, seen_among(run.outcome, known, handed), run.picks or ())
    if proof.state != "proved" or query.wish is None:
        return decided
    shown = is_shown(query.wish, reference, run.steps, known, query.user_id)
    return decided.model_copy(update={"shown": shown})


def decide(
    outcome: Outcome | None, reference: Reference, proof: Proof, offered: Sequence[Product], picks: Sequence[Pick]
) -> Decided:
    """What a declared outcome is worth; ``offered`` are the records of the products that it names as nearest.

    A part is refused where the picks leave something out: a cart that holds a product for every want refuses nothing,
    unless it is an order that is refused.
    """
    if outcome is None:
        return Decided(state=proof.state, declared=False, refused=False, bought=False)
    needed = sum(not thing.optional for thing in reference.things)
    most = needed if proof.lack == "no_such_order" else needed - 1
    refused = outcome.decision == "none" or (outcome.decision == "part" and len(picks) <= most)
    is_proved = proof.state == "proved"
    reasons = {*proof.cheapest_without, *((proof.lack,) if proof.lack else ())}
    named = len(set(outcome.because))
    right = len(reasons & set(outcome.because)) / named if named else 0.0
    return Decided(
        state=proof.state,
        declared=True,
        refused=refused,
        bought=outcome.decision != "none",
        reason=right if is_proved and refused and reasons else None,
        nearest=nearness(reference, proof, offered) if is_proved and refused else None,
    )


def nearness(reference: Reference, proof: Proof, offered: Sequence[Product]) -> float | None:
    """1 where the offered products are the cheapest basket without the lacking limit, else its cost over theirs.

    0 where nothing is offered, nothing of a known price, or what would not do but for a limit of price; None where no
    basket comes near.
    """
    best = None if proof.lack is None else proof.cheapest_without.get(proof.lack)
    if best is None:
        return None
    if {item.product_id for item in best.items} == {product.product_id for product in offered}:
        return 1.0
    would_do = {fit.product_id for thing in reference.things for fit in thing.fits}
    if proof.lack == "too_dear" and not would_do.issuperset(product.product_id for product in offered):
        return 0.0
    quantities = {item.product_id: item.quantity for item in best.items}
    prices = [(listing_of(product).price, quantities.get(product.product_id, 1)) for product in offered]
    cost = sum((price * quantity for price, quantity in prices if price is not None), Decimal(0))
    is_whole = bool(prices) and len(prices) == len(best.items) and all(price is not None for price, _ in prices)
    return min(1.0, float(best.total.value / cost)) if is_whole and cost else 0.0


def is_shown(
    wish: Wish, reference: Reference, steps: Sequence[Step], known: Mapping[str, Product], user_id: str | None
) -> bool:
    """``known`` are the records of all that the run was handed, by id."""
    calls = [step for step in steps if step.kind == "tool" and step.error is None]
    lack = None if reference.proof is None else reference.proof.lack
    if lack == "no_such_order":
        asked = (step for step in steps if step.kind == "tool")
        return any(_asks_for_orders(step, wish, user_id) for step in asked)
    searches = [_Search.of(step, known) for step in calls if step.name == SEARCH]
    things = [(want, thing) for want, thing in zip(wish.wants, reference.things, strict=True) if not want.optional]
    if lack == "too_dear":
        bounds = [_least(want, thing, searches) for want, thing in things]
        known_bounds = [bound for bound in bounds if bound is not None]
        if wish.budget is not None:
            return sum(known_bounds, Decimal(0)) > wish.budget.value
        return bool(bounds) and len(known_bounds) == len(bounds)
    return any(_finds_none(want, thing, searches) for want, thing in things)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search from its first hit on, with the records of its hits."""

    args: Mapping[str, Any]
    hits: tuple[Product, ...]

    @classmethod
    def of(cls, step: Step, known: Mapping[str, Product]) -> "_Search":
        ids = (key.removeprefix("P:") for key in step.evidence if key.startswith("P:"))
        return cls(step.args or {}, tuple(known[key] for key in ids if key in known))

    def is_about(self, want: Want) -> bool:
        """True for a search for a kind of the want that hides nothing of it.

        It is for little else, begins with its first hit, leaves no cheap product and no rating out that the want takes,
        and asks for all words only where these are the want's own.
        """
        text, category = str(self.args.get("query", "")), str(self.args.get("category", ""))
        kinds = [kind for kind in want.kinds if holds_words(text, kind) or holds_words(category, kind)]
        is_loose = self.args.get("match", "any") == "any" or any(
            holds_words(kind, text) for kind in (*kinds, want.name)
        )
        is_whole = not self.args.get("offset") and not self.args.get("price_min")
        stars = float(self.args.get("rating_min") or 0)
        return (
            bool(kinds)
            and len(text.split()) <= _MOST_WORDS
            and is_loose
            and is_whole
            and stars <= (want.rating_min or 0)
        )


def _least(want: Want, thing: WantedThing, searches: Sequence[_Search]) -> Decimal | None:
    """What the want costs at least by the run's own searches; None where none of them bounds it.

    By price ascending that is the first hit that would do, or the last one seen where none would; with a highest price
    and no hit that would do, more than that price.
    """
    would_do = {fit.product_id for fit in thing.fits}
    bounds: list[Decimal] = []
    for search in searches:
        if not search.is_about(want):
            continue
        known = ((listing_of(hit).price, hit.product_id in would_do) for hit in search.hits)
        prices = [(price, does) for price, does in known if price is not None]
        fitting = [price for price, does in prices if does]
        is_ascending = search.args.get("sort_by") == "price" and search.args.get("order") in (None, "asc")
        if is_ascending and search.args.get("price_max") is None:
            bounds += [min(fitting)] if fitting else [price for price, _ in prices][-1:]
        elif search.args.get("price_max") is not None and not fitting:
            bounds.append(Decimal(str(search.args["price_max"])) + _CENT)
    return max(bounds) * want.quantity if bounds else None


def _finds_none(want: Want, thing: WantedThing, searches: Sequence[_Search]) -> bool:
    """True where a search for the kind, whatever it costs, brought nothing that would do."""
    would_do = {fit.product_id for fit in thing.fits}
    return any(
        search.is_about(want)
        and search.args.get("price_max") is None
        and not any(hit.product_id in would_do for hit in search.hits)
        for search in searches
    )


def _asks_for_orders(step: Step, wish: Wish, user_id: str | None) -> bool:
    """True for a look at an order that the wish names, or at a list of orders that ends before its limit."""
    args = step.args or {}
    if step.name == ORDER:
        return str(args.get("order_id", "")).removeprefix("O:") in wish.orders
    if step.name != ORDERS or step.error is not None or args.get("user_id") != user_id:
        return False
    shown = sum(key.startswith("O:") for key in step.evidence)
    return not args.get("offset") and not args.get("status") and shown < int(args.get("limit", _ORDERS_SHOWN))
