"""What a model is told: the four inputs, the person without what is private, and of nobody for generic ones."""

from drretail.env.world import World
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.prompt import Briefing
from drretail.tools.registry import TOOLS


def test_the_four_inputs_are_in_it(world: World) -> None:
    instructions, asked = (it.text for it in Briefing(world).messages(Place("anna", 1, "ANNA"), ["An old question?"]))
    assert "taken apart into smaller questions" in instructions  # what deep research is
    assert world.manifest.now.date().isoformat() in instructions  # the domain, with the shop's today
    assert all(f"- {name}(" in instructions for name in TOOLS)
    profile = world.store.user("ANNA")
    assert f"{profile.first_name} {profile.last_name} of {profile.address.city}" in asked
    assert "An old question?" in asked
    assert world.store.orders("ANNA").orders[0].order_id in asked


def test_the_instructions_are_the_same_for_everybody_so_that_providers_can_cache_them(world: World) -> None:
    briefing = Briefing(world)
    anna, bert = (briefing.messages(Place(user.lower(), 1, user), [])[0].text for user in ("ANNA", "BERT"))
    assert anna == bert


def test_street_email_and_telephone_are_told_to_no_model(world: World) -> None:
    profile = world.store.user("ANNA")
    text = "\n".join(message.text for message in Briefing(world).messages(Place("anna", 1, "ANNA"), []))
    for secret in (profile.email, profile.phone_number, profile.address.address1, profile.address.zip):
        assert secret not in text


def test_a_generic_question_is_asked_for_without_any_profile(world: World) -> None:
    asked = Briefing(world).messages(Place("generic-home", 1, category="Home"), [])[1].text
    assert "<profile>" not in asked
    assert "<category>\nHome\n</category>" in asked
    assert "None yet." in asked


def test_only_a_retry_is_told_of_earlier_tries(world: World) -> None:
    briefing, place = Briefing(world), Place("anna", 1, "ANNA")
    assert "came to nothing" not in briefing.messages(place, [])[1].text
    assert "came to nothing" in briefing.messages(place, [], 2)[1].text
