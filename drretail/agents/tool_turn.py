"""Carries out the calls of a role with the toolkit's tools. In the web mode "ws" whole pages are read for it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import ToolCall

from drretail.agents.loop import Acted
from drretail.agents.page_reading import with_pages_read
from drretail.llm.models import Models
from drretail.llm.servers.small_contexts import lean_arguments, lean_result
from drretail.records.run import Role
from drretail.tools.registry import look_ups
from drretail.tools.tool import ToolResult, read_schema
from drretail.tools.toolkit import Performed, Toolkit, ToolReply

FINALIZE = "Finalize"
"""The tool by which a role that has it says that its work is done (paper section 4)."""


@dataclass(frozen=True, slots=True)
class ToolExecutor:
    """Carries out the calls of one turn side by side, or ``one_by_one`` in their order. Replies are in the calls'
    order.
    """

    toolkit: Toolkit
    models: Models
    path: str
    role: Role = "researcher"
    one_by_one: bool = False
    complete: Callable[[Sequence[Performed]], Awaitable[list[Performed]]] | None = None
    """Does what calls only asked for, such as sending a sub-agent."""

    @property
    def schemas(self) -> list[dict[str, Any]]:
        return self.toolkit.openai_schemas()

    @property
    def can_look_up(self) -> bool:
        return not self.toolkit.tools.keys().isdisjoint(look_ups(self.toolkit.session))

    async def carry_out(self, calls: Sequence[ToolCall]) -> Acted:
        known = look_ups(self.toolkit.session)
        batches = [[call] for call in calls] if self.one_by_one else [calls]
        is_lean = self.models.is_lean(self.role)
        replies: list[ToolReply] = []
        notes: list[str] = []
        for batch in batches:
            named = [(call["name"], self._arguments(call)) for call in batch]
            performed = await self.toolkit.aperform_all(named, path=self.path, role=self.role)
            performed, page_notes = await with_pages_read(performed, self.toolkit.session, self.models)
            performed = performed if self.complete is None else await self.complete(performed)
            replies += self.toolkit.record_all(map(_lean, performed) if is_lean else performed)
            notes += page_notes
        # A look-up with valid arguments counts, whatever came of it: a server that is down is no fault of the caller's.
        looked_up = any(
            call["name"] in known and reply.error != "invalid_argument"
            for call, reply in zip(calls, replies, strict=True)
        )
        return Acted(tuple(replies), is_final(calls, replies), looked_up, tuple(notes))

    def _arguments(self, call: ToolCall) -> object:
        tool = self.toolkit.tools.get(call["name"])
        if tool is None or not self.models.is_lean(self.role):
            return call["args"]
        return lean_arguments(call["args"], {each.name for each in read_schema(tool.function).parameters})


def _lean(performed: Performed) -> Performed:
    """The call with a result that a model of a small context can read several of."""
    if not isinstance(performed.outcome, ToolResult):
        return performed
    return replace(performed, outcome=replace(performed.outcome, value=lean_result(performed.outcome.value)))


def is_final(calls: Sequence[ToolCall], replies: Sequence[ToolReply]) -> bool:
    """True if one of the calls was Finalize and was answered without an error."""
    return any(call["name"] == FINALIZE and reply.error is None for call, reply in zip(calls, replies, strict=True))
