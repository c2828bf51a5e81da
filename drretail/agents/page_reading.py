"""Web-page summaries, the paper's second way to use a search (section 5.3): page → text → summary by the agent's model.

The agent reads the summary. The page stays in the ledger, where claims are judged against it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import Agent
from drretail.agents.information import agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.evidence import PageSummary, Source
from drretail.reports.text.serialisation import compact_json
from drretail.tools.tool import ToolResult
from drretail.tools.toolkit import Performed
from drretail.tools.web import WEB_SEARCH

LONGEST_PAGE = 50_000
"""Characters of a page that the summariser reads; the ledger keeps all of it."""
NOTHING_THERE = "The whole page was read: it holds nothing on this search."
"""What the agent reads in place of a summary of such a page."""
_prompt = partial(agent_prompt, __file__, "summarise_page")


def reading_pages(agent: Agent) -> Agent:
    """The agent with the role and the prompt that reading whole pages needs."""

    def prompts() -> tuple[Prompt, ...]:
        return (*agent.prompts(), _prompt())

    return replace(agent, roles=(*agent.roles, "summariser"), prompts=prompts)


async def with_pages_read(
    performed: Sequence[Performed], session: Session, models: Models
) -> tuple[list[Performed], list[str]]:
    """The performed calls of one turn, with summaries instead of snippets for the pages that a search found; and notes.

    All pages of the turn are read side by side, each with an equal share of the tokens that are left. A page without
    text, or whose summary fails, keeps its snippet. A page that was read before keeps that summary. For a page that
    holds nothing on the search only title and address are handed on, since its snippet would pass for a finding.
    """
    if session.settings.web_mode != "ws":
        return [*performed], []
    searches = [_found(page, session) for page in performed]
    pages = [page for hits in searches for page in hits if page.text is not None]
    share = models.share(len(pages)) if pages else models.limits
    read = await asyncio.gather(*(_read(page, models.branch(share)) for page in pages))
    readings = {reading.page.path: reading for reading in read}
    shown = [[readings.get(page.path) or _as_seen(page) for page in hits] for hits in searches]
    notes = [reading.note for hits in shown for reading in hits if reading.note is not None]
    handed_on = list[Performed]()
    for call, hits in zip(performed, shown, strict=True):
        outcome = call.outcome
        if hits and isinstance(outcome, ToolResult):
            sources = tuple(source for reading in hits for source in reading.sources)
            value = outcome.value | {"results": [reading.shown for reading in hits]}
            outcome = replace(outcome, value=value, sources=sources)
        handed_on.append(replace(call, outcome=outcome))
    return handed_on, notes


@dataclass(frozen=True, slots=True)
class _Page:
    """One result of a search. ``text`` is None if there is no more to read than what was ``seen``."""

    path: str
    query: str
    result: dict[str, Any]
    seen: Source
    """Its snippet, or its summary from an earlier search."""
    text: Source | None


@dataclass(frozen=True, slots=True)
class _Reading:
    """One result as the agent reads it now, with the sources behind it."""

    page: _Page
    shown: dict[str, Any]
    sources: tuple[Source, ...]
    note: str | None = None


def _found(performed: Performed, session: Session) -> list[_Page]:
    """The results of a call that was a search; empty for any other call."""
    outcome, launch = performed.outcome, performed.launch
    if launch.name != WEB_SEARCH or not isinstance(outcome, ToolResult):
        return []
    by_form = {(source.id, source.form): source for source in outcome.sources}
    query = launch.args.get("query") if isinstance(launch.args, Mapping) else None
    results: list[dict[str, Any]] = outcome.value["results"]
    return [
        _Page(
            path=f"{launch.path}.{launch.seq}.{rank}",
            query=str(query).strip(),
            result=result,
            seen=by_form[result["evidence"], "summary" if "summary" in result else "snippet"],
            text=by_form.get((result["evidence"], "page")),
        )
        for rank, result in enumerate(results, 1)
    ]


def _as_seen(page: _Page) -> _Reading:
    """A result that is not read anew, with a note if its page should have been read and could not be."""
    source, note = page.seen, None
    if source.state != "ok":
        why = f"{source.state}: {source.problem}" if source.problem else source.state
        note = f"{page.path}: {source.id} was read as its snippet: no page ({why})"
    return _Reading(page, page.result, (source,), note)


async def _read(page: _Page, models: Models) -> _Reading:
    def check(answer: PageSummary) -> str | None:
        is_blank = answer.relevant and not answer.summary.strip()
        return "summary is blank, although the page is relevant" if is_blank else None

    text = page.text or page.seen
    text_tag = tagged("page", text.text[:LONGEST_PAGE], url=text.url or "", title=text.title)
    messages = [SystemMessage(_prompt().render()), HumanMessage(f"{tagged('search', page.query)}\n{text_tag}")]
    try:
        summary = await models.ask("summariser", messages, PageSummary, path=page.path, check=check)
    except ModelError as problem:
        note = f"{page.path}: {text.id} was read as its snippet: no summary ({problem.kind}: {problem.message})"
        return _Reading(page, page.result, tuple(filter(None, (page.seen, page.text))), note)
    if not summary.relevant:
        note = f"{page.path}: {text.id} was read and not handed on: nothing on the search"
        return _read_as(page, text, {"note": NOTHING_THERE}, note)
    quotes = [quote for quote in summary.quotes if is_on(quote, text.text)]
    summarised = {"summary": summary.summary, "quotes": quotes} if quotes else {"summary": summary.summary}
    dropped = len(summary.quotes) - len(quotes)
    note = f"{page.path}: quotes that {text.id} does not hold were dropped: {dropped}" if dropped else None
    return _read_as(page, text, summarised, note)


def _read_as(page: _Page, text: Source, reading: dict[str, Any], note: str | None) -> _Reading:
    shown = {name: value for name, value in page.result.items() if name != "snippet"} | reading
    read = page.seen.model_copy(update={"form": "summary", "text": compact_json(shown)})
    return _Reading(page, shown, (text, read), note)


def is_on(quote: str, page: str) -> bool:
    """True if the page holds the quote word for word. Line breaks and spaces may differ."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(page.split())
