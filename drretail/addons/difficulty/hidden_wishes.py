"""Queries that leave out limits of their wish, which the shopper tells when asked: ``ask_shopper``.

The clause that states a limit is taken out of the text and becomes the shopper's answer. A limit is hidden only if the
text asks without it, and if it is necessary: the best cart for the rest of the wish breaks the whole wish.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from drretail.addons.difficulty.twins import UNMET, UNTYPED, Derived
from drretail.env.offers import Offers
from drretail.grounding.constraints.decisions import Decisions
from drretail.grounding.constraints.listing import is_of_brand
from drretail.grounding.constraints.releases import states, value_of
from drretail.grounding.report.evidence_ids import order_evidence_id
from drretail.grounding.text.sentences import find_clauses, find_sentences
from drretail.grounding.text.words import content_stems
from drretail.querygen.reading import check_made_for
from drretail.records.query import QUESTIONS, Manner, Query
from drretail.records.shop import VOID_STATUSES
from drretail.records.wish import TOPIC_OF, Hidden, Wish, WishPart

NOT_NECESSARY = "the best cart for the rest keeps to the whole wish"
NO_CLAUSE = "no limit is stated in a clause that the text can do without"
_MOST_SHOWN = 5
"""The most orders that are named as showing a limit."""


def hide(
    queries: Sequence[Query],
    offers: Offers,
    *,
    manner: Manner = "terse",
    questions: int = QUESTIONS,
    from_record: bool = False,
) -> Derived:
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
        changed = {"text": text, "hidden": tuple(facts), "manner": manner, "questions": questions}
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
