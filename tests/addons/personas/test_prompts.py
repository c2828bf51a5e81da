"""The prompts about people: sent in the user's own words, and without what poses as a prompt."""

# pyright: reportPrivateUsage=false

from pathlib import Path

from drretail.addons.personas import person_model
from drretail.addons.personas.person_model import choice_ask, context_ask, persona_ask
from drretail.addons.personas.persona import persona_by_rules, read_past
from drretail.api.doctor.conversations import USER
from drretail.api.prompts import query_prompt_files, read_query_prompts
from drretail.env.world import World
from drretail.llm.prompt import overridden
from drretail.plugins import ADDONS
from drretail.querygen.by_model.session import ModelSession, ask_all
from tests.api import test_hostile_texts as hostile
from tests.api.test_hostile_texts import shop as hostile_shop
from tests.api.test_own_wording import QUERY, own, requests_in, shop, stand_in, unsent

__all__ = ["hostile_shop", "own", "shop"]


def test_every_prompt_is_sent_in_the_users_words(own: Path, shop: World, tmp_path: Path) -> None:
    past = read_past(shop, USER)
    persona = persona_by_rules(past)
    with overridden(read_query_prompts(own)), ModelSession(stand_in(), tmp_path / "q.journal.jsonl") as session:
        ask_all(session, [persona_ask(past)])
        ask_all(session, [context_ask(past, persona)])
        ask_all(session, [choice_ask(persona, [QUERY])])
    mine = [name for name, path in query_prompt_files().items() if path.is_relative_to(ADDONS)]
    assert len(mine) == 3
    assert unsent(mine, requests_in(tmp_path)) == []


def test_what_is_told_of_people_holds_nothing_that_poses_as_a_prompt(hostile_shop: World) -> None:
    told = person_model._records(read_past(hostile_shop, hostile.USER))
    hostile.holds_nothing_that_poses_as_a_prompt([told])
