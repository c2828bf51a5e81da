"""Queries that leave out limits of their wish, which the shopper tells when asked: ``ask_shopper``.

The sentence that states a limit is taken out of the text and becomes what the shopper says. A limit is hidden only
where that is necessary: the best cart for what is then left of the wish breaks the whole wish. Whoever doesn't ask can
be right by luck alone.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from drretail.difficulty.twins import UNMET
from drretail.env.offers import Offers
from drretail.grounding.basket.cart import Cart
from drretail.grounding.constraints.demands import stance
from drretail.grounding.constraints.listing import is_of_brand
from drretail.grounding.constraints.stated import states, value_of
from drretail.grounding.report.evidence_ids import order_evidence_id
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.wording import listed
from drretail.grounding.text.words import content_stems
from drretail.querygen.reading import check_made_for
from drretail.querygen.rules.assortment import PHRASES
from drretail.records.query import Manner, Query
from drretail.records.reading import Pick
from drretail.records.shop import VOID_STATUSES
from drretail.records.wish import TOPIC_OF, Hidden, Wish, WishPart

UNTYPED = "nobody typed it"
NOT_NECESSARY = "the best cart for the rest keeps to the whole wish"
NO_SENTENCE = "no sentence of its own states a limit"
HIDDEN = "it hides limits already"
_MOST_SHOWN = 5
"""Orders that are named as showing a limit."""
_SHOULD = [re.compile(re.escape(frame).replace(re.escape("{clauses}"), "(.+)")) for frame in PHRASES["frame"]["should"]]
"""The sentences into which the rules write several limits, each a clause of its own."""


@dataclass(frozen=True, slots=True)
class ShortenedText:
    """A text without some limits, and the sentence that states each of these."""

    text: str
    says: dict[WishPart, str]


@dataclass(slots=True)
class Hiding:
    """The queries that hide limits, how many limits by topic, and why other queries hide none."""

    queries: list[Query] = field(default_factory=list[Query])
    facts: Counter[str] = field(default_factory=Counter[str])
    without: Counter[str] = field(default_factory=Counter[str])


def hide(
    queries: Iterable[Query],
    offers: Offers,
    *,
    manner: Manner = "terse",
    questions: int | None = None,
    from_record: bool = False,
) -> Hiding:
    """Each query without the limits that are necessary and that can be taken out of its text.

    With ``from_record`` a shopper does not tell what an order of theirs shows.
    """
    asked = list(queries)
    check_made_for(asked, offers.world.manifest.fingerprint)
    made = Hiding()
    for query in asked:
        found = _hidden(query, offers)
        if isinstance(found, str):
            made.without[found] += 1
            continue
        facts = tuple(_fact(part, say, query, offers, from_record) for part, say in found.says.items())
        changed = {"text": found.text, "hidden": facts, "manner": manner, "questions": questions}
        changed |= {"query_id": f"{query.query_id[:57]}-hidden", "source": f"{query.source}; limits hidden"}
        hiding = query.model_copy(update=changed)
        made.queries.append(Query.model_validate(hiding.model_dump()))
        made.facts.update(f"{fact.topic} ({fact.known_from})" for fact in facts)
    return made


def _hidden(query: Query, offers: Offers) -> ShortenedText | str:
    """What of a query is withheld, or why nothing is."""
    if query.wish is None or query.hidden:
        return UNTYPED if query.wish is None else HIDDEN
    if not offers.reference(query).best:
        return UNMET
    parts = [part for part in query.wish.parts() if part.field != "owned" and _is_necessary([part], query, offers)]
    if not parts:
        return NOT_NECESSARY
    found = by_sentence(query.text, query.wish, parts)
    if not found.says:
        return NO_SENTENCE
    return found if _is_necessary(found.says, query, offers) else NOT_NECESSARY


def _is_necessary(withheld: Collection[WishPart], query: Query, offers: Offers) -> bool:
    """True where the best cart for the rest of the wish breaks the whole of it."""
    wish = query.wish or Wish()
    best = offers.reference(query.model_copy(update={"wish": wish.without(withheld)})).best
    if best is None:
        return False
    picks = tuple(Pick(product=item.product_id, quantity=item.quantity) for item in best.items)
    products = offers.world.store.products([pick.product for pick in picks])
    return not Cart(wish, offers.reference(query), picks, products).is_feasible


def _fact(part: WishPart, say: str, query: Query, offers: Offers, from_record: bool) -> Hidden:
    shown_by = tuple(_showing(part, query, offers))[:_MOST_SHOWN] if from_record else ()
    stated = {
        "topic": TOPIC_OF[part.field],
        "say": say,
        "from": "record" if shown_by else "asked",
        "shown_by": shown_by,
    }
    return Hidden.model_validate(part.model_dump() | stated)


def _showing(part: WishPart, query: Query, offers: Offers) -> Iterator[str]:
    """The user's orders of products that are as the limit demands, or of the brand that it names."""
    value = value_of(part, query.wish or Wish())
    if part.field not in ("must", "brands_wanted", "brands_unwanted"):
        return
    texts: Sequence[str] = [value] if isinstance(value, str) else value
    for order in offers.orders(query.user_id):
        for listing in offers.listings([order.product_id]) if order.order_status not in VOID_STATUSES else ():
            if any(
                stance(listing.words, each) == "kept" if part.field == "must" else is_of_brand(listing, each)
                for each in texts
            ):
                yield order_evidence_id(order.order_id)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A sentence, or one of the clauses into which the rules write several limits."""

    sentence: int
    say: str
    frame: tuple[str, str] = ("", "")
    """What stands before and behind a clause."""


def by_sentence(text: str, wish: Wish, parts: Sequence[WishPart]) -> ShortenedText:
    """The text without the sentences that state one of these limits each, and nothing else of the wish."""
    spans = find_sentences(text)
    sentences = [text[each.start : each.end] for each in spans]
    clauses = [clause for number, sentence in enumerate(sentences) for clause in _clauses(number, sentence)]
    stated = [states(clause.say, wish) for clause in clauses]
    everything = list(wish.parts())
    taken: dict[WishPart, _Clause] = {}
    for part in parts:
        stating = [at for at, holds in enumerate(stated) if holds(part)]
        if len(stating) != 1:
            continue
        holds, clause = stated[stating[0]], clauses[stating[0]]
        says_more = [other for other in everything if other.key != part.key and holds(other)]
        if not says_more and '"' not in clause.say:
            taken[part] = clause
    # Where a text would no longer name what is wanted, it keeps that sentence.
    for part, clause in list(taken.items()):
        if _names_less(clauses, taken.values(), clause, wish):
            del taken[part]
    left, end = "", 0
    for number, (span, sentence) in enumerate(zip(spans, sentences, strict=True)):
        rest = _rest(sentence, [clause for clause in clauses if clause.sentence == number], taken.values())
        left += text[end : span.start] + rest if rest else ""
        end = span.end
    return ShortenedText(left.strip(), {part: clause.say for part, clause in taken.items()})


def _clauses(number: int, sentence: str) -> list[_Clause]:
    """The clauses of a sentence that the rules made of several, each as a sentence; else the sentence."""
    for pattern in _SHOULD:
        if match := pattern.fullmatch(sentence):
            before, behind = sentence[: match.start(1)], sentence[match.end(1) :]
            parts = re.split(r", | and ", match[1])
            if len(parts) > 1 and listed(parts) == match[1]:
                return [_Clause(number, f"{before}{part}{behind}", (before, behind)) for part in parts]
    return [_Clause(number, sentence)]


def _rest(sentence: str, clauses: Sequence[_Clause], taken: Collection[_Clause]) -> str:
    """A sentence without the clauses that are taken."""
    left = [clause for clause in clauses if clause not in taken]
    if len(left) == len(clauses) or not left:
        return sentence if left else ""
    before, behind = clauses[0].frame
    return before + listed([clause.say.removeprefix(before).removesuffix(behind) for clause in left]) + behind


def _names_less(clauses: Sequence[_Clause], taken: Collection[_Clause], one: _Clause, wish: Wish) -> bool:
    """True where a want is named in one of the taken clauses and in none that stays."""
    left = {word for clause in clauses if clause not in taken for word in content_stems(clause.say)}
    named = set(content_stems(one.say))
    return any(
        named.issuperset(words) and not left.issuperset(words)
        for want in wish.wants
        if (words := content_stems(want.name))
    )
