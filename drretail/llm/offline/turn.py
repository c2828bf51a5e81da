"""One turn of a conversation, as a policy sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages so far, the bound tools (OpenAI's form), and which of them may or must be called."""

    messages: Sequence[BaseMessage]
    tools: Sequence[dict[str, Any]]
    choice: Any = None
    """As langchain passes it: None, "auto", "none", "any", "required", a tool's name, or a provider's dict."""

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools that may be called now."""
        return frozenset() if self.forbids_calls else frozenset(tool["function"]["name"] for tool in self.tools)

    @property
    def forbids_calls(self) -> bool:
        return self.choice == "none" or (isinstance(self.choice, dict) and self.choice.get("type") == "none")

    @property
    def forced_tool(self) -> str | None:
        """The tool that has to be called, the first one when any will do; None when the policy is free."""
        if not self.tools or self.forbids_calls or self.choice in (None, "auto", False):
            return None
        names = [tool["function"]["name"] for tool in self.tools]
        asked = self.choice
        if isinstance(asked, dict):
            asked = asked.get("function", asked).get("name")
        return asked if asked in names else names[0]
