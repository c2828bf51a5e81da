"""Queries made from others: twins that the shop can't meet, each beside one that it can (a budget, an absent thing,
an order never made), and queries that leave out limits, which the shopper tells when asked (``ask_shopper``).

The twins differ only in an amount of the text, or in a sentence of the same form behind it, so that only the shop tells
which is which. Each query gives one pair, so that pairs are independent. A pair is kept only if one twin is proved
infeasible and the other feasible (``grounding.basket.reference``).

The clause that states a limit is taken out of the text and becomes the shopper's answer. A limit is hidden only if the
text asks without it, and if it is necessary: the best cart for the rest of the wish breaks the whole wish.
"""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from importlib.resources import files
from itertools import islice

from drretail.env.offers import Offers
from drretail.errors import UnknownName
from drretail.grounding.constraints import Decisions, states, value_of
from drretail.grounding.listing import is_of_brand
from drretail.grounding.report.evidence_ids import order_evidence_id
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.layout import find_clauses, find_sentences
from drretail.grounding.text.wording import article, format_amount, short_title
from drretail.grounding.text.words import content_stems, singular
from drretail.querygen.reading import check_made_for
from drretail.records.base import sha256_of
from drretail.records.query import QUESTIONS, Manner, Query
from drretail.records.reading import Because
from drretail.records.shop import VOID_STATUSES, Money, Order
from drretail.records.wish import TOPIC_OF, Hidden, Want, Wish, WishPart

UNTYPED = "it has no wish"
UNMET = "nothing has to be bought, or the shop lacks it"
PHRASES: Mapping[str, Sequence[str]] = tomllib.loads(
    (files("drretail.addons.difficulty") / "phrases.toml").read_text("utf-8")
)
KINDS: tuple[Because, ...] = ("too_dear", "not_sold", "no_such_order")
_LEAST_CUT, _MOST_CUT = 5, 20
"""The percentages by which a budget falls short of the cheapest cart."""
_ABOVE = Decimal("1.05")
_TRIED = 40
"""Things of the shop, or orders of the user, that are tried for the feasible twin."""
ABSENT = tuple(PHRASES["absent"])
"""Things that a shop may lack."""


@dataclass(slots=True)
class Derived:
    """Queries made from others."""

    queries: list[Query] = field(default_factory=list[Query])
    counts: Counter[str] = field(default_factory=Counter[str])
    """Pairs by kind, or hidden limits by topic."""
    without: Counter[str] = field(default_factory=Counter[str])
    """Queries from which nothing could be made, by reason."""


def spoil(queries: Iterable[Query], offers: Offers, kinds: Sequence[str], seed: str) -> Derived:
    """One pair of twins for each query that the shop can meet, in an order that tells nothing; the kinds take turns.

    Raises UserError for an unknown kind, and for none.
    """
    wrong = next((kind for kind in kinds if kind not in KINDS), None if kinds else "")
    if wrong is not None:
        raise UnknownName("kind of spoiled queries", wrong, KINDS, names_all=True)
    all_queries = list(queries)
    check_made_for(all_queries, offers.world.manifest.fingerprint)
    made = Derived()
    for query in all_queries:
        cheapest = offers.reference(query).cheapest
        if query.wish is None or cheapest is None or not cheapest.items:
            made.without[UNTYPED if query.wish is None else UNMET] += 1
            continue
        maker = _Maker(query, query.wish, offers, f"{seed}|{query.query_id}", cheapest.total)
        for kind in sorted(kinds, key=lambda kind: (made.counts[kind], kinds.index(kind))):
            pair = maker.pair(kind, seed)
            if pair is not None:
                made.queries += pair
                made.counts[kind] += 1
                break
        else:
            made.without["no pair could be proved"] += 1
    made.queries.sort(key=lambda twin: twin.query_id)
    return made


Twins = tuple[Query, Query] | None


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the twins of one query, of each pair the infeasible one first; None if there are none.

    The seed decides the wording of each sentence.
    """

    query: Query
    wish: Wish
    offers: Offers
    seed: str
    cheapest: Money

    def pair(self, kind: str, seed: str) -> list[Query] | None:
        """The twins of one kind, with ids that tell nothing; None unless it is proved which of them can be met."""
        twins = {"too_dear": self.too_dear, "not_sold": self.not_sold, "no_such_order": self.no_such_order}[kind]()
        proofs = [self.offers.reference(twin).proof for twin in twins or ()]
        if twins is None or [proof.state if proof else None for proof in proofs] != ["proved", "refuted"]:
            return None
        query_id = self.query.query_id
        return [
            twin.model_copy(
                update={
                    "query_id": f"s{sha256_of([seed, query_id, kind, place])[:10]}",
                    "task_id": f"t{sha256_of([seed, query_id, kind])[:10]}",
                    "infeasible": True if place == 0 else None,
                }
            )
            for place, twin in enumerate(twins)
        ]

    def too_dear(self) -> Twins:
        """A budget below the cost of the cheapest cart, and one above it."""
        cheapest = self.cheapest.value
        if not cheapest:
            return None
        cut = _LEAST_CUT + int(sha256_of(self.seed), 16) % (_MOST_CUT - _LEAST_CUT + 1)
        below, above = cheapest * (100 - cut) / 100, cheapest * _ABOVE
        # Both in whole amounts or, if that is too coarse, both to the cent.
        unit = Decimal(1) if int(below) >= cheapest * (100 - _MOST_CUT) / 100 else Decimal("0.01")
        low = self._bounded(below.quantize(unit, ROUND_FLOOR), self.cheapest.currency)
        high = self._bounded(above.quantize(unit, ROUND_CEILING), self.cheapest.currency)
        return None if low is None or high is None else (low, high)

    def not_sold(self) -> Twins:
        """One more thing that no product or category of the world is, and one more that the shop has."""
        unknown = (noun for noun in self._shuffled(ABSENT) if not self.offers.could_be(noun))
        lacking = next((noun for noun in unknown if not self.offers.has_category(noun)), None)
        kinds = {kind.casefold() for want in self.wish.wants for kind in want.kinds}
        sold = (
            noun
            for name in self._shuffled(self.offers.world.catalog.categories())
            if (noun := noun_of(name)) and noun not in kinds
        )
        feasible = self._first_feasible(map(self._with_thing, sold))
        return None if lacking is None or feasible is None else (self._with_thing(lacking), feasible)

    def no_such_order(self) -> Twins:
        """Once more the product of an order that the user never made, and of one that the user made."""
        orders = {order.order_id: order for order in self.offers.orders(self.query.user_id)}
        ids_kept = [order_id for order_id, order in orders.items() if order.order_status not in VOID_STATUSES]
        # Nearly all order ids begin with 0 (their number among orders of equal hash).
        ids = (f"0{int(sha256_of([self.seed, attempt]), 16) % 10**9:09d}" for attempt in range(100))
        unknown = next(order_id for order_id in ids if order_id not in orders)
        again = (self._again(orders[order_id]) for order_id in self._shuffled(ids_kept))
        feasible = self._first_feasible(twin for twin in again if twin is not None)
        return None if feasible is None else (self._with_order(self.wish, unknown), feasible)

    def _bounded(self, amount: Decimal, currency: str) -> Query | None:
        """The query with another budget, in place of its own or in a new sentence; None if the place is unclear."""
        text, budget = self.query.text, Money.of(amount, currency)
        written = format_amount(budget).removesuffix(".00")
        if self.wish.budget is None:
            text = self._behind("budget", amount=written)
        else:
            places = [money for money in find_money(text) if self.wish.budget.value in (money.low, money.high)]
            if len(places) != 1 or places[0].low != places[0].high:
                return None
            text = text[: places[0].start] + written + text[places[0].end :]
        return self._with(text, self.wish.model_copy(update={"budget": budget}))

    def _with_thing(self, noun: str) -> Query:
        """The query with one more thing."""
        wants = (*self.wish.wants, Want(name=noun, kinds=(noun,)))
        text = self._behind("also", thing=f"{article(noun)} {noun}")
        return self._with(text, self.wish.model_copy(update={"wants": wants}))

    def _again(self, order: Order) -> Query | None:
        """The query with a want for an order's product; None if the shop lacks it, or the wish already has it."""
        listings = self.offers.listings([order.product_id])
        if not listings or order.product_id in self.wish.owned:
            return None
        product = listings[0].product
        name = short_title(product.title, 60)
        if any(want.name.casefold() == name.casefold() for want in self.wish.wants):
            return None
        brands = () if product.brand is None else (product.brand,)
        want = Want(name=name, kinds=(product.leaf_category,), brands_wanted=brands, again=True)
        return self._with_order(self.wish.model_copy(update={"wants": (*self.wish.wants, want)}), order.order_id)

    def _with_order(self, wish: Wish, order_id: str) -> Query:
        """The query with this wish, and with a sentence that names an order on which it rests."""
        text = self._behind("again", order=order_id)
        return self._with(text, wish.model_copy(update={"orders": (*self.wish.orders, order_id)}))

    def _with(self, text: str, wish: Wish) -> Query:
        return self.query.model_copy(update={"text": text, "wish": wish})

    def _behind(self, sort: str, **slots: str) -> str:
        sentence = PHRASES[sort][int(sha256_of(self.seed), 16) % len(PHRASES[sort])]
        return f"{self.query.text.rstrip()} {sentence.format(**slots)}"

    def _first_feasible(self, twins: Iterable[Query]) -> Query | None:
        return next((twin for twin in islice(twins, _TRIED) if self.offers.reference(twin).best is not None), None)

    def _shuffled(self, names: Sequence[str]) -> list[str]:
        return sorted(names, key=lambda name: sha256_of([self.seed, name]))


def noun_of(name: str) -> str:
    """A category's name in the singular ("bird feeder"); empty if it has none or means several things."""
    words = name.casefold().split()
    if not words or not all(word.isalpha() for word in words) or "and" in words:
        return ""
    noun = singular(words[-1])
    return " ".join([*words[:-1], noun]) if noun != words[-1] else ""


NOT_NECESSARY = "the best cart for the rest keeps to the whole wish"
NO_CLAUSE = "no limit is stated in a clause that the text can do without"
_MOST_SHOWN = 5
"""The most orders that are named as showing a limit."""


def hide(queries: Sequence[Query], offers: Offers, *, manner: Manner = "terse", from_record: bool = False) -> Derived:
    """The queries without those necessary limits that their texts can lose.

    With ``from_record``, the shopper does not tell the limits that orders show.
    """
    check_made_for(queries, offers.world.manifest.fingerprint)
    made = Derived()
    for query in queries:
        outcome = _hidden(query, offers)
        if isinstance(outcome, str):
            made.without[outcome] += 1
            continue
        text, says = outcome
        facts: list[Hidden] = []
        for part, say in says.items():
            shown_by = list(islice(_showing(part, query, offers), _MOST_SHOWN)) if from_record else []
            known = {"say": say, "from": "record" if shown_by else "asked", "shown_by": shown_by}
            facts.append(Hidden.model_validate(part.model_dump() | known | {"topic": TOPIC_OF[part.field]}))
        changed = {"text": text, "hidden": tuple(facts), "manner": manner, "questions": QUESTIONS}
        # Ids have at most 64 characters.
        changed |= {"query_id": f"{query.query_id[:57]}-hidden", "source": f"{query.source}; limits hidden"}
        made.queries.append(query.model_copy(update=changed))
        made.counts.update(f"{fact.topic} ({fact.known_from})" for fact in facts)
    return made


def _hidden(query: Query, offers: Offers) -> tuple[str, dict[WishPart, str]] | str:
    """The text that is left and the withheld limits with their sentences, or why nothing can be withheld."""
    if query.wish is None or query.hidden:
        return UNTYPED if query.wish is None else "it hides limits already"
    if not offers.reference(query).best:
        return UNMET
    parts = [part for part in query.wish.parts() if part.field != "owned" and is_necessary([part], query, offers)]
    if not parts:
        return NOT_NECESSARY
    text, says = by_clause(query.text, query.wish, parts)
    if not says:
        return NO_CLAUSE
    return (text, says) if is_necessary(says, query, offers) else NOT_NECESSARY


def is_necessary(withheld: Collection[WishPart], query: Query, offers: Offers) -> bool:
    """True if the best cart for the rest of the wish breaks the whole wish."""
    wish = query.wish or Wish()
    best = offers.reference(query.model_copy(update={"wish": wish.without(withheld)})).best
    return best is not None and not offers.cart(wish, offers.reference(query), best.picks).is_feasible


def _showing(part: WishPart, query: Query, offers: Offers) -> Iterator[str]:
    """The evidence ids of the user's orders of products that meet the limit, or are of the brand that it names."""
    if part.field not in ("must", "brands_wanted", "brands_unwanted"):
        return
    wish, decisions = query.wish or Wish(), Decisions(query.gold)
    value = value_of(part, wish)
    texts: Sequence[str] = [value] if isinstance(value, str) else value
    for order in offers.orders(query.user_id):
        for listing in offers.listings([order.product_id]) if order.order_status not in VOID_STATUSES else ():
            met = () if part.index is None else decisions.of_state(wish.wants[part.index], listing, "met")
            if value in met if part.field == "must" else any(is_of_brand(listing, text) for text in texts):
                yield order_evidence_id(order.order_id)


def by_clause(text: str, wish: Wish, parts: Sequence[WishPart]) -> tuple[str, dict[WishPart, str]]:
    """The text without the clauses that state just one of these limits each, and what says them, by limit."""
    spans = find_sentences(text)
    sentences = [text[span.start : span.end] for span in spans]
    says: dict[WishPart, str] = {}
    for part in parts:
        places = [place for place, sentence in enumerate(sentences) if states(sentence, wish)(part)]
        if len(places) == 1 and (cut := _without(part, sentences[places[0]], wish)) is not None:
            sentences[places[0]], says[part] = cut
    ends = [0, *(span.end for span in spans)]
    kept = (text[ends[at] : spans[at].start] + sentence for at, sentence in enumerate(sentences) if sentence)
    return "".join(kept).strip(), says


def _without(part: WishPart, sentence: str, wish: Wish) -> tuple[str, str] | None:
    """A sentence without the clause that states a limit and nothing else, and this clause; None if it can't do without.

    Only a last clause can be cut off, since no form shows what follows another one. A sentence that is a single clause
    goes, unless it asks.
    """
    clauses = find_clauses(sentence)
    (joint, words), rest = clauses[-1], "".join(map("".join, clauses[:-1]))
    if sum(bool(content_stems(each)) for _, each in clauses) <= 1:
        rest, say, can_go = "", sentence, not sentence.endswith("?")
    else:
        say = f"{words[:1].upper()}{words[1:]}."
        # "A, B and C" can't do without "and C", for "A, B" is no list.
        can_go = not states(rest, wish)(part) and (joint[0] != " " or clauses[-2][0] != ", ")
        rest += sentence[len(f"{rest}{joint}{words}") :]
    names = ({*content_stems(want.name)} for want in wish.wants)
    is_of_want = any(stems and stems <= {*content_stems(say)} for stems in names)
    is_alone = [*filter(states(say, wish), wish.parts())] == [part]
    return (rest, say) if can_go and is_alone and not is_of_want and '"' not in say else None
