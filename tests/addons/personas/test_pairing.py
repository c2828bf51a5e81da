"""How far two people are from each other."""

# pyright: reportPrivateUsage=false

import pytest

from drretail.addons.personas.pairing import distance, most_different
from drretail.addons.personas.persona import Persona, Trait


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
