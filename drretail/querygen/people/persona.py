"""Who a user is, in the seven groups of PDR-Bench's persona schema (Table 5), and the context that tells it.

Both are kept in a folder; what stands there is frozen until somebody takes it away.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.records.base import Document, Record
from drretail.records.ids import file_name

LONGEST_VALUE = 400
"""Characters of one field."""


class Trait(Record):
    """What a field says, and the records that it rests on."""

    value: str = Field(min_length=1, max_length=LONGEST_VALUE)
    orders: tuple[str, ...] = ()
    """Their ids, the newest where there are many."""
    of_profile: bool = False
    """True of what the user's profile says; all else names orders."""

    @model_validator(mode="after")
    def _rests_on_something(self) -> Self:
        if not self.orders and not self.of_profile:
            raise ValueError("a trait names the orders that it rests on")
        return self


class BasicAttributes(Record):
    name: Trait | None = None
    age: Trait | None = None
    gender: Trait | None = None
    occupation: Trait | None = None
    family: Trait | None = None
    pets: Trait | None = None
    residence: Trait | None = None
    hometown: Trait | None = None


class BehavioralCharacteristics(Record):
    apps: Trait | None = None
    social_behavior: Trait | None = None
    daily_routine: Trait | None = None
    consumption_cycle: Trait | None = None
    consumption_characteristics: Trait | None = None
    periodic_mobility: Trait | None = None


class Environment(Record):
    time_preference: Trait | None = None
    frequent_places: Trait | None = None
    travel_radius: Trait | None = None


class PersonalityTraits(Record):
    personality: Trait | None = None
    decision_making_style: Trait | None = None
    shopping_preference: Trait | None = None


class PreferencesAndInterests(Record):
    diet: Trait | None = None
    accommodation: Trait | None = None
    shopping: Trait | None = None
    services: Trait | None = None
    travel_frequency: Trait | None = None
    destinations: Trait | None = None
    travel_style: Trait | None = None
    articles: Trait | None = None
    short_videos: Trait | None = None
    screenshots: Trait | None = None
    books: Trait | None = None
    movies: Trait | None = None
    singers: Trait | None = None
    actors: Trait | None = None
    exercise_habits: Trait | None = None
    exercise_goals: Trait | None = None
    exercise_types: Trait | None = None
    exercise_investments: Trait | None = None
    exercise_locations: Trait | None = None


class HealthStatus(Record):
    medical_history: Trait | None = None
    mental_condition: Trait | None = None
    physical_fitness: Trait | None = None
    health_needs: Trait | None = None


class FinancialInformation(Record):
    income_structure: Trait | None = None
    assets: Trait | None = None
    consumption_characteristics: Trait | None = None
    debts: Trait | None = None
    investment_background: Trait | None = None
    investment_knowledge: Trait | None = None
    risk_appetite: Trait | None = None


class Persona(Document):
    """people/personas/<user_id>.json: what is known of a user, by group and field; what nobody knows is None."""

    user_id: str
    made_by: str
    """A model as "provider:model", or "rules"."""
    basic_attributes: BasicAttributes = BasicAttributes()
    behavioral_characteristics: BehavioralCharacteristics = BehavioralCharacteristics()
    environment: Environment = Environment()
    personality_traits: PersonalityTraits = PersonalityTraits()
    preferences_and_interests: PreferencesAndInterests = PreferencesAndInterests()
    health_status: HealthStatus = HealthStatus()
    financial_information: FinancialInformation = FinancialInformation()

    @classmethod
    def of(cls, user_id: str, made_by: str, traits: Mapping[str, Trait]) -> Self:
        """The persona with these traits by ``group.field``."""
        groups: dict[str, Any] = {}
        for name, trait in traits.items():
            group, _, field = name.partition(".")
            groups.setdefault(group, {})[field] = trait
        return cls.model_validate({"user_id": user_id, "made_by": made_by, **groups})

    def traits(self) -> dict[str, Trait]:
        """What is known, by ``group.field`` in the order of Table 5."""
        every = ((name, getattr(getattr(self, name.partition(".")[0]), name.partition(".")[2])) for name in FIELDS)
        return {name: trait for name, trait in every if trait is not None}

    @property
    def text(self) -> str:
        """What is known, a field a line, as agents and judges read it."""
        return "\n".join(f"{field_label(name)}: {trait.value}" for name, trait in self.traits().items())


GROUPS: Mapping[str, type[Record]] = {
    "basic_attributes": BasicAttributes,
    "behavioral_characteristics": BehavioralCharacteristics,
    "environment": Environment,
    "personality_traits": PersonalityTraits,
    "preferences_and_interests": PreferencesAndInterests,
    "health_status": HealthStatus,
    "financial_information": FinancialInformation,
}
FIELDS: tuple[str, ...] = tuple(f"{group}.{field}" for group, its in GROUPS.items() for field in its.model_fields)
PROFILE_FIELDS = ("basic_attributes.name", "basic_attributes.residence")
"""Those that the user's profile tells, and no order."""


def field_label(name: str) -> str:
    """ "basic_attributes.pets" → "Basic attributes, pets"."""
    group, _, field = name.replace("_", " ").partition(".")
    return f"{group.capitalize()}, {field}"


class ContextEntry(Record):
    """One note or one bit of talk, and the orders that it tells of."""

    kind: Literal["purchase", "talk"]
    text: str = Field(min_length=1)
    orders: tuple[str, ...] = ()
    of_profile: bool = False
    """True where it tells what the profile says."""


class PersonContext(Document):
    """people/contexts/<user_id>.json: a user's dealings with the shop, from which the persona can be inferred."""

    user_id: str
    made_by: str
    entries: tuple[ContextEntry, ...]

    @property
    def text(self) -> str:
        """The entries, one below the other, as agents read them."""
        return "\n".join(f"- {entry.text}" for entry in self.entries)


T = TypeVar("T", Persona, PersonContext)
_FOLDERS: dict[type[Document], str] = {Persona: "personas", PersonContext: "contexts"}


def person_path(people: Path, record: type[Document], user_id: str) -> Path:
    return people / _FOLDERS[record] / f"{file_name(user_id)}.json"


def read_people(people: Path, record: type[T]) -> dict[str, T]:
    """All of one kind in the folder, by user id. Raises UserError for a file that is none."""
    found: dict[str, T] = {}
    for path in sorted((people / _FOLDERS[record]).glob("*.json")):
        try:
            read = record.model_validate(read_json(path))
        except ValidationError as problem:
            error = problem.errors()[0]
            where = ".".join(map(str, error["loc"]))
            raise UserError(f"{path} is none of the {_FOLDERS[record]}: {where}: {error['msg']}.") from problem
        found[read.user_id] = read
    return found


def freeze_person(people: Path, made: Persona | PersonContext) -> None:
    """Keeps one where none of its user is kept; the first stays."""
    path = person_path(people, type(made), made.user_id)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, made.model_dump(mode="json", exclude_none=True))
