"""What a sub-problem asks for: the shopper's record, the shop, the web, or several of them."""

import re
from dataclasses import dataclass, replace

from drretail.llm.offline.shopper.questions import WebSearch
from drretail.llm.offline.shopper.situation import Situation
from drretail.llm.offline.shopper.study import Study, study
from drretail.llm.offline.shopper.words import STOP_WORDS

_RECORD = re.compile(
    r"\b(?:profile|statistics|(?:order|purchase|shopping|buying) history|(?:past|earlier|previous) (?:orders|purchases)"
    r"|(?:their|his|her|(?:the )?(?:shopper|user|customer)(?:'s)?) (?:own |past )?(?:orders|purchases|record)"
    r"|what (?:they|the (?:shopper|user|customer)) (?:\w+ )?(?:own|owns|have|has|bought|ordered))\b",
    re.IGNORECASE,
)
_WEB = re.compile(r"\b(?:web|internet|online|articles?|experts?|guides? (?:say|recommend|advise))\b", re.IGNORECASE)
_SHOP = re.compile(
    r"\b(?:find(?! out)|compare|catalog\w*|products?|recommend(?!ed)|in the shop|for sale|prices?|cheap\w*)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"]([^”\"\n]{4,80})[”\"]")
_PLACE = re.compile(r"\bwhere the (?:shopper|user|customer) lives\b[^.]*\.?", re.IGNORECASE)
_QUESTION = re.compile(r"[^.!?]+\?")
_SHARED = re.compile(r"\bsum is for (?P<number>\w+) things together\b", re.IGNORECASE)
_NUMBERS = {"two": 2, "three": 3, "four": 4}
_LONGEST_SEARCH = 10


@dataclass(frozen=True, slots=True)
class Assignment:
    """``study`` is of the sub-problem's own words; its web searches are those that are asked for."""

    study: Study
    record: bool
    shop: bool
    web: bool
    place: bool
    """True when it matters where the shopper lives."""
    shares: int = 1
    """Among how many things the money is to be divided."""

    @property
    def text(self) -> str:
        return self.study.situation.query


def read_assignment(situation: Situation) -> Assignment:
    """The assignment of a researcher, whoever wrote its sub-problem; one that names no source is for shop and web."""
    text = situation.query.replace("’", "'")
    # "Where they live stands in their profile" asks for no more than that; "what do people recommend?" for no product.
    asked = _PLACE.sub(" ", text)
    record, web = _RECORD.search(asked) is not None, _WEB.search(asked) is not None
    shop = _SHOP.search(_QUOTED.sub(" ", _QUESTION.sub(" ", asked)) if web else asked) is not None
    if not (record or shop or web):
        shop = True
    known = study(situation)
    if not shop:
        known = replace(known, web=tuple(_searches(known)) if web else ())
    place = _PLACE.search(text) is not None or any(question.needs_place for question in known.questions)
    shared = _SHARED.search(text)
    return Assignment(known, record, shop, web, place, _NUMBERS.get(shared["number"].casefold(), 1) if shared else 1)


def _searches(known: Study) -> list[WebSearch]:
    """The questions, what the sub-problem puts in quotation marks, else its own words; then the place."""
    asked = [search for search in known.web if search.question is not None]
    quoted = [WebSearch(words) for words in _QUOTED.findall(known.situation.query) if not words.endswith("?")]
    place = [
        search for search in known.web if search.need is not None and (known.customer.state or "-") in search.query
    ]
    return [*asked, *quoted, *place] or [WebSearch(_own_words(known.situation.query))]


def _own_words(text: str) -> str:
    words = [word for word in re.findall(r"[\w'’-]+", text) if word.casefold() not in STOP_WORDS]
    return " ".join(words[:_LONGEST_SEARCH])
