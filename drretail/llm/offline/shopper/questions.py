"""What the shopper wants to know beside what to buy."""

import re
from dataclasses import dataclass

from drretail.llm.offline.shopper.customer import Customer
from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.wondering import wondering_clauses
from drretail.llm.offline.shopper.words import STOP_WORDS, first_upper, stem, stems_of

MOST_QUESTIONS = 5
MOST_WEB_SEARCHES = 6
_ASKS = re.compile(r"\b(?:what|how|which|when|where|why|who|is it|are there|does|do)\b", re.IGNORECASE)
# A question about what to buy is answered by the shop, one about the budget by the sum.
_ABOUT_BUYING = re.compile(
    r"\b(?:recommend|suggest|buy|buying|get|purchase|pick|choose|help me|can you|could you|would you|shop|price|budget"
    r"|cost|afford|which|best|(?:i|we|you) need|suits?"
    r"|worth (?:it|adding|switching|having|buying)|be right|better way|nicer"
    r"|step up|what else|compare)\b|\$",
    re.IGNORECASE,
)
_ABOUT_OTHERS = re.compile(r"\bwhat do (?:people|others|owners|experts)\b", re.IGNORECASE)
_HERE = re.compile(
    r"\b(?:(?:in|to|for|around|near) )?(?:(?:my|our) part of the (?:country|world)"
    r"|my (?:own )?(?:state|area|region|city|town|climate|zone|location|place)"
    r"|where i live|around here|our (?:state|area|region))\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:also|and|but|so|oh|plus|then|by the way),?\s+", re.IGNORECASE)
OUTDOOR_THEMES = frozenset({"birds", "garden"})
_LONGEST_SEARCH = 12
_SHORTEST = 4
_YOURS = {"i": "you", "i'm": "you're", "i've": "you've", "me": "you", "my": "your", "mine": "yours",
          "myself": "yourself", "we": "you", "we're": "you're", "us": "you", "our": "your", "ours": "yours",
          "am": "are"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """``text`` as the shopper asks it; ``needs_place`` when the answer depends on where they live."""

    text: str
    needs_place: bool
    direct: bool = True
    """False for the clause in "tell me how it works"."""

    @property
    def told(self) -> str:
        """As the end of "no page says …": the clause spoken to the shopper, a direct question in quotation marks."""
        if self.direct:
            return f"“{self.text}”"
        return re.sub(r"[\w'’]+", lambda match: _YOURS.get(match[0].replace("’", "'").casefold(), match[0]), self.text)

    @property
    def label(self) -> str:
        """As the heading of its answer."""
        return self.text if self.direct else f"{first_upper(self.told)}:"

    def words(self, customer: Customer) -> list[str]:
        """The words that carry its meaning, "my state" replaced by its name."""
        text = _HERE.sub(customer.state or "", self.text)
        words = re.findall(r"[\w'’-]+", text)
        return [word for word in words if not {word.casefold(), stem(word.casefold())} & STOP_WORDS]

    def search(self, customer: Customer, topic: str) -> str:
        """Words for a web search; the topic is added where the question only says "it" or "everything"."""
        words = self.words(customer)[:_LONGEST_SEARCH]
        known = set(stems_of(" ".join(words)))
        return " ".join([*words, *(word for word in topic.split() if not set(stems_of(word)) <= known)])


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A web search with what it is for: a question, or advice on a need."""

    query: str
    question: Question | None = None
    need: Need | None = None


def read_questions(query: str) -> list[Question]:
    """Questions of the query that are not about what to buy, those that end in "?" first."""
    found = [
        Question(text, _HERE.search(text) is not None, direct=direct)
        for direct, texts in ((True, _direct(query)), (False, wondering_clauses(query)))
        for text in dict.fromkeys(texts)
    ]
    kept: list[Question] = []
    for question in found:
        # "Can you tell me how dry it gets?" is read once.
        if not any(question.text.casefold().rstrip("?") in other.text.casefold() for other in kept):
            kept.append(question)
    return kept[:MOST_QUESTIONS]


def web_searches(needs: tuple[Need, ...], questions: list[Question], customer: Customer) -> list[WebSearch]:
    """What to look up on the web: the questions, the choice that matters for each need, then place and guides."""
    known = [need for need in needs if not need.guessed]
    answerable = [question for question in questions if customer.state is not None or not question.needs_place]
    topic = _topic(known)
    asked = [WebSearch(question.search(customer, topic), question=question) for question in answerable]
    advice = [WebSearch(need.ask or f"{need.name} care and safety", need=need) for need in known]
    guides = [WebSearch(f"{need.name} buying guide", need=need) for need in known]
    searches = (*asked, *advice, *_of_the_place(known, customer), *guides)
    return [search for search in searches if search.query][:MOST_WEB_SEARCHES]


def _direct(query: str) -> list[str]:
    """Sentences that end in "?"; of "Help me choose: what is overrated?" the part behind the colon."""
    texts: list[str] = []
    for sentence in re.findall(r"[^.!?\n]+\?", query):
        text = _LEADING.sub("", sentence.rpartition(":")[2].strip())
        about_buying = _ABOUT_BUYING.search(text) and not _ABOUT_OTHERS.search(text)
        if len(text.split()) >= _SHORTEST and _ASKS.search(text) and not about_buying:
            texts.append(first_upper(text))
    return texts


def _topic(needs: list[Need]) -> str:
    """What a question without a noun is about: the one need, or what all needs have in common."""
    if len(needs) == 1:
        return needs[0].name
    themes = {need.theme for need in needs}
    return themes.pop() or "" if len(themes) == 1 else (needs[0].name if needs else "")


def _of_the_place(needs: list[Need], customer: Customer) -> list[WebSearch]:
    outdoors = [need for need in needs if need.theme in OUTDOOR_THEMES]
    if not outdoors or customer.state is None:
        return []
    return [WebSearch(f"{outdoors[0].theme} {customer.state}", need=outdoors[0])]
