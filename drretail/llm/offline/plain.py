"""The answer of an offline model if its policy does not apply: one sentence, or a schema filled from the text."""

import hashlib
import math
import re
from collections import Counter
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from drretail.grounding.text.words import content_stems
from drretail.llm.offline.chat import Turn

_NUMBER = re.compile(r"-?\d+")


def plain_answer(turn: Turn) -> AIMessage:
    """A filled schema if one is asked for, a call of the first tool if no result has come yet, or else a sentence."""
    last = turn.messages[-1] if turn.messages else None
    question = next((message.text for message in reversed(turn.messages) if message.type == "human"), "")
    if turn.schema is not None:
        shown = " ".join(tag.content for tag in turn.tags if tag.name != "schema")
        return turn.in_schema(filled(turn.schema, shown or question))
    if isinstance(last, ToolMessage):
        return AIMessage(f"The tool answered: {_clipped(last.text)}")
    if turn.tool_names:
        function = turn.tools[0]["function"]
        arguments = filled(function.get("parameters") or {"type": "object"}, question)
        return AIMessage("", tool_calls=[tool_call(name=function["name"], args=arguments, id=None)])
    wrote = f" You wrote: {_clipped(question)}" if question.strip() else ""
    return AIMessage(f"I am a rule-based shopping assistant and only look things up in the shop.{wrote}")


def filled(schema: dict[str, Any], text: str) -> Any:
    """A value that satisfies a JSON schema: only required fields, and the first option of every choice."""
    return _value(schema, schema, text, [int(number) for number in _NUMBER.findall(text)])


def _value(schema: dict[str, Any], root: dict[str, Any], text: str, numbers: list[int]) -> Any:
    """``numbers`` are the text's numbers that are not used yet; ``root`` holds the definitions that ``$ref`` names."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _value(root.get("$defs", root.get("definitions", {}))[name], root, text, numbers)
    for fixed in ("default", "const"):
        if fixed in schema:
            return schema[fixed]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _value(schema[choice][0], root, text, numbers)
    match schema.get("type", "object"):
        case "object":
            properties: dict[str, Any] = schema.get("properties", {})
            needed = schema.get("required", list(properties))
            return {name: _value(properties[name], root, text, numbers) for name in properties if name in needed}
        case "array":
            return [_value(schema.get("items", {"type": "string"}), root, text, numbers)]
        case "integer" | "number":
            return numbers.pop(0) if numbers else schema.get("minimum", 1)
        case "boolean" | "null" as kind:
            return True if kind == "boolean" else None
        case _:
            return _clipped(text) or "x"


def _clipped(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79].rsplit(" ", 1)[0] + "…"


DIMENSIONS = 1024


class WordEmbeddings(Embeddings):
    """Word stems hashed to ``DIMENSIONS`` places and weighted by 1 + ln(count); a pure function of the text."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * DIMENSIONS
        for stem, count in Counter(content_stems(text)).items():
            digest = hashlib.sha256(stem.encode("utf-8", "surrogatepass")).digest()
            vector[int.from_bytes(digest[:4]) % DIMENSIONS] += (1 + math.log(count)) * (1 if digest[4] & 1 else -1)
        return vector
