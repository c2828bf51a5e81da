"""A chat model for dry runs, which answers in this process with text of typical length.

It knows the forms in which the project asks: numbered things, criteria of a dimension, weights that add up to 1,
statements of a report. Anything else in the schema is filled with a value of its type. It reads no meaning: only the
length of its answers is worth something.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata

from drretail.grounding.report.citations import scan
from drretail.grounding.text.layout import find_sentences
from drretail.llm.local_chat import LocalChat
from drretail.llm.prompt import tag_content
from drretail.llm.providers import ONCE, Pacer
from drretail.llm.usage import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from drretail.llm.registry import Model


# 14 ratings of a played judge had justifications of 185 to 429 characters, 14 of its preferences 128 to 221; judges
# that explain more write twice as much.
PROSE = ("It says what it rests on, names the place where that stands, and weighs what speaks against it. " * 3).strip()
"""Every text that the stand-in makes up begins with it, so that these texts can be counted in questions and answers."""
SHORT, LONG = 60, 800
"""The fewest and the most characters that such a text may have instead."""
ITEMS = 5
"""Items of any list of records: criteria of a dimension, requirements of a query, points of a rubric."""
_NUMBERED = re.compile(r'<(?!source\b)[a-z_]+ (?:[^<>\n]* )?id="(\d+)"')
_CRITERION = re.compile(r'<criterion dimension="([^"]+)">\n(.*?)\n</criterion>', re.DOTALL)
_SOURCE = re.compile(r'<source id="([^"]*)"[^<>]*>\n(.+)')
_CITED = re.compile(r'<claim id="(\d+)" sources="([^ "]*)')
_DIMENSION = re.compile(r"^- `(\w+)` \(", re.MULTILINE)
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
FEWEST_WORDS = 4
"""Words from which on a sentence that cites nothing is a statement."""


class StandIn(LocalChat):
    """Answers in the bound schema, or in the one that a ``<schema>`` tag of the question asks for.

    It never calls bound tools: of a recorded turn the journal has the answer.
    """

    provider = "stand-in"
    model: str = "stand-in"

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
        """Answers in this schema, under the key "raw" as ``include_raw`` gives them."""
        del kwargs
        return _InSchema(schema)

    def _answer(self, messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
        question = "\n".join(message.text for message in messages if isinstance(message, HumanMessage))
        schema = tag_content("schema", question)
        return _message(messages, "", PROSE) if schema is None else answered(messages, json.loads(schema))


def in_place_of(model: "Model", chat: BaseChatModel) -> "Model":
    """The model with another chat model behind its name and price, neither paced nor retried."""
    return replace(model, opening=lambda: chat, lengths=None, pacer=Pacer(), retrying=ONCE, streamed=False)


@dataclass(frozen=True, slots=True)
class _InSchema:
    schema: dict[str, Any]

    async def ainvoke(self, messages: Sequence[BaseMessage]) -> dict[str, AIMessage]:
        return {"raw": answered(messages, self.schema)}


def answered(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> AIMessage:
    """A valid answer in the schema, with its own tokens and those of messages and schema."""
    question = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    answer = json.dumps(_Filling(schema, question).value(schema), ensure_ascii=False)
    return _message(messages, json.dumps(schema), answer)


def _message(messages: Sequence[BaseMessage], schema: str, answer: str) -> AIMessage:
    read = (sum(len(message.text) for message in messages) + len(schema)) // CHARACTERS_PER_TOKEN
    written = max(1, len(answer) // CHARACTERS_PER_TOKEN)
    usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return AIMessage(answer, usage_metadata=usage, response_metadata={"stop_reason": "end_turn"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or row of a report, with the sources that it names."""

    quote: str
    text: str
    """The quote without its citation marks."""
    sources: tuple[str, ...]


def statements(report: str) -> list[Statement]:
    """The statements of a report, in order, without headings, reference lists and sentences that say little."""
    marks = scan(report, None).marks
    collected: list[Statement] = []
    at = 0
    for sentence in find_sentences(report):
        while at < len(marks) and marks[at].end <= sentence.start:
            at += 1
        inside = [mark for mark in marks[at:] if mark.start < sentence.end] if at < len(marks) else []
        text, start = "", sentence.start
        for mark in inside:
            text, start = text + report[start : mark.start], mark.end
        text = " ".join((text + report[start : sentence.end]).split())
        is_said = any(each.isalpha() for each in text) and (inside or len(text.split()) >= FEWEST_WORDS)
        if is_said and sentence.kind not in ("heading", "table_head"):
            sources = dict.fromkeys(cited.name for mark in inside for cited in mark.cited)
            collected.append(Statement(report[sentence.start : sentence.end], text, tuple(sources)))
    return collected


@dataclass(frozen=True, slots=True)
class _Filling:
    """One schema filled for one question."""

    schema: dict[str, Any]
    question: str

    def value(self, schema: Mapping[str, Any], given: Mapping[str, Any] | None = None, name: str = "") -> Any:
        """A value of the schema. ``given`` holds the fields of an object that are known."""
        while "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self.value(schema[choice][0], given, name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            choices = schema["enum"]
            # Among numbers the middle one, so that a rating is neither high nor low; among words the first.
            return choices[len(choices) // 2] if all(isinstance(each, int) for each in choices) else choices[0]
        match schema.get("type", "object"):
            case "object":
                title, known = schema.get("title", ""), given or {}
                return {
                    key: known[key] if key in known else self.value(part, name=f"{title}.{key}")
                    for key, part in schema.get("properties", {}).items()
                }
            case "array":
                return self._list(schema, name)
            case "integer" | "number":
                return (schema.get("minimum", 1) + schema.get("maximum", schema.get("minimum", 1))) // 2
            case "boolean":
                return True
            case "null":
                return None
            case _:
                return PROSE

    def _list(self, schema: Mapping[str, Any], name: str) -> list[Any]:
        items = schema.get("items", {"type": "string"})
        while "$ref" in items:
            items = self.schema["$defs"][items["$ref"].rpartition("/")[2]]
        kind = items.get("type", "object")
        if kind == "array":
            return []  # a list of groups: the stand-in finds none
        if kind != "object" or "properties" not in items:
            return [self.value(items)]
        return [self.value(items, given) for given in self._items(items["properties"], schema, name)]

    def _items(
        self, properties: Mapping[str, Any], schema: Mapping[str, Any], name: str
    ) -> Sequence[Mapping[str, Any]]:
        """For each item of a list of records, the fields that must fit the question."""
        if {"quote", "product"} <= properties.keys():
            return self._picks()
        if {"quote", "sources"} <= properties.keys() or {"fact", "url"} <= properties.keys():
            return list(self._stated(name, properties))
        if {"quote", "of"} <= properties.keys():  # what an assistant's answer says, a figure each
            typed = {"kind": "policy", "of": [], "field": "", "amount": "1", "amount_to": "", "currency": ""}
            figures = dict.fromkeys(_FIGURE.findall(tag_content("answer", self.question) or ""))
            return [typed | {"relation": "is", "quote": figure} for figure in figures]
        numbers = dict.fromkeys(map(int, _NUMBERED.findall(self.question)))
        for key in properties:
            if key.endswith("_id") and numbers:
                quotes = self._passages() if "quotes" in properties else {}
                return [{key: number, **quotes.get(number, {})} for number in numbers]
        if {"dimension", "weight"} == {*properties}:
            keys = dict.fromkeys(_DIMENSION.findall(self.question))
            return [{"dimension": key, "weight": 1 / len(keys)} for key in keys]
        by_dimension = [each for each in _CRITERION.findall(self.question) if each[0] == name.rpartition(".")[2]]
        if by_dimension:
            return [{"criterion": text.partition("\n(")[0]} for _, text in by_dimension]
        count = max(ITEMS, schema.get("minItems", 0))
        texts = (key for key, part in properties.items() if part.get("type") == "string" and "enum" not in part)
        first = next(texts, None)
        share = {"weight": 1 / count} if properties.get("weight", {}).get("type") == "number" else {}
        return [share | ({} if first is None else {first: f"{PROSE} {number}"}) for number in range(1, count + 1)]

    def _passages(self) -> Mapping[int, Mapping[str, Any]]:
        """By claim: the first words of its first source, since a judge has to quote what the sources hold."""
        texts = dict(_SOURCE.findall(self.question))
        cited = ((int(number), texts.get(source)) for number, source in _CITED.findall(self.question))
        return {number: {"quotes": [text[: len(PROSE)]]} for number, text in cited if text is not None}

    def _stated(self, name: str, properties: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """A claim for each statement of the report, or a fact for each of its references."""
        stated = statements(tag_content("report", self.question) or "")
        if name.startswith("CitedClaims."):
            stated = [statement for statement in stated if statement.sources]
        for number, statement in enumerate(stated, 1):
            if "fact" in properties:
                yield from (
                    {"fact": statement.text, "ref_idx": source, "url": ""} for source in statement.sources or ("",)
                )
                continue
            claim = {
                "claim_id": number,
                "claim": statement.text,
                "quote": statement.quote,
                "sources": [*statement.sources],
            }
            typed = {"kind": "quantity", "amount_to": "", "currency": "", "relation": "is", "of": []}
            digits = dict.fromkeys(_FIGURE.findall(statement.text))
            values = [typed | {"amount": part, "quote": part} for part in digits]
            # No shopper lives there, so that a report's second question, on what records contradict, is counted.
            values += [typed | {"kind": "place", "amount": "Elsewhere", "quote": ""}] * (number == 1)
            yield claim | {"values": values}

    def _picks(self) -> list[Mapping[str, Any]]:
        """The first product that the report cites."""
        stated = statements(tag_content("report", self.question) or "")
        named = next(
            ((statement, source) for statement in stated for source in statement.sources if source.startswith("P:")),
            None,
        )
        if named is None:
            return []
        return [{"product": named[1], "quantity": 1, "alternatives": [], "quote": named[0].quote}]
