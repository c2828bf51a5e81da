"""A question that is answered in a schema: validated, and what is wrong with the answer told, at most twice."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from drretail.errors import ModelError
from drretail.llm.registry import Model
from drretail.llm.structured import structured
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Record, canonical_json

MAX_REPAIRS = 2
T = TypeVar("T", bound=Record)
Check = Callable[[T], str | None]
"""What is wrong with an answer that fits its schema, told to the model; None when nothing is."""
Call = Callable[[Any, Sequence[Any], dict[str, Any]], Awaitable[str]]
"""(chat model bound to the schema, messages, schema) → the JSON text of the answer; raises ModelError."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The answer, or the failure in its place."""

    answer: T | None
    attempts: int
    """How many calls it took, repairs included."""
    failure: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What is asked of one model in one schema; ``call`` performs and records each call."""

    model: Model
    answer: type[T]
    call: Call
    check: Check[T] | None = None

    async def put(self, messages: Sequence[Any]) -> Reply[T]:
        """The validated answer to ``messages``.

        Refusals, time-outs and answers cut at their longest length fail at once; what does not fit the schema, or
        what ``check`` objects to, is told to the model, at most ``MAX_REPAIRS`` times.
        """
        from langchain_core.messages import AIMessage, HumanMessage

        schema = json.loads(_schema_of(self.answer))
        bound = structured(self.model, schema)
        said = [*messages]
        if bound is None:
            said[-1] = HumanMessage(f"{said[-1].text}\n{_prompt('json_answer', schema)}")
        problem = ""
        for attempt in range(1, MAX_REPAIRS + 2):
            try:
                raw = await self.call(bound or self.model.chat, said, schema)
            except ModelError as failure:
                return Reply(None, attempt, failure)
            found = self._validated(raw)
            if not isinstance(found, str):
                return Reply(found, attempt)
            problem = found
            said += [AIMessage(raw), HumanMessage(_prompt("repair", schema, problem=tagged("problem", problem)))]
        unusable = ModelError("model", f"no usable answer after {MAX_REPAIRS} repairs: {problem}")
        return Reply(None, MAX_REPAIRS + 1, unusable)

    def _validated(self, raw: str) -> T | str:
        """The answer, or what is wrong with it. Nothing is coerced: "8" is no rating of 8."""
        try:
            found = self.answer.model_validate_json(raw, strict=True)
        except ValidationError as problem:
            return _told(problem)
        return (self.check(found) if self.check else None) or found


@cache
def _schema_of(answer: type[Record]) -> str:
    """As text: to derive it takes longer than all else around a call, and a client may change what it is given."""
    return json.dumps(answer.model_json_schema())


def _prompt(name: str, schema: dict[str, Any], **values: str) -> str:
    return load_prompt(__file__, name).render(schema=tagged("schema", canonical_json(schema)), **values)


def _told(problem: ValidationError) -> str:
    errors = problem.errors(include_url=False, include_input=False)
    said = [f"{'.'.join(str(part) for part in error['loc']) or 'the answer'}: {error['msg']}" for error in errors[:5]]
    more = f" … and {len(errors) - 5} more of the kind" if len(errors) > 5 else ""
    return "; ".join(said) + more
