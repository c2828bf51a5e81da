"""A declared outcome beside the proof: what was decided, why, and what was offered instead."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.eval.baskets.shown import is_shown
from drretail.grounding.constraints.listing import listing_of
from drretail.records.base import Record
from drretail.records.query import Proof, Query, Reference
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Run
from drretail.records.shop import Product


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
