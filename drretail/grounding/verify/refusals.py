"""What shows that a refusal is right: the evidence of each reason, in what the run itself looked up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.constraints.kinds import holds_words
from drretail.grounding.constraints.listing import listing_of
from drretail.grounding.verify.records import read_ledger
from drretail.records.evidence import Evidence
from drretail.records.query import KeptReference, Reference, WantedThing
from drretail.records.reading import Because, Outcome
from drretail.records.run import Step
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

_CENT = Decimal("0.01")
_MOST_WORDS = 8
"""Words of a search for one thing; a search with a whole question's words says nothing of any single thing."""
_ORDERS_SHOWN = 20
"""Orders that the tool lists by default."""
SEARCH, RECORD = "product_catalog_search", "get_product_details"
ORDER, ORDERS = "get_order_details", "get_user_orders"


@dataclass(frozen=True, slots=True)
class Research:
    """What a run looked up for a wish that it refuses."""

    wish: Wish
    reference: Reference
    steps: Sequence[Step]
    known: Mapping[str, Product]
    """The records that the run received, by product id."""
    user_id: str | None = None
    evidence: Mapping[str, Evidence] | None = None
    """By evidence id."""

    @property
    def _calls(self) -> list[Step]:
        return [step for step in self.steps if step.kind == "tool"]

    def shows(self, reason: Because) -> bool:
        """Whether it holds the evidence of a reason.

        That is the failed look-up of an order that the wish names; the order of a product that the user has; a page
        that warns against a product; an opened record that does not say what is demanded; and for all other reasons
        searches that show that the wish can't be met.
        """
        if reason == "no_such_order":
            return misses_order(self.steps, self.wish, self.user_id)
        if reason == "owned":
            ordered = read_ledger(self.evidence or {}).ordered.values()
            return not {*self.wish.owned, *ordered}.isdisjoint(self.reference.left_out)
        if reason == "unsafe":
            return not set(self.reference.warnings).isdisjoint(self.evidence or {})
        if reason == "not_said":
            opened = {key for step in self._calls if step.name == RECORD and not step.error for key in step.evidence}
            return any(f"P:{fit.product_id}" in opened for thing in self.reference.things for fit in thing.undecided)
        return self._searched()

    def _searched(self) -> bool:
        lack = None if self.reference.proof is None else self.reference.proof.lack
        searches = [_Search.of(step, self.known) for step in self._calls if step.name == SEARCH and not step.error]
        pairs = zip(self.wish.wants, self.reference.things, strict=True)
        things = [(want, thing) for want, thing in pairs if not want.optional]
        if lack == "too_dear":
            bounds = [_least(want, thing, searches) for want, thing in things]
            known_bounds = [bound for bound in bounds if bound is not None]
            if self.wish.budget is not None:
                return sum(known_bounds, Decimal(0)) > self.wish.budget.value
            return bool(bounds) and len(known_bounds) == len(bounds)
        # A search for the kind of one thing, without a highest price, found nothing suitable.
        return any(
            search.is_about(want)
            and search.args.get("price_max") is None
            and {fit.product_id for fit in thing.fits}.isdisjoint(hit.product_id for hit in search.hits)
            for want, thing in things
            for search in searches
        )


def misses_order(steps: Sequence[Step], wish: Wish, user_id: str | None) -> bool:
    """Whether a run looked for an order that the wish names, by its id or in a complete list, and did not find it."""
    return any(
        f"O:{order_id}" not in step.evidence and _looks_for(order_id, step, user_id)
        for order_id in wish.orders
        for step in steps
        if step.kind == "tool"
    )


def refuses_what_it_picks(refused: Collection[str], wish: Wish, covered: Sequence[bool]) -> bool:
    """True if a thing is refused by name, and picks cover every want that the name may mean."""
    for name in refused:
        meant = [is_covered for want, is_covered in zip(wish.wants, covered, strict=True) if _may_mean(name, want)]
        if meant and all(meant):
            return True
    return False


def _may_mean(name: str, want: Want) -> bool:
    return any(holds_words(name, words) or holds_words(words, name) for words in (want.name, *want.kinds))


def refusable_wants(wish: Wish, outcome: Outcome | None, ends: Reference | KeptReference | None) -> Mapping[str, bool]:
    """The wants, by name, that a report may leave out although it buys others: True if that is proved to be right.

    There are none if it declares to buy everything, or if the shop can meet the whole wish. Where the shop can't, they
    are those for which nothing would do; if something would do for each, and only all together can't be had, any of
    them. A report that declares nothing refuses nothing by name.
    """
    proof = None if ends is None else ends.proof
    if (outcome is not None and outcome.decision == "buy") or (proof is not None and proof.state == "refuted"):
        return {}
    refused = outcome.refused if outcome else ()
    named = {want.name for want in wish.wants if not refused or any(_may_mean(name, want) for name in refused)}
    if ends is None or proof is None:  # nobody knows
        return dict.fromkeys(named if outcome else (), False)
    missing = {want.name for want in ends.wants if not want.fits}
    return dict.fromkeys(named & missing if missing else named, proof.state == "proved")


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
        """True for a search for a kind of the want that hides no suitable product.

        It has few other words, begins at the first hit, excludes no cheap product and no rating that the want allows,
        and requires all words only if they are the want's own.
        """
        text, category = str(self.args.get("query", "")), str(self.args.get("category", ""))
        kinds = [kind for kind in want.kinds if holds_words(text, kind) or holds_words(category, kind)]
        is_own = any(holds_words(kind, text) for kind in (*kinds, want.name))
        is_loose = is_own or self.args.get("match", "any") == "any"
        is_whole = not self.args.get("offset") and not self.args.get("price_min")
        stars = float(self.args.get("rating_min") or 0)
        is_short = len(text.split()) <= _MOST_WORDS
        return bool(kinds) and is_short and is_loose and is_whole and stars <= (want.rating_min or 0)


def _least(want: Want, thing: WantedThing, searches: Sequence[_Search]) -> Decimal | None:
    """The least cost of the want by the run's own searches; None if none of them bounds it.

    In a search by ascending price, that is the first suitable hit, or the last hit if none is suitable. In a search
    with a highest price and no suitable hit, it is above that price.
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


def _looks_for(order_id: str, step: Step, user_id: str | None) -> bool:
    args = step.args or {}
    if step.name == ORDER:
        return str(args.get("order_id", "")).removeprefix("O:") == order_id
    if step.name != ORDERS or step.error is not None or args.get("user_id") != user_id:
        return False
    shown = sum(key.startswith("O:") for key in step.evidence)
    return not args.get("offset") and not args.get("status") and shown < int(args.get("limit", _ORDERS_SHOWN))
