"""Bad answers of a model that makes questions: a reader sees at once what is wrong, and none is kept."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.env.world import World
from tests.querygen.by_model.scripted import all_of, is_second, written, written_wish
from tests.querygen.by_model.test_write import ONE, write

CHARGER = {"quote": "must fit the charger that I have", "kind": "profile"}
HOUSE = {"quote": "my kettle", "order": None}
OTHERS = "9990000001"
"""An order of another shopper."""
THREE = {"brands_unwanted": ["Tallow"], "must": [{"say": "cedar", "field": "Material", "any_of": ["Cedar"]}]}
BAD: Mapping[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "the web is asked something else": (
        " What is the capital of France?",
        {},
        {"asks": [{"quote": "What is the capital of France?", "decides": False}]},
        "the web is asked what decides nothing",
    ),
    "the reason dates an order wrongly": ("", {"rationale": "A dog bed was bought in 2018."}, {}, "2018"),
    "limits of the text are typed nowhere": (" Cedar, not by Tallow.", {}, {"wish": THREE}, "2 limits"),
    "three boys, one piece": (" One for each of my three boys.", {}, {"wish": {"quantity": 3}}, "numbers"),
    "an allergy is dropped": (" My daughter is allergic to nuts.", {}, {"wish": {"must_not": ["nuts"]}}, "nuts"),
    "decaf is dropped": (" Decaf.", {}, {"wish": {"must": ["decaf"]}}, "decaf"),
    "it has to fit what nobody knows": (" It must fit the charger that I have.", {}, {"clauses": [CHARGER]}, "charger"),
    "the order is of somebody else": ("", {"rationale": f"It grows out of order {OTHERS}."}, {}, OTHERS),
    "nobody ordered what is mentioned": (" It goes beside my kettle.", {}, {"mentions": [HOUSE]}, "my kettle"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_sent_back_and_left_out(world: World, tmp_path: Path, name: str) -> None:
    more, fields, read, fault = BAD[name]

    def answer(messages: Sequence[BaseMessage]) -> str:
        if is_second(messages):
            return json.dumps(read | {"wish": written_wish(**read.get("wish", {}))})
        bad = written(**fields)
        return all_of(bad | {"query": f"{bad['query']}{more}"})

    made, chat = write(world, tmp_path / "j.jsonl", answer, **ONE)
    (why,) = made.left_out.values()
    assert fault in why
    assert (made.queries, made.failed) == ((), {})
    assert any(fault in message.text for asked in chat.asked for message in asked[2:]), "it was not sent back"
