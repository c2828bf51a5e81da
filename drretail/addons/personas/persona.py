"""Who a user is, by the seven groups of PDR-Bench's Table 5, the context that shows it, and the folder of both.

Both are also made from a user's records without a model; fields without evidence stay empty.

A context holds notes of purchases, and every third order as a bit of talk (PDR-Bench, Appendix H).

Of the users who choose a task, the most different ones are paired with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import Field, field_validator, model_validator

from drretail.env.profile import day_of, may_be_shown, summarise
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.files import read_document, write_json
from drretail.records.base import Document, Record, file_name
from drretail.records.query import Query
from drretail.records.shop import VOID_STATUSES, Order, Product, ProfileSummary, UserProfile
from drretail.reports.text.evidence_ids import short_hash
from drretail.reports.text.wording import format_money, short_title
from drretail.reports.text.words import content_stems

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
    def _are_in_the_table(cls, traits: dict[str, Trait]) -> dict[str, Trait]:
        if unknown := traits.keys() - {*FIELDS}:
            raise ValueError(f"there are no such fields: {', '.join(sorted(unknown))}")
        return {name: traits[name] for name in FIELDS if name in traits}

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
    records: dict[str, T] = {}
    for path in sorted((people / _FOLDERS[record]).glob("*.json")):
        read = read_document(path, record)
        records[read.user_id] = read
    return records


def freeze_person(people: Path, person: Persona | PersonContext) -> None:
    """Writes a persona or context unless the user already has one: the first stays."""
    path = person_path(people, type(person), person.user_id)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, person.model_dump(mode="json", exclude_none=True))


MOST_ORDERS = 60
"""The newest orders that are read of a user."""


@dataclass(frozen=True, slots=True)
class Past:
    """A user's profile and orders, oldest first, with the products that the shop still has."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: Mapping[str, Product]
    now: datetime

    @property
    def user_id(self) -> str:
        return self.profile.user_id

    @property
    def kept(self) -> tuple[Order, ...]:
        """Orders that were neither cancelled nor returned, of products that the shop still has."""
        return tuple(
            order
            for order in self.orders
            if order.order_status not in VOID_STATUSES and order.product_id in self.products
        )

    @property
    def residence(self) -> str:
        address = self.profile.address
        return ", ".join(part for part in (address.city, address.state, address.country) if part)

    def summary(self) -> ProfileSummary:
        """The statements that code derives from these records, each with its orders."""
        return summarise(self.profile, self.orders, self.products, self.now)

    def shows(self, order: Order) -> bool:
        """False if the order's product must not be named."""
        product = self.products.get(order.product_id)
        return product is None or may_be_shown(product)

    def line(self, order: Order) -> str:
        """An order in one line: day, quantity, title, category, price and status."""
        product = self.products.get(order.product_id)
        if product is None:
            return f"{day_of(order)}: {order.quantity} of a product that the shop has no more ({order.order_status})"
        price = "" if product.price is None else f", {format_money(product.price, product.currency)} each"
        title, kind = short_title(product.title, 100), product.leaf_category
        return f"{day_of(order)}: {order.quantity} × {title} ({kind}){price}; {order.order_status}"

    def words(self) -> frozenset[str]:
        """The stems of what the user bought: titles and category paths of kept orders that may be named."""
        bought = [self.products[order.product_id] for order in filter(self.shows, self.kept)]
        return frozenset(
            stem for product in bought for stem in content_stems(" ".join((product.title, *product.categories)))
        )


def read_past(world: World, user_id: str) -> Past:
    """A user's records in a world. Raises UserError for an unknown user."""
    store = world.store
    try:
        user = store.user(user_id)
    except NotFound as problem:
        raise UserError(
            f"There is no user {user_id!r} in this shop: name the one that the personas were made of with --world."
        ) from problem
    newest = store.orders(user_id).orders[:MOST_ORDERS]
    orders = tuple(sorted(newest, key=lambda order: (order.timestamp, order.order_id)))
    products = store.products(sorted({order.product_id for order in orders}))
    return Past(user, orders, products, world.manifest.now)


RULES = "rules"
BY_STATEMENT: Mapping[str, str] = {
    "rhythm": "behavioral_characteristics.consumption_cycle",
    "shopper_type": "behavioral_characteristics.consumption_characteristics",
    "reordered": "personality_traits.decision_making_style",
    "brand": "personality_traits.shopping_preference",
    "category": "preferences_and_interests.shopping",
    "price_level": "financial_information.consumption_characteristics",
}
"""Fields of a persona by the code of a summary's statement."""
BY_DEPARTMENT: Mapping[str, str] = {
    "Pet_Supplies": "basic_attributes.pets",
    "Grocery_and_Gourmet_Food": "preferences_and_interests.diet",
    "Books": "preferences_and_interests.books",
    "Kindle_Store": "preferences_and_interests.books",
    "Movies_and_TV": "preferences_and_interests.movies",
    "Sports_and_Outdoors": "preferences_and_interests.exercise_types",
}
"""Fields of a persona by the department that is about them, a product's ``category``."""
_MOST_KINDS, _MOST_IDS = 4, 12
MOST_ENTRIES = 40
"""The most entries of a context: a prompt has to hold it."""
TALK_EVERY = 3
"""Every so-many-th order is talk: PDR-Bench wants 20 to 50 % of the material to be conversation."""


def persona_by_rules(past: Past) -> Persona:
    """A persona from profile, summary and departments."""
    profile = {"basic_attributes.name": past.profile.first_name, "basic_attributes.residence": past.residence}
    traits = {name: Trait(value=value, of_profile=True) for name, value in profile.items() if value}
    summary = past.summary()
    for code, name in BY_STATEMENT.items():
        statements = [statement for statement in summary.statements if statement.code == code and statement.orders]
        if statements:
            traits[name] = _trait(
                " ".join(statement.text for statement in statements),
                (id_ for statement in statements for id_ in statement.orders),
            )
    # By field: the kinds of things bought in its departments, the newest order first
    bought: dict[str, dict[str, list[str]]] = {}
    for order in filter(past.shows, reversed(past.kept)):
        product = past.products[order.product_id]
        if name := BY_DEPARTMENT.get(product.category):
            bought.setdefault(name, {}).setdefault(product.leaf_category, []).append(order.order_id)
    for name, kinds in bought.items():
        newest = list(kinds.items())[:_MOST_KINDS]
        buys = f"Buys {', '.join(kind for kind, _ in newest)}."
        traits[name] = _trait(buys, (id_ for _, ids in newest for id_ in ids))
    return Persona(user_id=past.user_id, made_by=RULES, traits=traits)


def _trait(value: str, orders: Iterable[str]) -> Trait:
    return Trait(value=value[:LONGEST_VALUE], orders=tuple(dict.fromkeys(orders))[:_MOST_IDS])


def context_by_rules(past: Past) -> PersonContext:
    """The newest ``MOST_ENTRIES`` orders that may be named, as notes and talk, oldest first.

    Before them stands a greeting with name and residence.
    """
    greeting = f"Shopper: {past.profile.first_name} here. Please send everything to me in {past.residence}."
    entries = [ContextEntry(kind="talk", text=greeting, of_profile=True)]
    bought: set[str] = set()
    for number, order in enumerate([*filter(past.shows, past.orders)][-MOST_ENTRIES:], 1):
        is_talk, text = number % TALK_EVERY == 0, f"Noted {past.line(order)}"
        if is_talk:
            product = past.products.get(order.product_id)
            thing = "something" if product is None else short_title(product.title, 100)
            request = f"I'd like to order the {thing}."
            if order.order_status in VOID_STATUSES:
                request = f"I don't want the {thing} after all."
            elif order.product_id in bought:
                request = f"I'd like the {thing} again."
            text = f"Shopper: {request} Assistant: {text}."
        entries.append(ContextEntry(kind="talk" if is_talk else "purchase", text=text, orders=(order.order_id,)))
        bought.add(order.product_id)
    return PersonContext(user_id=past.user_id, made_by=RULES, entries=tuple(entries))


POOL = 4
"""Without a model, a task has this many times as many choosers as users are wanted, so that balancing the users
over all tasks has a choice.
"""
# A query's id has at most 64 characters: the task's id, a hyphen and 8 of the user's hash.
_LONGEST_TASK_ID = 64 - 9


def relevance(task: Query, past: Past) -> float:
    """The share of the words of a task and its wanted kinds that occur in what the user bought, 0 to 1."""
    kinds = () if task.wish is None else (kind for want in task.wish.wants for kind in want.kinds)
    wanted = frozenset(content_stems(" ".join((task.text, *kinds))))
    return len(wanted & past.words()) / len(wanted) if wanted else 0.0


def chosen_by_overlap(tasks: Sequence[Query], pasts: Sequence[Past], wanted: int) -> dict[str, list[str]]:
    """By task, the users whose orders have most in common with it; those who are equally near in an order that is drawn
    for each task. As in PDR-Bench, a task has as many users as are wanted, also where few share a word with it.
    """
    chosen: dict[str, list[str]] = {}
    for task in tasks:
        near = {past.user_id: relevance(task, past) for past in pasts}
        drawn = {user: short_hash(f"{task.query_id}|{user}") for user in near}
        chosen[task.query_id] = sorted(near, key=lambda user: (-near[user], drawn[user]))[: wanted * POOL]
    return chosen


def distance(persona: Persona, other: Persona) -> float:
    """One minus the mean likeness over the fields that either persona fills, 0 to 1; names are not compared.

    A field that only one of them fills counts as unlike.
    """
    first, second = persona.traits, other.traits
    names = {*first, *second} - {"basic_attributes.name"}
    alike = sum(likeness(trait.value, second[name].value) for name, trait in first.items() if name in names & {*second})
    return 1 - alike / len(names) if names else 0.0


def likeness(value: str, other: str) -> float:
    """The Jaccard index of the content words of two values; without any, 1 if the values are equal."""
    first, second = set(content_stems(value)), set(content_stems(other))
    return len(first & second) / len(first | second) if first | second else float(value == other)


def most_different(users: Sequence[str], personas: Mapping[str, Persona], wanted: int) -> list[str]:
    """The first of ``users``, then repeatedly the one that is farthest from its nearest among the taken.

    Of several, the first.
    """
    taken, left = list(users[:1]), list(users[1:])
    nearest = {user: distance(personas[user], personas[taken[0]]) for user in left} if taken else {}
    while left and len(taken) < wanted:
        best = max(left, key=lambda user: (nearest[user], -users.index(user)))
        taken.append(best)
        left.remove(best)
        nearest = {user: min(nearest[user], distance(personas[user], personas[best])) for user in left}
    return taken


def pair_query(task: Query, persona: Persona, context: PersonContext | None, fingerprint: str) -> Query:
    """The task as one user's query: the same text, with persona and context beside it."""
    return task.model_copy(
        update={
            "query_id": f"{task.query_id[:_LONGEST_TASK_ID]}-{short_hash(persona.user_id)}",
            "task_id": task.query_id,
            "user_id": persona.user_id,
            "mode": "task",
            "persona": persona.text,
            "context": None if context is None else context.text,
            "wish": None if task.wish is None else task.wish.model_copy(update={"owned": ()}),
            "rationale": "",
            "expected_tools": (),
            "world_fingerprint": fingerprint,
        }
    )


def check_tasks(tasks: Sequence[Query]) -> None:
    """Raises UserError for tasks that have a user, or whose ids are too alike to give distinct ids of queries."""
    with_user = [task.query_id for task in tasks if task.user_id is not None]
    if with_user:
        raise UserError(f"A task has no user, and {with_user[0]!r} has one: give questions, or queries without a user.")
    starts = {task.query_id[:_LONGEST_TASK_ID] for task in tasks}
    if len(starts) < len(tasks):
        raise UserError("Two tasks have ids that begin with the same 55 characters: shorten them.")
