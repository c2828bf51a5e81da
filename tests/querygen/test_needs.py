"""The knowledge files: whatever stands in them must be a sentence for every thing that may stand in its slots."""

import re
from collections.abc import Iterator

import pytest

from drretail.grounding.constraints import read_constraints
from drretail.querygen.drafts.said import Person, Said
from drretail.querygen.facts import known_facts
from drretail.querygen.knowledge import kinds, projects
from drretail.querygen.needs import Need, Saying, needs, sayings
from drretail.querygen.phrases import Phrase

ONE, MANY = Phrase("desk lamp", plural=False), Phrase("hair clips", plural=True)
SHAPES = {"replace", "again", "beside", "together", "either", "present"}


def slots(phrase: Phrase) -> dict[str, object]:
    texts = (
        "my have when brand trouble things either both extra points point point2 place season next occasion"
        " occasion_a interest goal here need must ban stars reviews count deadline ask ask2 amount"
    )
    said = Said(phrase)
    filled: dict[str, object] = dict.fromkeys(texts.split(), "waterproof")
    return {**filled, "mine": said, "thing": said, "other": said, "who": Person("sister")}


def templates() -> Iterator[str]:
    for need in needs():
        yield from (saying.say for saying in (*need.tell, *need.late))
        yield from (*need.want, *need.ask)
        yield from (ask for pair in need.pairs for ask in pair.ask)
    said = sayings()
    for texts in said.want.values():
        yield from texts
    for sayings_of in (*said.record.values(), said.budget.none):
        yield from (saying.say for saying in sayings_of)
    for group in (said.demand, said.web, said.budget):
        for texts in group.model_dump(exclude={"none"}).values():
            yield from texts
    yield from said.close


@pytest.mark.parametrize("phrase", [ONE, MANY])
@pytest.mark.parametrize("template", list(templates()))
def test_every_slot_of_every_sentence_can_be_filled(template: str, phrase: Phrase) -> None:
    text = template.format_map(slots(phrase))
    assert not re.search(r"[{}]|\s\s|\ba [aeio]|\ban [bcdfgjkpqtvwz]", text), text


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.name)
def test_a_need_has_several_wordings_and_something_to_ask_for(need: Need) -> None:
    shared = sayings().want.get(need.shape, ()) if need.shared_want else ()
    assert len(need.tell) >= 3
    assert len(need.want) + len(shared) >= 3
    assert len(need.why.split()) >= 8
    known = set(kinds())
    assert {name for saying in (*need.tell, *need.late) for name in saying.mine} <= known
    assert set(need.mine) | set(need.things) | {name for it in need.pairs for name in (it.mine, it.thing)} <= known
    assert set(need.interests) <= {project.interest for project in projects()}
    if need.shape == "beside":
        assert need.pairs or need.source == "projects"
    if need.shape == "together":
        assert need.things or need.source == "projects"


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.name)
def test_what_a_sentence_claims_of_a_life_is_a_known_fact(need: Need) -> None:
    subjects = known_facts().subjects
    for saying in (*need.tell, *need.late):
        assert all(value in subjects[subject] for subject, value in saying.claims.items()), saying.say


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.name)
def test_a_need_can_be_told_without_a_claim_or_in_several_ways(need: Need) -> None:
    free = [saying for saying in need.tell if saying == Saying(say=saying.say)]
    assert free or len(need.tell) >= 3


def test_there_are_at_least_thirty_needs_of_all_shapes() -> None:
    assert len({need.name for need in needs()}) == len(needs()) >= 30
    assert {need.shape for need in needs()} == SHAPES


@pytest.mark.parametrize(
    "template", [*sayings().demand.deadline, *sayings().demand.deadlines, *sayings().demand.deadline_mild]
)
@pytest.mark.parametrize("deadline", ["by October 12", "before October 12", "within two weeks"])
def test_every_wording_of_a_deadline_is_read_back(template: str, deadline: str) -> None:
    assert read_constraints(template.format(deadline=deadline)).deadline == deadline


@pytest.mark.parametrize("template", sayings().demand.brand)
def test_every_wording_of_an_unwanted_brand_is_read_back(template: str) -> None:
    assert read_constraints(template.format(brand="Tallow")).brands_unwanted == ("Tallow",)


def test_words_agree_with_the_number_of_the_thing() -> None:
    one, many = Said(ONE), Said(MANY)
    text = "{it:quieter}, {it:another}, {it.a}: {it.it} {it.are}, {it.have}, {it.look}, {it.go}, {it.them}, {it.ones}"
    assert (
        text.format(it=one) == "a quieter desk lamp, another desk lamp, a desk lamp: it is, has, looks, goes, it, one"
    )
    assert text.format(it=many) == (
        "quieter hair clips, other hair clips, hair clips: they are, have, look, go, them, ones"
    )


def test_a_person_has_pronouns() -> None:
    text = "my {who}: {who.she}, {who.her}, {who.his}"
    assert text.format(who=Person("sister")) == "my sister: she, her, her"
    assert text.format(who=Person("father-in-law")) == "my father-in-law: he, him, his"
    assert text.format(who=Person("neighbors")) == "my neighbors: they, them, their"


def test_every_person_of_a_need_has_pronouns_that_its_sentences_can_use() -> None:
    for need in needs():
        if any("{who." in text for text in (*(it.say for it in (*need.tell, *need.late)), *need.want)):
            assert all(Person(word).she in ("she", "he") for word in need.who), need.name
