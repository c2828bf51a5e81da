"""Which calls come next, and which product is named for each kind of thing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.words import content_stems, content_words
from drretail.offline.shopper.notes import fact, notes_of, of_kind
from drretail.offline.shopper.task import (
    CALCULATOR,
    DETAILS,
    OF_USER,
    READ_FILE,
    SEARCH,
    SEARCH_SANDBOX,
    WEB,
    Task,
)
from drretail.records.evidence import SourceNote
from drretail.records.wish import Want

HITS = 10
OPENED_OF_A_KIND = 2
MOST_KINDS = 4
MOST_PARTS = 4
"""Sentences of a question that are searched for one by one; BM25 finds little for all words of a long one at once."""
LONGEST_SEARCH = 500
"""Characters that the catalog's search takes."""
WEB_WORDS = 12
LONGEST_QUESTION = 2000
"""Characters that those who are sent to the web or into a file take."""
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The product that is named for a kind of thing; ``kind`` is empty where the question names no category."""

    kind: str
    note: SourceNote
    quantity: int = 1

    @property
    def price(self) -> Decimal | None:
        return price_of(self.note)


def price_of(note: SourceNote) -> Decimal | None:
    """What a product costs, None where no price is listed."""
    number = _NUMBER.search(fact(note, "price"))
    return None if number is None else Decimal(number[0].replace(",", ""))


def next_calls(task: Task) -> list[Call]:
    """The next calls that were not made yet; none when everything was looked up."""
    made = [(lookup.name, lookup.args) for lookup in task.lookups]
    for step in (_first_look, _by_category, _records):
        calls = [call for call in step(task) if call[0] in task.tools and call not in made]
        if calls:
            return calls
    return []


def parts_of(question: str) -> list[str]:
    """The sentences of a question that say something; all of it where none does."""
    found = [question[span.start : span.end] for span in find_sentences(question)]
    return [part for part in found if len(content_words(part)) > 1][:MOST_PARTS] or [question]


def chosen_of(task: Task, notes: Sequence[SourceNote]) -> list[Chosen]:
    """One product for each want of the wish, else for each category that the question names, else the first hit."""
    products = of_kind(notes, "P")
    if task.wants:
        found = [Chosen(want.name, note, want.quantity) for want in task.wants for note in _of_want(want, products)[:1]]
    else:
        found = [Chosen(kind, _in_category(kind, products)[0]) for kind in named_categories(task.question, products)]
    return found or [Chosen("", note) for note in products[:1]]


def named_categories(question: str, products: Sequence[SourceNote]) -> list[str]:
    """The categories of the hits all of whose words stand in the question: "beds" of "dog beds" is no other kind."""
    words = set(content_stems(question))
    names = {frozenset(content_stems(name)): name for product in products if (name := fact(product, "category"))}
    named = {stems: name for stems, name in names.items() if stems and stems <= words}
    return [name for stems, name in named.items() if not any(stems < other for other in named)][:MOST_KINDS]


def sum_of(chosen: Sequence[Chosen]) -> str | None:
    """What several pieces cost, as an expression of their known prices; None for one piece."""
    priced = [(one.quantity, one.price) for one in chosen if one.price is not None]
    terms = [f"{quantity} * {price}" if quantity > 1 else str(price) for quantity, price in priced]
    return " + ".join(terms) if sum(quantity for quantity, _ in priced) > 1 else None


def _first_look(task: Task) -> Iterator[Call]:
    """The user's records, the question's words in shop and web, the user's files."""
    if task.user_id is not None:
        yield from ((name, {"user_id": task.user_id}) for name in OF_USER)
    if task.wants:
        yield from ((SEARCH, _search(want.name) | _limits(want)) for want in task.wants)
    else:
        yield from ((SEARCH, _search(part)) for part in parts_of(task.question))
    if SEARCH_SANDBOX in task.tools:
        yield SEARCH_SANDBOX, {"question": task.question[:LONGEST_QUESTION]}
    else:
        searches = (" ".join(content_words(part)[:WEB_WORDS]) for part in parts_of(task.question))
        yield from ((WEB, {"query": words}) for words in searches if words)
    yield from ((READ_FILE, {"file": name, "question": task.question[:LONGEST_QUESTION]}) for name in task.files)


def _by_category(task: Task) -> Iterator[Call]:
    if not task.wants:
        for category in named_categories(task.question, of_kind(notes_of(task), "P")):
            yield SEARCH, _search(task.question) | {"category": category}


def _records(task: Task) -> Iterator[Call]:
    """The records of the first hits of each kind, and the sum of those that are named."""
    notes = notes_of(task)
    products, chosen = of_kind(notes, "P"), chosen_of(task, notes)
    for one in chosen:
        alike = [one.note, *(_in_category(fact(one.note, "category"), products))]
        for note in list(dict.fromkeys(alike))[:OPENED_OF_A_KIND]:
            yield DETAILS, {"product_id": note.evidence.partition(":")[2]}
    if (expression := sum_of(chosen)) is not None:
        yield CALCULATOR, {"expression": expression}


def _search(text: str) -> dict[str, Any]:
    return {"query": " ".join(dict.fromkeys(content_words(text)))[:LONGEST_SEARCH], "limit": HITS}


def _limits(want: Want) -> dict[str, float]:
    most = {} if want.price_max is None else {"price_max": float(want.price_max.value)}
    return most if want.rating_min is None else most | {"rating_min": want.rating_min}


def _of_want(want: Want, products: Sequence[SourceNote]) -> list[SourceNote]:
    """The products that have all words of one of the want's kinds, and cost no more than it may."""
    kinds = [frozenset(content_stems(kind)) for kind in (want.name, *want.kinds)]
    most = None if want.price_max is None else want.price_max.value
    return [
        note
        for note in products
        if any(kind <= {*content_stems(fact(note, "category")), *content_stems(note.title)} for kind in kinds)
        and (most is None or ((price := price_of(note)) is not None and price <= most))
    ]


def _in_category(category: str, products: Sequence[SourceNote]) -> list[SourceNote]:
    return [note for note in products if fact(note, "category") == category]
