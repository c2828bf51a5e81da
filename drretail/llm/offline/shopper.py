"""offline:shopper, a deterministic searcher: it searches for a question's own words and cites the first hits.

It understands no question. It plays every role of every agent, so that the whole pipeline runs without a key.
docs/tools.md says what its runs are worth.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.chat import OfflineRequest, plain_answer
from drretail.parsing import json_or_none
from drretail.records.base import Record
from drretail.records.evidence import FileAnswer, Insight, IntermediateReport, PageSummary, SourceNote
from drretail.records.reading import Pick
from drretail.records.shop import USD
from drretail.records.wish import Wish
from drretail.reports.layout import find_sentences
from drretail.reports.picks import outcome_of, picks_block
from drretail.reports.text.serialisation import whole_items
from drretail.reports.text.wording import format_money, short_title
from drretail.reports.text.words import content_stems, content_words

SEARCH, DETAILS = "product_catalog_search", "get_product_details"
ORDERS = "get_user_orders"
WEB, SEARCH_SANDBOX, READ_FILE = "web_search", "search_sandbox", "read_file"
OF_USER = ("get_user_profile", "get_user_statistics", ORDERS)
SHOP_TOOLS = frozenset({SEARCH, DETAILS, *OF_USER, "get_order_details", WEB, SEARCH_SANDBOX, READ_FILE})
LONGEST = 500
"""Characters of a search, which is the most that the catalog takes, and of a question, a sentence or a line."""
MOST = 4
"""Sentences of a question, products of a report, sentences of an answer, and sources of a kind, at most."""


Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Task:
    """What is asked, and what was looked up; read from the messages again at every turn."""

    question: str
    lookups: Sequence[tuple[Call, dict[str, Any]]]
    """The calls, each with its parsed result, which is empty without one."""

    def found(self, *names: str) -> Iterator[dict[str, Any]]:
        """The results of these tools' calls that returned one without an error."""
        values = (value for (name, _), value in self.lookups if name in names)
        return (value for value in values if value and "error" not in value)


def read_task(turn: OfflineRequest, tags: Mapping[str, str]) -> _Task | None:
    """The task of a prompt with these tags; None if there is nothing to research."""
    question = next((tags[name] for name in ("sub_problem", "query", "question") if name in tags), None)
    if question is None and not turn.tool_names & SHOP_TOOLS:
        return None
    first = next((message.text for message in turn.messages if message.type == "human"), "")
    results = {message.tool_call_id: message.text for message in turn.messages if isinstance(message, ToolMessage)}
    calls = (call for message in turn.messages if isinstance(message, AIMessage) for call in message.tool_calls)
    lookups = [((call["name"], call["args"]), parsed(results.get(call["id"] or ""))) for call in calls]
    return _Task(" ".join((first if question is None else question).split()), lookups)


def task_of(findings: str) -> _Task:
    """The task in a researcher's findings, which are one JSON object per line."""
    entries = [parsed(line) for line in findings.splitlines()]
    part = next((str(entry["sub_problem"]) for entry in entries if "sub_problem" in entry), "")
    return _Task(part, [((entry["tool"], entry["args"]), entry["result"]) for entry in entries if "tool" in entry])


def parsed(text: str | None) -> dict[str, Any]:
    """The JSON object in a text; empty for anything else."""
    value = json_or_none(text or "{}")
    return value if isinstance(value, dict) else {}


def sharing(pieces: Iterable[str], question: str, least: int = 2) -> list[str]:
    """The pieces (sentences, lines or titles) with at least ``least`` words of a question, or all of a shorter one."""
    wanted = _stems_of(question)
    enough = max(1, min(least, len(wanted)))
    return [piece for piece in pieces if len(wanted & _stems_of(piece)) >= enough]


@lru_cache(maxsize=16_384)
def _stems_of(piece: str) -> frozenset[str]:
    # A shopper reads all that it was shown again before each call, and each piece with the same question.
    return frozenset(content_stems(piece))


@lru_cache(maxsize=1_024)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a page, each on one line, without headings, tables, links and other markup."""
    pieces = [text[span.start : span.end] for span in find_sentences(text) if span.kind in ("text", "item")]
    sentences = dict.fromkeys(" ".join(piece.split()) for piece in pieces)
    return tuple(line for line in sentences if len(line) <= LONGEST and not re.search(r"[|`\[\]<>*_]|https?://", line))


CATEGORY = "category: "
"""The first line of a note on a product; every other line of a note is a sentence for the report."""


def notes_of(task: _Task) -> list[SourceNote]:
    """A note for each source that the calls showed and that says something, in the order in which it came."""
    # Characters that would be markup in a report are replaced.
    plain = str.maketrans({"[": "(", "]": ")", "*": None, "\n": " "})
    facts = (
        (source, title, "\n".join(line.translate(plain) for line in lines)) for source, title, lines in _shown(task)
    )
    return [SourceNote(evidence=source["evidence"], title=title, facts=text) for source, title, text in facts if text]


def _shown(task: _Task) -> Iterator[tuple[Mapping[str, Any], str, list[str]]]:
    """Each source, its title, and the lines of its note."""
    hits = [product for value in task.found(SEARCH) for product in whole_items(value, "hits")]
    products = {product["evidence"]: product for product in (*hits, *task.found(DETAILS)) if product.get("evidence")}
    for product in products.values():
        yield product, str(product.get("title")), _lines_on(product)
    orders = [order for value in task.found(ORDERS) for order in whole_items(value, "orders")]
    of_title = {str(order.get("product_title")): order for order in orders}  # a product that is gone has none
    for title in sharing(of_title, task.question, least=1)[:1]:
        yield of_title[title], title, [f"You ordered “{title}” on {str(of_title[title].get('order_date'))[:10]}"]
    for value in task.found(WEB, SEARCH_SANDBOX):
        for page in (*value.get("results", ()), *value.get("pages", ())):
            sentences = sentences_of(str(page.get("summary") or page.get("snippet") or ""))
            yield page, str(page.get("title")), [f"“{line}”" for line in sharing(sentences, task.question)[:2]]
    for value in task.found(READ_FILE):
        answers = value.get("answers") or [value]
        lines = [line for answer in answers for line in answer.get("quotes") or [answer.get("answer")] if line]
        yield value, str(value["file"]), [f"“{line}”" for line in lines]


def _lines_on(product: Mapping[str, Any]) -> list[str]:
    # A search hit has the leaf category, a record the path to it.
    category = (product.get("categories") or [product.get("category")])[-1]
    costs = "has no listed price"
    if product.get("price") is not None:
        start = "costs from" if product.get("price_from") else "costs"
        costs = f"{start} {format_money(product['price'], str(product.get('currency') or USD))}"
    title, rating = short_title(str(product.get("title")), 70), product.get("average_rating")
    rated = [] if rating is None else [f"{title} is rated {rating:g} out of 5"]
    return [f"{CATEGORY}{category}", f"{title} {costs}", *rated]


def notes_in(reports: str) -> list[SourceNote]:
    """The notes in a JSON list of intermediate reports, one note per source."""
    entries = [entry for entry in parsed(f'{{"all": {reports}}}').get("all") or () if isinstance(entry, dict)]
    sources = [source for entry in entries for source in entry.get("report", entry).get("sources") or ()]
    return list({note.evidence: note for note in map(SourceNote.model_validate, sources)}.values())


def chosen_of(question: str, notes: Sequence[SourceNote]) -> list[SourceNote]:
    """The first product of each category whose words all occur in the question, or the first of all if none does."""
    products, words = [note for note in notes if note.evidence.startswith("P:")], _stems_of(question)
    firsts = {note.facts.partition("\n")[0].removeprefix(CATEGORY): note for note in reversed(products)}
    named = [note for name, note in firsts.items() if _stems_of(name) and _stems_of(name) <= words]
    return named[::-1][:MOST] or products[:1]


def told_of(question: str, notes: Sequence[SourceNote]) -> list[tuple[str, str]]:
    """The sentences of a report, each with the evidence id to cite: on the chosen products, then of other sources."""
    told = chosen_of(question, notes)
    for kind in ("O:", "W:", "F:"):
        told += [note for note in notes if note.evidence.startswith(kind)][:MOST]
    pairs = ((line, note.evidence) for note in told for line in note.facts.splitlines())
    return [(line, evidence) for line, evidence in pairs if not line.startswith(CATEGORY)]


def _wanted(task: _Task, tags: Mapping[str, str], has_sandbox: bool) -> Iterator[Call]:
    """Calls for the user's records, the question's words in shop, web and files, and records of the first hits."""
    if user_id := tags.get("user_id", "").strip():
        yield from ((name, {"user_id": user_id}) for name in OF_USER)
    for part in _parts_of(task.question):
        words = " ".join(dict.fromkeys(content_words(part)))[:LONGEST]
        yield SEARCH, {"query": words}
        if words and not has_sandbox:
            yield WEB, {"query": words}
    yield SEARCH_SANDBOX, {"question": task.question[:LONGEST]}
    # A line names a file and what it is, as "receipts.csv: text, 1,204 characters".
    files = (line.rpartition(": ")[0] for line in tags.get("files", "").splitlines() if ": " in line)
    yield from ((READ_FILE, {"file": name, "question": task.question[:LONGEST]}) for name in files)
    yield from ((DETAILS, {"product_id": note.evidence[2:]}) for note in chosen_of(task.question, notes_of(task)))


def _parts_of(question: str) -> list[str]:
    """The sentences of two content words or more, as BM25 finds little for all words of a long question; or it all."""
    sentences = [question[span.start : span.end] for span in find_sentences(question)]
    return [part for part in sentences if len(content_words(part)) > 1][:MOST] or [question]


def _write_report(task: _Task, notes: Sequence[SourceNote], turn: OfflineRequest) -> AIMessage:
    """The report in Markdown, with a block of picks if the prompt asks for one."""
    picks = [Pick(product=note.evidence[2:]) for note in chosen_of(task.question, notes)]
    lines = [f"- {line} [{evidence}]" for line, evidence in told_of(task.question, notes)]
    heading = "# The first hits in the shop" if picks else "# I found nothing in the shop and recommend nothing"
    blocks = [heading, *(["\n".join(lines)] if lines else [])]
    if any("```picks" in message.text for message in turn.messages if message.type in ("system", "human")):
        is_empty = not picks and any(True for _ in task.found(SEARCH))
        blocks.append(picks_block(picks, outcome_of(picks, ["not_sold"] if is_empty else [])))
    return AIMessage("\n\n".join(blocks))


def _in_schema(title: str, tags: Mapping[str, str]) -> Record | None:
    """The answer in the schema of an agent with this title; None for any other schema."""
    match title:
        case "PageSummary":
            quotes = sharing(sentences_of(tags.get("page", "")), tags.get("search", ""))[:MOST]
            return PageSummary(relevant=bool(quotes), summary=" ".join(quotes), quotes=tuple(quotes))
        case "IntermediateReport":
            task = task_of(tags.get("findings", ""))
            notes = notes_of(task)
            told = [Insight(statement=line, citations=(cited,)) for line, cited in told_of(task.question, notes)]
            sources = [note for note in notes if any(note.evidence in insight.citations for insight in told)]
            questions = () if notes else (f"Nothing was found on this: {task.question}",)
            return IntermediateReport(insights=tuple(told), sources=tuple(sources), open_questions=questions)
        case "FileAnswer":
            lines = [line.strip() for line in tags.get("file", "").splitlines() if len(line.strip()) <= LONGEST]
            quotes = sharing(dict.fromkeys(lines), tags.get("question", ""), least=1)[:MOST]
            return FileAnswer(found=bool(quotes), answer=" ".join(quotes), quotes=tuple(quotes))
        case "Understood":
            # It understands no question, so it names no wants, and says that the question leaves room for other things.
            return Wish(room=True)
        case _:
            return None


LAUNCH, REASON, FINALIZE = "LaunchResearcher", "Reason", "Finalize"


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn in the role that is asked for; a plain answer if there is nothing to research."""
    turn = OfflineRequest(messages, tools, choice)
    # The first tag of each name counts: later ones belong to repairs of an answer.
    tags = {tag.name: tag.content for tag in reversed(turn.tags)}
    if turn.schema is not None and (answer := _in_schema(turn.schema.get("title", ""), tags)) is not None:
        return turn.in_schema(answer.model_dump(mode="json"))
    task = read_task(turn, tags)
    if task is None or (turn.schema is not None and turn.forced_tool not in SHOP_TOOLS):
        return plain_answer(turn)
    if "reports" in tags:
        return _write_report(task, notes_in(tags["reports"]), turn)
    if "problem" in tags and "report" in tags:
        # It declares picks in its own reports, so it is asked for picks only about reports of others.
        return AIMessage("The cart of a report that somebody else wrote is unknown to me.")
    calls = list(_wanted(task, tags, SEARCH_SANDBOX in turn.tool_names))
    if any(tool["function"]["name"] == LAUNCH for tool in tools):
        # A supervisor's turn: launch a researcher for each sentence, then finish.
        calls = [(LAUNCH, {"sub_problem": part}) for part in _parts_of(task.question)]
    calls_made = [call for call, _ in task.lookups]
    if calls := [call for call in calls if call[0] in turn.tool_names and call not in calls_made]:
        return _calling(f"Next I call {', '.join(dict.fromkeys(name for name, _ in calls))}.", calls, turn)
    if turn.forced_tool is not None:
        return plain_answer(turn)
    told = " ".join(f"{line} [{evidence}]." for line, evidence in told_of(task.question, notes_of(task)))
    if FINALIZE in turn.tool_names:
        return _calling(told or "I found nothing that bears on this.", [(FINALIZE, {})], turn)
    if "question" in tags and "query" not in tags:
        return AIMessage(told or f"No page that I found answers this: {task.question}")
    return _write_report(task, notes_of(task), turn)


def _calling(thought: str, calls: Sequence[Call], turn: OfflineRequest) -> AIMessage:
    """A turn with these calls, and with the thought as a call if the agent notes thoughts."""
    noted = [(REASON, {"thought": thought})] if REASON in turn.tool_names else []
    return AIMessage(thought, tool_calls=[tool_call(name=name, args=args, id=None) for name, args in (*noted, *calls)])
