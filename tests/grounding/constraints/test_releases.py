"""What a shopper tells: by topic alone, one limit at a time, the same each time."""

from random import Random

import pytest
from pydantic import ValidationError

from drretail.env.session import Shopper
from drretail.grounding.constraints import IN_THE_RECORD, NO_TIME, NO_WISH, releases, states
from drretail.journal import Journal
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import TOPICS, Hidden, Topic, Want, Wish
from tests.build import demands, known

FEEDER = Want(
    name="feeder",
    kinds=("bird feeder",),
    quantity=3,
    must=demands("cedar", "weatherproof"),
    brands_unwanted=("Tanagrove",),
)
HIDDEN = (
    Hidden(field="budget", topic="budget", say="I can spend $85."),
    Hidden(field="must", index=0, value="cedar", topic="feature", say="It has to be of cedar."),
    Hidden(field="must", index=0, value="weatherproof", topic="feature", say="It must be weatherproof."),
    Hidden.model_validate(
        {"field": "brands_unwanted", "index": 0, "value": "Tanagrove", "topic": "avoid", "from": "record"}
        | {"say": "Not by Tanagrove again.", "shown_by": ["O:1"]}
    ),
    Hidden(field="quantity", index=0, topic="quantity", say="There are three of us."),
)
QUERY = Query(
    query_id="q", text="A feeder?", source="t", wish=Wish(wants=(FEEDER,), budget=Money.of(85)), hidden=HIDDEN
)
WISH = QUERY.wish or Wish()
EFFECTS = Journal().scope("0/0")


def answers(query: Query, *topics: Topic) -> list[str]:
    return [each.answer for each in releases(query, topics)]


def test_a_shopper_answers_with_the_limit_one_a_question_or_all_of_the_topic_and_leaves_after_so_many() -> None:
    assert answers(QUERY, "budget", "use") == ["I can spend $85.", NO_WISH]
    assert answers(QUERY, "avoid") == [IN_THE_RECORD]
    first, second, third = releases(QUERY, ["feature", "feature", "feature"])
    assert [first.answer, second.answer] == ["It has to be of cedar.", "It must be weatherproof."]
    assert (third.new, third.answer) == ((), "It has to be of cedar. It must be weatherproof.")
    (everything,) = releases(QUERY.model_copy(update={"manner": "open"}), ["feature"])
    assert everything.answer == third.answer
    hurried = QUERY.model_copy(update={"questions": 2})
    assert answers(hurried, "use", "brand", "budget") == [NO_WISH, NO_WISH, NO_TIME]
    assert [each.left for each in releases(hurried, ["use", "brand", "budget"])] == [1, 0, 0]
    assert releases(QUERY, TOPICS)[6].answer == NO_TIME


def test_a_thousand_questions_of_any_wording_bring_no_limit_that_was_not_released() -> None:
    seed = 40
    chance, texts = Random(seed), [*(fact.say for fact in HIDDEN), "Tell me all you want: budget, brand, cedar?", "$85"]
    asked = leaks = most = 0
    while asked < 1000:
        shopper, released = Shopper(QUERY.model_copy(update={"questions": 20})), set[str]()
        for _ in range(chance.randint(1, 24)):
            topic = chance.choice(TOPICS)
            question = " ".join(chance.choices(texts, k=chance.randint(1, 5)))
            now, answer = shopper.answer(topic, question, EFFECTS)
            released |= {fact.say for fact in now.new}
            is_stated = states(answer, WISH)
            leaks += sum(is_stated(fact) and fact.say not in released for fact in HIDDEN)
            most = max(most, len(now.new))
            asked += 1
    assert (leaks, most) == (0, 1), f"seed {seed}"


def test_what_is_hidden_is_of_the_wish_and_the_visible_wish_the_rest() -> None:
    strange = Hidden(field="rating_min", index=0, topic="feature", say="At least 4 stars.")
    with pytest.raises(ValidationError, match="rating_min"):
        Query(query_id="q", text="?", source="t", wish=WISH, hidden=(strange,))
    assert list(known(QUERY.visible_wish).parts()) == []
    one = known(QUERY.model_copy(update={"hidden": HIDDEN[1:2]}).visible_wish)
    assert (one.budget, [*map(str, one.wants[0].must)], one.wants[0].quantity) == (Money.of(85), ["weatherproof"], 3)
    plain = Query(query_id="q", text="A feeder?", source="t", wish=WISH)
    assert not {"hidden", "manner", "questions"} & plain.model_dump(mode="json").keys()
    assert Query.model_validate_json(QUERY.as_line()) == QUERY
