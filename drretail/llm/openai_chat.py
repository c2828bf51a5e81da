"""LangChain's client of OpenAI's protocol, with what it drops of the answers of servers that speak it loosely.

A model's reasoning, a refusal in a stream, and arguments of tool calls as an object where the protocol has text.
"""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from drretail.llm.faults import STREAM_ENDED


class CompatibleChat(ChatOpenAI):
    """A chat model at OpenAI, or at a server that speaks its protocol."""

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        """The request, with an answer's schema as the protocol has it. OpenAI's client would parse the answer, and over
        one that was cut it raises an error without text or tokens.
        """
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if form := payload.pop("response_format", None):
            payload["extra_body"] = {**(payload.get("extra_body") or {}), "response_format": form}
        return payload

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        messages = [choice.message for choice in getattr(response, "choices", None) or ()]
        for call in (call for message in messages for call in getattr(message, "tool_calls", None) or ()):
            call.function.arguments = _as_text(call.function.arguments)
        result = super()._create_chat_result(response, generation_info)
        for message, generation in zip(messages, result.generations, strict=False):
            generation.message.additional_kwargs |= _dropped(getattr(message, "model_extra", None) or {})
        return result

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        """The pieces, with the tokens in the last one alone. Some servers count them in each piece, up to there, and
        LangChain adds these counts up.
        """
        last = None
        async for piece in super()._astream(*args, **kwargs):
            message = piece.message
            if isinstance(message, AIMessageChunk) and message.usage_metadata is not None:
                counted, message.usage_metadata = message.usage_metadata, None
                last = max(last or counted, counted, key=lambda usage: usage["total_tokens"])
            yield piece
        if last is not None:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=last))

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if generation is not None:
            for choice in chunk.get("choices") or ():
                generation.message.additional_kwargs |= _dropped(choice.get("delta") or {})
            if not chunk.get("choices") and chunk.get("usage"):
                generation.message.response_metadata[STREAM_ENDED] = True
        return generation


def _dropped(message: dict[str, Any]) -> dict[str, str]:
    """The texts of a message, or of a piece of one, that LangChain does not read."""
    names = {"reasoning_content": "reasoning_content", "reasoning": "reasoning_content", "refusal": "refusal"}
    return {name: text for key, name in names.items() if isinstance(text := message.get(key), str) and text}


def _as_text(arguments: Any) -> Any:
    """The arguments of a call as JSON text, which some servers send as an object, or as text within text."""
    if isinstance(arguments, dict):
        return json.dumps(arguments)
    with suppress(ValueError, TypeError):
        if isinstance(inner := json.loads(arguments), str):
            return inner
    return arguments
