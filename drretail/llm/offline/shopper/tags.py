"""The data that a prompt holds in tags, read from what is said to the model and never from inside other data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage, HumanMessage

_NAMES = (
    "query|user_id|today|stop|turns|sub_problem|profile|constraints|findings|reports|report|problems|search|page|schema"
)
# At the beginning of a line, as data is put into prompts; "`<query>`" within a sentence only speaks of the tag.
_TAG = re.compile(
    rf"^<(?P<name>{_NAMES})(?P<attributes>(?:\s+\w+=\"[^\"\n]*\")*)>\n?(?P<content>.*?)\n?</(?P=name)>",
    re.DOTALL | re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"\n]*)\"")


@dataclass(frozen=True, slots=True)
class Tagged:
    content: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])


def read_tags(messages: Sequence[BaseMessage]) -> dict[str, Tagged]:
    """The outermost tags of all human messages by name, the first of each; a tag inside another is its text."""
    found: dict[str, Tagged] = {}
    for message in messages:
        if isinstance(message, HumanMessage):
            for match in _TAG.finditer(message.text):
                tag = Tagged(match["content"], dict(_ATTRIBUTE.findall(match["attributes"])))
                found.setdefault(match["name"], tag)
    return found
