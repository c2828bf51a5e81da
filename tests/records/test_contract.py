"""What holds of every record that a model may answer. Also tests llm/structured.py."""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import drretail
from drretail.llm.structured import Question
from drretail.records.base import Document, Record
from tests.filling import filled

pytestmark = pytest.mark.anyio
ANSWERED = {"WrittenQuery", "Wish", "Answer", "Pick", "ClaimsAndPicks", "ClaimsSupport", "Grades", "PageSummary"}


def below(kind: type[Record]) -> Iterator[type[Record]]:
    for record in kind.__subclasses__():
        if not issubclass(record, Document) and record.__module__.startswith("drretail."):
            yield from (record, *below(record))


async def test_what_fits_the_schema_and_its_rules_is_accepted_from_a_model() -> None:
    package = Path(drretail.__path__[0])
    for path in package.rglob("*.py"):
        if "(Record)" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
    answered = set[str]()
    for kind in dict.fromkeys(below(Record)):
        schema = kind.model_json_schema()
        for choice in range(3):
            text = json.dumps(filled(schema, choice))
            try:
                answer = kind.model_validate_json(text)
            except ValidationError:  # a rule that no schema states
                continue

            async def call(messages: Any, schema: dict[str, Any], text: str = text) -> str:
                return text

            reply = await Question(kind, call, repairs=0).put([])
            assert reply.answer == answer, (kind.__name__, text, reply.failure)
            answered.add(kind.__name__)
    assert answered >= ANSWERED
    assert len(answered) > 150
