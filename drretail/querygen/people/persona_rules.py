"""Personas out of a user's records by rules over their fields; what no field tells stays empty."""

from collections.abc import Iterable, Mapping

from drretail.grounding.profile.purchases import leaf_category
from drretail.querygen.people.past import Past
from drretail.querygen.people.persona import LONGEST_VALUE, Persona, Trait
from drretail.records.score import Statement

RULES = "rules"
BY_STATEMENT: Mapping[str, str] = {
    "rhythm": "behavioral_characteristics.consumption_cycle",
    "shopper_type": "behavioral_characteristics.consumption_characteristics",
    "reordered": "personality_traits.decision_making_style",
    "brand": "personality_traits.shopping_preference",
    "category": "preferences_and_interests.shopping",
    "price_level": "financial_information.consumption_characteristics",
}
"""Where the statements of a profile summary belong, by code."""
BY_DEPARTMENT: Mapping[str, str] = {
    "Pet_Supplies": "basic_attributes.pets",
    "Grocery_and_Gourmet_Food": "preferences_and_interests.diet",
    "Books": "preferences_and_interests.books",
    "Kindle_Store": "preferences_and_interests.books",
    "Movies_and_TV": "preferences_and_interests.movies",
    "Sports_and_Outdoors": "preferences_and_interests.exercise_types",
}
"""What a department is about, by a product's ``category``."""
_MOST_KINDS, _MOST_IDS = 4, 12


def persona_by_rules(past: Past) -> Persona:
    """What profile, summary and departments tell of a user."""
    profile = {"basic_attributes.name": past.profile.first_name, "basic_attributes.residence": past.residence}
    found = {name: Trait(value=value, of_profile=True) for name, value in profile.items() if value}
    by_code: dict[str, list[Statement]] = {}
    for statement in past.summary().statements:
        by_code.setdefault(statement.code, []).append(statement)
    for code, name in BY_STATEMENT.items():
        statements = [statement for statement in by_code.get(code, ()) if statement.orders]
        if statements:
            found[name] = _trait(
                " ".join(statement.text for statement in statements),
                (id_ for statement in statements for id_ in statement.orders),
            )
    return Persona.of(past.user_id, RULES, found | _departments(past))


def _departments(past: Past) -> dict[str, Trait]:
    """By field, the kinds of things bought in the departments that are about it, the newest order first."""
    bought: dict[str, dict[str, list[str]]] = {}
    for order in filter(past.shows, reversed(past.kept)):
        product = past.products[order.product_id]
        name = BY_DEPARTMENT.get(product.category)
        if name is not None:
            bought.setdefault(name, {}).setdefault(leaf_category(product), []).append(order.order_id)
    return {name: _bought(kinds) for name, kinds in bought.items()}


def _bought(kinds: Mapping[str, list[str]]) -> Trait:
    named = list(kinds)[:_MOST_KINDS]
    return _trait(f"Buys {', '.join(named)}.", (id_ for kind in named for id_ in kinds[kind]))


def _trait(value: str, orders: Iterable[str]) -> Trait:
    return Trait(value=value[:LONGEST_VALUE], orders=tuple(dict.fromkeys(orders))[:_MOST_IDS])
