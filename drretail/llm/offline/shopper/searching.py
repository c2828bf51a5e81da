"""Which calls come next, and which product is chosen for each category."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.words import content_stems, content_words
from drretail.llm.offline.shopper.notes import fact, notes_of, of_kind
from drretail.llm.offline.shopper.task import CALCULATOR, DETAILS, OF_USER, READ_FILE, SEARCH, SEARCH_SANDBOX, WEB, Task
from drretail.records.evidence import SourceNote

HITS = 10
OPENED_OF_A_CATEGORY = 2
MOST_CATEGORIES = 4
MOST_PARTS = 4
"""Sentences of a question that are searched for separately: BM25 finds little for all words of a long question."""
LONGEST_SEARCH = 500
"""The most characters that the catalog's search takes."""
WEB_WORDS = 12
LONGEST_QUESTION = 2000
"""The most characters of a question that search_sandbox and read_file take."""
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
Call = tuple[str, dict[str, Any]]


def next_calls(task: Task) -> list[Call]:
    """The next calls that were not made yet; empty once everything was looked up."""
    made = [(lookup.name, lookup.args) for lookup in task.lookups]
    # The second step searches for the question's words within each category that it names.
    named = named_categories(task.question, of_kind(notes_of(task), "P"))
    narrowed = [(SEARCH, _search(task.question) | {"category": category}) for category in named]
    for step in (_first_look(task), narrowed, _records(task)):
        calls = [call for call in step if call[0] in task.tools and call not in made]
        if calls:
            return calls
    return []


def parts_of(question: str) -> list[str]:
    """The sentences of a question with two content words or more; the whole question if there are none."""
    sentences = [question[span.start : span.end] for span in find_sentences(question)]
    return [part for part in sentences if len(content_words(part)) > 1][:MOST_PARTS] or [question]


def chosen_of(question: str, notes: Sequence[SourceNote]) -> dict[str, SourceNote]:
    """The first product of each category that the question names, or the first of all under "" if it names none."""
    products = of_kind(notes, "P")
    chosen = {category: _in_category(category, products)[0] for category in named_categories(question, products)}
    return chosen or dict(zip([""], products, strict=False))


def named_categories(question: str, products: Sequence[SourceNote]) -> list[str]:
    """The products' categories whose words all occur in the question.

    A category whose words are a part of another's is left out: "beds" if the question names "dog beds".
    """
    words = set(content_stems(question))
    names = {frozenset(content_stems(name)): name for product in products if (name := fact(product, "category"))}
    named = {stems: name for stems, name in names.items() if stems and stems <= words}
    return [name for stems, name in named.items() if not any(stems < other for other in named)][:MOST_CATEGORIES]


def sum_of(chosen: Iterable[SourceNote]) -> str | None:
    """The expression that adds up the known prices of several products; None for fewer than two."""
    prices = (NUMBER.search(fact(note, "price")) for note in chosen)
    terms = [str(Decimal(price[0].replace(",", ""))) for price in prices if price is not None]
    return " + ".join(terms) if len(terms) > 1 else None


def _first_look(task: Task) -> Iterator[Call]:
    """Calls for the user's records, the question's words in shop and web, and the user's files."""
    if task.user_id is not None:
        yield from ((name, {"user_id": task.user_id}) for name in OF_USER)
    yield from ((SEARCH, _search(part)) for part in parts_of(task.question))
    if SEARCH_SANDBOX in task.tools:
        yield SEARCH_SANDBOX, {"question": task.question[:LONGEST_QUESTION]}
    else:
        searches = (" ".join(content_words(part)[:WEB_WORDS]) for part in parts_of(task.question))
        yield from ((WEB, {"query": words}) for words in searches if words)
    yield from ((READ_FILE, {"file": name, "question": task.question[:LONGEST_QUESTION]}) for name in task.files)


def _records(task: Task) -> Iterator[Call]:
    """Calls for the records of each category's first hits, and for the sum of the chosen products' prices."""
    notes = notes_of(task)
    chosen = chosen_of(task.question, notes)
    for note in chosen.values():
        for alike in _in_category(fact(note, "category"), of_kind(notes, "P"))[:OPENED_OF_A_CATEGORY]:
            yield DETAILS, {"product_id": alike.evidence.partition(":")[2]}
    if (expression := sum_of(chosen.values())) is not None:
        yield CALCULATOR, {"expression": expression}


def _search(text: str) -> dict[str, Any]:
    return {"query": " ".join(dict.fromkeys(content_words(text)))[:LONGEST_SEARCH], "limit": HITS}


def _in_category(category: str, products: Sequence[SourceNote]) -> list[SourceNote]:
    return [note for note in products if fact(note, "category") == category]
