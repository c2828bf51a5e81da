"""How much of a persona its context gives back: PDR-Bench's reversibility test (Appendix H), field by field."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from drretail.grounding.text.words import content_stems
from drretail.querygen.people.past import Past, persona_by_rules
from drretail.querygen.people.persona import FIELDS, PROFILE_FIELDS, Persona, PersonContext

ALIKE = 0.5
"""The Jaccard of two values' words from which, without a model, they say the same."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Of one field: in how many personas it is filled, and in how many of these the context gives it back."""

    field: str
    filled: int
    recalled: int

    @property
    def share(self) -> float:
        return self.recalled / self.filled


def inferred_by_rules(context: PersonContext, past: Past) -> Persona:
    """The persona of a user who is known by nothing but the orders, and the profile, that the entries name."""
    named = {order for entry in context.entries for order in entry.orders}
    found = persona_by_rules(past.only(named))
    if any(entry.of_profile for entry in context.entries):
        return found
    traits = {name: trait for name, trait in found.traits.items() if name not in PROFILE_FIELDS}
    return Persona(user_id=found.user_id, made_by=found.made_by, traits=traits)


def agreed_by_words(persona: Persona, inferred: Persona) -> frozenset[str]:
    """The fields of both whose values have half of their words in common."""
    there = inferred.traits
    return frozenset(
        name
        for name, trait in persona.traits.items()
        if name in there and likeness(trait.value, there[name].value) >= ALIKE
    )


def likeness(one: str, other: str) -> float:
    """The Jaccard of the content words of two values."""
    first, second = set(content_stems(one)), set(content_stems(other))
    return len(first & second) / len(first | second) if first | second else float(one == other)


def recall_by_field(personas: Iterable[Persona], agreed: Mapping[str, Collection[str]]) -> list[Recall]:
    """In the order of Table 5; ``agreed`` are the fields that were given back, by user."""
    filled = [(name, persona.user_id) for persona in personas for name in persona.traits]
    of_field = {name: [user for filled_name, user in filled if filled_name == name] for name in FIELDS}
    return [
        Recall(name, len(users), sum(name in agreed.get(user, ()) for user in users))
        for name, users in of_field.items()
        if users
    ]
