"""Whatever stands in sayings.toml must be a sentence for every thing that may stand in its slots."""

import re
from collections.abc import Iterator

import pytest

from drretail.querygen.rules.needs import KINDS, needs, sayings
from drretail.querygen.rules.phrases import Phrase
from drretail.querygen.rules.sentences import Said

PHRASES = [Phrase("desk lamp", plural=False), Phrase("hair clips", plural=True)]
SLOTS = (
    "have my when brand things either points place season next must ban stars reviews count deadline ask ask2 amount"
)


def templates() -> Iterator[str]:
    said = sayings()
    for need in said.needs:
        yield from need.tell
    for table in (said.want, said.record, said.ask, *(it.model_dump() for it in (said.demand, said.web, said.budget))):
        for texts in table.values():
            yield from texts


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.text)
def test_every_slot_of_every_sentence_can_be_filled(phrase: Phrase) -> None:
    slots = {**dict.fromkeys(SLOTS.split(), "waterproof"), "mine": Said(phrase), "thing": Said(phrase)}
    for template in templates():
        text = template.format_map(slots)
        assert not re.search(r"[{}]|\s\s|\ba [aeio]|\ban [bcdfgjkpqtvwz]", text), text


def test_every_shape_has_a_need_and_every_need_two_openings_and_a_reason() -> None:
    assert {need.shape for need in needs()} == set(KINDS)
    assert len({need.name for need in needs()}) == len(needs())
    for need in needs():
        assert len(need.tell) >= 2, need.name
        assert len(need.why.split()) >= 8, need.name
