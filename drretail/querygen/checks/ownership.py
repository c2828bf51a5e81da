"""Whether a thing that a text says the shopper has bears on what is wanted, or is only told by the way."""

import re
from functools import cache

from drretail.querygen.asked import Named
from drretail.querygen.checks.case import Case
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.knowledge import choices, projects
from drretail.querygen.needs import needs
from drretail.querygen.things import Thing, folded_words

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
    if owned.name == wanted.name or wanted.name in _related_to(owned.name):
        return True
    products = (shopper.products.get(order.product_id) for order in shopper.orders_of(owned))
    of_owned = {name for it in products if it is not None for name in (it.product.category, *it.product.categories)}
    of_wanted = {name for it in case.stock.offers(wanted) for name in (it.product.category, *it.product.categories)}
    return bool(of_owned & of_wanted)


@cache
def _related_to(kind: str) -> frozenset[str]:
    """The kinds that go with one in some undertaking, choice or need."""
    groups = [
        *(project.things for project in projects()),
        *(choice.kinds for choice in choices()),
        *((pair.mine, pair.thing) for need in needs() for pair in need.pairs),
        *((*need.mine, *need.things) for need in needs() if need.mine and need.things),
    ]
    return frozenset(name for group in groups if kind in group for name in group)
