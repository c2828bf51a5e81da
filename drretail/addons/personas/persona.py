"""Who a user is, by the seven groups of PDR-Bench's Table 5, the context that shows it, and the folder of both."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.records.base import Document, Record, fault_of, file_name

LONGEST_VALUE = 400
"""The most characters of one field."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "basic_attributes": ("name", "age", "gender", "occupation", "family", "pets", "residence", "hometown"),
    "behavioral_characteristics": (
        *("apps", "social_behavior", "daily_routine", "consumption_cycle", "consumption_characteristics"),
        "periodic_mobility",
    ),
    "environment": ("time_preference", "frequent_places", "travel_radius"),
    "personality_traits": ("personality", "decision_making_style", "shopping_preference"),
    "preferences_and_interests": (
        *("diet", "accommodation", "shopping", "services", "travel_frequency", "destinations", "travel_style"),
        *("articles", "short_videos", "screenshots", "books", "movies", "singers", "actors", "exercise_habits"),
        *("exercise_goals", "exercise_types", "exercise_investments", "exercise_locations"),
    ),
    "health_status": ("medical_history", "mental_condition", "physical_fitness", "health_needs"),
    "financial_information": (
        *("income_structure", "assets", "consumption_characteristics", "debts", "investment_background"),
        *("investment_knowledge", "risk_appetite"),
    ),
}
"""The fields of PDR-Bench's Table 5, what can be known of a user, by group."""
FIELDS = tuple(f"{group}.{name}" for group, names in GROUPS.items() for name in names)
PROFILE_FIELDS = ("basic_attributes.name", "basic_attributes.residence")
"""The fields that come from the user's profile, not from orders."""


class Trait(Record):
    """The value of a field, and the records on which it rests."""

    value: str = Field(min_length=1, max_length=LONGEST_VALUE)
    orders: tuple[str, ...] = ()
    """Ids of these orders, the newest if there are many."""
    of_profile: bool = False
    """True if the user's profile says it; all other traits name orders."""

    @model_validator(mode="after")
    def _rests_on_something(self) -> Self:
        if not self.orders and not self.of_profile:
            raise ValueError("a trait names the orders that it rests on")
        return self


class Persona(Document):
    """people/personas/<user_id>.json: what is known of a user."""

    user_id: str
    made_by: str
    """A model as "provider:model", or "rules"."""
    traits: dict[str, Trait]
    """By ``group.field``, in the order of Table 5; fields of which nothing is known are left out."""

    @field_validator("traits")
    @classmethod
    def _are_in_the_table(cls, given: dict[str, Trait]) -> dict[str, Trait]:
        if unknown := given.keys() - {*FIELDS}:
            raise ValueError(f"there are no such fields: {', '.join(sorted(unknown))}")
        return {name: given[name] for name in FIELDS if name in given}

    @property
    def text(self) -> str:
        """One line per known field, as agents and judges read it."""
        labels = (name.replace("_", " ").replace(".", ", ").capitalize() for name in self.traits)
        return "\n".join(f"{label}: {trait.value}" for label, trait in zip(labels, self.traits.values(), strict=True))


class ContextEntry(Record):
    """One note or one bit of talk, and the orders that it mentions."""

    kind: Literal["purchase", "talk"]
    text: str = Field(min_length=1)
    orders: tuple[str, ...] = ()
    of_profile: bool = False
    """True if it tells what the profile says."""


class PersonContext(Document):
    """people/contexts/<user_id>.json: a user's dealings with the shop, from which the persona can be inferred."""

    user_id: str
    made_by: str
    entries: tuple[ContextEntry, ...]

    @property
    def text(self) -> str:
        """One line per entry, as agents read them."""
        return "\n".join(f"- {entry.text}" for entry in self.entries)


T = TypeVar("T", Persona, PersonContext)
_FOLDERS: dict[type[Document], str] = {Persona: "personas", PersonContext: "contexts"}


def person_path(people: Path, record: type[Document], user_id: str) -> Path:
    return people / _FOLDERS[record] / f"{file_name(user_id)}.json"


def read_people(people: Path, record: type[T]) -> dict[str, T]:
    """All personas or all contexts in the folder, by user id. Raises UserError for an invalid file."""
    found: dict[str, T] = {}
    for path in sorted((people / _FOLDERS[record]).glob("*.json")):
        try:
            read = record.model_validate(read_json(path))
        except ValidationError as problem:
            raise UserError(f"{path} is none of the {_FOLDERS[record]}: {fault_of(problem)}.") from problem
        found[read.user_id] = read
    return found


def freeze_person(people: Path, made: Persona | PersonContext) -> None:
    """Writes a persona or context unless the user already has one: the first stays."""
    path = person_path(people, type(made), made.user_id)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, made.model_dump(mode="json", exclude_none=True))
