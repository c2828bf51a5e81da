"""offline:shopper, a deterministic searcher: it searches for a question's own words and cites the first hits.

It understands no question. It plays every role of every agent, so that the whole pipeline runs without a key.
docs/tools.md compares its figures with those of null_search, an agent that searches once.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from drretail.grounding.report.picks import outcome_of, picks_block
from drretail.grounding.text.layout import find_sentences
from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.wording import format_money, short_title
from drretail.grounding.text.words import content_stems, content_words
from drretail.llm.offline.chat import OfflineRequest, plain_answer
from drretail.parsing import json_or_none
from drretail.records.base import Record
from drretail.records.evidence import FileAnswer, Insight, IntermediateReport, PageSummary, SourceNote
from drretail.records.reading import Pick
from drretail.records.shop import USD
from drretail.records.wish import Wish

SEARCH, DETAILS = "product_catalog_search", "get_product_details"
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
WEB, SEARCH_SANDBOX, READ_FILE = "web_search", "search_sandbox", "read_file"
OF_USER = (PROFILE, STATISTICS, ORDERS)
SHOP_TOOLS = frozenset({SEARCH, DETAILS, *OF_USER, "get_order_details", WEB, SEARCH_SANDBOX, READ_FILE})
PICKS_FENCE = "```picks"
"""The start of a block of picks; prompts that ask for declared picks contain it."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One tool call; ``value`` is its parsed result, empty without one."""

    name: str
    args: dict[str, Any]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Task:
    """Everything known of a task, read from the messages again at every turn."""

    question: str
    user_id: str | None = None
    tools: frozenset[str] = frozenset()
    """The tools that may be called now."""
    lookups: tuple[Lookup, ...] = ()
    files: tuple[str, ...] = ()
    """The names of the user's own files."""
    declares: bool = False
    """True if the prompt asks for a block of picks."""

    def found(self, *names: str) -> Iterator[Lookup]:
        """The calls of these tools that returned a result without an error."""
        of_names = (lookup for lookup in self.lookups if lookup.name in names)
        return (lookup for lookup in of_names if lookup.value and "error" not in lookup.value)


def read_task(turn: OfflineRequest, tags: Mapping[str, str]) -> _Task | None:
    """The task of a prompt with these tags; None if there is nothing to research."""
    question = next((tags[name] for name in ("sub_problem", "query", "question") if name in tags), None)
    if question is None and not turn.tool_names & SHOP_TOOLS:
        return None
    first = next((message.text for message in turn.messages if message.type == "human"), "")
    results = {message.tool_call_id: message.text for message in turn.messages if isinstance(message, ToolMessage)}
    calls = (call for message in turn.messages if isinstance(message, AIMessage) for call in message.tool_calls)
    lookups = (Lookup(call["name"], call["args"], parsed(results.get(call["id"] or ""))) for call in calls)
    return _Task(
        question=" ".join((first if question is None else question).split()),
        user_id=tags.get("user_id", "").strip() or None,
        tools=turn.tool_names,
        lookups=tuple(lookups),
        # A line names a file and what it is, as "receipts.csv: text, 1,204 characters".
        files=tuple(line.rpartition(": ")[0] for line in tags.get("files", "").splitlines() if ": " in line),
        declares=any(PICKS_FENCE in message.text for message in turn.messages if message.type in ("system", "human")),
    )


def task_of(findings: str) -> _Task:
    """The task in a researcher's findings, which are one JSON object per line."""
    entries = [parsed(line) for line in findings.splitlines()]
    part = next((str(entry["sub_problem"]) for entry in entries if "sub_problem" in entry), "")
    lookups = (Lookup(entry["tool"], entry["args"], entry["result"]) for entry in entries if "tool" in entry)
    return _Task(part, lookups=tuple(lookups))


def parsed(text: str | None) -> dict[str, Any]:
    """The JSON object in a text; empty for anything else."""
    value = json_or_none(text or "{}")
    return value if isinstance(value, dict) else {}


SAYS = "says"
"""The label of a sentence quoted from the source because it shares words with the question."""
MOST_SAYINGS = 2
LEAST_SHARED = 2
"""Words that a sentence must share with a question to count as relevant: with one, most sentences would."""
LONGEST_SENTENCE = 260
NO_PRICE = "none listed"
_MARKUP = re.compile(r"[|`\[\]<>*_]|https?://")


def notes_of(task: _Task) -> list[SourceNote]:
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
    """The notes on products (P), orders (O), web pages (W) or files (F)."""
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
    wanted = _stems_of(question)
    shared = [len(wanted & _stems_of(piece)) for piece in pieces]
    enough = max(1, min(least, len(wanted)))
    ranked = sorted((at for at, count in enumerate(shared) if count >= enough), key=lambda at: -shared[at])
    return [pieces[at] for at in sorted(ranked[:most])]


@lru_cache(maxsize=16_384)
def _stems_of(piece: str) -> frozenset[str]:
    # A shopper reads all that it was shown again before each call, and each piece with the same question.
    return frozenset(content_stems(piece))


@lru_cache(maxsize=1_024)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a page, each on one line, without headings, tables and links."""
    pieces = [text[span.start : span.end] for span in find_sentences(text) if span.kind in ("text", "item")]
    return tuple(
        sentence
        for sentence in dict.fromkeys(" ".join(text.split()) for text in pieces)
        if sentence[-1:] in (".", "!") and len(sentence) <= LONGEST_SENTENCE and not _MARKUP.search(sentence)
    )


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


def _of_orders(task: _Task) -> Iterator[SourceNote]:
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
    facts = [f"{label}: {value}" for label, value in lines.items() if value is not None]
    facts_of_note = "\n".join([*facts, *(f"{SAYS}: {sentence}" for sentence in quotes)])
    url = source.get("url") or source.get("product_url")
    return SourceNote(evidence=str(source["evidence"]), title=title, url=url, facts=facts_of_note)


OPENED_OF_A_CATEGORY = 2
MOST_CATEGORIES = 4
MOST_PARTS = 4
"""Sentences of a question that are searched for separately: BM25 finds little for all words of a long question."""
LONGEST_SEARCH = 500
"""The most characters that the catalog's search takes."""
WEB_WORDS = 12
LONGEST_QUESTION = 2000
"""The most characters of a question that search_sandbox and read_file take."""
Call = tuple[str, dict[str, Any]]


def next_calls(task: _Task) -> list[Call]:
    """The next calls that were not made yet; empty once everything was looked up."""
    calls_made = [(lookup.name, lookup.args) for lookup in task.lookups]
    # The second step searches for the question's words within each category that it names.
    notes = notes_of(task)
    categories = named_categories(task.question, of_kind(notes, "P"))
    narrowed = [(SEARCH, _search(task.question) | {"category": category}) for category in categories]
    for step in (_first_look(task), narrowed, _records(task.question, notes)):
        calls = [call for call in step if call[0] in task.tools and call not in calls_made]
        if calls:
            return calls
    return []


def _parts_of(question: str) -> list[str]:
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
    words = _stems_of(question)
    names = {_stems_of(name): name for product in products if (name := fact(product, "category"))}
    matches = {stems: name for stems, name in names.items() if stems and stems <= words}
    return [name for stems, name in matches.items() if not any(stems < other for other in matches)][:MOST_CATEGORIES]


def _first_look(task: _Task) -> Iterator[Call]:
    """Calls for the user's records, the question's words in shop and web, and the user's files."""
    if task.user_id is not None:
        yield from ((name, {"user_id": task.user_id}) for name in OF_USER)
    parts = _parts_of(task.question)
    yield from ((SEARCH, _search(part)) for part in parts)
    if SEARCH_SANDBOX in task.tools:
        yield SEARCH_SANDBOX, {"question": task.question[:LONGEST_QUESTION]}
    else:
        searches = (" ".join(content_words(part)[:WEB_WORDS]) for part in parts)
        yield from ((WEB, {"query": words}) for words in searches if words)
    yield from ((READ_FILE, {"file": name, "question": task.question[:LONGEST_QUESTION]}) for name in task.files)


def _records(question: str, notes: Sequence[SourceNote]) -> Iterator[Call]:
    """Calls for the records of each category's first hits."""
    chosen = chosen_of(question, notes)
    for note in chosen.values():
        for alike in _in_category(fact(note, "category"), of_kind(notes, "P"))[:OPENED_OF_A_CATEGORY]:
            yield DETAILS, {"product_id": alike.evidence.partition(":")[2]}


def _search(text: str) -> dict[str, Any]:
    return {"query": " ".join(dict.fromkeys(content_words(text)))[:LONGEST_SEARCH]}


def _in_category(category: str, products: Sequence[SourceNote]) -> list[SourceNote]:
    return [note for note in products if fact(note, "category") == category]


MOST_PRODUCTS = 8
MOST_LINES = 6
LONGEST_LINE = 400
LONGEST_SUMMARY = 8
"""In sentences."""
MOST_QUOTES = 4
BY_CATEGORY = "For each category of the shop that your question names, this is the first hit for its words."
FIRST_HIT = "Your question names no category of the shop, so this is the first hit for its words."
NOTHING = "I found nothing in this shop for the words of your question, so I recommend nothing."


def _write_report(task: _Task, notes: Sequence[SourceNote]) -> str:
    """The report in Markdown, with a block of picks if the prompt asks for one."""
    chosen = chosen_of(task.question, notes)
    blocks = ["# What I found", *_recommended(chosen)]
    blocks += [
        f"You ordered “{_plain(order)}” on {fact(order, 'date')} [{order.evidence}]."
        for order in of_kind(notes, "O")[:1]
    ]
    for title, kind in (("What the web says", "W"), ("What your files say", "F")):
        sayings = [(line, note, fact(note, "date")) for note in of_kind(notes, kind) for line in _sayings(note)]
        quoted = [f"- “{line}”{f' ({day})' if day else ''} [{note.evidence}]" for line, note, day in sayings]
        blocks += [f"## {title}", "\n".join(quoted[:MOST_LINES])] if quoted else []
    if task.declares:
        picks = [Pick(product=note.evidence.partition(":")[2]) for note in chosen.values()]
        is_empty = not picks and any(True for _ in task.found(SEARCH))
        blocks.append(picks_block(picks, outcome_of(picks, ["not_sold"] if is_empty else [])))
    return "\n\n".join(blocks)


def handed_on(task: _Task) -> IntermediateReport:
    """The intermediate report on what a researcher found."""
    notes = notes_of(task)
    chosen = list(chosen_of(task.question, notes).values())
    products = [*chosen, *(note for note in of_kind(notes, "P") if note not in chosen)]
    others = [note for note in notes if not note.evidence.startswith("P:")]
    quoted = [(f"“{line}”", note) for note in others for line in _sayings(note)]
    insights = [(". ".join(_sentences(note)), note) for note in chosen] + quoted[:MOST_LINES]
    return IntermediateReport(
        insights=tuple(Insight(statement=text, citations=(note.evidence,)) for text, note in insights),
        sources=(*products[:MOST_PRODUCTS], *others),
        open_questions=() if notes else (f"Nothing was found on this: {task.question}",),
    )


def _answered(question: str, pages: Sequence[SourceNote]) -> str:
    """The answer of web pages to a question, each sentence with its page."""
    lines = [f"{line} [{page.evidence}]" for page in pages for line in _sayings(page)]
    return " ".join(lines[:MOST_LINES]) or f"No page that I found answers this: {question}"


def page_summary(search: str, page: str) -> PageSummary:
    """The page's sentences that share most words with the search."""
    sentences = telling(sentences_of(page), search, LONGEST_SUMMARY)
    return PageSummary(relevant=bool(sentences), summary=" ".join(sentences), quotes=tuple(sentences[:MOST_QUOTES]))


def file_answer(question: str, file: str) -> FileAnswer:
    """The file's lines that share most words with the question."""
    lines = [line.strip() for line in file.splitlines() if 0 < len(line.strip()) <= LONGEST_LINE]
    answers = telling(list(dict.fromkeys(lines)), question, MOST_LINES, least=1)
    return FileAnswer(found=bool(answers), answer=" ".join(answers), quotes=tuple(answers))


def _recommended(chosen: Mapping[str, SourceNote]) -> Iterator[str]:
    yield (FIRST_HIT if "" in chosen else BY_CATEGORY) if chosen else NOTHING
    for category, note in chosen.items():
        sentences = " ".join(f"{sentence} [{note.evidence}]." for sentence in _sentences(note))
        bold = sentences.replace(_plain(note), f"**{_plain(note)}**", 1)
        yield f"{category}: {bold}" if category else bold


def _sentences(product: SourceNote) -> Iterator[str]:
    """The sentences on a product from its note, without full stops."""
    price, rating, ratings = (fact(product, label) for label in ("price", "rating", "ratings"))
    costs = {"": "is in the shop", NO_PRICE: "has no listed price"}.get(price, f"costs {price}")
    yield f"{_plain(product)} {costs}"
    if rating not in ("", "none"):
        yield f"It is rated {rating}" + (f" from {ratings} ratings" if ratings else "")
    for line in _sayings(product)[:1]:
        yield f"Its listing says: “{line}”"


def _sayings(note: SourceNote) -> list[str]:
    return [line.replace("[", "(").replace("]", ")").replace("*", "") for line in facts(note, SAYS)]


def _plain(note: SourceNote) -> str:
    """The short title, without characters that would be markup in a report."""
    return short_title(note.title, 70).replace("*", "").replace("[", "(").replace("]", ")")


LAUNCH, REASON, FINALIZE = "LaunchResearcher", "Reason", "Finalize"
SUMMARY, SYNTHESIS = "PageSummary", "IntermediateReport"
NOT_MINE = "The cart of a report that somebody else wrote is unknown to me."
"""offline:shopper declares picks in its own reports, so it is asked for picks only about reports of others."""
Tags = Mapping[str, str]
_IN_SCHEMA: dict[str, Callable[[Tags], Record]] = {
    SUMMARY: lambda tags: page_summary(tags.get("search", ""), tags.get("page", "")),
    SYNTHESIS: lambda tags: handed_on(task_of(tags.get("findings", ""))),
    "FileAnswer": lambda tags: file_answer(tags.get("question", ""), tags.get("file", "")),
    # It understands no question, so it names no wants, and says that the question leaves room for other things.
    "Understood": lambda _: Wish(room=True),
}


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn in the role that is asked for; a plain answer if there is nothing to research."""
    turn = OfflineRequest(messages, tools, choice)
    # The first tag of each name counts: later ones belong to repairs of an answer.
    tags = {tag.name: tag.content for tag in reversed(turn.tags)}
    schema = turn.schema
    if schema is not None and schema.get("title") in _IN_SCHEMA:
        return turn.in_schema(_IN_SCHEMA[schema["title"]](tags).model_dump(mode="json"))
    task = read_task(turn, tags)
    if task is None or (schema is not None and turn.forced_tool not in SHOP_TOOLS):
        return plain_answer(turn)
    if "reports" in tags:
        return AIMessage(_write_report(task, notes_in(tags["reports"])))
    if "problem" in tags and "report" in tags:
        return AIMessage(NOT_MINE)
    if any(tool["function"]["name"] == LAUNCH for tool in tools):
        # A supervisor's turn: launch a researcher for each sentence, then finish.
        if any(lookup.name == LAUNCH for lookup in task.lookups):
            return _calling("The researchers are back.", [(FINALIZE, {})], task)
        launches = [(LAUNCH, {"sub_problem": part}) for part in _parts_of(task.question)]
        return _calling("Each part can be worked on alone.", launches, task)
    calls = next_calls(task)
    if not calls and turn.forced_tool is not None:
        return plain_answer(turn)
    if calls:
        return _calling(f"Next I call {', '.join(dict.fromkeys(name for name, _ in calls))}.", calls, task)
    if "sub_problem" in tags:
        statements = (f"{insight.statement} [{']['.join(insight.citations)}]." for insight in handed_on(task).insights)
        return _calling(" ".join(statements) or "I found nothing that bears on this.", [(FINALIZE, {})], task)
    if "question" in tags and "query" not in tags:
        return AIMessage(_answered(task.question, of_kind(notes_of(task), "W")))
    return AIMessage(_write_report(task, notes_of(task)))


def _calling(thought: str, calls: Sequence[Call], task: _Task) -> AIMessage:
    """A turn with these calls, and with the thought as a call if the agent notes thoughts."""
    allowed = [call for call in ((REASON, {"thought": thought}), *calls) if call[0] in task.tools]
    return AIMessage(thought, tool_calls=[tool_call(name=name, args=args, id=None) for name, args in allowed])
