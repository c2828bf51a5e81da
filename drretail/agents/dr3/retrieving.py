"""The retrieval sub-agent: a loop that searches the run's web, words its queries anew, and answers with its pages."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.agents.base import today
from drretail.agents.loop import Loop
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.tool_turn import ToolExecutor
from drretail.errors import ModelError
from drretail.grounding.report.marks import find_marks
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.run import Role, Stop
from drretail.tools.tool import ToolResult
from drretail.tools.toolkit import Toolkit

ROLE: Role = "retriever"
Pages = Mapping[str, Sequence[Mapping[str, Any]]]
"""Search results by evidence id, as they were shown: a page may have come with several of its parts."""


async def retrieve(
    question: str, path: str, toolkit: Toolkit, models: Models, turns: int
) -> tuple[ToolResult, tuple[str, ...]]:
    """What the web says on a question, with the pages that the answer cites, and notes for the run.

    Of cited pages every part that was shown is handed on; where it cites none, the first part of each page. Raises
    ModelError when its model fails for good, or nothing was searched.
    """
    executor = ToolExecutor(toolkit, models, path, ROLE)
    asked = HumanMessage(f"{tagged('question', question)}\n{today(toolkit.session)}")
    system = SystemMessage(retriever_prompt().render(turns=str(turns)))
    end = await Loop(ROLE, path, models, executor, turns, _answer_message).run([system, asked])
    if not end.text:
        raise ModelError("agent", "the retrieval agent ended without an answer")
    pages = _pages(end.messages)
    cited = list(
        dict.fromkeys(target.value for mark in find_marks(end.text) for target in mark.targets if target.kind == "id")
    )
    strange = [each for each in cited if each not in pages]
    value: dict[str, Any] = {
        "answer": end.text,
        "pages": [part for each in cited for part in pages.get(each, ())] or [parts[0] for parts in pages.values()],
    }
    if strange:
        value["not_found"] = strange  # whoever reads the answer must not cite these
    notes = [*end.notes]
    notes += [] if end.stop == "finished" else [f"{path}: its search ended at the {end.stop}"]
    notes += [f"{path}: the retrieval agent cited what was never found: {', '.join(strange)}"] if strange else []
    return ToolResult(value, ()), tuple(notes)


def retriever_prompt() -> Prompt:
    return agent_prompt(__file__, "retriever")


def retriever_limit_prompt() -> Prompt:
    return agent_prompt(__file__, "retriever_limit")


def _answer_message(stop: Stop) -> HumanMessage:
    del stop
    return HumanMessage(retriever_limit_prompt().render())


def _pages(messages: Sequence[AnyMessage]) -> Pages:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            for result in json.loads(message.text).get("results", []):
                parts = found.setdefault(result["evidence"], [])
                if result not in parts:
                    parts.append(result)
    return found
