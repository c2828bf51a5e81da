"""Model profiles: those that ship open as they are, one's own come first, wrong ones are named."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.llm.profiles import SHIPPED, profiles_of, read_profile
from drretail.llm.registry import open_model
from drretail.records.models import ModelProfile, RoleChoice

KEYS = {"ANTHROPIC_API_KEY": "k" * 20}


@pytest.mark.parametrize("name", sorted(profiles_of(SHIPPED)))
def test_every_profile_that_ships_opens_and_says_why(name: str) -> None:
    profile = read_profile(name)
    assert profile.why.endswith(".")
    for choice in (profile.choice(""), *profile.judges):
        given = choice.model_dump(exclude={"model", "timeout", "retries"}, exclude_none=True)
        assert open_model(choice.model, environ=KEYS, **given).spec == choice.model


def test_a_role_takes_what_it_says_and_the_rest_from_the_profile() -> None:
    report = RoleChoice(model="openai:b", max_tokens=9000)
    profile = ModelProfile(why="w", model="openai:a", temperature=0.7, seed=3, roles={"report": report})
    asked = profile.choice("report")
    assert (asked.model, asked.max_tokens, asked.temperature, asked.seed) == ("openai:b", 9000, 0.7, 3)
    assert profile.choice("synthesis").model == "openai:a"


def test_ones_own_profile_comes_before_one_that_ships() -> None:
    own = ModelProfile(why="w", model="openai:mine")
    assert read_profile("cheap", {"cheap": own}) is own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a\n", "not valid TOML"),
        ('[a]\nmodel = "x:y"\n', "a.why"),
        ('[a]\nwhy = "w"\nmodel = "x:y"\ntemprature = 1\n', "a.temprature"),
        ('[b]\nwhy = "w"\nmodel = "x:y"\n', "no model profile"),
    ],
)
def test_a_wrong_file_is_told_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_profile(f"{path}:a")


def test_a_missing_file_and_an_unknown_name_are_told() -> None:
    with pytest.raises(UserError, match="no file of model profiles"):
        read_profile("absent.toml:a")
    with pytest.raises(UserError, match="Did you mean cheap"):
        read_profile("chep")
