"""The base of chat models that answer in this process: bound tools, call ids, usage and streaming as langchain wants
them.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from drretail.llm.usage import CHARACTERS_PER_TOKEN

_READ = "tool_tokens"
"""The bound argument with the tokens of the tools, which each call reads."""


class LocalChat(BaseChatModel):
    """A chat model whose ``_answer`` gives text and calls. Ids of calls are unique within a conversation, as a turn's
    number is, and equal where it is held again.
    """

    provider: ClassVar[str]
    model: str
    # Accepted as by every chat model, but without effect: there is neither sampling nor a network.
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    max_retries: int = 0
    stop: list[str] | None = None

    @property
    def _llm_type(self) -> str:
        return self.provider

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params["ls_provider"] = self.provider
        params["ls_model_name"] = str(kwargs.get("model", self.model))
        return params

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with these tools in OpenAI's form."""
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=schemas, tool_choice=tool_choice, **{_READ: _tokens(json.dumps(schemas))}, **kwargs)

    def _answer(self, messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
        """Text and calls; ids of calls are replaced. Usage and ``stop_reason`` are set only if they are unusual."""
        raise NotImplementedError

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = self._answer(messages, kwargs)
        text = answer.text
        for mark in stop or self.stop or []:
            text = text.split(mark)[0]
        turn = sum(message.type == "ai" for message in messages)
        calls = [call | {"id": f"call_{turn}_{index}"} for index, call in enumerate(answer.tool_calls)]
        usual = "tool_use" if calls else "end_turn"
        message = AIMessage(
            content=text,
            tool_calls=calls,
            usage_metadata=answer.usage_metadata or _estimated_usage(messages, kwargs.get(_READ, 0), text, calls),
            response_metadata={
                "model_name": str(kwargs.get("model", self.model)),
                "model_provider": self.provider,
                "stop_reason": answer.response_metadata.get("stop_reason") or usual,
            },
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """In the caller's thread: it waits for nothing, and a thread of its own would take longer than most answers."""
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """The text word by word, then calls and usage."""
        message = self._generate(messages, stop, **kwargs).generations[0].message
        assert isinstance(message, AIMessage)
        for word in re.findall(r"\A\s*+\S++\s*+|\S++\s*+", message.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        last = AIMessageChunk(
            content="",
            usage_metadata=message.usage_metadata,
            response_metadata=message.response_metadata,
            chunk_position="last",
            tool_call_chunks=[
                {
                    "type": "tool_call_chunk",
                    "name": call["name"],
                    "args": json.dumps(call["args"]),
                    "id": call["id"],
                    "index": index,
                }
                for index, call in enumerate(message.tool_calls)
            ],
        )
        yield ChatGenerationChunk(message=last)


class Unasked(LocalChat):
    """In place of a model that is never asked: a journal has its answers, or its price alone is of use."""

    provider = "unasked"
    model: str = "unasked"


def _estimated_usage(messages: Sequence[BaseMessage], tools: int, text: str, calls: list[Any]) -> UsageMetadata:
    """Tokens by a rule of thumb, so that budgets and counts can be tried without a provider."""
    read = sum(_tokens(message.text) for message in messages) + tools
    written = _tokens(text) + sum(_tokens(json.dumps(call["args"])) for call in calls)
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _tokens(text: str) -> int:
    return max(1, len(text) // CHARACTERS_PER_TOKEN)
