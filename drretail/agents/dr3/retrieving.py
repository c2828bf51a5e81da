"""The retrieval sub-agent: a loop that searches the run's web, rewords its queries, and answers with the pages it
found.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.agents.base import today
from drretail.agents.loop import Loop
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.tool_turn import ToolExecutor
from drretail.errors import ModelError
from drretail.grounding.report.marks import find_marks
from drretail.llm.models import Models
from drretail.prompts import tagged
from drretail.records.run import Role, Stop
from drretail.tools.tool import ToolResult
from drretail.tools.toolkit import Toolkit

ROLE: Role = "retriever"
retriever_prompt = partial(agent_prompt, __file__, "retriever")
retriever_limit_prompt = partial(agent_prompt, __file__, "retriever_limit")


async def retrieve(
    question: str, path: str, toolkit: Toolkit, models: Models, turns: int
) -> tuple[ToolResult, tuple[str, ...]]:
    """What the web says on a question, with the pages that the answer cites, and notes for the run.

    All parts of a cited page that were shown are handed on. If the answer cites none, the first part of each page is.
    Raises ModelError if the model fails for good, or nothing was searched.
    """
    executor = ToolExecutor(toolkit, models, path, ROLE)
    asked = HumanMessage(f"{tagged('question', question)}\n{today(toolkit.session)}")
    system = SystemMessage(retriever_prompt().render(turns=str(turns)))

    def conclude(stop: Stop) -> HumanMessage:
        del stop
        return HumanMessage(retriever_limit_prompt().render())

    end = await Loop(ROLE, path, models, executor, turns, conclude).run([system, asked])
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
        value["not_found"] = strange  # the main agent must not cite these
    notes = [*end.notes]
    notes += [] if end.stop == "finished" else [f"{path}: its search ended at the {end.stop}"]
    notes += [f"{path}: the retrieval agent cited what was never found: {', '.join(strange)}"] if strange else []
    return ToolResult(value, ()), tuple(notes)


def _pages(messages: Sequence[AnyMessage]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The search results by evidence id, as they were shown. Several parts of one page may have been shown."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            for result in json.loads(message.text).get("results", []):
                parts = found.setdefault(result["evidence"], [])
                if result not in parts:
                    parts.append(result)
    return found
