"""Prompt caching: marks what a later request will repeat, for providers that want it marked (Anthropic).

Others (OpenAI, Gemini) cache prefixes of their own accord. The marks are put into what is sent, never into what a
journal is keyed by.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

MARKED = frozenset({"anthropic"})
"""Providers that cache what is marked, and nothing else."""
_MARK = {"type": "ephemeral"}


def marked(messages: Sequence[BaseMessage], *, continues: bool) -> list[BaseMessage]:
    """The messages with the ends of their stable prefixes marked; the originals stay as they are.

    The system message ends the part that all runs of an agent share: tools come before it. With ``continues``,
    the conversation so far is marked as well, for the next turn to read, and so is where the turn before ended: the
    provider looks only some twenty blocks back for what it holds, and one turn's tool results may be more.
    """
    ends = {index for index, message in enumerate(messages) if isinstance(message, SystemMessage)}
    if continues:
        ends.add(len(messages) - 1)
        ends.update(_last_turn_end(messages))
    return [_with_mark(message) if index in ends else message for index, message in enumerate(messages)]


def _last_turn_end(messages: Sequence[BaseMessage]) -> list[int]:
    """Where the request before this one ended: just before the model's last answer."""
    answers = [index for index, message in enumerate(messages) if isinstance(message, AIMessage)]
    return [answers[-1] - 1] if answers and answers[-1] > 0 else []


def _with_mark(message: BaseMessage) -> BaseMessage:
    content: list[Any] = (
        [{"type": "text", "text": message.content}] if isinstance(message.content, str) else [*message.content]
    )
    if not content or not isinstance(content[-1], dict) or content[-1].get("text") == "":
        return message  # there is nothing that could carry a mark
    return message.model_copy(update={"content": [*content[:-1], {**content[-1], "cache_control": _MARK}]})
