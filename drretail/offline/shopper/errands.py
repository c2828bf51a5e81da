"""The roles of an agent that sends others (dr3): a main agent, a retrieval agent, a reader of files.

The main agent is the lone researcher of ``research.py`` whose web is searched by others; what they bring is read as if
it had searched itself. A file is quoted by its lines that share most words with the question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from drretail.grounding.text.words import content_stems, content_words
from drretail.offline.shopper.choosing import Choice
from drretail.offline.shopper.conversation import READ_FILE, SEARCH_SANDBOX, WEB, Lookup, Situation
from drretail.offline.shopper.needs import Study
from drretail.offline.shopper.report import write_report
from drretail.offline.shopper.research import Call, next_calls
from drretail.offline.shopper.web import sentences_of
from drretail.records.evidence import FileAnswer

MOST_LINES = 4
MOST_SENTENCES = 4
LONGEST_LINE = 300
REFINED_WORDS = 4
_OPEN = "## What I could not find out"


def sent_out(situation: Situation, files: str) -> tuple[str, list[Call]]:
    """The main agent's thought and calls, or without calls its report; ``files`` lists the user's, a name a line."""
    own = _as_own(situation)
    choice = Choice(Study(own))
    calls = [_errand(call, situation) for call in next_calls(choice)]
    if not situation.lookups and READ_FILE in situation.errands:
        names = [line.partition(": ")[0] for line in files.splitlines() if line.strip()]
        calls += [(READ_FILE, {"file": name, "question": situation.query[:2000]}) for name in names]
    if calls:
        return f"Next I call {', '.join(dict.fromkeys(name for name, _ in calls))}.", calls
    return _with_files(write_report(choice), situation), []


def retrieved(question: str, situation: Situation) -> tuple[str, list[Call]]:
    """The retrieval agent's next search, or its answer: sentences of the pages that share words with the question.

    The second query is of the words that no page of the first one held.
    """
    shown = [page for it in situation.found(WEB) for page in it.value.get("results", []) if isinstance(page, dict)]
    asked = [str(it.args.get("query")) for it in situation.lookups if it.name == WEB]
    query = question if not asked else _refined(question, shown)
    if WEB in situation.tools and len(asked) < 2 and query and query not in asked:
        thought = "I search for the question." if not asked else "I search for what is left open."
        return thought, [(WEB, {"query": query[:500]})]
    return _answer(question, shown), []


def read(question: str, text: str) -> FileAnswer:
    """What a file says on a question: its lines that share most with it."""
    wanted = set(content_stems(question))
    lines = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    shared = [len(wanted & set(content_stems(line))) for line in lines]
    ranked = sorted((at for at in range(len(lines)) if shared[at]), key=lambda at: (-shared[at], at))
    quotes = [lines[at] for at in sorted(ranked[:MOST_LINES]) if len(lines[at]) <= LONGEST_LINE]
    return FileAnswer(found=bool(quotes), answer=" ".join(quotes), quotes=tuple(quotes))


def _as_own(situation: Situation) -> Situation:
    """The situation as if the web had been searched here, and as if it could be."""
    web = {WEB} if SEARCH_SANDBOX in situation.errands else set[str]()
    return replace(situation, tools=situation.tools | web, lookups=tuple(map(_as_search, situation.lookups)))


def _as_search(lookup: Lookup) -> Lookup:
    if lookup.name != SEARCH_SANDBOX:
        return lookup
    value = lookup.value if lookup.failed else {"results": lookup.value.get("pages", [])}
    return Lookup(WEB, {"query": lookup.args.get("question", "")}, value)


def _errand(call: Call, situation: Situation) -> Call:
    name, args = call
    if name != WEB or SEARCH_SANDBOX not in situation.errands:
        return call
    return SEARCH_SANDBOX, {"question": args["query"]}


def _refined(question: str, pages: Sequence[dict[str, object]]) -> str:
    held = {stem for page in pages for stem in content_stems(f"{page.get('title')} {_text(page)}")}
    left = [word for word in content_words(question) if not held.intersection(content_stems(word))]
    return " ".join(left[:REFINED_WORDS])


def _answer(question: str, pages: Sequence[dict[str, object]]) -> str:
    wanted = set(content_stems(question))
    best: dict[str, tuple[int, str]] = {}
    for page in pages:
        for sentence in sentences_of(_text(page)):
            shared = len(wanted & set(content_stems(sentence)))
            if shared > best.get(str(page.get("evidence")), (0, ""))[0]:
                best[str(page["evidence"])] = (shared, sentence)
    ranked = sorted(best.items(), key=lambda it: -it[1][0])[:MOST_SENTENCES]
    told = [f"{sentence} [{evidence}]" for evidence, (_, sentence) in ranked]
    return " ".join(told) or "No page that I found answers this."


def _text(page: dict[str, object]) -> str:
    return str(page.get("summary") or page.get("snippet") or "")


def _with_files(report: str, situation: Situation) -> str:
    """The report with a section on the user's files, before what stayed open and before the picks."""
    told = list(_of_files(situation))
    if not told:
        return report
    section = "\n".join(["## What your files say", "", *told])
    ends = [at for mark in (_OPEN, "```picks") if (at := report.find(mark)) >= 0]
    at = min(ends, default=len(report))
    return f"{report[:at].rstrip()}\n\n{section}\n\n{report[at:]}".rstrip()


def _of_files(situation: Situation) -> Iterator[str]:
    for lookup in situation.lookups:
        if lookup.name != READ_FILE or lookup.failed:
            continue
        value = lookup.value
        if value.get("state") == "unverifiable":
            yield f"- I could not read {value.get('file')}, so nothing here rests on it."
        elif value.get("found") and (quotes := _quotes(value)):
            yield f"- {value.get('file')} has: {'; '.join(quotes)} [{value.get('evidence')}]"


def _quotes(value: dict[str, object]) -> list[str]:
    """What the parts of a file were quoted with, or said of an image."""
    answers = value.get("answers")
    parts = answers if isinstance(answers, list) else [{"quotes": [value.get("answer")]}]
    found = [str(it) for part in parts if isinstance(part, dict) for it in part.get("quotes", []) if it]
    return [f"“{it.replace('[', '(').replace(']', ')')}”" for it in found[:MOST_LINES]]
