import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.judging.pairs import resolve_name

PLAIN, WHOLE_PAGES, SWAPPED = "react@a-m", "react+ws@a-m", "react@a-m-counterfactual-swap"


@pytest.mark.parametrize("given", ["react", "react@", "react@a-m"])
def test_the_agents_name_alone_is_its_plain_system(given: str) -> None:
    assert resolve_name("system", given, [PLAIN, WHOLE_PAGES, SWAPPED]) == PLAIN


@pytest.mark.parametrize(("given", "label"), [("react+ws", WHOLE_PAGES), ("react@a-m-c", SWAPPED)])
def test_more_of_the_name_is_the_other_one(given: str, label: str) -> None:
    assert resolve_name("system", given, [PLAIN, WHOLE_PAGES, SWAPPED]) == label


@pytest.mark.parametrize(("given", "labels"), [("react", [PLAIN, "react@b"]), ("r", [PLAIN, WHOLE_PAGES])])
def test_what_could_be_several_is_not_guessed(given: str, labels: list[str]) -> None:
    with pytest.raises(UserError, match="could be any of"):
        resolve_name("system", given, labels)


def test_what_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="react"):
        resolve_name("system", "reakt", [PLAIN])
