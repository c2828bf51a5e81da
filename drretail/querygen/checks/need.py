"""Whether a query needs its user's profile: would somebody without it choose the same products?

The shop's offers that keep to the query are ranked once for anybody, by rating (drawn to the mean of the offers as
long as few have rated), and once for this user: what was bought before is out (or first, where it is wanted again),
brands bought more than once, and prices near where the user buys in other kinds, gain half a star each. Where for
every wanted thing the first is the same, only three more needs count: the text speaks of a thing that the user has and
does not say which product it is, so that only the record tells what to match or beat (unless it is told by the way);
it bounds the price by what the user usually spends; or the answer depends on where the user lives.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from drretail.grounding.basket.cheapest import Slot, candidates
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.case import Case, Named, found
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.rules.naming import Thing
from drretail.querygen.rules.phrases import folded_words
from drretail.records.evidence import Finding

Need = Literal["choice", "owned", "spending", "place"]

CODES = {"profile_not_needed": "somebody without the profile would choose the same products"}

# As many ratings as it takes until a product's own mean weighs as much as that of all offers.
_RATINGS_OF_THE_MEAN = 10
_HALF_A_STAR = 0.5
# Of the way from the cheapest to the dearest offer.
_NEAR = 0.25
_AGAIN = re.compile(
    r"\b(?:re-?order\w*|re-?stock\w*|refill\w*|stock up|(?:order|buy|get) (?:\w+ ){0,4}?again|another order|go back to"
    r"|(?:run|running|ran) (?:out|low)|(?:almost )?(?:finished|used up))\b",
    re.IGNORECASE,
)
_SPENDING = re.compile(
    r"\bI (?:usually|normally|typically|generally) (?:spend|order|pay|buy|do)\b"
    r"|\bmy (?:usual|normal|typical) (?:price|budget|spending)\b"
    r"|\b(?:range|level) of my (?:\w+ )?(?:orders|purchases)\b|\bgo by what I(?:'ve| have)? (?:ordered|spent)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:(?:my|our) (?:\w+ )?(?:state|area|region|climate|city|town|neighbou?rhood|zone|country)|part of the country"
    r"|around here|where (?:i|we) live|local|locally|native (?:to|in)|near (?:me|us))\b",
    re.IGNORECASE,
)


def check(case: Case) -> Iterator[Finding]:
    if case.query.mode != "profile_aware" or case.shopper is None or not case.shopper.kept:
        return
    if not needs(case, case.shopper):
        yield found("profile_not_needed", case.query.text[:80], _first_choices(case))


def needs(case: Case, shopper: Shopper) -> tuple[Need, ...]:
    """What the profile is needed for; nothing where it is not."""
    reasons: list[Need] = []
    if any(_changes(case, slot, shopper) for slot in case.slots):
        reasons.append("choice")
    if any(shopper.orders_of(thing) and bears_on_the_rest(case, shopper, thing) for thing in case.asked.had):
        reasons.append("owned")
    if _SPENDING.search(case.query.text.replace("’", "'")) and any(it.price is not None for it in shopper.listings):
        reasons.append("spending")
    if speaks_of_place(case.query.text) and shopper.profile.address.state:
        reasons.append("place")
    return tuple(reasons)


def speaks_of_place(text: str) -> bool:
    """True when the answer depends on where the writer lives, and the text does not say where that is."""
    return bool(_PLACE.search(text))


def _changes(case: Case, slot: Slot, shopper: Shopper) -> bool:
    anybody, user = first_choice(case, slot, None), first_choice(case, slot, shopper)
    return anybody is not user


def first_choice(case: Case, slot: Slot, shopper: Shopper | None) -> Listing | None:
    """The offer that comes first for a user, or for anybody; None where none keeps to the query. Ties by id."""
    offers = [it for it in candidates(slot, case.query.constraints) if _is_affordable(case, it)]
    again = bool(_AGAIN.search(case.query.text))
    if shopper is not None and not again:
        offers = [it for it in offers if it.product.product_id not in shopper.bought]
    if not offers:
        return None
    mean = _mean_rating(offers)
    liking = {it.product.product_id: _liking(case, it, mean, shopper, again=again) for it in offers}
    return min(offers, key=lambda it: (-liking[it.product.product_id], it.product.product_id))


def _is_affordable(case: Case, listing: Listing) -> bool:
    budget = case.query.constraints.budget
    if budget is None:
        return True
    return listing.price is not None and listing.product.currency == budget.currency and listing.price <= budget.value


def _liking(case: Case, listing: Listing, mean: float, shopper: Shopper | None, *, again: bool) -> float:
    """Stars, with what the user's record adds."""
    product = listing.product
    votes = product.rating_number or 0
    stars = ((product.average_rating or mean) * votes + mean * _RATINGS_OF_THE_MEAN) / (votes + _RATINGS_OF_THE_MEAN)
    if shopper is None:
        return stars
    if again and product.product_id in shopper.bought:
        stars += 5
    if listing.makers & shopper.brands:
        stars += _HALF_A_STAR
    level, place = shopper.price_level, case.stock.price_place(listing)
    near = level is not None and place is not None and abs(place - level) <= _NEAR
    return stars + (_HALF_A_STAR if near else 0)


def _mean_rating(offers: Sequence[Listing]) -> float:
    known = [it.product.average_rating for it in offers if it.product.average_rating is not None]
    return sum(known) / len(known) if known else 0.0


def _first_choices(case: Case) -> str:
    firsts = ((slot.name, first_choice(case, slot, None)) for slot in case.slots)
    named = [f"{name}: {it.product.title[:60]} [{it.product.product_id}]" for name, it in firsts if it is not None]
    return "with and without the profile, " + ("; ".join(named) or "nothing to choose from was found")


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
# Words that tie what is wanted to what was named before.
_TIES = re.compile(
    r"\b(?:it|its|them|they|their|theirs|mine|this|that one|those|these|both|together|match\w*|go(?:es)? with|fits?"
    r"|suits?|beside|besides|alongside|next to|instead|replac\w+|another|too|also|as well|same|compatible|work with"
    r"|add\w*|rest|help\w*|solv\w+|prevent\w*|(?:fix|with|of|like|for|beyond|after) that)\b",
    re.IGNORECASE,
)
# Whoever speaks so of the own record wants it to be read.
_OWN_RECORD = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,2}(?:orders?|order history|record|records|history|purchases|taste|tastes|habits?|profile"
    r"|account|shelf|things|stuff|setup|collection|home)\b"
    r"|\b(?:what|things|everything|all|anything|something|enough) (?:that )?(?:i|we)(?:'ve| have)? "
    r"(?:\w+ )?(?:own|owned|have|got|had|buy|bought|order|ordered|use|used)\b"
    r"|\bi(?:'ve| have)? (?:usually|normally|typically|generally|always|already|often|mostly|tend)\b"
    r"|\bi(?:'ve| have)? (?:ordered|bought) (?:\w+ ){0,3}(?:here|before|from you|so far|enough)\b"
    r"|\b(?:past|earlier|previous) (?:orders?|purchases?)\b|\bfor (?:me|somebody like me)\b|\blike mine\b",
    re.IGNORECASE,
)


def bears_on_the_rest(case: Case, shopper: Shopper, owned: Thing) -> bool:
    """False only for a thing of another sort than all that is wanted, in a text that never comes back to it.

    "I've had my weighted blanket for a while. Which headlamp is good for night runs?": no record is needed for that.
    """
    wanted = case.asked.things
    if case.asked.again or not wanted:
        return True
    text = case.query.text.replace("’", "'")
    if _OWN_RECORD.search(text) or any(_is_related(case, shopper, owned, thing) for thing in wanted):
        return True
    return _is_tied(text, case, owned)


def _is_tied(text: str, case: Case, owned: Thing) -> bool:
    """True when the wanted is asked for in the same sentence, with words that point back, or the thing named again."""
    had = [it for it in case.named if it.thing.name == owned.name]
    asked = [it for it in case.named if it.role == "asked"]
    if not had or not asked or folded_words(text).count(owned.head) != 1:
        return True
    told, wish = _sentence_of(text, had[0]), _sentence_of(text, asked[0])
    if told == wish or wish < told:
        return True
    return any(_TIES.search(sentence) for sentence in _SENTENCE_END.split(text)[told + 1 : wish + 1])


def _sentence_of(text: str, named: Named) -> int:
    """The number of the sentence in which a thing is named."""
    return len(_SENTENCE_END.findall(text[: named.start]))


def _is_related(case: Case, shopper: Shopper, owned: Thing, wanted: Thing) -> bool:
    if owned.words == wanted.words:
        return True
    products = (shopper.products.get(order.product_id) for order in shopper.orders_of(owned))
    of_owned = {name for it in products if it is not None for name in (it.product.category, *it.product.categories)}
    of_wanted = {name for it in case.stock.offers(wanted) for name in (it.product.category, *it.product.categories)}
    return bool(of_owned & of_wanted)
