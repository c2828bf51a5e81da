"""The results of calls as notes on sources, with one labelled fact per line, as researchers hand them on."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import content_stems
from drretail.llm.offline.shopper.task import (
    CALCULATOR,
    DETAILS,
    ORDERS,
    READ_FILE,
    SEARCH,
    SEARCH_SANDBOX,
    WEB,
    Lookup,
    Task,
    parsed,
)
from drretail.records.evidence import SourceNote
from drretail.records.shop import USD

SAYS = "says"
"""The label of a sentence quoted from the source because it shares words with the question."""
MOST_SAYINGS = 2
LEAST_SHARED = 2
"""Words that a sentence must share with a question to count as relevant: with one, most sentences would."""
LONGEST_SENTENCE = 260
NO_PRICE = "none listed"
_MARKUP = re.compile(r"[|`\[\]<>*_]|https?://")


def notes_of(task: Task) -> list[SourceNote]:
    """A note for each source that the calls showed; products in the order of the searches, narrow ones first."""
    searches = sorted(task.found(SEARCH), key=lambda search: "category" not in search.args)
    shown = [product for search in searches for product in whole_items(search.value, "hits")]
    opened = {record.value.get("product_id"): record.value for record in task.found(DETAILS)}
    products = {product.get("product_id"): product for product in [*shown, *opened.values()]} | opened
    return [
        *(_of_product(product, task.question) for product in products.values() if product.get("evidence")),
        *_of_orders(task),
        *(note for lookup in task.found(WEB, SEARCH_SANDBOX) for note in _of_pages(lookup, task.question)),
        *(note for lookup in task.found(READ_FILE) for note in _of_file(lookup)),
        *(
            _note(lookup.value, "Calculation", {name: lookup.value.get(name) for name in ("expression", "value")})
            for lookup in task.found(CALCULATOR)
        ),
    ]


def notes_in(reports: str) -> list[SourceNote]:
    """The notes in a JSON list of intermediate reports, one note per source."""
    notes: dict[str, SourceNote] = {}
    for entry in parsed(f'{{"all": {reports}}}').get("all") or ():
        report = entry.get("report", entry) if isinstance(entry, dict) else {}
        for source in report.get("sources") or ():
            note = SourceNote.model_validate(source)
            notes.setdefault(note.evidence, note)
    return list(notes.values())


def of_kind(notes: Iterable[SourceNote], kind: str) -> list[SourceNote]:
    """The notes on products (P), orders (O), web pages (W), files (F) or calculations (C)."""
    return [note for note in notes if note.evidence.startswith(f"{kind}:")]


def facts(note: SourceNote, label: str) -> list[str]:
    """What a note says under this label, in order."""
    return re.findall(rf"^{label}: *(.+?) *$", note.facts, re.MULTILINE | re.IGNORECASE)


def fact(note: SourceNote, label: str) -> str:
    return next(iter(facts(note, label)), "")


def telling(pieces: Sequence[str], question: str, most: int, least: int = LEAST_SHARED) -> list[str]:
    """The ``most`` pieces (sentences or lines) that share most words with a question, in their original order.

    Each shares at least ``least`` words, or all of a shorter question's.
    """
    wanted = set(content_stems(question))
    shared = [len(wanted & set(content_stems(piece))) for piece in pieces]
    enough = max(1, min(least, len(wanted)))
    ranked = sorted((at for at, count in enumerate(shared) if count >= enough), key=lambda at: -shared[at])
    return [pieces[at] for at in sorted(ranked[:most])]


def sentences_of(text: str) -> list[str]:
    """The sentences of a page, each on one line, without headings, tables and links."""
    pieces = [text[span.start : span.end] for span in find_sentences(text) if span.kind in ("text", "item")]
    return [
        sentence
        for sentence in dict.fromkeys(" ".join(text.split()) for text in pieces)
        if sentence[-1:] in (".", "!") and len(sentence) <= LONGEST_SENTENCE and not _MARKUP.search(sentence)
    ]


def _of_product(product: Mapping[str, Any], question: str) -> SourceNote:
    price = NO_PRICE
    if product.get("price") is not None:
        start = "from " if product.get("price_from") else ""
        price = f"{start}{format_money(product['price'], str(product.get('currency') or USD))}"
    # A search hit has the leaf category, a record the path to it.
    category = next(reversed(product.get("categories") or [product.get("category")]))
    listing = [" ".join(line.split()) for line in product.get("features") or ()]
    lines = {
        "price": price,
        "rating": f"{product['average_rating']:g} out of 5" if product.get("average_rating") is not None else "none",
        "ratings": product.get("rating_number"),
        "category": category,
    }
    quotes = [line for line in telling(listing, question, 1, least=1) if len(line) <= LONGEST_SENTENCE]
    return _note(product, str(product.get("title")), lines, quotes)


def _of_orders(task: Task) -> Iterator[SourceNote]:
    """A note on the order whose title shares most words with the question."""
    for lookup in task.found(ORDERS):
        orders = {str(order.get("product_title")): order for order in whole_items(lookup.value, "orders")}
        for title in telling(list(orders), task.question, 1, least=1):
            yield _note(orders[title], title, {"date": str(orders[title].get("order_date"))[:10]})


def _of_pages(lookup: Lookup, question: str) -> Iterator[SourceNote]:
    for page in (*lookup.value.get("results", ()), *lookup.value.get("pages", ())):
        text = str(page.get("summary") or page.get("snippet") or "")
        quotes = telling(sentences_of(text), question, MOST_SAYINGS)
        if quotes:
            yield _note(page, str(page.get("title")), {"date": page.get("date")}, quotes)


def _of_file(lookup: Lookup) -> Iterator[SourceNote]:
    answers = lookup.value.get("answers") or [{"answer": lookup.value.get("answer")}]
    quotes = [line for answer in answers for line in answer.get("quotes") or [answer.get("answer")] if line]
    if quotes:
        yield _note(lookup.value, str(lookup.value["file"]), {}, quotes)


def _note(source: Mapping[str, Any], title: str, lines: Mapping[str, Any], quotes: Sequence[str] = ()) -> SourceNote:
    known = [f"{label}: {value}" for label, value in lines.items() if value is not None]
    facts_of_note = "\n".join([*known, *(f"{SAYS}: {sentence}" for sentence in quotes)])
    url = source.get("url") or source.get("product_url")
    return SourceNote(evidence=str(source["evidence"]), title=title, url=url, facts=facts_of_note)
