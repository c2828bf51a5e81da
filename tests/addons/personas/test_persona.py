"""Personas, contexts and pairs, by rules and by a model. Also tests commands.py and person_model.py."""

# pyright: reportPrivateUsage=false

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from drretail.addons.personas import person_model
from drretail.addons.personas import persona as by_rules
from drretail.addons.personas.person_model import choice_ask, context_ask, persona_ask
from drretail.addons.personas.persona import (
    Persona,
    PersonContext,
    Trait,
    distance,
    most_different,
    pair_query,
    persona_by_rules,
    read_past,
    read_people,
)
from drretail.api.prompts import query_prompt_files, read_query_prompts
from drretail.env.world import World, world_at
from drretail.llm.prompt import overridden_prompts
from drretail.plugins import ADDONS
from drretail.querygen.by_model.session import ModelSession, ask_all
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.records.wish import Wish
from tests.api import test_hostile_texts as hostile
from tests.api.test_hostile_texts import shop as hostile_shop
from tests.api.test_own_wording import QUERY, own, requests_in, unsent
from tests.build import files
from tests.filling import filling_model
from tests.querygen.by_model.scripted import ScriptedChat, scripted
from tests.querygen.conftest import call, make_world, refused, world
from tests.shop import USER

__all__ = ["hostile_shop", "make_world", "own", "world"]


@pytest.fixture
def shop(tiny_shop: Path) -> Iterator[World]:
    with world_at(tiny_shop) as opened:
        yield opened


USERS = ("ANNA", "CARA", "FAYE", "GUNN_2")
TASK = Query(query_id="t1", text="How do I wash a dog with a gentle shampoo?", mode="generic", source="test")


def test_every_field_by_rules_rests_on_the_users_own_orders_and_the_rest_stays_empty(world: World) -> None:
    made = persona_by_rules(read_past(world, "ANNA"))
    own = {order.order_id for order in world.store.orders("ANNA").orders}
    assert all(trait.of_profile or {*trait.orders} <= own for trait in made.traits.values())
    assert {name for name, trait in made.traits.items() if trait.of_profile} == {
        "basic_attributes.name",
        "basic_attributes.residence",
    }
    assert "preferences_and_interests.shopping" in made.traits
    assert "basic_attributes.age" not in made.traits
    assert Persona.model_validate(made.model_dump(mode="json", exclude_none=True)) == made
    task = TASK.model_copy(update={"wish": Wish(owned=("P0000",))})
    pair = pair_query(task, made, None, "f")
    assert (pair.text, pair.mode, pair.wish) == (TASK.text, "task", Wish()), "what its writer owned is not the user's"


def test_nothing_made_of_a_user_has_a_word_of_intimate_purchases(world: World) -> None:
    past = read_past(world, "ANNA")
    product = past.products[past.kept[-1].product_id]
    intimate = product.model_copy(update={"title": "Pregnancy test", "categories": ("Health", "Pregnancy Tests")})
    past = replace(past, products={**past.products, product.product_id: intimate})
    made = (persona_by_rules(past).text, by_rules.context_by_rules(past).text, person_model._records(past))
    assert "pregnan" not in " ".join([*made, *past.words()]).casefold()


def test_commands_make_personas_contexts_and_pairs_without_a_model(world: World, tmp_path: Path) -> None:
    people, to, tasks = tmp_path / "people", tmp_path / "q.jsonl", tmp_path / "tasks.txt"
    tasks.write_text("How do I wash a dog with shampoo?\nWhich desk lamp or planner for a small desk?\n")
    users = [part for user in USERS for part in ("--user", user)]
    assert call(world, "personas", "--people", people, *users).exit_code == 0
    assert call(world, "context", "--people", people).output.startswith("4 contexts")
    paired = call(world, "pair", tasks, "--people", people, "--to", to, "--n", "2")
    assert paired.exit_code == 0, paired.output
    made = read_queries(to)
    pairs = {(each.task_id, each.user_id) for each in made}
    assert sorted(Counter(task for task, _ in pairs).values()) == [2, 2], "also where one user shares words with a task"
    more = call(world, "pair", tasks, "--people", people, "--to", tmp_path / "more.jsonl", "--n", "5")
    assert "Tasks with fewer than 5 users: 2 ('How do I wash a dog with" in " ".join(more.output.split())
    assert all(each.persona and each.context and each.persona not in each.text for each in made)
    assert {each.text for each in made} <= {*tasks.read_text().splitlines()}
    before = files(people, "*.json")
    assert call(world, "personas", "--people", people, "--user", "ANNA").output.startswith("0 personas")
    assert files(people, "*.json") == before


def test_tasks_of_a_user_and_an_empty_folder_are_refused_in_a_sentence(world: World, tmp_path: Path) -> None:
    people, own = tmp_path / "people", tmp_path / "own.jsonl"
    assert "holds no persona" in refused(world, "context", "--people", tmp_path)
    assert call(world, "personas", "--people", people, "--user", "ANNA").exit_code == 0
    own.write_text(TASK.model_copy(update={"user_id": "ANNA"}).as_line() + "\n")
    pair = ("pair", own, "--people", people, "--to", tmp_path / "q.jsonl")
    assert "A task has no user" in refused(world, *pair)
    [persona] = people.glob("*/ANNA*.json")
    persona.write_text(persona.read_text().replace("ANNA", "NOBODY"))
    persona.rename(persona.with_name(persona.name.replace("ANNA", "NOBODY")))
    told = refused(world, "context", "--people", people)
    assert "There is no user 'NOBODY' in this shop" in told
    assert "--world" in told


def test_a_model_writes_chooses_and_is_told_of_others_orders(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = world.store.orders("ANNA").orders[0].order_id
    pets = {"field": "basic_attributes.pets", "value": "Has a dog.", "orders": [order]}

    def answer(messages: Sequence[BaseMessage]) -> str:
        text = messages[0].text
        if "write down who a shopper is" in text:
            strange = {**pets, "orders": ["no such order"]}
            return json.dumps({"traits": [strange if len(messages) == 1 else pets]})
        if "had an assistant kept notes" in text:
            entry = {"kind": "talk", "text": "Shopper: my dog needs a bath.", "orders": [order]}
            return json.dumps({"entries": [entry]})
        return json.dumps({"tasks": ["t1"]})

    chat = ScriptedChat(answer=answer)
    monkeypatch.setattr("drretail.llm.registry.build_model", lambda *_, **__: scripted(chat))
    people, tasks = tmp_path / "people", tmp_path / "t.jsonl"
    tasks.write_text(TASK.as_line() + "\n")
    model = ("--people", people, "--model", "fake:x")
    assert call(world, "personas", "--user", "ANNA", *model).exit_code == 0
    assert "no order of the shopper's" in str(chat.asked[1][-1].text)
    kept = read_people(people, Persona)["ANNA"]
    assert (kept.made_by, [*kept.traits]) == ("fake:x", ["basic_attributes.pets"])
    assert call(world, "context", *model).exit_code == 0
    assert read_people(people, PersonContext)["ANNA"].text == "- Shopper: my dog needs a bath."
    paired = call(world, "pair", tasks, "--to", tmp_path / "q.jsonl", *model)
    assert paired.exit_code == 0, paired.output
    (query,) = read_queries(tmp_path / "q.jsonl")
    assert (query.task_id, query.user_id, query.persona) == ("t1", "ANNA", "Basic attributes, pets: Has a dog.")
    asked = len(chat.asked)
    assert call(world, "pair", tasks, "--to", tmp_path / "q.jsonl", *model).exit_code == 0
    assert len(chat.asked) == asked  # answered by the journal


def test_every_prompt_is_sent_in_the_users_words(own: Path, shop: World, tmp_path: Path) -> None:
    past = read_past(shop, USER)
    persona = persona_by_rules(past)
    with (
        overridden_prompts(read_query_prompts(own)),
        ModelSession(filling_model(), tmp_path / "q.journal.jsonl") as session,
    ):
        ask_all(session, [persona_ask(past)])
        ask_all(session, [context_ask(past, persona)])
        ask_all(session, [choice_ask(persona, [QUERY])])
    mine = [name for name, path in query_prompt_files().items() if path.is_relative_to(ADDONS)]
    assert len(mine) == 3
    assert unsent(mine, requests_in(tmp_path)) == []


def test_what_is_told_of_people_holds_nothing_that_poses_as_a_prompt(hostile_shop: World) -> None:
    told = person_model._records(read_past(hostile_shop, hostile.USER))
    hostile.holds_nothing_that_poses_as_a_prompt([told])


def persona(user_id: str, **shopping: str) -> Persona:
    traits = {f"preferences_and_interests.{name}": Trait(value=it, orders=("1",)) for name, it in shopping.items()}
    return Persona(user_id=user_id, made_by="rules", traits=traits)


def test_distance_is_one_minus_the_mean_jaccard_of_fields_and_the_farthest_are_taken() -> None:
    one, same = (persona(user, diet="vegan food", books="crime novels") for user in "ab")
    half, none = persona("c", diet="vegan food", books="war diaries"), persona("d", movies="westerns")
    assert [distance(one, other) for other in (same, half, none)] == pytest.approx([0, 0.5, 1])
    diets = {"a": "vegan food", "b": "vegan food", "c": "vegan food daily", "d": "red meat"}
    known = {user: persona(user, diet=diet) for user, diet in diets.items()}
    assert most_different(["a", "b", "c", "d"], known, 3) == ["a", "d", "c"], "the first, and then the farthest of all"
    assert most_different(["b"], known, 3) == ["b"]
    assert most_different([], known, 3) == []
    assert distance(persona("a"), persona("b")) == 0, "nothing is known of either"
