"""Answers in a JSON schema, through each model's own structured output where it has one."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drretail.llm.registry import Model
from drretail.records.base import canonical_json

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<inner>.*?)\n?[ \t]*```\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Structured:
    """A chat model whose raw answers are in a schema; what it raises names ``bound``'s secrets nowhere."""

    bound: "BaseChatModel"
    _runnable: "Runnable[Any, Any]"

    async def ainvoke(self, messages: "Sequence[BaseMessage]") -> "AIMessage":
        try:
            return (await self._runnable.ainvoke(list(messages)))["raw"]
        except _unfinished() as problem:
            return _raw(problem)


def _unfinished() -> tuple[type[Exception], ...]:
    """What OpenAI's client raises in place of answers in a schema that were cut or refused; none while not loaded."""
    names = ("LengthFinishReasonError", "ContentFilterFinishReasonError")
    found = (getattr(sys.modules.get("openai"), name, None) for name in names)
    return tuple(error for error in found if error is not None)


def _raw(problem: Any) -> "AIMessage":
    """The answer that the client did not hand out: it says why it ended, and its tokens are paid for."""
    from langchain_core.messages import AIMessage
    from langchain_core.messages.ai import InputTokenDetails, UsageMetadata

    completion = problem.completion
    if completion is None:
        raise problem
    (choice, *_) = completion.choices
    usage = completion.usage
    counted = None
    if usage is not None:
        cached = getattr(usage.prompt_tokens_details, "cached_tokens", None) or 0
        counted = UsageMetadata(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
            input_token_details=InputTokenDetails(cache_read=cached),
        )
    reason = {"finish_reason": choice.finish_reason, "model_name": completion.model}
    return AIMessage(choice.message.content or "", usage_metadata=counted, response_metadata=reason)


def structured(model: Model, schema: dict[str, Any]) -> Structured | None:
    """The model bound to answer in ``schema``; None when it has no structured output and must be asked in words.

    The schema goes in as JSON and not as a class: some clients validate classes themselves, and then an answer
    that needs mending comes back as an exception without its text.
    """
    from langchain_core.language_models.chat_models import BaseChatModel

    chat = model.chat
    own = type(chat)
    if model.structured_output is False or not (chat.profile or {}).get("structured_output", True):
        return None
    if (
        own.with_structured_output is BaseChatModel.with_structured_output
        and own.bind_tools is BaseChatModel.bind_tools
    ):
        return None
    return Structured(chat, chat.with_structured_output(schema, method="json_schema", include_raw=True))


def answered_json(answer: "AIMessage") -> str:
    """The JSON text of an answer, whether it came as text, in a code fence, or as the call of a tool."""
    if answer.tool_calls:
        return canonical_json(answer.tool_calls[0]["args"])
    fenced = _FENCED.fullmatch(answer.text)
    return (fenced["inner"] if fenced else answer.text).strip()
