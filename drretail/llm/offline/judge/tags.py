"""The data in a prompt's tags."""

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

_TAG = re.compile(r"<(?P<name>[a-z_]+)(?:\s[^<>\n]*)?>\n(?P<inner>.*?)\n</(?P=name)>", re.DOTALL)


def question(messages: Sequence[BaseMessage]) -> str:
    """The first thing asked; what follows it are repairs of the answer."""
    return next((message.text for message in messages if isinstance(message, HumanMessage)), "")


def tag_contents(name: str, text: str) -> list[str]:
    """What stands in the outermost tags of this name, in order."""
    return [found["inner"] for found in _TAG.finditer(text) if found["name"] == name]
