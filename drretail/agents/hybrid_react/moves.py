"""The moves of the agents among themselves (paper section 4): Reason, LaunchResearcher and Finalize.

They are tools to a model and steps in the trajectory, but not among the nine: counts of tool calls leave them out.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from annotated_types import MaxLen, MinLen

from drretail.agents.tool_turn import FINALIZE
from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.llm.prompts.prompt import Prompt
from drretail.records.base import canonical_json
from drretail.tools.registry import json_schemas, look_ups
from drretail.tools.tool import Tool, ToolResult

REASON = "Reason"
LAUNCH = "LaunchResearcher"


def reason(session: Session, thought: Annotated[str, MinLen(1), MaxLen(8000)]) -> ToolResult:
    """Writes a thought down: what is known by now, what is missing, and what to do next.

    It looks nothing up and takes no turn of its own: call it together with the calls that follow from the thought.

    Args:
        thought: The thought, in a few sentences.

    Returns:
        That it was noted.
    """
    del session, thought
    return ToolResult({"noted": True}, ())


def launch_researcher(session: Session, sub_problem: Annotated[str, MinLen(1), MaxLen(4000)]) -> ToolResult:
    """Sends one researcher to work on one sub-problem, with the shop's tools and the web.

    A researcher sees neither the question nor other researchers' findings: what it must know of them stands in the
    text you write here. Several launched in one turn work at the same time.

    Args:
        sub_problem: The whole task in a few sentences that stand on their own: what to find out, for which purpose, and
            every limit that matters to it, such as budget, brands, sizes, place, dates, things already owned.

    Returns:
        The researcher's number and report: insights with evidence ids, sources with their facts, open questions. Or an
        error, when it came back with nothing.
    """
    del session
    if not sub_problem.strip():
        raise ToolError("invalid_argument", "sub_problem is blank: write what to find out.", field="sub_problem")
    return ToolResult({"sub_problem": sub_problem.strip()}, ())


def finalize(session: Session) -> ToolResult:
    """Ends your part of the work: what has been found so far is passed on as it is.

    Returns:
        That the work is finished.
    """
    del session
    return ToolResult({"finished": True}, ())


_REASON = Tool(REASON, reason, "read")
_LAUNCH = Tool(LAUNCH, launch_researcher, "read")
_FINALIZE = Tool(FINALIZE, finalize, "read")
SUPERVISOR_TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in (_REASON, _LAUNCH, _FINALIZE)})
"""T_sup of the paper."""


def researcher_tools(session: Session) -> Mapping[str, Tool]:
    """T_res of the paper: Reason, Finalize, and the tools that the session has."""
    return MappingProxyType(look_ups(session) | {REASON: _REASON, FINALIZE: _FINALIZE})


def moves_prompt() -> Prompt:
    """The schemas of the moves as models see them, as a prompt whose hash a run records."""
    return Prompt("moves", canonical_json(json_schemas(SUPERVISOR_TOOLS)))
