"""What a system learns of the limits that a query hides, and which limits its cart keeps, without a model."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path

from drretail.eval.baskets.distance import Measured
from drretail.eval.family import Family, by_code, by_variant
from drretail.eval.judging.question import NO_WORLD, CodeVerdict, verdicts_of
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject, WouldDo
from drretail.experiment import read_definition
from drretail.grounding.basket.cart import Cart
from drretail.grounding.constraints.listing import pieces_in
from drretail.grounding.constraints.releases import Release, asked_topics, releases
from drretail.records.query import Query, Reference
from drretail.records.reading import Pick
from drretail.records.run import ASK_ALL, BASELINES, Intent, System
from drretail.records.score import MetricDescription
from drretail.records.scoreboard import BoardColumn
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish, WishPart

HIDES_NOTHING = "the query hides no limit"
CANNOT_ASK = "the system can't ask"
NOT_DECIDED = ("deadline", "owned")
"""Fields of which no cart tells whether it keeps them."""
Key = tuple[str, int | None, str | None]


def keeps(
    part: WishPart, wish: Wish, picks: Sequence[Pick], products: Mapping[str, Product], would_do: WouldDo
) -> bool:
    """True where a cart keeps to a limit, whatever becomes of the others.

    A limit of a want is kept where something of its kinds is bought and all of that keeps to it.
    """
    if part.index is None:
        alone = Wish(budget=wish.budget)
        return bool(picks) and Cart(alone, Reference(query_id="-"), tuple(picks), products).keeps_to_money
    want = wish.wants[part.index]
    of_kind = Want(name=want.name, kinds=want.kinds, again=True)
    bought = [pick for pick in picks if pick.product in would_do(of_kind)]
    if part.field == "quantity":
        packs = any(pieces_in(products[pick.product].title) > 1 for pick in bought if pick.product in products)
        return packs or sum(pick.quantity for pick in bought) == want.quantity
    value = getattr(want, part.field) if part.value is None else (part.value,)
    fits = would_do(of_kind.model_copy(update={part.field: value}))
    return bool(bought) and all(pick.product in fits for pick in bought)


def measures(
    query: Query, intent: Intent | None, answers: Sequence[Release], seen: Set[str], kept: Collection[Key]
) -> Mapping[str, Measured]:
    """Each measure by its variant: ``answers`` are what questions brought, ``seen`` the evidence that the run was
    handed, ``kept`` the limits that its cart keeps."""
    wish = query.wish or Wish()
    hidden = {fact.key for fact in query.hidden}
    revealed = hidden if intent == "told" else {fact.key for answer in answers for fact in answer.new}
    tellable = {fact.key for fact in query.hidden if fact.known_from == "asked"}
    on_record = [fact for fact in query.hidden if fact.known_from == "record"]
    decided = {part.key for part in wish.parts() if part.field not in NOT_DECIDED}

    def share(part: Collection[Key], whole: Iterable[Key]) -> Measured:
        of = [key for key in whole if key in decided]
        return _share(sum(key in part for key in of), len(of))

    cannot_ask = intent in ("told", "mute")
    useless = sum(not answer.new for answer in answers)
    return {
        "intent_recall": Measured(None, CANNOT_ASK) if cannot_ask else _share(len(revealed), len(tellable)),
        "kept_visible": share(kept, decided - hidden),
        "kept_asked": share(kept, tellable),
        "kept_record": share(kept, [fact.key for fact in on_record]),
        "record_seen": _share(sum(not seen.isdisjoint(fact.shown_by) for fact in on_record), len(on_record)),
        "lost": share(decided - {*kept}, revealed),
        "lucky": share(kept, hidden - revealed),
        "useless": _share(useless, len(answers)),
        "questions": Measured(float(len(answers)), f"{useless} of them brought nothing new"),
    }


def _share(part: int, whole: int) -> Measured:
    return Measured(part / whole if whole else None, f"{part} of {whole}")


def intent_of(system: System) -> Intent | None:
    """How a system learns what is hidden; of the floors and the oracle one alone can ask."""
    return "mute" if system.agent in BASELINES and system.agent != ASK_ALL else system.intent


def measure(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
    """What every measure comes to; what was measured stays where the world is not at hand this time."""
    query, run, would_do = subject.query, subject.run, subject.offers
    why = HIDES_NOTHING if query.wish is None or not query.hidden else NO_WORLD
    shares: Mapping[str, Measured] = dict.fromkeys(VARIANTS, Measured(None, why))
    if query.wish is not None and query.hidden and run is not None and would_do is not None:
        picks = reading_of(subject).picks or ()
        products = subject.case.ledger(picks).products
        parts = [part for part in query.wish.parts() if part.field not in NOT_DECIDED]
        kept = {part.key for part in parts if keeps(part, query.wish, picks, products, would_do)}
        answers = releases(query, asked_topics(run.steps))
        shares = measures(query, intent_of(subject.system), answers, subject.evidence.keys(), kept)
    yield from verdicts_of(shares)


def lacks_hidden(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty where a query hides limits."""
    hides = any(query.hidden for query in read_definition(experiment).queries)
    return "" if hides else "holds no query that hides limits of its wish"


MEANINGS = {
    "intent_recall": "share of the shopper's hidden limits that the agent asked for",
    "kept_visible": "share of the stated limits that the cart keeps",
    "kept_asked": "share of the shopper's hidden limits that the cart keeps",
    "kept_record": "share of the limits in the shopper's records that the cart keeps",
    "record_seen": "share of the limits in the shopper's records that the agent looked up",
    "lost": "share of the limits told to the agent that the cart breaks",
    "lucky": "share of the limits never told to the agent that the cart keeps",
    "useless": "share of questions that brought nothing new",
    "questions": "questions asked per run",
}
VARIANTS = tuple(MEANINGS)
DESCRIPTION = MetricDescription(
    title="Intent",
    meaning="Queries hide limits that an agent must ask for or look up.",
    meanings=MEANINGS,
    headlines=("intent_recall", "kept_visible", "kept_asked"),
    scoreboard=(BoardColumn(variant="kept_asked", meaning="share of the shopper's hidden limits that the cart keeps"),),
    counts=("questions",),
)
METRIC = Family(
    "intent",
    1,
    by_code("intent", measure),
    by_variant(VARIANTS),
    VARIANTS,
    DESCRIPTION,
    after=("reading",),
    lacks=lacks_hidden,
    needs_judge=False,
)
