"""What a report is worth, by code alone: its cart beside the best one, and how far its sentences are cited.

    reward = worth · wanted · within_budget · (1 + cited) / 2

Each part is from 0 to 1, and a report that lacks one of the first three is worth nothing, however well it is cited.
The whole cart counts: what is besides costs its share, and every pick needs a known price where prices are limited.
On a query that the shop can't meet, proved by a look at all its products, a refusal is rewarded instead, where the
rollout's own searches show it: 1/2, and up to 1 with what comes nearest, or with the best cart of what can be had.
A pick counts only where the report cites its product and the rollout was shown it, so that nothing is won by guessing.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace

from drretail.agents.running.runner import Recorded
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.grounding.basket.cart import Cart
from drretail.grounding.basket.distance import worth_ratio
from drretail.grounding.basket.refusal import decide, seen_among
from drretail.grounding.basket.shown import is_shown
from drretail.grounding.report.citations import find_citations
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.verify.checks import Case, read_report
from drretail.records.base import Record
from drretail.records.evidence import Citation, Evidence
from drretail.records.query import NOT_TYPED, Proof, Query, Reference
from drretail.records.reading import Pick, ReadValue
from drretail.records.wish import Wish

_FIGURE = re.compile(r"\d")
NO_REPORT = "no report was handed in"
NO_PICKS = "the report declares no picks"
NOT_CITED = "no pick is cited by what the rollout was shown"
NOT_WANTED = "no pick is what the query asks for"
OVER = "the cart breaks the budget"
UNMET = "the cart does not keep to the query"
REFUSED = "something is refused that the shop has"
BOUGHT = "something is bought, and the shop can't meet the wish"
NOT_SHOWN = "the rollout's own searches do not show that the shop can't meet the wish"


class Reward(Record):
    """What a report is worth, with the parts that it is the product of; each is from 0 to 1."""

    value: float = 0.0
    worth: float = 0.0
    """Of the picks that are wanted, beside the best basket (docs/floors.md, ``utility_ratio``)."""
    wanted: float = 0.0
    """Share of the cart that is wanted, in the quantity that is wanted."""
    within_budget: float = 0.0
    """1 where the whole cart keeps to the budget, what is not wanted too, else 0."""
    cited: float = 0.0
    """Share of the sentences with a figure or a citation that cite what the rollout was shown, and say nothing else."""
    why: str = ""
    """Why it is worth nothing; empty where it is worth something."""


def reward_of(
    recorded: Recorded, query: Query, reference: Reference, world: World, *, refuses_rightly: bool = False
) -> Reward:
    """What the report of a run is worth. Pure: the same record in the same world comes to the same, to the last bit.

    ``refuses_rightly`` says that what the report refuses beside its cart can't be had.
    """
    run, evidence = recorded.run, {entry.id: entry for entry in recorded.evidence}
    if run.report is None or not run.report.strip():
        return Reward(why=NO_REPORT)
    if query.wish is None:
        return Reward(why=NOT_TYPED)
    if reference.proof is not None and reference.proof.state == "proved":
        return _of_refusal(recorded, query, reference, reference.proof, world)
    if not run.picks:
        return Reward(why=NO_PICKS if run.outcome is None else REFUSED)
    if run.outcome is not None and run.outcome.decision != "buy" and not refuses_rightly:
        return Reward(why=REFUSED)
    citations = find_citations(run.report, evidence)
    products = world.store.products(sorted({pick.product for pick in run.picks}))
    parts = _parts(Cart(query.wish, reference, run.picks, products), citations)
    cited = _cited(run.report, query, run.picks, evidence, citations, world)
    value = parts.worth * parts.wanted * parts.within_budget * (1 + cited) / 2
    return parts.model_copy(update={"cited": cited, "value": value})


def _of_refusal(recorded: Recorded, query: Query, reference: Reference, proof: Proof, world: World) -> Reward:
    """What a report is worth on a query that can't be met: its refusal, where the rollout's own searches show it, and
    half of it for what it offers instead, or for the best cart of what can be had."""
    run, wish = recorded.run, query.wish or Wish()
    ids = {entry.key for entry in recorded.evidence if entry.kind == "product"}
    known = world.store.products(sorted({*ids, *(run.outcome.nearest if run.outcome else ())}))
    offered = seen_among(run.outcome, known, {entry.id for entry in recorded.evidence})
    decided = decide(run.outcome, reference, proof, offered, run.picks or ())
    shown = is_shown(wish, reference, run.steps, known, run.user_id)
    why = NO_PICKS if run.outcome is None else BOUGHT if not decided.refused else "" if shown else NOT_SHOWN
    if not decided.refused or not shown:
        return Reward(why=why)
    if not decided.bought:
        nearest = 1.0 if decided.nearest is None else decided.nearest
        has_more = _rest(query, wish, reference) is not None
        return Reward(value=0.5 if has_more else (1 + nearest) / 2, worth=nearest)
    rest = _rest(query, wish, reference)
    if rest is None:
        return Reward(value=0.5)
    cart = reward_of(recorded, rest, Offers(world).reference(rest), world, refuses_rightly=True)
    return cart.model_copy(update={"value": (1 + cart.value) / 2, "why": ""})


def _rest(query: Query, wish: Wish, reference: Reference) -> Query | None:
    """The query for what of it can be had; None where nothing can, or all of it can but not together."""
    wants = tuple(want for want, thing in zip(wish.wants, reference.things, strict=True) if thing.fits)
    if not wants or (len(wants) == len(wish.wants) and not wish.orders):
        return None
    return query.model_copy(update={"wish": wish.model_copy(update={"wants": wants, "orders": ()})})


def _parts(cart: Cart, citations: Sequence[Citation]) -> Reward:
    """The parts that are about the cart; picks that the report does not cite are paid for, and stand for no want."""
    cited = {citation.evidence_id for citation in citations}
    argued = tuple(pick for pick in cart.picks if f"P:{pick.product}" in cited)
    stands_for = replace(cart, picks=argued)
    worth = worth_ratio(stands_for) or 0.0
    pieces = sum(pick.quantity for pick in cart.picks)
    wanted = stands_for.share_wanted * sum(pick.quantity for pick in argued) / pieces
    within = cart.keeps_to_money
    why = NOT_CITED if not argued else NOT_WANTED if not any(stands_for.taken) else "" if within else OVER
    return Reward(worth=worth, wanted=wanted, within_budget=float(within), why=why or ("" if worth else UNMET))


def _cited(
    report: str,
    query: Query,
    picks: tuple[Pick, ...],
    evidence: Mapping[str, Evidence],
    citations: Sequence[Citation],
    world: World,
) -> float:
    """The share of the sentences that have to be borne out, and are: by what they cite, and by no record against them.

    Those are the sentences, list items and rows of tables with a figure or a citation.
    """
    case = Case(report, evidence, query, picks=picks, lookup=lambda ids: world.store.products(list(ids)))
    values = read_report(case).values
    borne_out = _borne_out(report, citations, values)
    return sum(borne_out.values()) / len(borne_out) if borne_out else 0.0


def _borne_out(report: str, citations: Sequence[Citation], values: Sequence[ReadValue]) -> Mapping[str, bool]:
    """Of each sentence that has to be, whether it is; by its words, so that saying one again changes nothing."""
    starts, wrong = [it.start for it in citations], sorted(it.start for it in values if it.state == "contradicted")
    found: dict[str, bool] = {}
    for sentence in find_sentences(report):
        if sentence.kind in ("heading", "table_head"):
            continue
        inside = citations[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if inside or _FIGURE.search(report, sentence.start, sentence.end):
            is_contradicted = bisect_left(wrong, sentence.start) < bisect_left(wrong, sentence.end)
            resolved = bool(inside) and all(it.evidence_id is not None for it in inside)
            said = " ".join(report[sentence.start : sentence.end].split())
            found[said] = resolved and not is_contradicted and found.get(said, True)
    return found
