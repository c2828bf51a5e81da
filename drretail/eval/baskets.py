"""The worth of a cart, or of a refusal, relative to the baskets that satisfy the wish (``shopping.basket``).
An experiment's reference baskets are made whole from its world, and kept as counts, ends and a digest.

The picks are compared with the cheapest and the best basket, and the decision with the proof. Reasons of a refusal are
shown elsewhere, and not scored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.experiments.experiment import REFERENCES, read_definition, write_sealed
from drretail.records.base import Record
from drretail.records.query import NOT_TYPED, Ends, Query, Reference, lack_in_words
from drretail.records.shop import USD
from drretail.records.wish import Wish
from drretail.remembered import remembered
from drretail.reports.text.wording import format_money
from drretail.shopping.cart import OPEN, Cart
from drretail.shopping.verify.checks import Case

NOT_REQUIRED = "nothing has to be bought"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a report; ``value`` is None if there is nothing to measure, and ``reason`` says why."""

    value: float | None
    reason: str
    notes: tuple[str, ...] = ()
    is_open: bool = False
    """True if there is no value because a pick rests on a demand that nobody has decided."""


def not_measured(wish: Wish | None, reference: Ends) -> str | None:
    """Why the carts of a query's reports can't be measured, or None."""
    if wish is None:
        return NOT_TYPED
    if reference.proof is not None and reference.proof.state == "proved":
        return "the shop provably can't meet the wish (see Outcome)"
    if reference.best is None:
        return lack_in_words(reference.lack or "no_basket", wish)
    return None


def covered(cart: Cart) -> Measured:
    """The share of the wants with the wanted quantity; optional wants don't count."""
    needed = [number for number, thing in enumerate(cart.things) if not thing.optional]
    share = sum(map(cart.is_covered, needed)) / len(needed) if needed else None
    return Measured(share, NOT_REQUIRED if share is None else describe_cart(cart))


def feasible(cart: Cart) -> Measured:
    """1 if the cart covers every want, except optional ones, within the limits of price and holds nothing else, else 0.
    Of optional wants alone an empty cart is feasible: who keeps what they have was asked whether to.

    It has no value if that rests on a demand that is open.
    """
    if cart.verdict == OPEN:
        parts = [part for taken in cart.with_open().taken for part in taken if part.fit.open]
        unsaid = "; ".join(f"no record says of {part.fit.offer_id}: {', '.join(part.fit.open)}" for part in parts)
        return Measured(None, f"{unsaid}; {describe_cart(cart)}", is_open=True)
    return Measured(float(cart.is_feasible), describe_cart(cart))


def utility_ratio(cart: Cart) -> Measured:
    """The cart's worth divided by the best basket's, from 0 to 1.

    It is 0 if the cart exceeds a limit of price; unwanted pieces reduce it by their share of all pieces. A missing want
    is worth 0, and so is a pick without a known price; an optional want counts only if something is picked for it.
    """
    best, worths = cart.reference.best, {fit.product_id: fit.worth for thing in cart.things for fit in thing.fits}
    counted = {thing.name for thing, taken in zip(cart.things, cart.taken, strict=True) if taken or not thing.optional}
    most = sum(worths[item.product_id] for item in (best.items if best else ()) if item.thing in counted)
    if not most:
        return Measured(None, NOT_REQUIRED)
    return Measured(
        min(1.0, cart.worth / most) * cart.share_wanted if cart.keeps_to_money else 0.0, describe_cart(cart)
    )


def describe_cart(cart: Cart) -> str:
    """ "bird feeder: B0…; nothing for nest box; besides: B0…; $36.99 together"."""
    picks = [
        f"{thing.name}: {', '.join(_counted(part.fit.offer_id, part.pieces) for part in taken)}"
        for thing, taken in zip(cart.things, cart.taken, strict=True)
        if taken
    ]
    lacks = [f"nothing for {thing.name}" for thing, taken in zip(cart.things, cart.taken, strict=True) if not taken]
    besides = ", ".join(_counted(offer_id, pieces) for offer_id, pieces in cart.besides.items())
    unpriced = ", ".join(cart.unpriced)
    best = cart.reference.best
    total = f"{format_money(cart.known_cost, USD if best is None else best.total.currency)} together"
    sold_out = ", ".join(cart.sold_out)
    more = [besides and f"besides: {besides}", unpriced and f"of unknown price: {unpriced}"]
    more += [sold_out and f"sold out: {sold_out}"]
    return "; ".join(filter(None, [*picks, *lacks, *more, total if cart.picks else ""]))


def _counted(offer_id: str, pieces: int) -> str:
    return offer_id if pieces == 1 else f"{pieces} × {offer_id}"


MEASURES = {"covered": covered, "feasible": feasible, "utility_ratio": utility_ratio}
"""By variant, in the order of tables."""


class Decided(Record):
    """The value of the one verdict."""

    state: str
    """The proof's state: "proved" or "refuted"."""
    refused: bool
    """True if nothing is bought, or if a want is refused while others are bought."""
    bought: bool


def decided_by(case: Case, reference: Reference) -> Decided | None:
    """What a run decided; None without a wish or a proof. A decision "part" is a refusal only if the picks leave a
    required want uncovered, and what is no decision refuses nothing.
    """
    proof, run = reference.proof, case.run
    if proof is None or run is None or case.wish is None:
        return None
    decision = None if case.no_decision or run.outcome is None else run.outcome.decision
    picks = run.picks or ()
    refused = decision == "none"
    if decision == "part":
        refused = bool(Cart(case.wish, reference, picks, case.ledger(picks).products).left_out)
    return Decided(state=proof.state, refused=refused, bought=bool(run.picks))


def refuses_rightly(case: Case, reference: Reference) -> bool:
    """True if a report refuses what can't be met. Where a page is the reason, it buys nothing and leads to the page."""
    decided, wish = decided_by(case, reference), case.wish
    if decided is None or wish is None or not decided.refused or not case.report.strip():
        return False
    pages = {source.url for source in wish.declined}
    cited = {entry.url for key, entry in case.evidence.items() if key in case.cited}
    return not pages or (not decided.bought and any(page in case.report or page in cited for page in pages))


@dataclass(frozen=True)
class References(Mapping[str, Reference]):
    """The reference of each query, by its id, worked out when it is first looked up: questions to a judge come before
    it.
    """

    offers: Offers
    queries: Mapping[str, Query]

    @remembered
    def __getitem__(self, query_id: str) -> Reference:
        return self.offers.reference(self.queries[query_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self.queries)


def references_of(experiment: Path, world: World | None, offers: Offers | None = None) -> Mapping[str, Reference]:
    """The reference of each query; empty without the world, and for imported reports, which have none.

    ``offers`` are the world's, if look-ups are shared with others.
    """
    definition = read_definition(experiment)
    if world is None or definition.world_fingerprint is None:
        return {}
    return References(offers or Offers(world), {query.query_id: query for query in definition.queries})


def keep_references(experiment: Path, references: Mapping[str, Reference]) -> None:
    """Keeps what scores need of the references once the world is gone, whatever was kept before."""
    kept = {REFERENCES.path(experiment, query_id): whole.kept for query_id, whole in references.items()}
    write_sealed(experiment, kept)
