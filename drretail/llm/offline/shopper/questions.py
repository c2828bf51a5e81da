"""What the shopper wants to know beside what to buy."""

import re
from dataclasses import dataclass

from drretail.llm.offline.shopper.customer import Customer
from drretail.llm.offline.shopper.needs import Need
from drretail.llm.offline.shopper.words import STOP_WORDS

MOST_QUESTIONS = 2
MOST_WEB_SEARCHES = 4
_ASKS = re.compile(r"\b(?:what|how|which|when|where|why|who|is it|are there|does|do)\b", re.IGNORECASE)
# A question about what to buy is answered by the shop, one about the budget by the sum.
_ABOUT_BUYING = re.compile(
    r"\b(?:recommend|suggest|buy|buying|get|purchase|pick|choose|help me|can you|could you|would you|shop|price|budget"
    r"|cost|afford|which|best|need|suits?)\b|\$",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:(?:in|to|for|around|near) )?(?:my (?:own )?(?:state|area|region|city|town|climate|zone|location|place)"
    r"|where i live|around here|our (?:state|area|region))\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:also|and|but|so|oh|plus|then|by the way),?\s+", re.IGNORECASE)
_OUTDOOR_THEMES = frozenset({"birds", "garden"})
_LONGEST_SEARCH = 12
_SHORTEST = 4
# "find out which fabrics stay cool", "I want to know what volume is safe"
_WANTS_TO_KNOW = re.compile(
    r"\b(?:find out|to know|tell me|to understand|look up|advice on|to learn|know)\s+(?:in )?"
    r"(?P<question>(?:what|which|how|whether|when|where|why)\b[^.!?;:\n]*?)(?=[.!?;:\n]|,? and (?:how|what|which)\b|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """``text`` as the shopper asks it; ``needs_place`` when the answer depends on where they live."""

    text: str
    needs_place: bool

    def search(self, customer: Customer) -> str:
        """Words for a web search, "my state" replaced by its name."""
        place = customer.state or ""
        text = _HERE.sub(place, self.text)
        words = [word for word in re.findall(r"[\w'’-]+", text) if word.casefold() not in STOP_WORDS]
        return " ".join(words[:_LONGEST_SEARCH])


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A web search with what it is for: a question, or advice on a need."""

    query: str
    question: Question | None = None
    need: Need | None = None


def read_questions(query: str) -> list[Question]:
    """Questions of the query that are not about what to buy, at most two, those that end in "?" first."""
    asked = [_LEADING.sub("", sentence.strip()) for sentence in re.findall(r"[^.!?\n]+\?", query)]
    wanted = [f"{match['question'].strip()}?" for match in _WANTS_TO_KNOW.finditer(query)]
    found = [
        Question(text[0].upper() + text[1:], _HERE.search(text) is not None)
        for text in dict.fromkeys([*asked, *wanted])
        if len(text.split()) >= _SHORTEST and _ASKS.search(text) and not _ABOUT_BUYING.search(text)
    ]
    return found[:MOST_QUESTIONS]


def web_searches(needs: tuple[Need, ...], questions: list[Question], customer: Customer) -> list[WebSearch]:
    """What to look up on the web: the questions, the choice that matters for each need, then place and guides."""
    known = [need for need in needs if not need.guessed]
    answerable = [question for question in questions if customer.state is not None or not question.needs_place]
    asked = [WebSearch(question.search(customer), question=question) for question in answerable]
    advice = [WebSearch(need.ask or f"{need.name} care and safety", need=need) for need in known]
    guides = [WebSearch(f"{need.name} buying guide", need=need) for need in known]
    searches = (*asked, *advice, *_of_the_place(known, customer), *guides)
    return [search for search in searches if search.query][:MOST_WEB_SEARCHES]


def _of_the_place(needs: list[Need], customer: Customer) -> list[WebSearch]:
    outdoors = [need for need in needs if need.theme in _OUTDOOR_THEMES]
    if not outdoors or customer.state is None:
        return []
    return [WebSearch(f"{outdoors[0].theme} {customer.state}", need=outdoors[0])]
