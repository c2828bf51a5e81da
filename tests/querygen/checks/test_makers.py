"""Names of makers in a text, and capitals that name none."""

import pytest

from drretail.grounding.constraints.asked import read_asked
from drretail.querygen.checks.case import Named
from drretail.querygen.checks.names import makers_in
from drretail.querygen.rules.naming import Thing


def makers(text: str) -> list[str]:
    return [name for name, _ in makers_in(text, things_in(text))]


def things_in(text: str) -> list[Named]:
    """The last two words of each phrase, as if a shop sold everything."""
    named = ((it, " ".join(it.words.split()[-2:])) for it in read_asked(text).phrases)
    return [Named(Thing(name), it.end - len(name), it.end, "named") for it, name in named]


@pytest.mark.parametrize(
    "text",
    [
        "How does Zorblax hold up in the rain?",
        "How do Zorblax's lamps compare with others?",
        "I trust the brand Zorblax.",
        "I'd like a Zorblax raised garden bed.",
        "My Zorblax desk lamp gave up.",
        "Two Zorblax quiet humidifiers, please.",
        "I compared all Zorblax products.",
        "I'm a fan of Zorblax.",
    ],
)
def test_a_name_where_a_maker_stands_is_one(text: str) -> None:
    assert makers(text) == ["Zorblax"]


@pytest.mark.parametrize(
    "text",
    [
        "In March the desk lamp broke, and on Monday another one.",
        "Which brand lasts? What products are safe?",
        "How does Oregon hold up? How do March winds compare?",
        "A Labrador dog bed and a Christmas desk lamp.",
        "An LED desk lamp, my Scandinavian desk lamp, the Montessori desk lamp.",
        "My sister Mia swears that her desk lamp is best. I asked Tom which desk lamp he has.",
        "Ask Consumer Reports how such things hold up.",
    ],
)
def test_people_places_seasons_and_styles_are_none(text: str) -> None:
    assert makers(text) == []


def test_the_place_of_a_name_is_given() -> None:
    text = "I'd like a Zorblax desk lamp."
    ((name, (start, end)),) = makers_in(text, things_in(text))
    assert text[start:end] == name == "Zorblax"
