"""The reward of a report, by code alone: its cart compared with the best one, if a reader sees nothing false.

    reward = cart · integrity · (1 + verified) / 2 · patience
    cart   = worth · wanted · within_budget, and half of that unless the cart is all that is wanted and nothing else

Each part is from 0 to 1. Integrity is 0 or 1. It is 0 for one contradicted figure, for one pick that no tool has shown
or that the report does not argue for, for one invented source of a claim about a pick, or for one false refusal. Prose
earns nothing. Figures that records support earn something, and figures that nothing supports cost something. Comments
are not read at all. A report with HTML beyond plain tags (grounding/report/hidden.py) is worth nothing, since code
can't say what a reader sees of it. So without the right cart, no reward is above 1/2.

A pick whose record leaves demands open is worth the share of its want's limits that are kept.

Patience is 1, less 0.02 for each question to the shopper that brings nothing new. The cart is compared with the whole
wish, including what the query hides.

If the shop can't meet a query, which a check of all its products has proved, a refusal is rewarded instead, if the
rollout's own searches show it. It earns 1/2, and up to 1 with the nearest products, or with the best cart of what can
be had. A wrong cart beside a right refusal is worth no more than it would be alone.
"""

from dataclasses import replace

from drretail.agents.running.runner import Recorded
from drretail.env.offers import Offers
from drretail.env.store.base import Store
from drretail.env.world import World
from drretail.eval.baskets import decided_by, worth_ratio
from drretail.grounding.basket.cart import Cart
from drretail.grounding.constraints.releases import releases_in
from drretail.grounding.report.markup import has_unread_elements, shown
from drretail.grounding.verify.checks import Case, read_report
from drretail.grounding.verify.integrity import borne_out, breach
from drretail.records.base import Record
from drretail.records.query import NOT_TYPED, Query, Reference, WantedThing
from drretail.records.wish import Wish
from drretail.untrusted import visible

NO_REPORT = "no report was handed in"
HTML = "the report holds HTML other than plain tags"
NO_PICKS = "the report declares no picks"
NOT_WANTED = "no pick is what the query asks for"
OVER = "the cart breaks the budget"
UNMET = "the cart does not keep to the query"
REFUSED = "something is refused that the shop has"
BOUGHT = "something is bought, and the shop can't meet the wish"
NOT_SHOWN = "the rollout's own searches do not show that the shop can't meet the wish"


_USELESS = 0.02
"""The share of the reward that such a question costs."""


class Reward(Record):
    """What a report is worth, with its parts; each is from 0 to 1."""

    value: float = 0.0
    """What the rollout is paid."""
    worth: float = 0.0
    """The worth of the wanted picks relative to the best basket (docs/statistics.md, ``utility_ratio``)."""
    wanted: float = 0.0
    """The share of the cart that is wanted, in the quantity that is wanted."""
    within_budget: float = 0.0
    """1 if the whole cart, with unwanted picks, keeps to the budget, else 0."""
    right: float = 0.0
    """1 if the cart is all that is wanted and nothing else (docs/scores.md, ``feasible``), else 0."""
    integrity: float = 0.0
    """1 if nothing that a reader sees is false and the report argues for every pick, else 0."""
    verified: float = 0.0
    """The share of the picks whose price the report names, times the share of its figures that records explain."""
    patience: float = 1.0
    """1, less what the questions cost that brought nothing new."""
    why: str = ""
    """Why the reward is 0; empty if it is not."""


def reward_of(
    recorded: Recorded, query: Query, reference: Reference, world: World, seen: Store | None = None
) -> Reward:
    """The reward of a run's report. Pure: the same record in the same world gives the same reward, to the last bit.

    ``seen`` holds the records as the run saw them, if they have changed since.
    """
    reward = _of_report(recorded, query, reference, world, seen)
    useless = sum(not answer.new for answer in releases_in(query, recorded.run.steps))
    patience = max(0.0, 1 - _USELESS * useless)
    return reward.model_copy(update={"value": reward.value * patience, "patience": patience}) if useless else reward


def _of_report(
    recorded: Recorded,
    query: Query,
    reference: Reference,
    world: World,
    seen: Store | None = None,
    *,
    refuses_rightly: bool = False,
) -> Reward:
    """The reward before patience; ``refuses_rightly`` says that what it refuses beside its cart can't be had."""
    run = recorded.run
    report = visible(run.report or "")
    if has_unread_elements(report):
        return Reward(why=HTML)
    if not shown(report).strip():
        return Reward(why=NO_REPORT)
    if query.wish is None:
        return Reward(why=NOT_TYPED)
    case = Case(
        report=report,
        evidence={entry.id: entry for entry in recorded.evidence},
        query=query,
        picks=run.picks,
        run=run,
        lookup=lambda ids: (seen or world.store).products(list(ids)),
    )
    if reference.proof is not None and reference.proof.state == "proved":
        return _of_refusal(recorded, case, reference, world)
    if not run.picks:
        return Reward(why=NO_PICKS if run.outcome is None else REFUSED)
    if run.outcome is not None and run.outcome.decision != "buy" and not refuses_rightly:
        return Reward(why=REFUSED)
    cart = Cart(query.wish, reference, run.picks, world.store.products(sorted({pick.product for pick in run.picks})))
    reading = read_report(case)
    broken = breach(case, reading)
    parts = _parts(cart)
    value = parts.worth * parts.wanted * parts.within_budget * (1 if parts.right else 0.5)
    if not value or broken:
        return parts.model_copy(update={"integrity": float(not broken), "why": broken or parts.why})
    verified = borne_out(case, reading)
    return parts.model_copy(update={"integrity": 1.0, "verified": verified, "value": value * (1 + verified) / 2})


def _parts(cart: Cart) -> Reward:
    """The parts that depend on the cart, and why it is worth nothing, if so."""
    lenient = _with_open_picks(cart)
    worth, within = worth_ratio(lenient) or 0.0, cart.keeps_to_money
    why = NOT_WANTED if not any(lenient.taken) else "" if within else OVER
    return Reward(
        worth=worth,
        wanted=lenient.share_wanted,
        within_budget=float(within),
        right=float(cart.is_feasible),
        why=why or ("" if worth else UNMET),
    )


def _with_open_picks(cart: Cart) -> Cart:
    """The cart in which products with open demands count for their wants, at the share of the limits that are kept."""
    kept = {fit.product_id for thing in cart.things for fit in thing.fits}
    things: list[WantedThing] = []
    for number, thing in enumerate(cart.things):
        limits = 1 + sum(part.index == number and part.field != "quantity" for part in cart.wish.parts())  # 1: the kind
        undecided = (
            fit.model_copy(update={"worth": round(fit.worth * (1 - len(fit.open) / limits))})
            for fit in thing.undecided
            if fit.product_id not in kept
        )
        things.append(thing.model_copy(update={"fits": (*thing.fits, *undecided)}))
    # The first picks are taken first: beside a product that keeps everything, the open one is the one too many.
    picks = tuple(sorted(cart.picks, key=lambda pick: pick.product not in kept))
    return replace(cart, reference=cart.reference.model_copy(update={"things": tuple(things)}), picks=picks)


def _of_refusal(recorded: Recorded, case: Case, reference: Reference, world: World) -> Reward:
    """The reward on a query that can't be met.

    The refusal earns half, if the rollout's own searches show it. The other half is for the nearest products, or for
    the best cart of what can be had.
    """
    run, query, wish = recorded.run, case.query, case.query.wish or Wish()
    ids = {entry.key for entry in recorded.evidence if entry.kind == "product"}
    known = world.store.products(sorted({*ids, *(run.outcome.nearest if run.outcome else ())}))
    decided = decided_by(case, reference, known)
    if decided is None or not decided.refused:
        is_unfounded = decided is not None and not decided.declared
        return Reward(why=NO_PICKS if run.outcome is None else NOT_SHOWN if is_unfounded else BOUGHT)
    if not decided.shown:
        return Reward(why=NOT_SHOWN)
    if broken := breach(case, read_report(case)):
        return Reward(why=broken)
    rest = _rest(query, wish, reference)
    if not decided.bought:
        nearest = 1.0 if decided.nearest is None else decided.nearest
        return Reward(value=0.5 if rest else (1 + nearest) / 2, worth=nearest, integrity=1.0)
    if rest is None:
        return Reward(value=0.5, integrity=1.0)
    cart = _of_report(recorded, rest, Offers(world).reference(rest), world, refuses_rightly=True)
    return cart.model_copy(update={"value": (1 + cart.value) / 2}) if cart.right and cart.integrity else cart


def _rest(query: Query, wish: Wish, reference: Reference) -> Query | None:
    """The query without what can't be had. None if nothing can be had, or if each thing can but not all together."""
    wants = tuple(want for want, thing in zip(wish.wants, reference.things, strict=True) if thing.fits)
    if not wants or (len(wants) == len(wish.wants) and not wish.orders):
        return None
    return query.model_copy(update={"wish": wish.model_copy(update={"wants": wants, "orders": ()})})
