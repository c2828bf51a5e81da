"""What no longer fits the model that writes is written from less: the oldest findings are left out, and it is asked
again."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from langchain_core.messages import AnyMessage, ToolMessage

from drretail.errors import ModelError
from drretail.grounding.text.serialisation import compact_json

T = TypeVar("T")
SHARE = 4
"""A try leaves out a fourth of what is left: providers do not say alike how much is too much, and a refusal is free."""
LEFT_OUT = compact_json({"left_out": "This result no longer fits the conversation."})


async def write_within_context(write: Callable[[int], Awaitable[T]], sizes: Sequence[int]) -> tuple[T, int]:
    """What ``write`` returns, and how many of the oldest findings it was given to leave out.

    ``sizes`` are the findings' lengths, oldest first; the newest stays. Raises what ``write`` raises for good.
    """
    left_out = 0
    while True:
        try:
            return await write(left_out), left_out
        except ModelError as problem:
            if problem.kind != "context_overflow" or left_out >= len(sizes) - 1:
                raise
        wanted = sum(sizes[left_out:]) / SHARE
        while wanted > 0 and left_out < len(sizes) - 1:
            wanted -= sizes[left_out]
            left_out += 1


def results_in(messages: Sequence[AnyMessage]) -> list[int]:
    """The lengths of the tool results in a conversation."""
    return [len(message.text) for message in messages if isinstance(message, ToolMessage)]


def without_oldest_results(messages: Sequence[AnyMessage], count: int) -> list[AnyMessage]:
    """The conversation with a word in place of its ``count`` oldest results: providers want a reply to each call."""
    oldest = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)][:count]
    return [
        message.model_copy(update={"content": LEFT_OUT}) if at in oldest else message
        for at, message in enumerate(messages)
    ]
