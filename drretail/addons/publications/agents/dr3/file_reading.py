"""The file reader: one precise question to a file, asked of each of its parts. Only models that see
are given images.
"""

import base64
from collections.abc import Iterator
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from drretail.agents.information import agent_prompt
from drretail.agents.page_reading import is_on
from drretail.agents.user_files import LARGEST, UserFile
from drretail.env.web.bm25 import Bm25
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.llm.prompt import tagged
from drretail.llm.registry import Model
from drretail.records.evidence import FileAnswer, Source
from drretail.records.run import Role
from drretail.tools.tool import ToolResult

ROLE: Role = "reader"
reader_prompt = partial(agent_prompt, __file__, "file_reader")
LONGEST_PART = 20_000
"""Characters of a part: a model with a small context can still read it beside its task."""
MOST_PARTS = 8
"""Parts that are read of a longer file: those with the most of the question's words."""
WITH_HEADING = (".csv", ".tsv")
BLIND = "The model that reads files cannot see images."
NO_TEXT = "The file is neither text in UTF-8 nor an image, nor a document that can be read here."


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
        return _unverifiable(file, NO_TEXT), ()
    if not sees(models.by_role[ROLE]):
        return _unverifiable(file, BLIND), (f"{path}: {file.name} is unverifiable: no model here sees images",)
    image = {"type": "image", "base64": base64.b64encode(file.data).decode("ascii"), "mime_type": file.image_type}
    request = f"{tagged('question', question)}\n{tagged('file', 'the image above', name=file.name)}"
    # The image is a message of its own: a request for a schema in words replaces the last message by its text.
    messages = [SystemMessage(reader_prompt().render()), HumanMessage([image]), HumanMessage(request)]
    answer = await models.ask(ROLE, messages, FileAnswer, path=path, check=_lacks_answer)
    value = _head(file) | {"found": answer.found} | ({"answer": answer.answer} if answer.found else {})
    # An image has no text that judges could hold a claim against.
    source = _source(file, compact_json(value)).model_copy(
        update={"form": "summary", "state": "no_content", "problem": "It is an image, of which there is no text."}
    )
    return ToolResult(value, (source,)), ()


def sees(model: Model) -> bool:
    """True if the model's profile says that it takes images. A model without a profile is not tried."""
    return bool((model.chat.profile or {}).get("image_inputs", False))


async def _read_text(
    file: UserFile, text: str, question: str, path: str, models: Models
) -> tuple[ToolResult, tuple[str, ...]]:
    """Asks one part after the other, so that the steps are in order however long a model takes to answer."""
    parts = list(parts_of(text, heading=file.path.suffix.lower() in WITH_HEADING))
    chosen = _telling(parts, question)
    answers: list[dict[str, Any]] = []
    dropped = 0
    for at in chosen:
        place = f"{at + 1} of {len(parts)}"
        messages = _of_text(file, parts[at], place, question)
        answer = await models.ask(ROLE, messages, FileAnswer, path=path, check=_lacks_answer)
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


def parts_of(text: str, longest: int = LONGEST_PART, *, heading: bool = False) -> Iterator[str]:
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


def _telling(parts: list[str], question: str) -> list[int]:
    """The indexes of the parts to be read, in their order."""
    if len(parts) <= MOST_PARTS:
        return list(range(len(parts)))
    scores = Bm25([("", part) for part in parts]).scores(question)
    return sorted(sorted(range(len(parts)), key=lambda at: (-scores.get(at, 0.0), at))[:MOST_PARTS])


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
