"""What a system learns of the limits that a query hides, and which limits its cart keeps, without a model."""

from collections.abc import Collection, Mapping, Sequence, Set
from pathlib import Path

from drretail.eval.baskets import Measured
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import OfWant, Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.cart import Cart
from drretail.grounding.constraints import Decisions, Release, releases_in
from drretail.grounding.listing import pieces_in
from drretail.records.query import Query, Reference
from drretail.records.reading import Pick
from drretail.records.run import ASK_ALL, BASELINES, Intent, System
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish, WishPart

CANNOT_ASK = "the system can't ask"
Key = tuple[str, int | None, str | None]


def keeps(part: WishPart, wish: Wish, picks: Sequence[Pick], records: Mapping[str, Product], would_do: OfWant) -> bool:
    """True if a cart keeps a limit, regardless of the others. A want's limit applies to all picks of its kinds."""
    if part.index is None:
        alone = Wish(budget=wish.budget)
        return bool(picks) and Cart(alone, Reference(query_id="-"), tuple(picks), records).keeps_to_money
    want = wish.wants[part.index]
    of_kind = Want(name=want.name, kinds=want.kinds, again=True)
    bought = [pick for pick in picks if pick.product in would_do(of_kind)]
    if part.field == "quantity":
        packs = any(pieces_in(records[pick.product].title) > 1 for pick in bought if pick.product in records)
        return packs or sum(pick.quantity for pick in bought) == want.quantity
    value = getattr(want, part.field)
    if part.value is not None:
        value = tuple(each for each in value if str(each) == part.value)
    fits = would_do(of_kind.model_copy(update={part.field: value}))
    return bool(bought) and all(pick.product in fits for pick in bought)


def measures(
    query: Query, intent: Intent | None, answers: Sequence[Release], seen: Set[str], kept: Mapping[Key, bool]
) -> Mapping[str, Measured]:
    """Each measure by its variant. ``seen`` are the ids of the run's evidence, ``kept`` whether the cart keeps each
    limit.
    """
    hidden = {fact.key for fact in query.hidden}
    revealed = hidden if intent == "told" else {fact.key for answer in answers for fact in answer.new}
    tellable = {fact.key for fact in query.hidden if fact.known_from == "asked"}
    on_record = [fact for fact in query.hidden if fact.known_from == "record"]
    useless = sum(not answer.new for answer in answers)

    def share(part: int, whole: int) -> Measured:
        return Measured(part / whole if whole else None, f"{part} of {whole}")

    def kept_of(keys: Set[Key], *, kept_or_not: bool = True) -> Measured:
        of_keys = [is_kept for key, is_kept in kept.items() if key in keys]
        return share(of_keys.count(kept_or_not), len(of_keys))

    can_ask = intent not in ("told", "mute")
    return {
        "intent_recall": share(len(revealed), len(tellable)) if can_ask else Measured(None, CANNOT_ASK),
        "kept_visible": kept_of(kept.keys() - hidden),
        "kept_asked": kept_of(tellable),
        "kept_record": kept_of(hidden - tellable),
        "record_seen": share(sum(not seen.isdisjoint(fact.shown_by) for fact in on_record), len(on_record)),
        "lost": kept_of(revealed, kept_or_not=False),
        "lucky": kept_of(hidden - revealed),
        "useless": share(useless, len(answers)),
        "questions": Measured(float(len(answers)), f"{useless} of them brought nothing new"),
    }


def intent_of(system: System) -> Intent | None:
    """How a system learns what is hidden. Of the baselines, only one can ask."""
    return "mute" if system.agent in BASELINES and system.agent != ASK_ALL else system.intent


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """Every measure's value, by its variant."""
    query, run, offers = subject.query, subject.run, subject.offers
    if query.wish is None or not query.hidden:
        return "the query hides no limit"
    if run is None or offers is None:
        return NO_WORLD
    picks = reading_of(subject).picks or ()
    products = subject.case.ledger(picks).products
    # A cart can't show whether it keeps a deadline, or what the shopper owns.
    decided = [part for part in query.wish.parts() if part.field not in ("deadline", "owned")]
    decisions = Decisions(query.gold).without_facts()  # a recalled product may keep every limit

    def would_do(want: Want) -> Collection[str]:
        return offers(want, decisions)

    kept = {part.key: keeps(part, query.wish, picks, products, would_do) for part in decided}
    return measures(query, intent_of(subject.system), releases_in(query, run.steps), subject.evidence.keys(), kept)


def lacks_hidden(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty if a query hides limits."""
    hides = any(query.hidden for query in read_definition(experiment).queries)
    return "" if hides else "holds no query that hides limits of its wish"


METRIC = of_measures("intent", 1, measure, lacks=lacks_hidden)
