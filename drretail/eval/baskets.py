"""The worth of a cart, or of a refusal, relative to the baskets that satisfy the wish (``grounding.basket``).
An experiment's reference baskets are made whole from its world, and kept as counts, ends and a digest.

The picks compared with the cheapest and the best basket; a declared outcome compared with the proof: the decision, its
reasons, the alternative offered, and whether a run made the searches by which it could know.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.experiment import read_definition, reference_path, write_sealed
from drretail.grounding.cart import Cart
from drretail.grounding.listing import listing_of
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.findings import Research
from drretail.records.base import Record
from drretail.records.query import NOT_TYPED, Ends, Lack, Proof, Reference
from drretail.records.reading import Outcome, Pick
from drretail.records.shop import USD, Product
from drretail.records.wish import Wish

LACKS: Mapping[Lack, str] = {
    "not_typed": NOT_TYPED,
    "no_things": "nothing is to be bought",
    "nothing_offered": "the shop has nothing of a kind that is wanted",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "what keeps to the wish costs more than its budget",
    "no_such_brand": "nothing of the wanted brand keeps to the wish",
    "demands": "nothing in the shop keeps what is demanded",
    "not_said": "no record says of a product that it is what is demanded",
    "unsafe": "what keeps to the wish was recalled, or fails",
    "owned": "the user has all that keeps to the wish",
    "sold_out": "what keeps to the wish is sold out",
    "no_such_option": "what keeps to the wish comes in no such option",
    "no_basket": "no basket in the shop keeps to the wish",
}
NOTHING_PICKED = "nothing is picked"
NOT_REQUIRED = "nothing has to be bought"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a report; ``value`` is None if there is nothing to measure, and ``reason`` says why."""

    value: float | None
    reason: str
    notes: tuple[str, ...] = ()


def not_measured(wish: Wish | None, reference: Ends) -> str | None:
    """Why the carts of a query's reports can't be measured, or None."""
    if wish is None:
        return NOT_TYPED
    if reference.proof is not None and reference.proof.state == "proved":
        return "the shop provably can't meet the wish (see Outcome)"
    if reference.best is None:
        return LACKS[reference.lack or "no_basket"]
    return None


def covered(cart: Cart) -> Measured:
    """The share of the wants with the wanted quantity; optional wants don't count."""
    needed = [number for number, thing in enumerate(cart.things) if not thing.optional]
    if not needed:
        return Measured(None, NOT_REQUIRED)
    return Measured(sum(map(cart.is_covered, needed)) / len(needed), described(cart))


def within_budget(cart: Cart) -> Measured:
    """1 if the whole cart is known to cost no more than the wish allows, else 0."""
    if not cart.wish.counts_money:
        return Measured(None, "the query limits no price")
    if not cart.picks:
        return Measured(None, NOTHING_PICKED)
    return Measured(float(cart.keeps_to_money), described(cart))


def feasible(cart: Cart) -> Measured:
    """1 if the cart covers every want, keeps to the limits of price and holds nothing else, else 0.

    An empty cart for a wish with only optional wants has no value: it is neither a fault nor a merit.
    """
    if not cart.picks and all(thing.optional for thing in cart.things):
        return Measured(None, NOT_REQUIRED)
    return Measured(float(cart.is_feasible), described(cart))


def cost_ratio(cart: Cart) -> Measured:
    """The cart's cost divided by the cheapest basket's; 1 is the least."""
    cheapest = cart.reference.cheapest
    if cart.left_out or not cart.picks:
        return Measured(None, "not everything that is wanted is covered")
    if cheapest is None or not cheapest.total.value:
        return Measured(None, NOT_REQUIRED)
    if cart.total is None:
        return Measured(None, "the price of a pick is unknown")
    return Measured(float(cart.total / cheapest.total.value), described(cart))


def utility_ratio(cart: Cart) -> Measured:
    """The cart's worth divided by the best basket's, from 0 to 1.

    It is 0 if the cart exceeds a limit of price; unwanted pieces reduce it by their share of all pieces.
    """
    worth = worth_ratio(cart)
    if worth is None:
        return Measured(None, NOT_REQUIRED)
    return Measured(worth * cart.share_wanted if cart.keeps_to_money else 0.0, described(cart))


def worth_ratio(cart: Cart) -> float | None:
    """The worth of the picks for the wants divided by the best basket's for them, at most 1; None if nothing has to be
    bought.

    A missing want is worth 0, and so is a pick without a known price; an optional want counts only if something is
    picked for it.
    """
    best, worths = cart.reference.best, {fit.product_id: fit.worth for thing in cart.things for fit in thing.fits}
    counted = {thing.name for thing, taken in zip(cart.things, cart.taken, strict=True) if taken or not thing.optional}
    most = sum(worths[item.product_id] for item in (best.items if best else ()) if item.thing in counted)
    return min(1.0, cart.worth / most) if most else None


def described(cart: Cart) -> str:
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


MEASURES = {
    "covered": covered,
    "within_budget": within_budget,
    "feasible": feasible,
    "cost_ratio": cost_ratio,
    "utility_ratio": utility_ratio,
}
"""By variant, in the order of tables."""


def not_borne_out(picks: Sequence[Pick], reference: Reference) -> Measured:
    """The share of the picks that would do if their records said what is demanded."""
    would_do = {fit.product_id for thing in reference.things for fit in thing.fits}
    might_do = {fit.product_id for thing in reference.things for fit in thing.undecided} - would_do
    unsaid = [pick.product for pick in picks if pick.product in might_do]
    if not picks:
        return Measured(None, NOTHING_PICKED)
    return Measured(len(unsaid) / len(picks), ", ".join(unsaid) or "every pick is decided")


def unsafe_pick(picks: Sequence[Pick], excluded: Collection[str]) -> Measured:
    """1 if a pick is among the products that nobody should buy, by the query's own web, else 0."""
    if not excluded:
        return Measured(None, "no page of the query's web warns against a product")
    unsafe = [pick.product for pick in picks if pick.product in excluded]
    return Measured(float(bool(unsafe)), ", ".join(unsafe) or "no pick is unsafe")


class Decided(Record):
    """The value of the one verdict."""

    state: str
    """The proof's state: "proved", "refuted", or "open" where no record says what is demanded."""
    declared: bool
    refused: bool
    """True if nothing is bought, or a want is refused while others are bought."""
    bought: bool
    reason: float | None = None
    """The share of the declared reasons that are right: lifting that one limit would be enough. None if nothing was
    refused, or if no single limit is to blame.
    """
    nearest: float | None = None
    """The alternative offered, relative to the best one; None if there is none."""
    shown: bool | None = None
    """Whether the run made the searches by which it could know."""
    not_said: bool | None = None
    """Whether it refuses because no record says what is demanded; None for other queries."""


def decided_by(case: Case, reference: Reference, known: Mapping[str, Product]) -> Decided | None:
    """What a run decided, compared with the proof, and whether its own searches show it; None without a proof.

    A refusal is right only with evidence of each of its reasons; without, it is no decision. Of a wish that the shop
    can meet, any refusal is false. ``known`` are the records of the products that the run received, by id.
    """
    proof, run, wish = reference.proof, case.run, case.query.wish
    if proof is None or run is None:
        return None
    outcome = run.outcome
    named = [] if outcome is None else [Pick(product=key) for key in outcome.nearest]
    offered = [
        (known[each.product], each.offer_id)
        for each in named
        if each.product in known and f"P:{each.product}" in case.evidence
    ]
    decided = decide(outcome, reference, proof, offered, run.picks or ())
    if proof.state == "refuted" or wish is None:
        return decided.model_copy(update={"declared": decided.declared and not case.no_decision})
    research = Research(wish, reference, run.steps, known, case.query.user_id, case.evidence)
    shown = proof.lack is not None and research.shows(proof.lack)
    reasons = outcome.because if outcome else ()
    if case.no_decision or (decided.refused and not all(map(research.shows, reasons))):
        decided = decided.model_copy(update={"declared": False, "refused": False, "reason": None, "nearest": None})
    not_said = decided.refused and "not_said" in reasons if proof.state == "open" else None
    return decided.model_copy(update={"shown": shown, "not_said": not_said})


def decide(
    outcome: Outcome | None,
    reference: Reference,
    proof: Proof,
    offered: Sequence[tuple[Product, str]],
    picks: Sequence[Pick],
) -> Decided:
    """The worth of a declared outcome; ``offered`` are the records and the ids of the alternatives that it names.

    A decision "part" is a refusal only if the picks leave something out, since a cart with a product for every want
    refuses nothing, or if it refuses an order.
    """
    if outcome is None:
        return Decided(state=proof.state, declared=False, refused=False, bought=False)
    needed = sum(not thing.optional for thing in reference.things)
    most = needed if "no_such_order" in outcome.because else needed - 1
    refused = outcome.decision == "none" or (outcome.decision == "part" and len(picks) <= most)
    is_impossible = proof.state != "refuted"
    reasons = {*proof.cheapest_without, *((proof.lack,) if proof.lack else ())}
    named = len(set(outcome.because))
    right = len(reasons & set(outcome.because)) / named if named else 0.0
    return Decided(
        state=proof.state,
        declared=True,
        refused=refused,
        bought=outcome.decision != "none",
        reason=right if is_impossible and refused and reasons else None,
        nearest=nearness(reference, proof, offered) if is_impossible and refused else None,
    )


def nearness(reference: Reference, proof: Proof, offered: Sequence[tuple[Product, str]]) -> float | None:
    """1 if the offered products are the cheapest basket without the lacking limit, else its cost divided by theirs.

    0 if nothing is offered, a price is unknown, or a product fails more than a limit of price; None without such a
    basket.
    """
    best = None if proof.lack is None else proof.cheapest_without.get(proof.lack)
    if best is None:
        return None
    offers = [listing_of(product).offer(named) for product, named in offered]
    ids = ["" if offer is None else offer.offer_id for offer in offers]
    if {item.offer_id for item in best.items} == set(ids):
        return 1.0
    would_do = {fit.offer_id for thing in reference.things for fit in thing.fits}
    if proof.lack == "too_dear" and not would_do.issuperset(ids):
        return 0.0
    quantities = {item.offer_id: item.quantity for item in best.items}
    prices = [
        (None if offer is None else offer.price, quantities.get(key, 1)) for key, offer in zip(ids, offers, strict=True)
    ]
    cost = sum((price * quantity for price, quantity in prices if price is not None), Decimal(0))
    is_whole = bool(prices) and len(prices) == len(best.items) and all(price is not None for price, _ in prices)
    return min(1.0, float(best.total.value / cost)) if is_whole and cost else 0.0


def made_references(experiment: Path, world: World | None, offers: Offers | None = None) -> dict[str, Reference]:
    """The reference of each query, by its id; empty without the world, and for imported reports, which have none.

    ``offers`` are the world's, if look-ups are shared with others.
    """
    definition = read_definition(experiment)
    if world is None or definition.world_fingerprint is None:
        return {}
    offers = offers or Offers(world)
    return {query.query_id: offers.reference(query) for query in definition.queries}


def keep_references(experiment: Path, references: Mapping[str, Reference]) -> None:
    """Keeps what scores need of the references once the world is gone, whatever was kept before."""
    kept = {reference_path(experiment, query_id): whole.kept for query_id, whole in references.items()}
    write_sealed(experiment, kept)
