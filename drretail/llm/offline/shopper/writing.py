"""What offline:shopper writes: reports, a researcher's findings, answers from a page or a file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.report.picks import outcome_of, picks_block, take_picks
from drretail.grounding.text.wording import short_title
from drretail.llm.offline.shopper.notes import NO_PRICE, SAYS, fact, facts, notes_of, of_kind, sentences_of, telling
from drretail.llm.offline.shopper.searching import NUMBER, chosen_of, sum_of
from drretail.llm.offline.shopper.task import SEARCH, Task
from drretail.parsing import parse_json
from drretail.records.evidence import FileAnswer, Insight, IntermediateReport, PageSummary, SourceNote
from drretail.records.reading import Pick

MOST_PRODUCTS = 8
MOST_LINES = 6
LONGEST_LINE = 400
LONGEST_SUMMARY = 8
"""In sentences."""
MOST_QUOTES = 4
BY_CATEGORY = "For each category of the shop that your question names, this is the first hit for its words."
FIRST_HIT = "Your question names no category of the shop, so this is the first hit for its words."
NOTHING = "I found nothing in this shop for the words of your question, so I recommend nothing."
_PICK = re.compile(r"P:(\S+) x \d+")


def write_report(task: Task, notes: Sequence[SourceNote]) -> str:
    """The report in Markdown, with a block of picks if the prompt asks for one."""
    chosen = chosen_of(task.question, notes)
    blocks = ["# What I found", *_recommended(chosen, of_kind(notes, "C"))]
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


def mended(report: str, problems: str) -> str:
    """A report without the faulty lines, and without the picks that no remaining line cites.

    ``problems`` is a JSON list: each entry has the faulty words (``said``) and their ``sentence``, or a pick's line as
    ``said``.
    """
    written = take_picks(report)
    at_fault = [entry for entry in parse_json(problems) if isinstance(entry, dict)]
    products = {found for entry in at_fault for found in _PICK.findall(str(entry.get("said") or ""))}
    texts = [str(entry.get("sentence") or entry.get("said") or "\n") for entry in at_fault]
    texts += [f"[P:{product}]" for product in products]
    remaining = "\n".join(line for line in written.report.splitlines() if not any(text in line for text in texts))
    if written.picks is None:
        return remaining
    picks = [pick for pick in written.picks if f"[P:{pick.product}]" in remaining]
    return f"{remaining.rstrip()}\n\n{picks_block(picks, written.outcome)}"


def handed_on(task: Task) -> IntermediateReport:
    """The intermediate report on what a researcher found."""
    notes = notes_of(task)
    named = list(chosen_of(task.question, notes).values())
    products = [*named, *(note for note in of_kind(notes, "P") if note not in named)]
    others = [note for note in notes if not note.evidence.startswith("P:")]
    quoted = [(f"“{line}”", note) for note in others for line in _sayings(note)]
    insights = [(". ".join(_sentences(note)), note) for note in named] + quoted[:MOST_LINES]
    return IntermediateReport(
        insights=tuple(Insight(statement=text, citations=(note.evidence,)) for text, note in insights),
        sources=(*products[:MOST_PRODUCTS], *others),
        open_questions=() if notes else (f"Nothing was found on this: {task.question}",),
    )


def answered(question: str, pages: Sequence[SourceNote]) -> str:
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


def _recommended(chosen: Mapping[str, SourceNote], calculations: Sequence[SourceNote]) -> Iterator[str]:
    yield (FIRST_HIT if "" in chosen else BY_CATEGORY) if chosen else NOTHING
    for category, note in chosen.items():
        sentences = " ".join(f"{sentence} [{note.evidence}]." for sentence in _sentences(note))
        bold = sentences.replace(_plain(note), f"**{_plain(note)}**", 1)
        yield f"{category}: {bold}" if category else bold
    expression = sum_of(chosen.values())
    for note in calculations:
        if expression is not None and fact(note, "expression") == expression:
            # Written as the prices are: with their currency, and with cents if they have any.
            price = next(price for one in chosen.values() if (price := fact(one, "price")) != NO_PRICE)
            value = f"{Decimal(fact(note, 'value')):,.{2 if '.' in price else 0}f}"
            total = NUMBER.sub(value, price.removeprefix("from "), count=1)
            yield f"Together that is {total} [{note.evidence}], made of {expression}."
            return


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
