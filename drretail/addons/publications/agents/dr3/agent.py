"""DR³-Agent: a main agent that plans, acts and observes, with sub-agents for the web and for the user's files. The file
reader asks one precise question of each part of a file; only models that see are given images.

START ─▶ think ──calls──▶ act ──▶ think … ──no calls: the text is the report──▶ report ─▶ END
                           │ ▲
                           ▼ │ gather
        retriever: think ⇄ act ─▶ answer with pages
           reader: one question to each part of a file

search_sandbox and read_file are tools that the agent brings: they check their arguments, and each launches a branch of
the run.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import START
from langgraph.runtime import Runtime

from drretail.addons.imports.documents import document_text, is_document
from drretail.agents.base import Agent, messages_before, task_message, today
from drretail.agents.graphs import Graphed, Leading
from drretail.agents.information import agent_prompt
from drretail.agents.loop import (
    Branch,
    BranchNode,
    Change,
    Launches,
    Loop,
    Sent,
    State,
    begun,
    brought,
    challenges,
    ended,
    launches_of,
    react,
)
from drretail.agents.page_reading import is_on
from drretail.agents.react import conclude_message, conclude_prompt, is_announcement, report_last_text
from drretail.env.session import Session
from drretail.env.web.bm25 import Bm25
from drretail.errors import ModelError, ToolError, UserError
from drretail.files import files_below
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.evidence import FileAnswer, Source
from drretail.records.query import Task
from drretail.records.run import Limits, Role, Stop
from drretail.reports.citations import scan
from drretail.reports.text.evidence_ids import file_evidence_id, parse_evidence_id
from drretail.reports.text.serialisation import compact_json
from drretail.reports.text.untrusted import harmless
from drretail.tools.registry import CHUNKED, SUMMARISED, offered
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from drretail.tools.web import WEB_SEARCH

IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
LARGEST = 5_000_000
"""Bytes of the largest file that is read."""
MOST_FILES = 100


@dataclass(frozen=True)
class UserFile:
    """One of the user's files, read when it is first asked for."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def evidence_id(self) -> str:
        return file_evidence_id(self.name)

    @property
    def image_type(self) -> str | None:
        """The media type of an image; None for any other file."""
        return IMAGES.get(self.path.suffix.lower())

    @cached_property
    def data(self) -> bytes | None:
        """Its bytes; None for a file that is larger than ``LARGEST``."""
        return self.path.read_bytes() if self.path.stat().st_size <= LARGEST else None

    @cached_property
    def text(self) -> str | None:
        """Its text; None for an image, a file that is too large or not UTF-8, and a document that cannot be read."""
        if self.image_type is not None or self.data is None:
            return None
        if is_document(self.path):
            try:
                return harmless(document_text(self.path))
            except UserError:
                return None
        if b"\0" in self.data:
            return None
        try:
            return harmless(self.data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return None

    def described(self) -> str:
        """A line for agents that may ask about it: "orders.csv: text, 1,204 characters"."""
        if self.image_type is not None:
            return f"{self.name}: image"
        return f"{self.name}: {'no text' if self.text is None else f'text, {len(self.text):,} characters'}"


def read_user_files(folder: Path | None) -> tuple[UserFile, ...]:
    """The first ``MOST_FILES`` files of a folder by name, no hidden ones or subfolders; empty without a folder."""
    if folder is None or not folder.is_dir():
        return ()
    return tuple(map(UserFile, files_below(folder)[:MOST_FILES]))


READER: Role = "reader"
reader_prompt = partial(agent_prompt, __file__, "file_reader")
LONGEST_PART = 20_000
"""Characters of a part: a model with a small context can still read it beside its task."""
MOST_PARTS = 8
"""Parts that are read of a longer file: those with the most of the question's words."""


async def read_file_on(file: UserFile, question: str, path: str, models: Models) -> tuple[ToolResult, tuple[str, ...]]:
    """What a file says on a question, with the file as evidence, and notes for the run.

    The result is "unverifiable", without evidence, if the file can't be read. Raises ModelError if the model fails for
    good.
    """
    if file.data is None:
        return _unverifiable(file, f"The file is larger than {LARGEST:,} bytes."), ()
    if file.text is not None:
        return await _read_text(file, file.text, question, path, models)
    if file.image_type is None:
        why = "The file is neither text in UTF-8 nor an image, nor a document that can be read here."
        return _unverifiable(file, why), ()
    # A model whose profile does not say that it takes images is not tried.
    if not (models.by_role[READER].chat.profile or {}).get("image_inputs", False):
        notes = (f"{path}: {file.name} is unverifiable: no model here sees images",)
        return _unverifiable(file, "The model that reads files cannot see images."), notes
    image = {"type": "image", "base64": base64.b64encode(file.data).decode("ascii"), "mime_type": file.image_type}
    request = f"{tagged('question', question)}\n{tagged('file', 'the image above', name=file.name)}"
    # The image is a message of its own: a request for a schema in words replaces the last message by its text.
    messages = [SystemMessage(reader_prompt().render()), HumanMessage([image]), HumanMessage(request)]
    answer = await models.ask(READER, messages, FileAnswer, path=path, check=_lacks_answer)
    value = _head(file) | {"found": answer.found} | ({"answer": answer.answer} if answer.found else {})
    # An image has no text that judges could hold a claim against.
    source = _source(file, compact_json(value)).model_copy(
        update={"form": "summary", "state": "no_content", "problem": "It is an image, of which there is no text."}
    )
    return ToolResult(value, (source,)), ()


async def _read_text(
    file: UserFile, text: str, question: str, path: str, models: Models
) -> tuple[ToolResult, tuple[str, ...]]:
    """Asks one part after the other, so that the steps are in order however long a model takes to answer."""
    parts = list(file_parts(text, heading=file.path.suffix.lower() in (".csv", ".tsv")))
    chosen = list(range(len(parts)))
    if len(parts) > MOST_PARTS:
        scores = Bm25([("", part) for part in parts]).scores(question)
        chosen = sorted(sorted(chosen, key=lambda at: (-scores.get(at, 0.0), at))[:MOST_PARTS])
    answers: list[dict[str, Any]] = []
    dropped = 0
    for at in chosen:
        place = f"{at + 1} of {len(parts)}"
        messages = _of_text(file, parts[at], place, question)
        answer = await models.ask(READER, messages, FileAnswer, path=path, check=_lacks_answer)
        quotes = [quote for quote in answer.quotes if is_on(quote, parts[at])]
        dropped += len(answer.quotes) - len(quotes)
        if answer.found:
            answers.append({"part": place, "answer": answer.answer, "quotes": quotes})
    value: dict[str, Any] = _head(file) | {"found": bool(answers), "answers": answers}
    notes: list[str] = []
    if len(chosen) < len(parts):
        value["unread_parts"] = len(parts) - len(chosen)
        notes.append(f"{path}: {len(parts) - len(chosen)} of {len(parts)} parts of {file.name} were not read")
    if dropped:
        notes.append(f"{path}: quotes that {file.name} does not hold were dropped: {dropped}")
    return ToolResult(value, (_source(file, text),)), tuple(notes)


def file_parts(text: str, longest: int = LONGEST_PART, *, heading: bool = False) -> Iterator[str]:
    """The text, cut at line ends where that is possible.

    With ``heading`` its first line begins every part, unless it is at least a quarter as long as a part.
    """
    first = text.partition("\n")[0] + "\n" if heading else ""
    first = first if len(first) < longest // 4 else ""
    room, start = longest - len(first), 0
    while start < len(text):
        end = min(len(text), start + room)
        if end < len(text) and (line := text.rfind("\n", start, end)) > start:
            end = line + 1
        yield text[start:end] if start == 0 else first + text[start:end]
        start = end
    if not text:
        yield ""


def _lacks_answer(answer: FileAnswer) -> str | None:
    return "answer is blank, although something was found" if answer.found and not answer.answer.strip() else None


def _unverifiable(file: UserFile, why: str) -> ToolResult:
    return ToolResult({"file": file.name, "state": "unverifiable", "why": why}, ())


def _head(file: UserFile) -> dict[str, Any]:
    return {"evidence": file.evidence_id, "file": file.name}


def _source(file: UserFile, text: str) -> Source:
    return Source(id=file.evidence_id, kind="file", key=file.name, title=file.name, form="file", text=text)


def _of_text(file: UserFile, part: str, place: str, question: str) -> list[BaseMessage]:
    request = f"{tagged('question', question)}\n{tagged('file', part, name=file.name, part=place)}"
    return [SystemMessage(reader_prompt().render()), HumanMessage(request)]


ROLES: tuple[Role, ...] = ("researcher", "retriever", "reader")
_prompt = partial(agent_prompt, __file__, "main")


def search_sandbox(session: Session, question: Annotated[str, MinLen(1), MaxLen(2000)]) -> ToolResult:
    """Sends a retrieval agent to the web with one question; it searches, words its queries anew, and answers.

    It sees nothing but what you write here. Several sent in one turn work at the same time.

    Args:
        question: The question, complete in itself, with what it is for and every limit that matters to it.

    Returns:
        Its answer with evidence ids, and the pages it rests on, each with evidence, title, url and what was read of it.
        Or an error, when it came back with nothing.
    """
    del session
    return ToolResult({"question": _checked_question(question)}, ())


def _read_file(
    session: Session, file: Annotated[str, MinLen(1), MaxLen(300)], question: Annotated[str, MinLen(1), MaxLen(2000)]
) -> ToolResult:
    """Has one of the user's own files read for one precise question, however long the file is.

    The reader sees the file and your question and nothing else. Several read in one turn are read at the same time.

    Args:
        file: The name of the file, as it is listed.
        question: What to find out from it, e.g. "Which filters were bought in 2022, on which dates, at what price?"

    Returns:
        The evidence id of the file, what its parts say on the question, and quotes that stand in it word for word.
        "unverifiable", with the reason, for a file that could not be read.
    """
    names = [user_file.name for user_file in read_user_files(session.settings.files)]
    if file not in names:
        raise ToolError("invalid_argument", f"There is no file {file!r}.", field="file", allowed=names)
    return ToolResult({"file": file, "question": _checked_question(question)}, ())


def _checked_question(question: str) -> str:
    if not question.strip():
        raise ToolError("invalid_argument", "question is blank: write what to find out.", field="question")
    return question.strip()


SEARCH_SANDBOX = Tool("search_sandbox", search_sandbox, "read")
READ_FILE = Tool("read_file", _read_file, "read")


@cache
def graph() -> Any:
    branches = {"retriever": _retriever(), "reader": _reader}
    return react(Leading, report_last_text, branches=branches).add_edge(START, "think").compile(name="dr3")


NODES = {SEARCH_SANDBOX.name: "retriever", READ_FILE.name: "reader"}


def open_loop(session: Session, models: Models, limits: Limits) -> Loop:
    """The main agent's loop, and the tools of its retrieval agents."""
    search = CHUNKED if session.settings.web_mode == "snippets" else SUMMARISED
    has_web = WEB_SEARCH not in session.settings.without
    # The nine that the session has, and those errands that have a web or a file to work on.
    has_files = bool(read_user_files(session.settings.files))
    lacking = {*(() if has_web else (SEARCH_SANDBOX.name,)), *(() if has_files else (READ_FILE.name,))}
    tools = {name: tool for name, tool in offered(session).items() if name not in lacking}
    toolkit, web = Toolkit(session, tools=tools), Toolkit(session, tools={WEB_SEARCH: search} if has_web else {})
    launches = Launches(NODES, web, limits, _refusal)
    return Loop("researcher", models, toolkit, limits.tool_turns, conclude_message, is_announcement, launches=launches)


def _refusal(most: int, few_tokens: bool) -> str:
    if few_tokens:
        return "The tokens that are left do not suffice for it: this one was not sent."
    return f"At most {most} of these may be sent in one turn: this one was not."


def first_messages(task: Task, session: Session, limits: Limits) -> list[AnyMessage]:
    files = [file.described() for file in read_user_files(session.settings.files)]
    listing = [tagged("files", "\n".join(files))] if files else []
    system = _prompt().render(turns=str(limits.tool_turns), researchers=str(limits.researchers))
    question = HumanMessage("\n".join([task_message(task, session).text, *listing]))
    return [SystemMessage(system), *messages_before(task), question]


def prompts() -> tuple[Prompt, ...]:
    return _prompt(), retriever_prompt(), reader_prompt(), conclude_prompt(), retriever_limit_prompt(), *challenges()


async def _reader(state: Sent, runtime: Runtime[Loop]) -> Change:
    """One file, read for one question."""
    loop, args = await runtime.context.opened(state), state["args"]

    async def work(path: str, models: Models) -> Change:
        file = next(file for file in read_user_files(loop.toolkit.session.settings.files) if file.name == args["file"])
        result, notes = await read_file_on(file, args["question"], path, models)
        number, sources = state["number"], result.sources
        return {"branches": [Branch(number=number, path=path, value=result.value, sources=sources, notes=notes)]}

    return await brought(state, loop, work)


ROLE: Role = "retriever"
retriever_prompt = partial(agent_prompt, __file__, "retriever")
retriever_limit_prompt = partial(agent_prompt, __file__, "retriever_limit")


class _Retrieving(State):
    """The state of one retrieval agent."""

    value: dict[str, Any]


def _retriever() -> BranchNode:
    """The node of one retrieval agent."""
    retriever = react(_Retrieving, _pages, {"report": "answer"}).add_edge(START, "think").compile()

    async def launched(state: Sent, runtime: Runtime[Loop]) -> Change:
        parent = await runtime.context.opened(state)

        async def work(path: str, models: Models) -> Change:
            launches = launches_of(parent)
            turns = launches.limits.rag_turns
            loop = Loop(ROLE, models, launches.toolkit, turns, _conclude_search, path=path)
            request = f"{tagged('question', state['args']['question'])}\n{today(loop.toolkit.session)}"
            messages = [SystemMessage(retriever_prompt().render(turns=str(turns))), HumanMessage(request)]
            end: Any = await retriever.ainvoke(begun(messages), context=loop)
            branch = Branch(number=state["number"], path=path, value=end["value"], notes=tuple(end["notes"]))
            return {"branches": [branch], "shown": end["shown"]}

        return await brought(state, parent, work)

    return launched


def _conclude_search(stop: Stop) -> HumanMessage:
    del stop
    return HumanMessage(retriever_limit_prompt().render())


async def _pages(state: State, loop: Loop) -> Change:
    """What the web says on a question, with the pages that the answer cites.

    All parts of a cited page that were shown are handed on. If the answer cites none, the first part of each page is.
    Raises ModelError if the model fails for good, or nothing was searched.
    """
    end = await ended(state, loop)
    if not end.text:
        raise ModelError("agent", "the retrieval agent ended without an answer")
    # The search results by evidence id, as they were shown. Several parts of one page may have been shown.
    pages: dict[str, list[Mapping[str, Any]]] = {}
    for message in end.messages:
        for result in json.loads(message.text).get("results", []) if isinstance(message, ToolMessage) else ():
            parts = pages.setdefault(result["evidence"], [])
            if result not in parts:
                parts.append(result)
    cited = list(
        dict.fromkeys(
            cited.name for mark in scan(end.text, None).marks for cited in mark.cited if parse_evidence_id(cited.name)
        )
    )
    strange = [page for page in cited if page not in pages]
    value: dict[str, Any] = {
        "answer": end.text,
        "pages": [part for page in cited for part in pages.get(page, ())] or [parts[0] for parts in pages.values()],
    }
    if strange:
        value["not_found"] = strange  # the main agent must not cite these
    notes = [*end.notes[len(state["notes"]) :]]
    notes += [] if end.stop == "finished" else [f"{loop.path}: its search ended at the {end.stop}"]
    notes += [f"{loop.path}: the retrieval agent cited what was never found: {', '.join(strange)}"] if strange else []
    return {"value": value, "notes": notes}


_HEEDS = frozenset({"tool_turns", "rag_turns", "researchers", "tokens", "dollars"})
DR3 = Agent(
    Graphed(graph, open_loop, first_messages),
    roles=ROLES,
    prompts=prompts,
    tools=(SEARCH_SANDBOX, READ_FILE),
    heeds=_HEEDS,
    reads_files=True,
)
